"""A config.json in the folder of an adapter: that of the adapter, or that of its base.

Measured with transformers 5.23 and 4.57 and PEFT 0.21 on adapters of Llama and BERT.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import Spec, write_file

TARGETS = {
    "llama": ("LlamaForCausalLM", "model.layers.0.self_attn.q_proj", "CAUSAL_LM"),
    "bert": ("BertForSequenceClassification", "bert.encoder.layer.0.attention.self.query", "SEQ_CLS"),
    "t5": ("T5ForConditionalGeneration", "encoder.block.0.layer.0.SelfAttention.q", "SEQ_2_SEQ_LM"),
}
"""Model type -> its class, a module with an adapter, and the task."""


def folder(place: Path, model_type: str, config: dict[str, Any] | None, weights: str = "") -> list[str]:
    """The findings on an adapter next to a config.json, and next to weights under this name."""
    module = TARGETS[model_type][1]
    spec: Spec = {
        f"base_model.model.{module}.lora_A.weight": ("F32", (4, 32)),
        f"base_model.model.{module}.lora_B.weight": ("F32", (32, 4)),
    }
    write_file(place / "adapter_model.safetensors", spec)
    (place / "adapter_config.json").write_text(json.dumps(settings(model_type)))
    if config is not None:
        (place / "config.json").write_text(json.dumps(config))
    if weights:
        write_file(place / weights, {f"{module}.weight": ("F32", (32, 32))})
    return [one.code for one in audit(str(place)).findings if one.code in ("A974", "A983")]


def settings(model_type: str) -> dict[str, Any]:
    _, module, task = TARGETS[model_type]
    return {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": [module.rpartition(".")[2]],
            "task_type": task, "base_model_name_or_path": f"org/{model_type}"}  # fmt: skip


@pytest.mark.parametrize("model_type", TARGETS)
def test_a_copy_of_the_adapters_config_is_named(model_type: str, tmp_path: Path) -> None:
    assert folder(tmp_path, model_type, settings(model_type)) == ["A974"]
    found = next(one for one in audit(str(tmp_path)).findings if one.code == "A974")
    assert "config.json is a copy of adapter_config.json" in found.message


@pytest.mark.parametrize("model_type", TARGETS)
def test_another_config_of_an_adapter_is_none_of_a_model_either(model_type: str, tmp_path: Path) -> None:
    assert folder(tmp_path, model_type, settings(model_type) | {"r": 8}) == ["A974"]
    found = next(one for one in audit(str(tmp_path)).findings if one.code == "A974")
    assert "config.json is the config of an adapter" in found.message


@pytest.mark.parametrize("model_type", TARGETS)
def test_a_config_of_the_base_is_a_note(model_type: str, tmp_path: Path) -> None:
    config = {"model_type": model_type, "architectures": [TARGETS[model_type][0]]}
    assert folder(tmp_path, model_type, config) == ["A983"]


@pytest.mark.parametrize("model_type", TARGETS)
@pytest.mark.parametrize("config", [
    None, {"quantization": {"bits": 4}}, {"model_type": "llava_llama", "architectures": ["LlavaLlamaForCausalLM"]},
    {"model_type": "own", "auto_map": {"AutoConfig": "configuration_own.OwnConfig"}},
])  # fmt: skip
def test_without_a_config_or_with_one_that_other_code_reads_nothing_is_said(
    model_type: str, config: dict[str, Any] | None, tmp_path: Path
) -> None:
    assert folder(tmp_path, model_type, config) == []


@pytest.mark.parametrize("model_type", TARGETS)
def test_a_model_with_its_adapter_is_loaded(model_type: str, tmp_path: Path) -> None:
    config = {"model_type": model_type, "architectures": [TARGETS[model_type][0]]}
    assert folder(tmp_path, model_type, config, "model.safetensors") == []


@pytest.mark.parametrize("model_type", TARGETS)
@pytest.mark.parametrize(("settings_of_images", "codes"), [
    ({"image_processor_type": "Qwen2_5_VLImageProcessor"}, ["R070"]),
    ({"feature_extractor_type": "WhisperFeatureExtracter"}, ["R070"]),
    ({"image_processor_type": "Qwen2VLImageProcessorFast"}, []),
    ({"image_processor_type": "OwnImageProcessor", "auto_map": {"AutoImageProcessor": "own.OwnImageProcessor"}}, []),
    ({"feature_extractor_type": "CLIPFeatureExtractor"}, []),
])  # fmt: skip
def test_an_unknown_class_of_images_beside_an_adapter(
    model_type: str, settings_of_images: dict[str, Any], codes: list[str], tmp_path: Path
) -> None:
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(settings_of_images))
    folder(tmp_path, model_type, None)
    found = [one for one in audit(str(tmp_path)).findings if one.code == "R070"]
    assert [one.code for one in found] == codes
    assert all(one.help == f"copy preprocessor_config.json from the base org/{model_type}" for one in found)
