"""What programs that load models do with an adapter alone: the help says how each of them takes it with its base."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.start import audit
from inspector.findings.finding import Finding
from tests.checkpoints import Spec, write_file

MODULES = {
    "llama": "model.layers.0.self_attn.q_proj", "gpt2": "transformer.h.0.attn.c_attn",
    "bloom": "transformer.h.0.self_attention.query_key_value",
}  # fmt: skip
COMMANDS = {
    "llama.cpp": "convert_lora_to_gguf.py FOLDER --base BASE", "ollama": "FROM BASE and ADAPTER FOLDER",
    "vllm": "vllm serve org/base --enable-lora --max-lora-rank 32",
}  # fmt: skip


def judged(place: Path, model_type: str, loader: str, **values: Any) -> tuple[Finding, ...]:
    module = MODULES[model_type]
    spec: Spec = {}
    for side, shape in (("A", (32, 64)), ("B", (64, 32))):
        spec[f"base_model.model.{module}.lora_{side}.weight"] = ("F32", shape)
    if values.get("use_dora"):
        spec[f"base_model.model.{module}.lora_magnitude_vector"] = ("F32", (64,))
    write_file(place / "adapter_model.safetensors", spec)
    stated = {"peft_type": "LORA", "r": 32, "lora_alpha": 64, "target_modules": [module.rpartition(".")[2]],
              "base_model_name_or_path": "org/base", **values}  # fmt: skip
    (place / "adapter_config.json").write_text(json.dumps(stated))
    return judged_for(audit(str(place)), loader).findings


@pytest.mark.parametrize("loader", COMMANDS)
@pytest.mark.parametrize("model_type", MODULES)
def test_the_help_says_how_the_adapter_is_loaded_with_its_base(model_type: str, loader: str, tmp_path: Path) -> None:
    (found,) = (one for one in judged(tmp_path, model_type, loader) if one.code == "A966")
    assert COMMANDS[loader] in found.help
    assert "merge_and_unload" in found.help
    assert found.facts["rank"] == (32 if loader == "vllm" else 0)


@pytest.mark.parametrize("loader", ["llama.cpp", "vllm"])
@pytest.mark.parametrize("model_type", MODULES)
def test_of_an_adapter_that_a_program_does_not_read_only_its_error_is_said(
    model_type: str, loader: str, tmp_path: Path
) -> None:
    found = [one.code for one in judged(tmp_path, model_type, loader, use_dora=True) if one.code != "A901"]
    assert found == ["N429"]


@pytest.mark.parametrize("model_type", MODULES)
def test_without_a_program_nothing_is_said(model_type: str, tmp_path: Path) -> None:
    judged(tmp_path, model_type, "vllm")
    assert [one.code for one in audit(str(tmp_path)).findings] == ["A901"]
