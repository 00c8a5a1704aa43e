"""Published models at full size, in listings made by formula: exact counts for billions of packed parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.judged import judged
from tests.quantization.made_by_formula import Tensors, linears, mlx, rest
from tests.quantization.stored import Spec, bad


def qwen3_14b() -> tuple[dict[str, Any], Tensors]:
    """Qwen3-14B as MLX writes it in 4 bits, at full size."""
    config: dict[str, Any] = {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_size": 5120, "intermediate_size": 17408,
        "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
        "vocab_size": 151936, "tie_word_embeddings": False, "quantization": {"group_size": 64, "bits": 4},
    }  # fmt: skip
    write = mlx(4, 64)
    tensors: Tensors = {}
    modules = [*linears(config), ("model.embed_tokens", 151936, 5120), ("lm_head", 151936, 5120)]
    for module, outputs, inputs in modules:
        for suffix, entry in write(outputs, inputs).items():
            tensors[f"{module}.{suffix}"] = entry
    for name, dtype, shape in rest(config):
        if len(shape) == 1:
            tensors[name] = (dtype, shape)
    for layer in range(40):
        for letter in "qk":
            tensors[f"model.layers.{layer}.self_attn.{letter}_norm.weight"] = ("BF16", [128])
    return config, tensors


def gpt_oss_20b() -> tuple[dict[str, Any], Tensors]:
    """gpt-oss-20b with its experts in MXFP4, at full size."""
    config: dict[str, Any] = {
        "architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880,
        "num_hidden_layers": 24, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64,
        "vocab_size": 201088, "num_local_experts": 32, "tie_word_embeddings": False, "attention_bias": True,
        "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": [
            "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]},
    }  # fmt: skip
    tensors: Tensors = {name: (dtype, shape) for name, dtype, shape in rest(config)}
    for layer in range(24):
        at = f"model.layers.{layer}"
        for letter, outputs, inputs in (("q", 4096, 2880), ("k", 512, 2880), ("v", 512, 2880), ("o", 2880, 4096)):
            tensors[f"{at}.self_attn.{letter}_proj.weight"] = ("BF16", [outputs, inputs])
            tensors[f"{at}.self_attn.{letter}_proj.bias"] = ("BF16", [outputs])
        tensors[f"{at}.self_attn.sinks"] = ("BF16", [64])
        tensors[f"{at}.mlp.router.weight"] = ("BF16", [32, 2880])
        tensors[f"{at}.mlp.router.bias"] = ("BF16", [32])
        for name, rows in (("gate_up_proj", 5760), ("down_proj", 2880)):
            tensors[f"{at}.mlp.experts.{name}_blocks"] = ("U8", [32, rows, 90, 16])
            tensors[f"{at}.mlp.experts.{name}_scales"] = ("U8", [32, rows, 90])
            tensors[f"{at}.mlp.experts.{name}_bias"] = ("BF16", [32, rows])
    return config, tensors


FULL = [(qwen3_14b, 14_768_307_200, 8_307_783_680), (gpt_oss_20b, 20_914_757_184, 13_761_264_768)]


@pytest.mark.parametrize(("make", "parameters", "size"), FULL)
def test_published_models_at_full_size(
    make: Callable[[], tuple[dict[str, Any], Tensors]], parameters: int, size: int
) -> None:
    config, tensors = make()
    spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in tensors.items()}
    audited = judged(spec, config)
    assert audited.verdict == "clean"
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == parameters
    assert audited.counts.stored_bytes == size


def test_half_an_expert_lost_in_mxfp4() -> None:
    config, tensors = gpt_oss_20b()
    spec: Spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in tensors.items()}
    del spec["model.layers.7.mlp.experts.down_proj_scales"]
    audited = judged(spec, config)
    assert bad(audited) == ["T610"]
    assert audited.findings[0].place.tensor == "model.layers.7.mlp.experts.down_proj_scales"
    assert audited.counts.unique_parameters == 20_914_757_184
