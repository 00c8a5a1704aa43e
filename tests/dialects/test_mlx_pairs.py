"""Bits and group size of MLX with the right product and other widths.

Measured with mlx-lm 0.32.2 on MiniMax M2: it refuses experts in 2 bits in groups of 128 whose entries say 8 bits in
groups of 32, and loads what mend writes.
"""

from __future__ import annotations

from typing import Any

import pytest

from inspector.auditing.result import Audit
from tests.adapters.records import Spec
from tests.checkpoints import genuine
from tests.dialects.test_mlx_lm import audited

SIZES: dict[str, Any] = {
    "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 8, "head_dim": 64,
    "num_key_value_heads": 2, "vocab_size": 96, "tie_word_embeddings": False,
}  # fmt: skip
LLAMA = {**SIZES, "model_type": "llama", "architectures": ["LlamaForCausalLM"]}
QWEN = {**SIZES, "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}


def packed(spec: Spec, ends: str, bits: int, size: int) -> Spec:
    """The matrices with an end in words, as MLX packs them."""
    made: Spec = {}
    for name, (dtype, shape) in spec.items():
        if not name.endswith(ends) or len(shape) < 2:
            made[name] = (dtype, shape)
            continue
        few, module = (*shape[:-1], shape[-1] // size), name.removesuffix(".weight")
        made[name] = ("U32", (*shape[:-1], shape[-1] * bits // 32))
        made |= {f"{module}.{one}": ("BF16", few) for one in ("scales", "biases")}
    return made


def stated(config: dict[str, Any], pair: tuple[int, int], of_mlp: tuple[int, int] | None = None) -> Audit:
    """The audit of a model in 4 bits in groups of 64, its MLPs in 2 bits in groups of 128.

    pair: bits and group size that the config states. of_mlp: those of the entries of its MLPs.
    """
    spec = packed(genuine(config), "_proj.weight" if of_mlp is None else "self_attn.q_proj.weight", 4, 64)
    block: dict[str, Any] = {"bits": pair[0], "group_size": pair[1]}
    if of_mlp is not None:
        names = [name.removesuffix(".weight") for name in spec if ".mlp." in name]
        spec = packed(spec, tuple(f"{name}.weight" for name in names), 2, 128)  # type: ignore[arg-type]
        block |= {name: {"bits": of_mlp[0], "group_size": of_mlp[1]} for name in names}
    return audited(spec, {**config, "quantization": block})


@pytest.mark.parametrize("config", [LLAMA, QWEN])
def test_entries_with_another_pair(config: dict[str, Any]) -> None:
    assert [one.code for one in stated(config, (4, 64), (2, 128)).findings if one.severity == "error"] == []
    (finding,) = (one for one in stated(config, (4, 64), (8, 32)).findings if one.severity == "error")
    assert (finding.code, len(finding.facts["entries"])) == ("T671", 6)
    assert (finding.facts["stored_bits"], finding.facts["stored_group_size"]) == (2, 128)
    steps = finding.remedy().steps
    assert len(steps) == 12 and {step.key[0] for step in steps} == {"quantization"}


@pytest.mark.parametrize("config", [LLAMA, QWEN])
def test_one_pair_for_all_modules(config: dict[str, Any]) -> None:
    assert stated(config, (4, 64)).verdict == "clean"
    (finding,) = (one for one in stated(config, (8, 32)).findings if one.severity == "error")
    assert (finding.code, finding.headline()) == ("T671", "quantization")
    assert [(step.key, step.new) for step in finding.remedy().steps] == [
        (("quantization", "bits"), 4), (("quantization", "group_size"), 64)
    ]  # fmt: skip


def test_a_wrong_width_of_the_model_stays_one() -> None:
    spec = packed(genuine(LLAMA), "_proj.weight", 4, 64)
    found = audited(spec, {**LLAMA, "intermediate_size": 1000, "quantization": {"bits": 4, "group_size": 64}}).findings
    assert {one.code for one in found if one.severity == "error"} == {"C310"}
