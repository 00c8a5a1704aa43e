"""The quantization of ChatGLM's own code, of both generations: a key of the config, and no block."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checkpoints import genuine
from tests.judged import judged
from tests.quantization.stored import Spec

SECOND: dict[str, Any] = {
    "model_type": "chatglm", "architectures": ["ChatGLMModel"],
    "num_layers": 3, "hidden_size": 64, "ffn_hidden_size": 96, "num_attention_heads": 4,
    "kv_channels": 16, "multi_query_attention": True, "multi_query_group_num": 2, "padded_vocab_size": 128,
    "add_qkv_bias": True, "add_bias_linear": False,
}  # fmt: skip
FIRST: dict[str, Any] = {
    "model_type": "chatglm", "architectures": ["ChatGLMModel"],
    "num_layers": 3, "hidden_size": 64, "inner_hidden_size": 256, "num_attention_heads": 4,
    "vocab_size": 130, "position_encoding_2d": True, "max_sequence_length": 2048,
}  # fmt: skip
GENERATIONS = [SECOND, FIRST]
KEY = "quantization_bit"


def packed(config: dict[str, Any], bits: int) -> Spec:
    """The tensors of a model whose layers are quantized."""
    made: Spec = {}
    for name, (dtype, shape) in genuine(config).items():
        if "layers." in name and name.endswith(".weight") and len(shape) == 2:
            made[name] = ("I8", (shape[0], shape[1] * bits // 8))
            made[f"{name}_scale"] = ("F16", shape[:1])
        else:
            made[name] = (dtype, shape)
    return made


def found(spec: Spec, config: dict[str, Any]) -> dict[str, str]:
    """Code -> remedy of the errors and warnings."""
    audited = judged(spec, config)
    return {one.code: one.remedy().words for one in audited.findings if one.severity != "note"}


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("config", GENERATIONS, ids=["second", "first"])
def test_each_matrix_is_unpacked(config: dict[str, Any], bits: int) -> None:
    plain = judged(genuine(config), config)
    audited = judged(packed(config, bits), {**config, KEY: bits})
    assert audited.verdict == plain.verdict == "clean"
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == plain.counts.unique_parameters


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("config", GENERATIONS, ids=["second", "first"])
def test_each_fault_is_named(config: dict[str, Any], bits: int) -> None:
    spec, stated = packed(config, bits), {**config, KEY: bits}
    assert found(spec, config) == {"T625": f'set "{KEY}": {bits} in config.json'}
    assert found(spec, {**config, KEY: 12 - bits}) == {"T614": f"set {KEY} to {bits} in config.json"}
    scale = next(name for name in spec if name.endswith("1.mlp.dense_4h_to_h.weight_scale"))
    assert set(found({name: one for name, one in spec.items() if name != scale}, stated)) == {"T610"}
    assert set(found(genuine(config), stated)) == {"T626"}
    assert found(genuine(config), {**config, KEY: 0}) == {}
