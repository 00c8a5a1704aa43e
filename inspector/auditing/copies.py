"""Stored copies of tied tensors, their originals, and access to the values of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from msgspec.structs import replace

from inspector.algebra.boxes import tuples
from inspector.algebra.names import key_of, name_of
from inspector.auditing.result import Audit
from inspector.reconciler import ledger
from inspector.values.quantized import is_quantized
from inspector.values.reading import Store, store_of
from inspector.values.stored import Numbers

SAMPLE: Final = 4_096
"""Bytes of one sample: a page of memory and of most file systems."""


def copies_store(audited: Audit, component: Audit) -> Store | None:
    """Access to the values of a component, including a remote one."""
    checkpoint = component.checkpoint
    if checkpoint.names_in_file:  # a component of a single file, which is the whole's
        checkpoint = replace(checkpoint, reach=audited.checkpoint.reach, files=audited.checkpoint.files)
    return store_of(checkpoint, None if component.case is None else component.case.reading)


def tied_copies(component: Audit) -> Iterator[tuple[str, str]]:
    """The stored copies of tied tensors, each with the name of the original."""
    if component.case is None:
        return
    keys = {id(block.slot): block.key for block in component.case.corrected.blocks}
    for line in component.lines:
        tie = line.block.tie if line.block is not None else None
        original = keys.get(id(tie)) if tie is not None else None
        if line.kind == ledger.COPY and original is not None and line.packed is None:
            for name in _names(line):
                yield name, name_of(original, key_of(name)[1])


def both_of(store: Store, name: str, original: str) -> tuple[Numbers, Numbers] | str:
    """The values of an original and its copy, or the reason for which they cannot be compared."""
    one, copy = store.numbers(original), store.numbers(name)
    if isinstance(one, str) or isinstance(copy, str):
        return copy if isinstance(copy, str) else str(one)
    if is_quantized(one) or is_quantized(copy):
        return "it is quantized"
    return (one, copy) if one.raw.shape == copy.raw.shape else "its shape differs from the original's"


def _names(line: ledger.Line) -> Iterator[str]:
    for box in line.boxes:
        yield from (name_of(line.family, index) for index in tuples(box))


def samples_of(one: Numbers, copy: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """The same elements at the beginning, in the middle and at the end of both tensors, at most SAMPLE bytes each."""
    size = one.raw.size
    length = min(size, SAMPLE // max(one.raw.dtype.itemsize, copy.raw.dtype.itemsize))
    flat = [Numbers(numbers.raw.reshape(-1), numbers.dtype) for numbers in (one, copy)]
    for start, stop in _apart([(start, start + length) for start in (0, (size - length) // 2, size - length)]):
        first, second = (Numbers(side.raw[start:stop], side.dtype) for side in flat)
        yield first, second


def _apart(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans over the same elements, in ascending order and without overlap."""
    ends = accumulate((stop for _, stop in spans), max, initial=0)
    cut = [(max(start, end), stop) for (start, stop), end in zip(spans, ends, strict=False)]
    return [span for span in cut if span[0] < span[1]]
