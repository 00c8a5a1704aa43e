"""Settings of adapter_config.json that differ from those of the training, and what PEFT refuses in them."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.findings.peft_remedies import peft_remedy
from inspector.loading.peft import by_vllm
from tests.adapters.records import Spec, records, spec_of, with_base
from tests.judged import codes

WRONG: list[tuple[str, str, Any]] = [
    ("llama.fourierft", "n_frequency", 100), ("llama.c3a", "block_size", 8), ("llama.shira", "r", 6),
    ("llama.lokr-both", "decompose_both", False), ("llama.lokr", "r", 8), ("llama.miss-mini", "mini_r", 4),
    ("llama.poly", "n_tasks", 6), ("llama.pvera", "r", 18), ("llama.psoft", "r", 10), ("llama.lily", "num_B", 6),
    ("llama.multitask-prompt", "num_tasks", 6), ("llama.gralora", "hybrid_r", 4), ("llama.adaption", "adapter_len", 10),
    ("llama.vblora", "vector_length", 2), ("llama.xlora", "xlora_size", 40),
    ("llama.vblora-topk", "save_only_topk_weights", False), ("llama.vera", "r", 20),
    ("llama.ia3", "feedforward_modules", []),
    ("llama.vera-unsaved", "save_projection", True), ("gpt2.ia3", "feedforward_modules", []),
]  # fmt: skip
"""Record, key, a value with which its tensors do not fit: PEFT 0.21 loads each record with its own value."""


def audited(name: str, spec: Spec | None = None, **changed: Any) -> Audit:
    """The audit of a recorded adapter with a changed config and its own base."""
    record = records()[name]
    return with_base(spec_of(name) if spec is None else spec, {**record["adapter"], **changed}, record["base"])


@pytest.mark.parametrize(("name", "key", "value"), WRONG)
def test_the_setting_that_explains_all_errors_is_the_only_finding(name: str, key: str, value: Any) -> None:
    record = records()[name]
    result = audited(name, **{key: value})
    (finding,) = (one for one in result.findings if one.severity != "note")
    assert finding.code == "A942"
    assert [(one["key"], one["new"]) for one in finding.facts["settings"]] == [(key, record["adapter"][key])]
    assert not codes(audited(name))


@pytest.mark.parametrize("name", ["llama.fourierft", "llama.c3a", "llama.vera", "llama.lokr", "llama.miss-mini"])
def test_a_lost_tensor_is_not_explained_by_a_setting(name: str) -> None:
    spec = spec_of(name)
    lost = next(key for key in spec if "layers.1" in key)
    assert codes(audited(name, {key: entry for key, entry in spec.items() if key != lost})) != {"A942"}


@pytest.mark.parametrize(("changed", "key", "new"), [
    ({"exclude_modules": ["q_proj"]}, "exclude_modules", None),
    ({"layers_to_transform": [0]}, "layers_to_transform", None),
    ({"target_modules": ["k_proj"]}, "target_modules", ["q_proj", "v_proj"]),
])  # fmt: skip
def test_the_key_that_leaves_modules_out(changed: dict[str, Any], key: str, new: object) -> None:
    result = audited("llama.default", **changed)
    found = [one.facts["settings"] for one in result.findings if one.code == "A906"]
    assert [[(one["key"], one["new"]) for one in settings] for settings in found] == [[(key, new)]]


@pytest.mark.parametrize(("indices", "code"), [(None, "A906"), ({"embed_tokens": [1]}, "A904")])
def test_trained_tokens_without_their_list(indices: Any, code: str) -> None:
    name = next(one for one, record in records().items() if record["adapter"].get("trainable_token_indices"))
    result = audited(name, trainable_token_indices=indices)
    words = [one.remedy().words for one in result.findings if one.code == code]
    assert words
    assert all(one.startswith('set "trainable_token_indices" in adapter_config.json to the') for one in words)


def test_a_prompt_under_the_config_of_another_method() -> None:
    name = "llama.default"
    width = records()[name]["base"]["hidden_size"]
    result = audited(name, {"prompt_embeddings": ("F32", (7, width))})
    (finding,) = (one for one in result.findings if one.severity != "note")
    assert {one["key"]: one["new"] for one in finding.facts["settings"]} == {
        "peft_type": "PROMPT_TUNING", "num_virtual_tokens": 7,
    }  # fmt: skip


@pytest.mark.parametrize(("because", "words"), [
    ("model.embed_tokens: token 400 of 320 is beyond the table", "resize_token_embeddings(401)"),
    ("model.layers.0.mlp.experts: lora_dropout is refused for single parameters", 'set "lora_dropout": 0.0'),
    ("model.layers.0.input_layernorm: modules of this kind are not changed", "remove input_layernorm from"),
    ("PEFT no longer has the peft_type BONE", "convert-bone-to-miss.py"),
    ("OFT does not load without oft_block_size, which PEFT writes since 0.14", "PEFT 0.13"),
    ("adapter_layers is 8, and it has 3 modules named self_attn", 'set "adapter_layers"'),
    ("LORA needs loftq_config", ""),
])  # fmt: skip
def test_remedies_for_what_peft_refuses(because: str, words: str) -> None:
    remedy = peft_remedy(because)
    assert (remedy is not None and words in remedy.words) is bool(words)


@pytest.mark.parametrize(("values", "because"), [
    ({"peft_type": "LORA", "r": 512, "lora_alpha": 8, "target_modules": ["q_proj"]}, ""),
    ({"peft_type": "LORA", "r": 1024, "lora_alpha": 8, "target_modules": ["q_proj"]}, "max_lora_rank is at most 512"),
    ({"peft_type": "IA3", "target_modules": ["q_proj"]}, "adapters of LoRA alone"),
    ({"peft_type": "PREFIX_TUNING", "num_virtual_tokens": 4}, "and no prompts"),
])  # fmt: skip
def test_what_vllm_refuses_in_a_config(values: dict[str, Any], because: str) -> None:
    found = by_vllm(values, ["base_model.model.x.lora_A.weight"], ())
    assert [because in one.because for one in found] == ([True] if because else [])


@pytest.mark.parametrize(("name", "parameters"), [
    ("qwen3_moe.parameters", ("mlp.experts.down_proj", "mlp.experts.gate_up_proj")),
    ("llama.default", None), ("qwen3_moe.parameters-of-layers", None),
])  # fmt: skip
def test_parameters_of_experts_that_the_config_does_not_name(name: str, parameters: tuple[str, ...] | None) -> None:
    result = audited(name, target_parameters=None)
    found = [one for one in result.findings if one.code == "A906"]
    if parameters is None:
        assert not codes(result)
    else:
        assert found
        assert all(one.facts["parameters"] == list(parameters) for one in found)
    assert not codes(audited(name))


@pytest.mark.parametrize(("name", "lost", "of_base"), [
    ("llama.saved", "lm_head", True), ("llama.multitask-prompt", "prefix_task_cols", False),
])  # fmt: skip
def test_a_lost_tensor_is_called_a_module_of_the_base_if_it_is_one(name: str, lost: str, of_base: bool) -> None:
    spec = {key: entry for key, entry in spec_of(name).items() if lost not in key}
    found = [one for one in audited(name, spec).findings if one.code == "A905"]
    assert found
    assert all(("base" in dict(one.rows())) is of_base for one in found)
