"""What the numbers showed, in two or three lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.values.result import Values

WORDS = (
    ("equal", "identical"),
    ("rounded", "equal after rounding to the narrower dtype"),
    ("reordered", "equal after reordering rotary rows"),
    ("computed", "computed from the source's, as llama.cpp's converter does"),
    ("unconverted", "equal where the loader needs them converted"),
    ("different", "different"),
)


def values_text(values: Values) -> str:
    """How many numbers were read, and what became of the tensors they are in."""
    read = f"values: {values.elements:,} read in {values.tensors:,} tensor{'s' * (values.tensors != 1)}"
    counted = [(values.count(what), words) for what, words in WORDS]
    wide = max((len(f"{number:,}") for number, _ in counted), default=0)
    lines = [f"  {number:>{wide},}  {words}" for number, words in counted if number]
    return "\n".join((read, *lines)) + "\n"
