"""Config keys that choose the norm without biases, for weights that have biases in all norms.

Source: mamba_ssm's `mixer_seq_simple.py` and ChatGLM's own code, which choose between RMSNorm and LayerNorm by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

SWITCHES: Final = ("rms_norm", "rmsnorm")
NORMS: Final = ("norm", "ln")


def are_of_norms(biases: Iterable[str]) -> bool:
    modules = [name.removesuffix(".bias").rpartition(".")[2].lower() for name in biases]
    return all(any(word in module for word in NORMS) for module in modules)


def switch_of_norms(biases: Iterable[str], values: Mapping[str, Any]) -> str | None:
    """The key that is true in the config although the norms are those that its code has for false."""
    if not are_of_norms(biases):
        return None
    return next((key for key in SWITCHES if values.get(key) is True), None)
