"""Adapters of the library `adapters`, whose config file has the same name as PEFT's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import genuine, write, write_file
from tests.make_checkpoints import SMALL_LLAMA

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


@pytest.mark.parametrize(("values", "beside", "found"), [
    (SMALL_LLAMA, False, "A995"), (SMALL_LLAMA, True, "A940"), ({**SMALL_LLAMA, "peft_type": "LORA"}, False, "A911"),
    ({"_from_model_config": True, "eos_token_id": 2}, False, "A911"),
])  # fmt: skip
def test_the_config_of_a_model_under_the_name_of_an_adapters(
    values: dict[str, Any], beside: bool, found: str, tmp_path: Path
) -> None:
    """A merged model whose config.json was renamed; renamed back, it is a model."""
    write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    if not beside:
        (tmp_path / "config.json").unlink()
    (tmp_path / "adapter_config.json").write_text(json.dumps(values), encoding="utf-8")
    finding = next(one for one in audit(str(tmp_path)).findings if one.code in ("A995", "A940", "A911"))
    assert finding.code == found
    if found == "A995":
        (step,) = finding.remedy().steps
        (tmp_path / str(step.file)).rename(tmp_path / step.new)
        assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize(("file", "code"), [
    ("additional_weights.safetensors", "S240"), ("model.safetensors", "A911"), ("model.fp16.safetensors", "A911"),
    ("model-00001-of-00002.safetensors", "A911"),
])  # fmt: skip
def test_weights_that_are_not_the_adapter(file: str, code: str, tmp_path: Path) -> None:
    """PEFT refuses a folder without adapter_model.safetensors; other files there are for another program."""
    write_file(tmp_path / file, {"vision_projection.weight": ("F32", (8, 4)), "vision_projection.bias": ("F32", (8,))})
    (tmp_path / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 4}), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert {one.code for one in audited.findings} & {"S240", "A911", "A940"} == {code}
    assert (audited.verdict == "findings") is (code == "S240" or "-of-" in file)  # the other shard is missing


PROJECTOR = {"base_model.model.model.mm_projector.0.weight": ("F32", (64, 8))}


@pytest.mark.parametrize(("spec", "settings", "code"), [
    (PROJECTOR, {"target_modules": ["q_proj", "v_proj"]}, "S240"),
    ({"base_model.model.lm_head.weight": ("F32", (96, 64))}, {"target_parameters": ["mlp.experts.down_proj"]}, "S240"),
    ({"base_model.model.lm_head.weight": ("F32", (96, 64))}, {"modules_to_save": ["lm_head"]}, "S221"),
    ({**PROJECTOR, "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight": ("F32", (4, 64)),
      "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight": ("F32", (64, 4))},
     {"target_modules": ["q_proj"]}, "S221"),
])  # fmt: skip
def test_a_file_without_a_tensor_of_the_adapter_is_not_renamed(
    spec: dict[str, Any], settings: dict[str, Any], code: str, tmp_path: Path
) -> None:
    """PEFT 0.21 loads it under the name that it looks for, and adds nothing to the base."""
    write_file(tmp_path / "trained_modules.safetensors", spec)
    config = {"peft_type": "LORA", "r": 4, "target_modules": None, **settings}
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    found = [one for one in audit(str(tmp_path)).findings if one.code in ("S221", "S240", "A978")]
    assert [one.code for one in found] == [code]
    assert ("rename" in found[0].remedy().words) is (code == "S221")
