"""llama.cpp's block types: the header states the logical shape, the bytes follow from the type.

A tensor of such a type is a module's weight by itself: scales and minima lie within its blocks.
"""

from __future__ import annotations

from inspector.loader.formats.ggml_types import BY_NAME, is_packed, storage_of
from inspector.loader.layout import Layout
from inspector.loader.packed import Packed


def packed_of(layout: Layout) -> Packed | None:
    """The storage of a tensor whose dtype is a block type; None for plain ones.

    `layout` has the logical shape; the storage is U8 with the last dim in bytes. bits counts the scales in,
    as llama.cpp's own tables do: Q4_K has 4.5.
    """
    if not is_packed(layout.dtype):
        return None
    blocks = BY_NAME[layout.dtype]
    return Packed(f"gguf {layout.dtype}", blocks.bits, blocks.elements, storage_of(layout))
