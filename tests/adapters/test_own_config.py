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
    names: tuple[str, ...], config: dict[str, Any], found: bool
) -> None:
    assert any(one.code == "A994" for one in of_llava(*names, **config).findings) is found


@pytest.mark.parametrize(("tower", "config", "found"), [
    (True, {}, True), (False, {}, False), (True, {"unfreeze_mm_vision_tower": True}, False),
    (True, {"architectures": ["LlavaQwenForCausalLM"]}, True),
    (True, {"architectures": ["LlavaForConditionalGeneration"], "model_type": "llava"}, False),
])  # fmt: skip
def test_pairs_in_a_tower_that_is_loaded_after_the_adapter(tower: bool, config: dict[str, Any], found: bool) -> None:
    audited = of_llava("non_lora_trainables.bin", tower=tower, **config)
    assert any(one.code == "A984" for one in audited.findings) is found


LLAVA: dict[str, Any] = {
    "model_type": "llava", "architectures": ["LlavaLlamaForCausalLM"], "mm_vision_tower": "openai/clip",
    "mm_projector_type": "mlp2x_gelu", "mm_hidden_size": 1024, "hidden_size": 64, "intermediate_size": 96,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 100,
}  # fmt: skip
OWN_NAMES = {"embed_tokens": (100, 64), "norm": (64,), "mm_projector.0": (64, 1024), "mm_projector.2": (64, 64)} | {
    f"layers.{layer}.{name}": shape for layer in range(2) for name, shape in {
        "input_layernorm": (64,), "post_attention_layernorm": (64,), "mlp.gate_proj": (96, 64), "mlp.up_proj": (96, 64),
        "mlp.down_proj": (64, 96), **{f"self_attn.{one}_proj": (64, 64) for one in "qkvo"},
    }.items()
}  # fmt: skip


@pytest.mark.parametrize(("lost", "config", "absent"), [
    ("", {}, False), ("", {"model_type": "llava_llama"}, False), ("layers.1.self_attn.v_proj", {}, True),
    ("layers.1.self_attn.v_proj", {"model_type": "llava_llama"}, True),
])  # fmt: skip
def test_a_tower_that_is_loaded_later_is_no_target(
    lost: str, config: dict[str, object], absent: bool, tmp_path: Path
) -> None:
    spec: Spec = {}
    for module in (f"layers.{layer}.self_attn.{one}_proj" for layer in range(2) for one in "qv"):
        before = f"base_model.model.model.{module}"
        pair: Spec = {f"{before}.lora_A.weight": ("F16", (4, 64)), f"{before}.lora_B.weight": ("F16", (64, 4))}
        spec |= pair if module != lost else {}
    for name in ("adapter", "base"):
        (tmp_path / name).mkdir()
    write_file(tmp_path / "adapter" / "adapter_model.safetensors", spec)
    stated = {"peft_type": "LORA", "r": 4, "target_modules": ["q_proj", "v_proj"], "task_type": "CAUSAL_LM"}
    (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps(stated))
    (tmp_path / "base" / "config.json").write_text(json.dumps(LLAVA | config))
    own: Spec = {f"model.{name}.weight": ("F16", shape) for name, shape in OWN_NAMES.items()}
    own |= {f"model.mm_projector.{number}.bias": ("F16", (64,)) for number in (0, 2)}
    write_file(tmp_path / "base" / "model.safetensors", own | {"lm_head.weight": ("F16", (100, 64))})
    audited = audit(str(tmp_path / "adapter"), base=str(tmp_path / "base"))
    assert [one.code for one in audited.findings if one.severity == "error"] == ["A905"] * absent


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
