"""Variants of LoRA with additional tensors, as PEFT 0.21 saves them for two matrices of a small model."""

from __future__ import annotations

from typing import Any

import pytest

from tests.adapters.records import Spec, with_base
from tests.judged import codes

BASE: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 48, "intermediate_size": 96,
    "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 60,
}  # fmt: skip
ADAPTER: dict[str, Any] = {
    "peft_type": "LORA", "task_type": "CAUSAL_LM", "target_modules": ["q_proj", "down_proj"], "r": 4,
}  # fmt: skip
WIDTHS = {"self_attn.q_proj": 48, "mlp.down_proj": 96}
SAMPLER = {"expert_weights": (8,), "expert_weights_prior": (8,), "gaussian_var_prior": (4, 4), "std_prior": (4,)}
MORE: dict[str, dict[str, tuple[int, ...]]] = {
    "velora_config": {"velora_embed": (1,)},
    "monteclora_config": {f"monteclora_sampler.{name}": shape for name, shape in SAMPLER.items()},
    "kasa_config": {"diag": (4,)},
}
"""Key -> the tensors that a module has besides the two matrices, where its input has 48 numbers."""
BLOCKS: dict[str, Any] = {
    "target_modules_bd_a": ["q_proj"], "target_modules_bd_b": ["down_proj"], "nblocks": 2, "match_strict": True,
}  # fmt: skip


def saved(key: str) -> Spec:
    """The tensors of an adapter."""
    spec: Spec = {}
    for module, width in WIDTHS.items():
        blocks = BLOCKS["nblocks"] if key == "use_bdlora" else 1
        inputs, rank = (width // blocks, 4) if module.endswith("q_proj") else (width, 4 // blocks)
        shapes = {"A.weight": (4, inputs), "B.weight": (48, rank), **MORE.get(key, {})}
        if key == "velora_config":
            shapes["velora_embed"] = ((width + 63) // 64,)
        spec |= {
            f"base_model.model.model.layers.0.{module}.lora_{end}": ("F32", shape) for end, shape in shapes.items()
        }
    return spec


@pytest.mark.parametrize("key", [*MORE, "use_bdlora"])
def test_a_whole_adapter_is_clean(key: str) -> None:
    settings = BLOCKS if key == "use_bdlora" else {}
    audited = with_base(saved(key), {**ADAPTER, key: settings}, BASE)
    assert (audited.verdict, codes(audited), audited.counts.unexplained) == ("clean", set(), 0), audited.findings


@pytest.mark.parametrize("key", MORE)
def test_a_lost_tensor_of_the_variant_is_an_error(key: str) -> None:
    lost = next(name for name in saved(key) if not name.endswith(".weight"))
    spec = {name: entry for name, entry in saved(key).items() if name != lost}
    found = [one for one in with_base(spec, {**ADAPTER, key: {}}, BASE).findings if one.severity == "error"]
    assert [one.code for one in found] == ["A902"], found


def test_blocks_of_the_other_matrix_have_another_shape() -> None:
    exchanged = {**BLOCKS, "target_modules_bd_a": ["down_proj"], "target_modules_bd_b": ["q_proj"]}
    audited = with_base(saved("use_bdlora"), {**ADAPTER, "use_bdlora": exchanged}, BASE)
    assert any(one.severity == "error" for one in audited.findings)
