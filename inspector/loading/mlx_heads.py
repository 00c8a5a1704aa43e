"""Predicts what mlx-lm does with the head of a model that ties it to the embedding.

Measured with mlx-lm 0.32.2 on mlx 0.32.0 (`load_model`), with the head stored and without it. Each of its models drops
a tied head by itself, in `sanitize`, and some do not; a few build a head whatever the config says.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from inspector.findings.finding import NO_OWN_HEAD
from inspector.loading.converter import HEAD

_KEEPS_COPY: Final = frozenset(
    {"cohere", "cohere2", "ernie4_5", "ernie4_5_moe", "falcon_h1", "falcon_mamba", "gemma", "gemma2", "gemma4_text",
     "lfm2_moe", "mamba", "nemotron", "olmo2", "olmoe", "phi3", "starcoder2"}
)  # fmt: skip
"""Model types without a head if it is tied, which keep a stored one for the strict loader."""
_BUILDS_HEAD: Final = frozenset({"glm4", "helium", "nemotron_h", "phi", "qwen2_moe", "stablelm"})
"""Model types with a head of its own, whether the config ties it or not."""


def head_refused(model_type: str | None, stored: Container[str], *, copied: bool) -> str:
    """Why mlx-lm refuses the weights because of their head; empty if it does not.

    copied: a head is stored that the config ties to the embedding.
    """
    if copied and model_type in _KEEPS_COPY:
        return NO_OWN_HEAD
    if model_type in _BUILDS_HEAD and HEAD not in stored:
        return f"its model has {HEAD}, which is not stored: it does not tie the head"
    return ""
