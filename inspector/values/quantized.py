"""Compares numbers in a GGUF block format with the numbers that they were quantized from.

The loss of a quantizer depends on how it searches for scales, and on importance weights that a file does not contain.
There are three outcomes:

- proven: the error over the whole tensor is not larger than usual for the format, and no group has other numbers;
- others: some groups of numbers cannot be a quantization of the source. Q8_0 rounds to the nearest of 255 steps,
  whatever the weights: an error exceeds `NEAREST` of the largest value of the block, from the source and from the
  source rounded to a dtype of `THROUGH`. In other formats: in at least
  half of the groups of a row, the correlation with the source is below `RELATED` and the share of equal signs below
  `SAME_SIGN`, as for unrelated numbers. Also a tensor that is the source times 1 + `SURE_FACTOR` or more: importance
  weights only make values smaller;
- open: neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field

from inspector.values.blocks import FORMATS, decoded_blocks
from inspector.values.decoding import Array, decoded, rounded
from inspector.values.difference import Difference
from inspector.values.scan import Scan
from inspector.values.stored import Elements, Numbers

READ: Final = 1 << 18
"""Numbers that are decoded at a time."""
GROUP: Final = 256
"""Numbers that are judged together if rows are a multiple of it; otherwise whole rows are."""
RELATED: Final = 0.3
SAME_SIGN: Final = 0.65
SHARE_OF_ROW: Final = 0.5
"""Share of the groups of a row from which on they count as other numbers; fewer are doubtful."""
FEWEST: Final = 32
"""Least number of signs of a group for a decision."""
THROUGH: Final[Mapping[str, tuple[str, ...]]] = {"BF16": (), "F16": ("BF16",)}
"""Dtype of a source -> those to which a program may have rounded its numbers before Q8_0: a converter writes a file of
16 bits, which llama-quantize quantizes. Other dtypes: `BOTH`.
"""
BOTH: Final = ("BF16", "F16")
NEAREST: Final = np.float32(0.5 / 127 + 2**-11 + 2**-20)
"""Half a step of Q8_0 and the rounding of its scale to float16, over the largest value of the block; and the rounding
of the calculation in float32: 0.563 steps (measured up to 0.537).
"""
SMALLEST_HALF: Final = 2.0**-25
"""Half of the smallest float16: the absolute error of a small scale."""
LEAST_FACTOR: Final = 0.05
SURE_FACTOR: Final = 0.25
"""A factor this far from 1 is not proven to be 1. Above 1 + this, no quantizer gives a whole tensor such a factor."""
MOST_ROWS: Final = 64
"""Most rows with other numbers that are kept."""
USUAL: Final = {
    "Q8_0": 0.02, "Q6_K": 0.1, "Q5_K": 0.15, "Q5_0": 0.15, "Q5_1": 0.15, "Q4_0": 0.25, "Q4_1": 0.25, "Q4_K": 0.25,
    "IQ4_NL": 0.25, "IQ4_XS": 0.25, "MXFP4": 0.25, "Q3_K": 0.35, "IQ3_S": 0.45, "IQ3_XXS": 0.5, "Q2_K": 0.55,
    "IQ2_S": 0.6, "IQ2_XS": 0.65, "IQ2_XXS": 0.7, "IQ1_M": 0.75, "IQ1_S": 0.75, "TQ1_0": 0.85, "TQ2_0": 0.85,
    "Q1_0": 0.85,
}  # fmt: skip
"""Format -> its largest usual error: root of the squares of all errors over that of the squares of the source.
Measured with llama.cpp's quantizers for normal, Laplace and Student distributions, with and without weights."""


WEIGHED: Final = frozenset({"IQ1_S", "IQ1_M", "IQ2_XXS"})
"""Formats of so few bits that importance weights can change numbers to any others: unlike groups alone
prove nothing.
"""


