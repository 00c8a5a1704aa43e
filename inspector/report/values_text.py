"""The results of reading values, in two or three lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from inspector.comparing.result import RoleDifference
    from inspector.values.result import Values

WORDS = (
    ("equal", "identical"),
    ("rounded", "equal after rounding to the narrower dtype"),
    ("quantized", "equal but for what quantization loses"),
    ("reordered", "equal after reordering rotary rows"),
    ("overflowed", "overflowed to infinity in the narrower dtype"),
    ("misordered", "equal but for the order of rows, in which the loader does not take them"),
    ("computed", "computed from the source's, as llama.cpp's converter does"),
    ("unconverted", "equal where the loader needs them converted"),
    ("different", "different"),
)


def values_text(values: Values) -> str:
    """How many numbers were read, and the outcomes by tensor."""
    read = f"values: {values.elements:,} read in {values.tensors:,} tensor{'s' * (values.tensors != 1)}"
    counted = [(values.count(what), words) for what, words in WORDS]
    wide = max((len(f"{number:,}") for number, _ in counted), default=0)
    lines = [f"  {number:>{wide},}  {words}" for number, words in counted if number]
    return "\n".join((read, *lines)) + "\n"


ALTERED = {
    "different": ("values differ", "{} tensors differ"),
    "overflowed": ("values overflowed", "{} tensors overflowed"),
    "misordered": ("rows in another order", "{} tensors have rows in another order"),
    "unconverted": ("not converted", "{} tensors not converted"),
    "reordered": ("rows reordered", "rows reordered"),
    "computed": ("computed", "computed"),
}
"""Outcome -> its words in the table of roles: for a single tensor, and for some of several."""


def _altered(words: tuple[str, str], number: int, of: int) -> str:
    """One outcome in words. number: tensors with this outcome. of: all tensors."""
    one, several = words
    if of == 1:
        return one
    return several.format(f"{number:,} of {of:,}") if number < of else several.format(f"all {of:,}")


class RoleValues(Struct, frozen=True):
    """The values of a role: outcomes other than equal and rounded, in words; and whether all values were read."""

    words: str
    whole: bool


def values_of_role(values: Values, row: RoleDifference) -> RoleValues:
    """The results of reading values for a row in the table of roles."""
    from inspector.comparing.symbols import row_of

    verdicts = [one for one in values.verdicts if row_of(one.role) == row.role]
    found = {what: sum(one.what == what for one in verdicts) for what in ALTERED}
    words = [_altered(ALTERED[what], number, len(verdicts)) for what, number in found.items() if number]
    return RoleValues(", ".join(words), sum(one.difference.elements for one in verdicts) >= (row.carried or 0))
