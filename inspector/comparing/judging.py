"""How the values of two tensors relate: equal, rounded, computed, in another order of rotary rows, or different."""

from __future__ import annotations

from itertools import islice

from inspector.comparing.arrays import as_halves, head_widths, in_halves
from inspector.comparing.computed import Conversion
from inspector.dialects.gguf_values import ROTARY
from inspector.values.difference import Difference, difference
from inspector.values.result import COMPUTED, DIFFERENT, EQUAL, OVERFLOWED, REORDERED, ROUNDED
from inspector.values.scan import Scanner
from inspector.values.stored import Numbers

MOST_WIDTHS = 16
"""Most head widths that are tried if several rows may begin the second half."""


def judged(
    role: str, source: Numbers, target: Numbers, scanner: Scanner, conversion: Conversion | None
) -> tuple[str, Difference]:
    """The relation of the values of two tensors of one shape, and the remaining difference."""
    reported = difference(source, target, scanner)
    if reported.equal:
        return EQUAL, reported
    if reported.rounding:
        return OVERFLOWED if reported.overflowed else ROUNDED, reported
    computed = None if conversion is None else conversion.computed(source, target)
    if computed is not None and (computed.equal or computed.rounding):
        return COMPUTED, computed
    if role.startswith(ROTARY):
        one, other = _rows(source), _rows(target)
        ways = [(one, other, False), (other, one, True)]
        if conversion is not None and conversion.expects_pairs:  # llama.cpp's file has the pairs
            ways = ways[1:] if conversion.forward else ways[:1]
        for pairs, halves, swap in ways:
            for width in islice(head_widths(halves, pairs), MOST_WIDTHS):
                one = Numbers(in_halves(pairs.raw, width), pairs.dtype)
                other = Numbers(as_halves(halves.raw, width), halves.dtype)
                again = difference(other, one) if swap else difference(one, other)
                if again.equal or again.rounding:
                    return OVERFLOWED if again.overflowed else REORDERED, again
                reported = min(reported, again, key=lambda one: one.differing)
    return DIFFERENT, reported


def _rows(numbers: Numbers) -> Numbers:
    """A matrix with rows in groups, [groups, rows, width], as a matrix with all rows along one axis."""
    raw = numbers.raw
    return Numbers(raw.reshape(-1, raw.shape[-1]), numbers.dtype) if raw.ndim == 3 else numbers
