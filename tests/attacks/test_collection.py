"""Every hostile input gives exactly its findings, within a bounded number of calls."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from inspector.loader.checkpoint import load
from tests.attacks.collection import INPUTS, HostileInput
from tests.steps import at_most


def test_the_collection_is_large() -> None:
    assert len(INPUTS) >= 150
    assert len({hostile.name for hostile in INPUTS}) == len(INPUTS)


@pytest.mark.thinned
@pytest.mark.parametrize("hostile", INPUTS, ids=lambda hostile: ascii(hostile.name))
def test_hostile_input(hostile: HostileInput, tmp_path: Path) -> None:
    content = hostile.build()
    folder = tmp_path / "model"
    folder.mkdir()
    for name, raw in ({"model.safetensors": content} if isinstance(content, bytes) else content).items():
        (folder / name).write_bytes(raw)
    stored = sum(path.stat().st_size for path in folder.iterdir())
    del content
    with at_most(50_000 + stored):
        checkpoint = load(os.fspath(folder), weights=hostile.weights)
    assert {findings.name for findings in checkpoint.findings} == hostile.rules
    assert checkpoint.readable == hostile.readable
    json.dumps([dict(findings.facts) for findings in checkpoint.findings], allow_nan=False)
    for findings in checkpoint.findings:
        lists = [value for value in findings.facts.values() if isinstance(value, list)]
        assert all(len(value) <= 20 for value in lists)
