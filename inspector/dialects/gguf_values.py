"""What llama.cpp's converter does to the values and the order of rows of an architecture of transformers.

Source: the `modify_tensors` of its model classes (conversion/*.py); its kernels expect the result, and a file without
it loads and computes something else.
"""

from __future__ import annotations

from typing import Final

PAIRED: Final = frozenset({
    "arcee", "baichuan", "bamba", "deepseek", "granite", "granitemoe", "granitemoehybrid", "granitemoeshared",
    "internlm2", "llama", "minicpm", "ministral3", "mistral", "mixtral", "nemotron_h", "olmo", "smollm3", "xverse",
})  # fmt: skip
"""Types of which the rows of queries and keys are put into pairs: transformers has each head in two halves."""
ROTARY: Final = ("attention.query", "attention.key")
"""Roles of these rows."""
NORMS_PLUS_ONE: Final = frozenset({
    "gemma", "gemma2", "gemma3_text", "minimax_m3_vl", "nemotron", "qwen3_5_moe_text", "qwen3_5_text", "qwen3_next",
})  # fmt: skip
"""Types whose norms multiply by 1 + weight: the file has the sum."""
NORMS_KEPT: Final = ("norm.ssm",)
"""Roles of norms that multiply by the weight itself in these types too."""
TILED: Final = frozenset({"qwen3_5_text", "qwen3_5_moe_text"})
"""Types of which the value heads of linear attention change places: those of a key head follow each other in
transformers; in the file the first of each key head, then the second of each."""
TILED_ROWS: Final = ("ssm.qkv", "ssm.gate", "ssm.alpha", "ssm.beta", "ssm.conv", "ssm.decay", "ssm.step")
"""Roles with the value heads in their last rows."""
TILED_COLUMNS: Final = ("ssm.out",)
"""Roles with the value heads in their columns."""
POSITIONS_AFTER_PADDING: Final = frozenset({"roberta", "xlm-roberta"})
"""Types of which the first position embeddings, up to that of the padding token, are left out: no text uses them."""
POSITION: Final = "embed.position"
"""Role of these embeddings."""
DECAY: Final = "ssm.decay"
"""Role of state space decays: transformers has their logarithm, A_log, the file -exp(A_log)."""
