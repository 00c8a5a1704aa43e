"""The changes of values and row order that llama.cpp's converter makes to the tensors of transformers.

Source: `modify_tensors` of its model classes (conversion/*.py). Its kernels expect the result; a file without it loads
and computes something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PAIRED: Final = frozenset({
    "arcee", "arctic", "baichuan", "bailing_moe", "bamba", "deepseek", "granite", "granitemoe", "granitemoehybrid",
    "granitemoeshared", "internlm2", "internlm3", "iquestcoder", "llada", "llama", "minicpm", "ministral3", "mistral",
    "mixtral", "nemotron-nas", "nemotron_h", "olmo", "smollm3", "xverse",
})  # fmt: skip
"""Types whose rows of queries and keys are put into pairs; transformers stores each head in two halves."""
ROTARY: Final = ("attention.query", "attention.key")
"""Roles of these rows."""
NORMS_PLUS_ONE: Final = frozenset({
    "gemma", "gemma2", "gemma3_text", "minimax_m3_vl", "nemotron", "plamo2", "plamo3", "qwen3_5_moe_text",
    "qwen3_5_text", "qwen3_next", "step3p5",
})  # fmt: skip
"""Types with norms that multiply by 1 + weight; the file contains the sum."""
NORMS_KEPT: Final[Mapping[str, frozenset[str]]] = {
    "plamo2": frozenset({"norm.query", "norm.key", "norm.ssm.dt", "norm.ssm.b", "norm.ssm.c"}),
}
"""Type -> roles of its norms that multiply by the plain weight; the other types have those of `NORM_KEPT`."""
NORM_KEPT: Final = frozenset({"norm.ssm"})
NORM_SUMS: Final[Mapping[str, float]] = {"norm.attention.post": 1 / 5, "norm.mlp.post": 1 / 5**1.5}
"""Roles of norms to which PLaMo adds a number other than 1."""
OTHER_SUMS: Final = frozenset({"plamo2", "plamo3"})
"""Types with these numbers."""
TILED: Final = frozenset({"qwen3_5_text", "qwen3_5_moe_text"})
"""Types whose value heads of linear attention are reordered: in transformers the heads of one key head are adjacent; in
the file come the first heads of all key heads, then the second heads, and so on.
"""
TILED_ROWS: Final = ("ssm.qkv", "ssm.gate", "ssm.alpha", "ssm.beta", "ssm.conv", "ssm.decay", "ssm.step")
"""Roles with the value heads in their last rows."""
TILED_COLUMNS: Final = ("ssm.out",)
"""Roles with the value heads in their columns."""
POSITIONS_AFTER_PADDING: Final = frozenset({"roberta", "xlm-roberta"})
"""Types whose first position embeddings, up to the padding token's, are left out: no text uses them."""
POSITION: Final = "embed.position"
"""Role of these embeddings."""
TERNARY: Final[Mapping[str, frozenset[str]]] = {
    "bitnet": frozenset({"attention.query", "attention.key", "attention.value", "attention.output", "mlp.gate",
                         "mlp.up", "mlp.down"}),
}  # fmt: skip
"""Type -> roles of matrices that its layers round to -1, 0 and 1 times their mean magnitude; the file
has the result.
"""
SMALLEST_MEAN: Final = 1e-5
DECAY: Final = "ssm.decay"
"""Role of the decays of a state space: transformers stores their logarithm, A_log, the file -exp(A_log)."""


def added_to_norm(role: str, names: frozenset[str]) -> float:
    """The number that the converter adds to the weights of a norm of a model type; 0 if none."""
    found = names & NORMS_PLUS_ONE
    kept = frozenset().union(*(NORMS_KEPT.get(name, NORM_KEPT) for name in found))
    if not found or not role.startswith("norm") or role in kept:
        return 0.0
    return NORM_SUMS.get(role, 1.0) if found & OTHER_SUMS else 1.0