class BlockDifference(Struct):
    """The difference of quantized numbers from their source, updated part by part.

    usual: the largest usual error of the format. weighed: importance weights may change its numbers to any others.
    elements: number compared. error, size, coded_size: sums of squares of the errors, the source and the quantized
    numbers. others: elements of groups with other numbers. rows: the first rows of a matrix with such groups;
    row_count: number of these rows. found: the largest difference, among `others` if there are any. nan, infinite: of
    the quantized numbers. unjudged: elements of groups whose source is not finite. doubtful: elements of unlike groups
    in rows that are otherwise like the source. zero: all quantized numbers are zero.
    """

    usual: float
    weighed: bool = False
    elements: int = 0
    error: float = 0.0
    size: float = 0.0
    coded_size: float = 0.0
    others: int = 0
    rows: list[int] = []
    row_count: int = 0
    found: Difference = field(default_factory=Difference)
    nan: int = 0
    infinite: int = 0
    unjudged: int = 0
    doubtful: int = 0
    zero: bool = True

    @property
    def share(self) -> float:
        """The error relative to the source."""
        return float((self.error / self.size) ** 0.5) if self.size else 0.0

    @property
    def is_proven(self) -> bool:
        """True if these are proven to be the source's numbers, quantized."""
        judged = not (self.others or self.unjudged or self.doubtful)
        return judged and self.share <= self.usual and abs(self.slope - 1) <= LEAST_FACTOR + self.usual**2

    @property
    def slope(self) -> float:
        """The factor that brings the source's numbers nearest to the quantized ones: below 1 because of the loss."""
        return (self.size + self.coded_size - self.error) / (2 * self.size) if self.size else 1.0

    @property
    def is_scaled(self) -> bool:
        """True if these are the source's numbers times a larger factor than 1, quantized.

        Importance weights of zero may lead to a smaller factor.
        """
        if self.others or self.unjudged or self.slope <= 1 + SURE_FACTOR + self.usual**2:
            return False
        left = self.coded_size - self.slope**2 * self.size  # squares that the factor does not explain
        return left <= self.usual**2 * self.coded_size

    def difference(self) -> Difference:
        """The result in the form of a difference of plain numbers; elements of other groups differ."""
        found = self.found
        found.elements, found.differing, found.error = self.elements, self.others, self.share
        return found

    def scan(self) -> Scan:
        """The scan of the quantized numbers."""
        return Scan(self.elements, self.nan, self.infinite, 0.0 if self.zero and self.elements else None)


def is_quantized(numbers: Numbers) -> bool:
    """True if numbers are blocks."""
    return numbers.dtype in FORMATS


def shape_of(numbers: Numbers) -> tuple[int, ...]:
    """The shape in numbers; each block has several of them along the last axis."""
    shape = numbers.raw.shape
    return (*shape[:-1], shape[-1] * FORMATS[numbers.dtype].elements) if is_quantized(numbers) else shape


def values_of(raw: Elements, dtype: str) -> Array:
    """Numbers as float32 or float64."""
    array = np.asarray(raw)
    return decoded_blocks(array, dtype) if dtype in FORMATS else decoded(array, dtype)


def compare_blocks(source: Numbers, target: Numbers) -> BlockDifference:
    """Compares two arrays of one shape of which one or both are quantized."""
    limits = [one.dtype for one in (source, target) if is_quantized(one)]
    loosest = max(limits, key=USUAL.__getitem__)
    result = BlockDifference(USUAL[loosest], loosest in WEIGHED)
    plain = source if is_quantized(target) else target
    judge = _Judge(result, loosest, THROUGH.get(plain.dtype, BOTH), swapped=not is_quantized(target))
    for place, one, other in _parts((), source, target):
        judge.add(place, one, other)
    return result


