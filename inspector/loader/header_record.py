"""The content of a file header, with limits for all formats. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.findings.finding import Finding
from inspector.loader.dtype import BITS
from inspector.loader.layout import WORD, Layout, lay_out

HEADER_LIMIT: Final = 100_000_000
"""Largest header, in bytes; the limit of the reference reader (`MAX_HEADER_SIZE` in `tensor.rs`)."""
HEADER_LARGE: Final = 25_000_000
"""Largest header that the Hub reads, in bytes."""
TENSOR_LIMIT: Final = 2_000_000


class Layouts(dict[tuple[Any, ...], Layout]):
    """(dtype, *dims) -> the shared layout of all such tensors of a checkpoint. texts: the same, by their text in
    headers.
    """

    __slots__ = ("texts",)

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, Layout] = {}


class Header(Struct, frozen=True):
    """The content of a header.

    faulty: tensors with an invalid entry. cut: tensors with some or all bytes beyond the end of the file.
    declared_bytes: length of the data by the offsets. readable: True for a header, with or without faults.
    """

    file: str
    tensors: Mapping[str, Layout]
    metadata: dict[str, str]
    findings: tuple[Finding, ...]
    header_bytes: int = 0
    declared_bytes: int = 0
    faulty: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    readable: bool = True


def layout_of(dtype: object, shape: list[Any]) -> Layout | str:
    """The layout of an entry with any content, or the name of its fault."""
    if type(dtype) is not str:
        return "dtype-type"
    for dim in shape:
        if type(dim) is not int or not 0 <= dim < WORD:
            return "shape"
    if dtype not in BITS:
        return "dtype-unknown"
    return lay_out(dtype, tuple(shape))


def shared(layout: Layout, known: Layouts) -> Layout:
    """The object that all equal layouts share.

    Dims that are so large that their hash repeats are not cached: thousands of shapes with one hash would take
    quadratic time.
    """
    if max(layout.shape, default=0) >= sys.hash_info.modulus:
        return layout
    return known.setdefault((layout.dtype, *layout.shape), layout)


def unreadable(file: str, *findings: Finding) -> Header:
    """A header that could not be read, with its findings."""
    return Header(file, {}, {}, findings, readable=False)
