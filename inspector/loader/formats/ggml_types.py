"""The element types of GGUF files and their blocks. No other table in the package lists them.

Sources: ggml.h `enum ggml_type`, and the block sizes of gguf-py 0.19.0, `GGML_QUANT_SIZES`.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from inspector.loader.dtype import BITS
from inspector.loader.layout import WORD, Layout
from inspector.loader.packed import Packed


class Blocks(Struct, frozen=True):
    """A type: its values are in blocks of `elements` values along the first dim of the file, with
    `bytes` bytes each.
    """

    name: str
    elements: int
    bytes: int

    @property
    def plain(self) -> bool:
        """True if its values are stored unquantized."""
        return self.elements == 1

    @property
    def bits(self) -> float:
        """Bits of one value, including scales."""
        return self.bytes * 8 / self.elements


TYPES: Final[dict[int, Blocks]] = {
    number: Blocks(name, elements, size)
    for number, name, elements, size in (
        (0, "F32", 1, 4),
        (1, "F16", 1, 2),
        (2, "Q4_0", 32, 18),
        (3, "Q4_1", 32, 20),
        (6, "Q5_0", 32, 22),
        (7, "Q5_1", 32, 24),
        (8, "Q8_0", 32, 34),
        (9, "Q8_1", 32, 40),
        (10, "Q2_K", 256, 84),
        (11, "Q3_K", 256, 110),
        (12, "Q4_K", 256, 144),
        (13, "Q5_K", 256, 176),
        (14, "Q6_K", 256, 210),
        (15, "Q8_K", 256, 292),
        (16, "IQ2_XXS", 256, 66),
        (17, "IQ2_XS", 256, 74),
        (18, "IQ3_XXS", 256, 98),
        (19, "IQ1_S", 256, 50),
        (20, "IQ4_NL", 32, 18),
        (21, "IQ3_S", 256, 110),
        (22, "IQ2_S", 256, 82),
        (23, "IQ4_XS", 256, 136),
        (24, "I8", 1, 1),
        (25, "I16", 1, 2),
        (26, "I32", 1, 4),
        (27, "I64", 1, 8),
        (28, "F64", 1, 8),
        (29, "IQ1_M", 256, 56),
        (30, "BF16", 1, 2),
        (34, "TQ1_0", 256, 54),
        (35, "TQ2_0", 256, 66),
        (39, "MXFP4", 32, 17),
        (40, "NVFP4", 64, 36),
        (41, "Q1_0", 128, 18),
    )
}
"""Number in the file -> type."""

RETIRED: Final[dict[int, str]] = {
    4: "Q4_2",
    5: "Q4_3",
    31: "Q4_0_4_4",
    32: "Q4_0_4_8",
    33: "Q4_0_8_8",
    36: "IQ4_NL_4_4",
    37: "IQ4_NL_4_8",
    38: "IQ4_NL_8_8",
}
"""Numbers of types that llama.cpp no longer reads."""

FORK: Final = "ik_llama.cpp"
OF_FORK: Final[dict[int, tuple[Blocks, int]]] = {
    number: (Blocks(name, elements, size), row)
    for number, name, elements, size, row in (
        (133, "Q6_0", 32, 26, 0),
        (134, "IQ1_BN", 64, 13, 0),
        (135, "IQ2_BN", 64, 16, 0),
        (137, "IQ2_K", 256, 76, 0),
        (138, "IQ3_K", 256, 110, 0),
        (139, "IQ4_K", 256, 144, 0),
        (140, "IQ5_K", 256, 176, 0),
        (141, "IQ6_K", 256, 212, 0),
        (144, "IQ4_KS", 256, 136, 4),
        (145, "IQ2_KS", 256, 70, 0),
        (146, "IQ4_KSS", 256, 128, 4),
        (152, "IQ5_KS", 256, 168, 4),
        (153, "IQ2_KT", 256, 68, 0),
        (154, "IQ3_KT", 256, 100, 0),
        (155, "IQ4_KT", 256, 128, 0),
        (156, "IQ3_KS", 256, 102, 0),
        (157, "IQ2_KL", 256, 86, 0),
        (158, "IQ1_KT", 256, 56, 0),
    )
}
"""Number of a type that only ik_llama.cpp writes and reads -> its blocks, and the least bytes of the scale that begins
each row, which its gguf-py leaves out of `GGML_QUANT_SIZES` (`ggml_row_size` counts them).
"""

BY_NAME: Final[dict[str, Blocks]] = {one.name: one for one in TYPES.values()}
assert all(BITS[one.name] == one.bytes * 8 for one in TYPES.values() if one.plain)


def is_packed(dtype: str) -> bool:
    """True if a layout's dtype is a quantized block type."""
    found = BY_NAME.get(dtype)
    return found is not None and not found.plain


def type_name(number: int) -> str:
    """The name of a type in messages, also for an unknown number."""
    if number in TYPES:
        return TYPES[number].name
    if number in OF_FORK:
        return f"{number} ({OF_FORK[number][0].name} of {FORK})"
    return f"{number} ({RETIRED[number]}, no longer read by llama.cpp)" if number in RETIRED else str(number)


def least_bytes(number: int, shape: tuple[int, ...]) -> int:
    """The bytes that a tensor with a type of ik_llama.cpp needs at least; 0 for any other type."""
    if number not in OF_FORK or not shape or shape[-1] <= 0:
        return 0
    blocks, row = OF_FORK[number]
    elements = 1
    for dim in shape:
        elements *= dim
        if elements >= WORD:
            return 0
    return elements // blocks.elements * blocks.bytes + elements // shape[-1] * row


def lay_out_blocks(blocks: Blocks, shape: tuple[int, ...]) -> Layout | str:
    """The layout of a tensor with logical dims, the last one running along the blocks; dims as in torch.

    A text instead of a layout is the reason: "overflow", or "part-block" (the last dim does not fill whole blocks).
    """
    elements = 1
    for dim in shape:
        elements *= dim
        if elements >= WORD:
            return "overflow"
    if shape and shape[-1] % blocks.elements:
        return "part-block"
    size = elements // blocks.elements * blocks.bytes
    return "overflow" if size * 8 >= WORD else Layout(blocks.name, shape, elements, size)


def storage_of(layout: Layout) -> Layout:
    """The stored bytes of a tensor with a block type: U8, with the last dim in bytes, as gguf-py shows them."""
    blocks = BY_NAME[layout.dtype]
    if not layout.shape:
        return Layout("U8", (layout.bytes,), layout.bytes, layout.bytes)
    shape = (*layout.shape[:-1], layout.shape[-1] // blocks.elements * blocks.bytes)
    return Layout("U8", shape, layout.bytes, layout.bytes)


def packed_of(layout: Layout) -> Packed | None:
    """The storage of a tensor with a block dtype; None for other dtypes.

    `layout` has the logical shape; the storage is U8 with the last dim in bytes. bits includes the scales, as in
    llama.cpp's own tables: Q4_K has 4.5.
    """
    if not is_packed(layout.dtype):
        return None
    blocks = BY_NAME[layout.dtype]
    return Packed(f"gguf {layout.dtype}", blocks.bits, blocks.elements, storage_of(layout))
