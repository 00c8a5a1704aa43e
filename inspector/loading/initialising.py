"""Missing tensors that transformers 4.57 cannot initialise, since it computes with tensors that it has not loaded yet.

It initialises the missing tensors before it reads the stored ones, which have no values until then. A module is
initialised as a whole. Sources: transformers 4.57 `PreTrainedModel._load_pretrained_model`, `_initialize_missing_keys`;
torch 2.13 `parametrizations.weight_norm`; `modeling_rwkv.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from inspector.algebra.boxes import Box, within
from inspector.loading.ties import first_name

WEIGHT_NORM: Final = (".parametrizations.weight.original0", ".parametrizations.weight.original1")
"""Ends of the two tensors from which a weight norm computes a matrix."""
TOGETHER: Final = (WEIGHT_NORM, (".time_mix_key", ".time_mix_value", ".time_mix_receptance"))
"""Ends of tensors that a module initialises together, with numbers of the first one's device; those of RWKV."""


def undrawn(
    key: str, absent: Sequence[Box], draws: Sequence[str], loaded: Mapping[str, Sequence[Box]]
) -> tuple[str, str] | None:
    """(first missing tensor that cannot be initialised, the stored one that is computed with); None without one.

    absent: the index sets of the missing tensors of a key. draws: as in `ClassRules`.
    """
    for other in _computed_with(key, draws):
        depth = other.count("#")
        for box in absent:
            there = within(loaded.get(other, ()), box[:depth])
            if there:
                return first_name(key, (box,)), first_name(other, there)
    return None


def _computed_with(key: str, draws: Sequence[str]) -> list[str]:
    """The keys of the tensors that are computed with where one of a key is missing."""
    found = [one for one in draws if key.startswith(one[: one.rindex(".") + 1])]
    for ends in TOGETHER:
        end = next((one for one in ends if key.endswith(one)), None)
        if end is not None:
            found += [f"{key.removesuffix(end)}{other}" for other in ends if other != end]
    return found
