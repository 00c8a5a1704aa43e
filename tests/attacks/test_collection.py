"""Every exhibit gives exactly its findings, and quickly."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from inspector.loader.checkpoint import load
from tests.attacks.collection import EXHIBITS, Exhibit


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
    del made
    start = time.process_time()
    checkpoint = load(os.fspath(folder), weights=exhibit.weights)
    assert time.process_time() - start < 5
    assert {evidence.name for evidence in checkpoint.evidence} == exhibit.rules
    assert checkpoint.readable == exhibit.readable
    json.dumps([dict(evidence.facts) for evidence in checkpoint.evidence], allow_nan=False)
    for evidence in checkpoint.evidence:
        lists = [value for value in evidence.facts.values() if isinstance(value, list)]
        assert all(len(value) <= 20 for value in lists)
