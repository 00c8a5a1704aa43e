"""Settings that no shape shows: differences between two configs are reported, equivalent values are not."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from inspector.comparing.checkpoints import compare_audits
from inspector.comparing.settings import COMPUTING, FACTORS, differences
from inspector.findings.conversion.keys import SettingsDiffer
from inspector.findings.finding import Place
from inspector.report.json_v1 import dumped, finding_json
from tests.checkpoints import genuine
from tests.judged import judged
from tests.sparse_models import TINY

LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2}
QWEN2 = {"model_type": "qwen2", "hidden_size": 64, "num_attention_heads": 4}
LINEAR = {"rope_type": "linear", "factor": 2.0}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0}


@pytest.mark.parametrize(("source", "target", "keys"), [
    ({**LLAMA, "rope_theta": 5e5}, LLAMA, ["rope_theta"]),
    ({**LLAMA, "rope_theta": 5e5}, {**LLAMA, "rope_parameters": {"rope_theta": 1e4}}, ["rope_theta"]),
    ({**LLAMA, "rope_scaling": LLAMA3}, {**LLAMA, "rope_scaling": None}, ["rope_type"]),
    ({**LLAMA, "rope_scaling": LLAMA3}, {**LLAMA, "rope_scaling": {**LLAMA3, "factor": 32.0}}, ["factor"]),
    ({**LLAMA, "rope_scaling": LINEAR}, {**LLAMA, "rope_scaling": {"type": "dynamic", "factor": 2.0}}, ["rope_type"]),
    ({**LLAMA, "rms_norm_eps": 1e-5}, LLAMA, ["rms_norm_eps"]),
    (LLAMA, {**LLAMA, "num_attention_heads": 8, "num_key_value_heads": 4},
     ["num_attention_heads", "num_key_value_heads"]),
    ({"model_type": "bloom", "n_head": 8}, {"model_type": "bloom", "num_attention_heads": 16}, ["n_head"]),
    ({"model_type": "phi", "partial_rotary_factor": 0.4}, {"model_type": "phi"}, ["partial_rotary_factor"]),
    ({"model_type": "mixtral", "num_experts_per_tok": 1}, {"model_type": "mixtral"}, ["num_experts_per_tok"]),
    ({"model_type": "mistral", "sliding_window": None}, {"model_type": "mistral", "sliding_window": 4096},
     ["sliding_window"]),
    ({"model_type": "llava", "text_config": {**LLAMA, "rope_theta": 5e5}},
     {"model_type": "llava", "text_config": LLAMA}, ["text_config.rope_theta"]),
    ({"model_type": "gemma3", "text_config": {}}, {"model_type": "gemma3", "text_config": {"rms_norm_eps": 1e-5}},
     ["text_config.rms_norm_eps"]),
])  # fmt: skip
def test_differences_are_reported(source: dict[str, Any], target: dict[str, Any], keys: list[str]) -> None:
    assert [key for key, _, _ in differences(source, target)] == keys
    assert len(differences(target, source)) == len(keys)
    assert not differences(source, source)


@pytest.mark.parametrize(("one", "other"), [
    (LLAMA, {**LLAMA, "rope_theta": 10000, "rms_norm_eps": 1e-6, "hidden_act": "silu"}),
    ({**LLAMA, "rope_theta": 5e5}, {**LLAMA, "rope_parameters": {"rope_theta": 500000, "rope_type": "default"}}),
    ({**LLAMA, "rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 2}},
     {**LLAMA, "rope_parameters": {"rope_theta": 1e4, **LINEAR}}),
    ({**LLAMA, "hidden_act": "silu"}, {**LLAMA, "hidden_act": "swish"}),
    ({**LLAMA, "num_key_value_heads": None}, LLAMA),
    ({**QWEN2, "sliding_window": 32768, "use_sliding_window": False}, {**QWEN2, "sliding_window": None}),
    ({"model_type": "bloom", "n_head": 8}, {"model_type": "bloom", "num_attention_heads": 8}),
    ({"model_type": "phi", "partial_rotary_factor": 0.4},
     {"model_type": "phi", "rope_parameters": {"partial_rotary_factor": 0.4, "rope_type": "default"}}),
    ({"model_type": "gemma", "hidden_act": "gelu"}, {"model_type": "gemma", "hidden_act": "gelu_pytorch_tanh"}),
    ({"model_type": "granitemoehybrid", "layer_types": ["mamba", "attention"]},
     {"model_type": "granitemoehybrid", "layer_types": ["linear_attention", "full_attention"]}),
    (LLAMA, {**LLAMA, "model_type": "mixtral", "rms_norm_eps": 1e-5}),
    ({"model_type": "nobody", "rope_theta": 5e5}, {"model_type": "nobody"}),
    ({**LLAMA, "torch_dtype": "float16", "max_position_embeddings": 4096}, {**LLAMA, "dtype": "bfloat16"}),
])  # fmt: skip
def test_equivalent_values_are_not_reported(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert not differences(one, other)
    assert not differences(other, one)


@pytest.mark.parametrize("change", [{"rope_theta": 7e5}, {"hidden_act": "gelu"}])
def test_a_conversion_with_other_settings(change: dict[str, Any]) -> None:
    compared = compare_audits(judged(genuine(TINY), TINY), judged(genuine(TINY), {**TINY, **change}))
    (finding,) = compared.findings
    assert (finding.code, finding.severity, finding.facts["keys"]) == ("V865", "warning", list(change))
    assert (compared.relation, compared.verdict) == ("conversion", "findings")


VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1e4, float("nan"), float("inf"), "x", "linear", [], ["a"], [{}], {}, 10**400,
    {"rope_theta": [1], "rope_type": {}}, {"full_attention": {"rope_theta": 1}},
)  # fmt: skip
KEYS = (*sorted(COMPUTING), *FACTORS, "rope_parameters", "rope_scaling", "use_sliding_window", "rotary_pct")


def any_config(chance: random.Random, depth: int = 0) -> dict[str, Any]:
    """A config of arbitrary values."""
    config = {chance.choice(KEYS): chance.choice(VALUES) for _ in range(chance.randint(0, 12))}
    if chance.random() < 0.7:
        config["model_type"] = chance.choice(("llama", "bloom", "gemma3", "phi", "no such type", 3, None, {}))
    if depth < 3 and chance.random() < 0.5:
        config["text_config"] = any_config(chance, depth + 1)
    return config


@pytest.mark.parametrize("seed", range(4))
def test_any_values_are_compared(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        rows = differences(any_config(chance), any_config(chance))
        keys, source, target = zip(*rows, strict=True) if rows else ((), (), ())
        finding = SettingsDiffer(place=Place(file="config.json"), keys=keys, source=source, target=target)
        assert json.loads(dumped(finding_json(finding)))["facts"]["keys"] == list(keys)
