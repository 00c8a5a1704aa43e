"""Every exhibit gives exactly its findings, and quickly."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from inspector.loader.checkpoint import load
from tests.attacks.collection import EXHIBITS, Exhibit
from tests.steps import at_most


def test_the_museum_is_large() -> None:
    assert len(EXHIBITS) >= 150
    assert len({exhibit.name for exhibit in EXHIBITS}) == len(EXHIBITS)


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: ascii(exhibit.name))
def test_exhibit(exhibit: Exhibit, tmp_path: Path) -> None:
    made = exhibit.build()
    folder = tmp_path / "model"
    folder.mkdir()
    for name, raw in ({"model.safetensors": made} if isinstance(made, bytes) else made).items():
        (folder / name).write_bytes(raw)
    stored = sum(path.stat().st_size for path in folder.iterdir())
    del made
    with at_most(50_000 + stored):
        checkpoint = load(os.fspath(folder), weights=exhibit.weights)
    assert {findings.name for findings in checkpoint.findings} == exhibit.rules
    assert checkpoint.readable == exhibit.readable
    json.dumps([dict(findings.facts) for findings in checkpoint.findings], allow_nan=False)
    for findings in checkpoint.findings:
        lists = [value for value in findings.facts.values() if isinstance(value, list)]
        assert all(len(value) <= 20 for value in lists)