def _parts(place: tuple[int, ...], source: Numbers, target: Numbers) -> Iterator[tuple[tuple[int, ...], Array, Array]]:
    """Decoded rows of both sides, with the indices of their first number."""
    one, other = source.raw, target.raw
    if one.ndim > 2:
        for index in range(one.shape[0]):
            both = Numbers(one[index], source.dtype), Numbers(other[index], target.dtype)
            yield from _parts((*place, index), *both)
        return
    if one.ndim < 2:
        yield (*place, 0), values_of(one, source.dtype)[None], values_of(other, target.dtype)[None]
        return
    step = max(1, READ // max(1, shape_of(source)[1]))
    for start in range(0, one.shape[0], step):
        rows = slice(start, start + step)
        yield (*place, start, 0), values_of(one[rows], source.dtype), values_of(other[rows], target.dtype)


class _Judge:
    """Judges parts. through: as in `THROUGH`. swapped: the quantized numbers are those of the source."""

    __slots__ = ("dtype", "kept", "result", "slack", "swapped", "through")

    def __init__(self, result: BlockDifference, dtype: str, through: Sequence[str], *, swapped: bool) -> None:
        self.result, self.dtype, self.through, self.swapped = result, dtype, through, swapped
        self.slack = SMALLEST_HALF * FORMATS[dtype].reach
        self.kept = False

    def add(self, place: tuple[int, ...], source: Array, target: Array) -> None:
        """Adds rows of both sides."""
        result, width = self.result, source.shape[1]
        plain, coded = (target, source) if self.swapped else (source, target)
        group = GROUP if width % GROUP == 0 else width
        left, right = plain.reshape(-1, group), coded.reshape(-1, group)
        with np.errstate(invalid="ignore", over="ignore"):
            gaps = right - left
            errors, sizes, coded_sizes = (_squares(one) for one in (gaps, left, right))
            others = self._others(len(source), left, right, gaps, errors, sizes, coded_sizes)
        judged = np.isfinite(sizes)
        others &= judged
        result.elements += source.size
        result.unjudged += int((~judged).sum()) * group
        own = judged & ~others & np.isfinite(errors)
        result.error += float(errors[own].sum())
        result.size += float(sizes[own].sum())
        result.coded_size += float(coded_sizes[own].sum())
        result.zero = result.zero and not coded_sizes.any()
        if not np.isfinite(coded_sizes).all():
            result.nan += int(np.isnan(coded).sum())
            result.infinite += int(np.isinf(coded).sum())
        result.others += int(others.sum()) * group
        self._keep(place, source, target, gaps.reshape(source.shape), others.reshape(len(source), -1))

    def _others(
        self, rows: int, left: Array, right: Array, gaps: Array, errors: Array, sizes: Array, coded_sizes: Array
    ) -> Array:
        """True for each group that cannot be a quantization of the source. rows: number of rows."""
        lost = ~np.isfinite(coded_sizes) | ((sizes == 0) & (coded_sizes > 0))
        if self.dtype == "Q8_0":
            apart = self._apart(left, gaps)
            for dtype in self.through:
                at = np.flatnonzero(apart & ~lost)
                before = rounded(left[at], dtype) if at.size else None
                if before is not None:
                    apart[at] = self._apart(before, right[at] - before) | ~np.isfinite(before).all(axis=-1)
            found: Array = lost | apart
            return found
        products = (sizes + coded_sizes - errors) / 2
        with np.errstate(invalid="ignore"):
            loose = products < RELATED * np.sqrt(sizes * coded_sizes)
        loose &= sizes > (4 * self.slack) ** 2 * left.shape[1]
        at = np.flatnonzero(loose)
        if at.size:
            agreeing = left[at] * right[at]
            decided = np.count_nonzero(agreeing, axis=-1)
            same = np.count_nonzero(agreeing > 0, axis=-1)
            loose[at] = (decided >= FEWEST) & (same < SAME_SIGN * decided)
        by_row = loose.reshape(rows, -1)
        few = by_row.mean(axis=1) < SHARE_OF_ROW
        self.result.doubtful += int(by_row[few].sum()) * left.shape[1]
        by_row[few] = False
        either: Array = lost | loose
        return either

    def _apart(self, left: Array, gaps: Array) -> Array:
        """True for each group with a number that Q8_0 does not round to. gaps: the errors."""
        blocks = np.abs(left).reshape(-1, FORMATS["Q8_0"].elements)
        limits = blocks.max(axis=-1, keepdims=True) * NEAREST + np.float32(self.slack)
        apart: Array = (np.abs(gaps).reshape(blocks.shape) > limits).reshape(len(left), -1).any(axis=-1)
        return apart

    def _keep(self, place: tuple[int, ...], source: Array, target: Array, gaps: Array, others: Array) -> None:
        """Keeps the rows with other numbers, and the largest difference: among these rows if there are any."""
        result, rows = self.result, np.flatnonzero(others.any(axis=1))
        first = place[-2] if len(place) > 1 else 0
        result.rows += [first + int(row) for row in rows[: MOST_ROWS + 1 - len(result.rows)]]
        result.row_count += int(rows.size)
        if self.kept and not rows.size:
            return
        if rows.size and not self.kept:
            self.kept, result.found = True, Difference()
        sizes = np.abs(gaps[rows] if rows.size else gaps)
        most = int(np.nan_to_num(sizes, nan=np.inf).argmax())
        row, column = divmod(most, sizes.shape[1])
        row = int(rows[row]) if rows.size else row
        both = float(source[row, column]), float(target[row, column])
        begin = place[:-2] if len(place) > 1 else ()
        at = (*begin, first + row, column) if len(place) > 1 else (column,)
        result.found.keep(float(abs(both[0] - both[1])), *both, at, (1,), 0)


def _squares(groups: Array) -> Array:
    """The sum of squares of each group, in float64."""
    found: Array = np.einsum("ij,ij->i", groups, groups).astype(np.float64)
    return found
