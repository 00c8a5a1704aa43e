"""Sizes computed over all modules that an adapter changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.adapters.base import BaseTensor
from inspector.adapters.methods import Target, Whole
from inspector.adapters.targets import Boxes
from inspector.algebra.boxes import count


def sizes_of_all(changed: Sequence[tuple[BaseTensor, Boxes, Target]]) -> Whole:
    """The sizes of all targets: the widest ones, their weights and their number."""
    widths = [(one.inputs or 0, one.outputs or 0, count(boxes)) for _, boxes, one in changed]
    return Whole(
        max((inputs for inputs, _, _ in widths), default=0),
        max((outputs for _, outputs, _ in widths), default=0),
        sum(inputs * outputs * number for inputs, outputs, number in widths),
        sum(number for _, _, number in widths),
    )


def numbers_of_all(whole: Whole, values: Mapping[str, Any], *, known: bool) -> dict[str, int | None]:
    """The values of the words for all targets; `groups` of modules share a vector of TinyLoRA.

    values: the adapter's config. known: all targets are known.
    """
    tied = values.get("weight_tying", 0.0)
    loose = 1.0 - tied if isinstance(tied, int | float) and 0 <= tied <= 1 else None
    return {
        "widest_inputs": whole.widest_inputs if whole.modules else None,
        "widest_outputs": whole.widest_outputs if whole.modules else None,
        "groups": max(1, round(whole.modules * loose)) if known and whole.modules and loose is not None else None,
    }
