"""What the header of a file declares, with limits that hold for all formats. Pure."""

from __future__ import annotations

import sys
from typing import Any, Final

from msgspec import Struct

from inspector.findings.finding import Finding
from inspector.loader.dtype import BITS
from inspector.loader.layout import WORD, Layout, lay_out

HEADER_LIMIT: Final = 100_000_000
"""Bytes of a header; the reference reader's own limit (`MAX_HEADER_SIZE` in `tensor.rs`)."""
HEADER_LARGE: Final = 25_000_000
"""Bytes of a header above which the Hub does not read it any more."""
TENSOR_LIMIT: Final = 2_000_000
NAMES_SHOWN: Final = 20
"""Names in the facts of one finding; the exact number is another fact."""


class Layouts(dict[tuple[Any, ...], Layout]):
    """(dtype, *dims) -> the one shared layout of all such tensors of a checkpoint. texts: by the texts of headers."""

    __slots__ = ("texts",)

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, Layout] = {}


class Header(Struct, frozen=True):
    """What a header declares.

    faulty: tensors with an invalid entry. cut: tensors with bytes, all or in part, behind the
    end of the file. declared_bytes: length of the data as the offsets say. readable: whether it was a
    header at all, with or without faults. uniform: it has the form of the reference writer; then no name
    holds a quotation mark, a backslash or a control character.
    """

    file: str
    tensors: dict[str, Layout]
    metadata: dict[str, str]
    findings: tuple[Finding, ...]
    header_bytes: int = 0
    declared_bytes: int = 0
    faulty: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    readable: bool = True
    uniform: bool = False


def layout_of(dtype: object, shape: list[Any]) -> Layout | str:
    """A layout from an entry of any content, or the name of the fault."""
    if type(dtype) is not str:
        return "dtype-type"
    for dim in shape:
        if type(dim) is not int or not 0 <= dim < WORD:
            return "shape"
    if dtype not in BITS:
        return "dtype-unknown"
    return lay_out(dtype, tuple(shape))


def shared(layout: Layout, known: Layouts) -> Layout:
    """The one object for this layout.

    Dims that Python hashes like smaller ones are not kept: a header of thousands of shapes with the same
    hash would take quadratic time.
    """
    if max(layout.shape, default=0) >= sys.hash_info.modulus:
        return layout
    return known.setdefault((layout.dtype, *layout.shape), layout)


def unreadable(file: str, *findings: Finding) -> Header:
    """A header that could not be read, with what is wrong with it."""
    return Header(file, {}, {}, findings, readable=False)
