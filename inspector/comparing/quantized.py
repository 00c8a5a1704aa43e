"""Compares tensors of which one or both sides are in a block format of GGUF: their numbers and the order of rows."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.comparing.arrays import as_halves, in_halves, logical
from inspector.comparing.computed import Conversion
from inspector.comparing.shapes import Fit
from inspector.comparing.tally import Carried, LogicalTensor
from inspector.dialects.gguf_values import ROTARY
from inspector.values.decoding import Array
from inspector.values.difference import Difference
from inspector.values.quantized import BlockDifference, compare_blocks, is_quantized, shape_of, values_of
from inspector.values.result import COMPUTED, DIFFERENT, EQUAL, QUANTIZED, REORDERED, UNCONVERTED
from inspector.values.scan import Scan
from inspector.values.stored import Elements, Numbers

OPEN: Final = "open"
"""The outcome "neither proven nor disproven"."""
MOST_ROWS: Final = 8_192
"""Most rows that are searched for in another order."""
LOOKED_AT: Final = 512
"""Numbers of a row that are used to search for it."""
MOST_ALIKE: Final = 8
"""Most head widths that are compared completely."""


class QuantizedVerdict(Struct, frozen=True):
    """The outcome for a tensor. relation, rows: as in `value_relation`. scan: of the quantized numbers."""

    what: str
    difference: Difference
    scan: Scan
    relation: str = ""
    rows: tuple[int, ...] = ()


def quantized_verdict(
    carried: Carried,
    tensors: tuple[LogicalTensor, LogicalTensor],
    stored: tuple[Numbers, Numbers],
    conversion: Conversion | None,
) -> QuantizedVerdict | str:
    """The outcome for a tensor of which one or both sides are quantized; or why it is unknown.

    tensors, stored: each of source and target.
    """
    views: list[Numbers] = []
    turned = False
    for tensor, numbers, piece in zip(tensors, stored, (carried.source, carried.target), strict=True):
        if is_quantized(numbers) and tensor.transposed and numbers.raw.ndim > 1:
            if tensor.part is not None:
                return "its rows are not those of its blocks"
            tensor, turned = replace(tensor, transposed=False), not turned
        array = logical(numbers.raw, tensor, piece)
        if array is None:
            return "the position of its part is unknown"
        views.append(Numbers(array, numbers.dtype))
    both = matched_blocks(views[0], views[1], carried.fit, turned=turned)
    return proven_or_not(carried.identity.role, both, conversion)


def proven_or_not(
    role: str, both: tuple[Numbers, Numbers] | None, conversion: Conversion | None
) -> QuantizedVerdict | str:
    """The outcome for a tensor; or why it is unknown. both: both sides in one shape; None without a common shape."""
    if both is None:
        return "its shape cannot be transformed into the other's"
    found = judged_blocks(role, *both, conversion)
    if found.what == OPEN:
        formats = " and ".join(dict.fromkeys(one.dtype for one in both if is_quantized(one)))
        return f"its quantization in {formats} loses more than usual"
    return found


def matched_blocks(source: Numbers, target: Numbers, fit: Fit, *, turned: bool) -> tuple[Numbers, Numbers] | None:
    """Both sides in one shape of numbers; None if blocks would be cut. turned: the axes of one side are exchanged."""
    if turned != (fit.step == "transposed"):
        if is_quantized(source) and is_quantized(target):
            return None
        blocks = shape_of(source if is_quantized(source) else target)
        turned_blocks = (*blocks[:-2], *blocks[:-3:-1])
        source, target = (one if is_quantized(one) else _turned(one, turned_blocks) for one in (source, target))
    if fit.step in ("padded", "cut") and fit.axis == 0 and source.raw.ndim == target.raw.ndim:
        most = min(source.raw.shape[0], target.raw.shape[0])
        source, target = (Numbers(one.raw[:most], one.dtype) for one in (source, target))
    shapes = shape_of(source), shape_of(target)
    if shapes[0] == shapes[1]:
        return source, target
    if is_quantized(source) and is_quantized(target):
        return None
    wanted = shapes[0] if is_quantized(source) else shapes[1]
    if prod(shapes[0]) != prod(shapes[1]):
        return None
    source, target = (
        one if is_quantized(one) else Numbers(one.raw.reshape(wanted), one.dtype) for one in (source, target)
    )
    return source, target


def _turned(one: Numbers, shape: tuple[int, ...]) -> Numbers:
    """The numbers with their last axes exchanged. shape: their shape before that, such as each expert separately."""
    raw = one.raw.reshape(shape) if one.raw.size == prod(shape) else one.raw
    return Numbers(np.swapaxes(raw, -1, -2), one.dtype)


def judged_blocks(role: str, source: Numbers, target: Numbers, conversion: Conversion | None) -> QuantizedVerdict:
    """The relation of the values of two tensors of one shape, of which one or both are quantized."""
    plain = compare_blocks(source, target)
    made = None if conversion is None else conversion.moved(source, target)
    if made is not None:
        computed = compare_blocks(*made)
        what = COMPUTED if computed.is_proven else UNCONVERTED if plain.is_proven else _outcome(computed)
        return _verdict(what, computed)
    if conversion is not None and conversion.computes:
        return _verdict(OPEN, plain)
    rotary = role.startswith(ROTARY) and plain.elements > 0
    pairs = None if conversion is None else conversion.expects_pairs
    if rotary and plain.is_proven and plain.scan().constant is not None:
        return _verdict(_outcome(plain), plain)  # the order of rows is not visible
    if rotary and (plain.others or pairs):
        other = _in_other_order(_flat(source), _flat(target), conversion)
        if other is not None and other.is_proven and (not plain.is_proven or other.share <= plain.share):
            return _verdict(UNCONVERTED if pairs is False else REORDERED, other)
        if plain.is_proven and pairs:
            return _verdict(UNCONVERTED, plain)
        if other is not None and other.others < plain.others:
            return _verdict(_outcome(other), other)
    if plain.is_scaled:
        return _verdict(DIFFERENT, plain, "scaled")
    what = _outcome(plain)
    relation, rows = exchanged_rows(source, target, plain) if what == DIFFERENT else ("", ())
    if what == DIFFERENT and plain.weighed and not relation:
        what = OPEN
    return _verdict(what, plain, relation, rows)


def _outcome(found: BlockDifference) -> str:
    if found.others:
        return DIFFERENT
    if not found.is_proven:
        return OPEN
    return QUANTIZED if found.error else EQUAL


def _verdict(what: str, found: BlockDifference, relation: str = "", rows: tuple[int, ...] = ()) -> QuantizedVerdict:
    return QuantizedVerdict(what, found.difference(), found.scan(), relation, rows)


def _flat(numbers: Numbers) -> Numbers:
    """The numbers with all rows along one axis."""
    raw = numbers.raw
    return numbers if raw.ndim < 3 else Numbers(raw.reshape(-1, raw.shape[-1]), numbers.dtype)


def _in_other_order(source: Numbers, target: Numbers, conversion: Conversion | None) -> BlockDifference | None:
    """The comparison with rotary rows in pairs on one side and in halves on the other, for the likeliest head width."""
    if source.raw.ndim != 2:
        return None
    ways = [(source, target, False), (target, source, True)]
    if conversion is not None and conversion.expects_pairs:
        ways = ways[1:] if conversion.forward else ways[:1]
    found: list[BlockDifference] = []
    for pairs, halves, swap in ways:
        for width in _likely_widths(pairs, halves):
            one = Numbers(in_halves(pairs.raw, width), pairs.dtype)
            other = Numbers(as_halves(halves.raw, width), halves.dtype)
            found.append(compare_blocks(other, one) if swap else compare_blocks(one, other))
    return min(found, key=lambda one: (one.others, one.share), default=None)


def _likely_widths(pairs: Numbers, halves: Numbers) -> list[int]:
    """Numbers of rows per head for which the second row of a pair resembles the first row of a second half; likeliest
    first.
    """
    rows = halves.raw.shape[0]
    second = values_of(pairs.raw[1:2], pairs.dtype)
    found: list[tuple[float, int]] = []
    for half in (number for number in range(2, rows // 2 + 1) if rows % (2 * number) == 0):
        likeness = float(_likeness(second, values_of(halves.raw[half : half + 1], halves.dtype))[0, 0])
        found.append((-likeness, 2 * half))
    return [width for _, width in sorted(found)[:MOST_ALIKE]]


def _likeness(rows: Array, others: Array) -> Array:
    """The correlations of rows with others: [rows, others]."""
    one, other = (_normed(each) for each in (rows, others))
    found: Array = one @ other.T
    return found


def _normed(rows: Array) -> Array:
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = np.nan_to_num(rows / norms).astype(np.float32)
    return found


# --- rows in other places ---


def exchanged_rows(source: Numbers, target: Numbers, found: BlockDifference) -> tuple[str, tuple[int, ...]]:
    """(relation, rows) if rows are exchanged and all other rows are equal; ("", ()) if that is not proven."""
    if source.raw.ndim != 2 or not found.row_count:
        return "", ()
    few = found.row_count == len(found.rows)
    if not few and source.raw.shape[0] > MOST_ROWS:
        return "", ()
    rows = np.array(found.rows) if few else np.arange(source.raw.shape[0])
    before, after = (_begins(one, rows) for one in (source, target))
    held = np.concatenate([_likeness(part, before).argmax(axis=1) for part in _pieces(after)])
    if len(set(held.tolist())) < len(held):
        return "", ()
    again = [compare_blocks(*both) for both in _row_pairs(source, target, rows[held], rows)]
    proven = not any(one.others or one.unjudged for one in again)
    error, size = (sum(getattr(one, name) for one in again) for name in ("error", "size"))
    if not proven or error > found.usual**2 * size:
        return "", ()
    return "rows exchanged", tuple(int(row) for row in rows) if few else ()


def _pieces(rows: Array) -> Iterator[Array]:
    for start in range(0, len(rows), 1024):
        yield rows[start : start + 1024]


def _begins(numbers: Numbers, rows: Array) -> Array:
    """The first numbers of these rows."""
    width = shape_of(numbers)[-1]
    blocks = numbers.raw.shape[-1]
    length = max(1, min(blocks, -(-LOOKED_AT * blocks // width)))
    return np.concatenate([values_of(numbers.raw[row : row + 1, :length], numbers.dtype) for row in rows.tolist()])


def _row_pairs(source: Numbers, target: Numbers, held: Array, rows: Array) -> Iterator[tuple[Numbers, Numbers]]:
    """Rows of the target, each with the row of the source that it resembles."""
    for row, other in zip(rows.tolist(), held.tolist(), strict=True):
        yield Numbers(_row(source.raw, other), source.dtype), Numbers(_row(target.raw, row), target.dtype)


def _row(raw: Elements, row: int) -> Elements:
    return raw[row : row + 1]
