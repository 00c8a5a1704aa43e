"""Adapters of the library `adapters`, whose config has the name of PEFT's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import write_file

AT = "bert.encoder.layer.0.output.adapters.sst.adapter_{}.weight"
SPEC = {AT.format("down.0"): ("F32", (4, 32)), AT.format("up"): ("F32", (32, 4))}
CONFIG = {"config": {"reduction_factor": 16}, "model_class": "BertAdapterModel", "model_name": "bert-base-uncased"}


@pytest.mark.parametrize(("file", "config", "expected"), [
    ("adapter.safetensors", CONFIG, {"R050"}),
    ("adapter.safetensors", {**CONFIG, "peft_type": "LORA"}, {"A911"}),
    ("model.safetensors", CONFIG, {"A911"}),
])  # fmt: skip
def test_the_library_is_named(file: str, config: dict[str, Any], expected: set[str], tmp_path: Path) -> None:
    write_file(tmp_path / file, SPEC)
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert {one.code for one in audited.findings} & {"R050", "A911", "A940"} == expected
    if expected == {"R050"}:
        assert audited.verdict == "undecided" and "bert-base-uncased" in audited.findings[0].headline()
