"""Whether the names could be another framework's: a look that loads none of the tables."""

from __future__ import annotations

from typing import Final

from inspector.matcher.families import Families

WORDS: Final = (
    ".attn.qkv.weight", ".attn.attn.weight", ".attn.kv_a_proj_with_mqa.weight", "self_attention.linear_",
    "encoder.layers.#.self_attention.query_key_value.weight", ".sa_norm.scale", "double_blocks.#.img_",
    ".block_sparse_moe.w1", ".wkv_a_with_mqa.weight", "transformer.resblocks.", "token_embd.weight",
)  # fmt: skip
"""A part of one key of every sign in `inspector.architectures.writers`; a test compares."""


def may_be_foreign(families: Families) -> bool:
    """Whether any table could know these names."""
    return any(word in key for key in families for word in WORDS)
