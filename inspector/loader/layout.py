"""The layout of a tensor: its dtype, its shape and the sizes that follow from them."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from inspector.loader.dtype import BITS

WORD: Final = 1 << 64
"""Dims, element counts and bit counts must stay below this, as in the reference reader (Rust `usize`)."""


class Layout(Struct, frozen=True):
    """Dtype and shape of a tensor; tensors of the same dtype and shape share one object.

    elements: product of the dims, 1 for a scalar. bytes: elements times the bits of the dtype, over 8. values: the
    content of a small tensor that stores the shape of another tensor, if it was read.
    """

    dtype: str
    shape: tuple[int, ...]
    elements: int
    bytes: int
    values: tuple[int, ...] = ()


def lay_out(dtype: str, shape: tuple[int, ...]) -> Layout | str:
    """The layout for a known dtype and dims that are already checked to be integers from 0 to 2^64 - 1.

    A text instead of a layout is the reason: "overflow" (the product exceeds 64 bits) or
    "part-byte" (elements times bits are not whole bytes).
    """
    elements = 1
    for dim in shape:
        elements *= dim
        if elements >= WORD:
            return "overflow"
    bits = elements * BITS[dtype]
    if bits >= WORD:
        return "overflow"
    if bits % 8:
        return "part-byte"
    return Layout(dtype, shape, elements, bits // 8)
