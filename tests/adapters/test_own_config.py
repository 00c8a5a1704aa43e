"""A config.json in the folder of an adapter describes its base, unless its class is of other code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import Spec, write_file
from tests.findings.cases import qlora_of_llava
from tests.findings.library_cases import of_llava
from tests.judged import records

OWN = {"llava": "LlavaLlamaForCausalLM", "qwen2_vl": "QwenVLActionModel", "paligemma": "PaliGemmaForAction"}
"""Model type -> a class of other code, whose language model is Llama's or Qwen's under its own names."""


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("model_type", OWN)
def test_names_are_compared_with_the_classes_of_transformers_alone(model_type: str, own: bool, tmp_path: Path) -> None:
    record = next(one for one in records(model_type) if "ForConditionalGeneration" in one["class"])
    spec: Spec = {}
    for layer in range(2):
        before = f"base_model.model.gpt.blocks.{layer}.q_proj"
        spec |= {f"{before}.lora_A.weight": ("F32", (4, 48)), f"{before}.lora_B.weight": ("F32", (48, 4))}
    write_file(tmp_path / "adapter_model.safetensors", spec)
    stated = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"], "task_type": "CAUSAL_LM"}
    (tmp_path / "adapter_config.json").write_text(json.dumps(stated))
    config = record["config"] | {"architectures": [OWN[model_type] if own else record["class"]]}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert (audit(str(tmp_path)).verdict == "clean") is own


@pytest.mark.parametrize(("names", "config", "found"), [
    ((), {}, True), (("non_lora_trainables.bin",), {}, False), ((), {"mm_vision_tower": None}, False),
    ((), {"architectures": ["LlavaQwenForCausalLM"]}, True), ((), {"architectures": ["LlamaForCausalLM"]}, False),
])  # fmt: skip
def test_the_projector_that_was_trained_beside_an_adapter(
    names: tuple[str, ...], config: dict[str, object], found: bool
) -> None:
    assert any(one.code == "A994" for one in of_llava(*names, **config).findings) is found


@pytest.mark.parametrize("kind", ["llama", "mistral", "qwen2"])
@pytest.mark.parametrize(("block", "based", "found"), [
    ({}, True, {"A968"}), ({}, False, {"A969"}),
    ({"load_in_4bit": False, "load_in_8bit": True}, True, {"A968"}),
    ({"load_in_4bit": False}, True, set()), ({"quant_method": "awq"}, False, set()),
])  # fmt: skip
def test_the_quantization_of_the_training_of_llava(
    kind: str, block: dict[str, Any], based: bool, found: set[str]
) -> None:
    audited = qlora_of_llava(based=based, kind=kind, **block)
    assert {one.code for one in audited.findings} & {"A968", "A969"} == found
