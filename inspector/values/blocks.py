"""Decodes the block formats of GGUF files: numbers that share scales, as llama.cpp dequantizes them.

The numbers of a block are along the last axis of the tensor in torch's order. Source: `dequantize_row_*` of llama.cpp's
ggml-quants.c, and gguf.quants 0.19.0, whose results are reproduced bit by bit (tests/values/test_blocks.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from inspector.loader.formats.ggml_types import BY_NAME
from inspector.values.decoding import Array
from inspector.values.grids import grid, signs_of_seven


class BlockFormat(Struct, frozen=True):
    """A block format.

    decode: bytes [blocks, bytes of a block] -> float32 [blocks, elements]. reach: the largest number of a block as a
    multiple of its scale in float16; 0 if the scale has another dtype. halves: byte positions of the float16 scales in
    a block (its numbers are all zero if these are); empty if scales are stored in another way.
    """

    name: str
    decode: Callable[[Array], Array]
    reach: float
    halves: tuple[int, ...] = (0,)

    @property
    def elements(self) -> int:
        """Numbers per block."""
        return BY_NAME[self.name].elements

    @property
    def kind(self) -> np.dtype[np.void]:
        """One block as an element of an array."""
        return np.dtype((np.void, BY_NAME[self.name].bytes))


def decoded_blocks(raw: Array, dtype: str) -> Array:
    """The float32 numbers of an array of blocks: [..., blocks] -> [..., blocks * elements of a block]."""
    found = FORMATS[dtype]
    stored = np.ascontiguousarray(raw).view(np.uint8).reshape(-1, found.kind.itemsize)
    with np.errstate(over="ignore", invalid="ignore"):
        values = found.decode(stored)
    return values.reshape(*raw.shape[:-1], raw.shape[-1] * found.elements)


def _half(part: Array) -> Array:
    """One float16 of each block: [blocks, 2] bytes -> [blocks, 1]."""
    values: Array = np.ascontiguousarray(part).view("<f2").astype(np.float32)
    return values


def _fields(part: Array, shifts: Sequence[int], run: int) -> Array:
    """Bit fields: for each run of bytes the fields at the first shift, then those at the next shift: [blocks, fields].

    All bits from the shift on are returned; the caller masks them.
    """
    steps = np.array(shifts, np.uint8).reshape(1, 1, -1, 1)
    found: Array = (part.reshape(len(part), -1, 1, run) >> steps).reshape(len(part), -1)
    return found


def _nibbles(part: Array, run: int) -> Array:
    return _fields(part, (0, 4), run) & np.uint8(15)


def _pairs(part: Array, run: int) -> Array:
    return _fields(part, (0, 2, 4, 6), run) & np.uint8(3)


def _bits(part: Array) -> Array:
    """The bits of bytes, the lowest first: [blocks, 8 * bytes]."""
    return np.unpackbits(np.ascontiguousarray(part), axis=-1, bitorder="little")


def _scaled(scales: Array, numbers: Array) -> Array:
    """Numbers times the scale of their group: [blocks, groups] and [blocks, elements]."""
    groups = numbers.reshape(*scales.shape, -1)
    found: Array = (scales[..., None] * groups.astype(np.float32)).reshape(numbers.shape)
    return found


def _signed(numbers: Array, offset: int) -> Array:
    return numbers.astype(np.int8) - np.int8(offset)


# --- blocks of 32 numbers ---


def _q4_0(blocks: Array) -> Array:
    return _scaled(_half(blocks[:, :2]), _signed(_nibbles(blocks[:, 2:], 16), 8))


def _q4_1(blocks: Array) -> Array:
    return _scaled(_half(blocks[:, :2]), _nibbles(blocks[:, 4:], 16)) + _half(blocks[:, 2:4])


def _q5_0(blocks: Array) -> Array:
    numbers = _nibbles(blocks[:, 6:], 16) | (_bits(blocks[:, 2:6]) << np.uint8(4))
    return _scaled(_half(blocks[:, :2]), _signed(numbers, 16))


def _q5_1(blocks: Array) -> Array:
    numbers = _nibbles(blocks[:, 8:], 16) | (_bits(blocks[:, 4:8]) << np.uint8(4))
    return _scaled(_half(blocks[:, :2]), numbers) + _half(blocks[:, 2:4])


def _q8_0(blocks: Array) -> Array:
    return _scaled(_half(blocks[:, :2]), blocks[:, 2:].view(np.int8))


_NONLINEAR: Final = np.array(
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32
)  # fmt: skip
"""`kvalues_iq4nl`."""
_FLOAT4: Final = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)
"""`kvalues_mxfp4`: the numbers of E2M1, doubled."""


def _iq4_nl(blocks: Array) -> Array:
    return _scaled(_half(blocks[:, :2]), _NONLINEAR[_nibbles(blocks[:, 2:], 16)])


def _mxfp4(blocks: Array) -> Array:
    exponents = blocks[:, :1].astype(np.int32) - 128  # the numbers are doubled
    return _scaled(np.ldexp(np.float32(1), exponents), _FLOAT4[_nibbles(blocks[:, 1:], 16)])


# --- blocks of 128 and of 256 numbers ---


def _q1_0(blocks: Array) -> Array:
    return _scaled(_half(blocks[:, :2]), _signed(_bits(blocks[:, 2:]) << np.uint8(1), 1))


def _q2_k(blocks: Array) -> Array:
    scales, numbers = blocks[:, :16], _pairs(blocks[:, 16:80], 32)
    steps = _half(blocks[:, 80:82]) * (scales & np.uint8(15))
    least = _half(blocks[:, 82:84]) * (scales >> np.uint8(4))
    return _above(steps, least, numbers)


def _above(steps: Array, least: Array, numbers: Array) -> Array:
    """Numbers as steps above the least value of their group; the negative of the least value is stored."""
    groups = numbers.reshape(*steps.shape, -1).astype(np.float32)
    found: Array = (steps[..., None] * groups - least[..., None]).reshape(numbers.shape)
    return found


def _q3_k(blocks: Array) -> Array:
    high, low, stored = blocks[:, :32], _pairs(blocks[:, 32:96], 32), blocks[:, 96:108]
    numbers = _signed(low | (_fields(high, range(8), 32) & np.uint8(1)) << np.uint8(2), 4)
    upper = _fields(stored[:, 8:], (0, 2, 4, 6), 4) & np.uint8(3)
    scales = _signed(_nibbles(stored[:, :8], 8) | upper << np.uint8(4), 32)
    return _scaled(_half(blocks[:, 108:]) * scales, numbers)


def _six_bits(stored: Array) -> tuple[Array, Array]:
    """Eight scales and eight least values of 6 bits each, stored in 12 bytes."""
    first, second, upper = stored[:, :4], stored[:, 4:8], stored[:, 8:]
    scales = np.concatenate((first & 63, upper & 15 | first >> 2 & 48), axis=-1)
    least = np.concatenate((second & 63, upper >> 4 | second >> 2 & 48), axis=-1)
    return scales, least


def _q4_k(blocks: Array) -> Array:
    scales, least = _six_bits(blocks[:, 4:16])
    numbers = _nibbles(blocks[:, 16:], 32)
    return _above(_half(blocks[:, :2]) * scales, _half(blocks[:, 2:4]) * least, numbers)


def _q5_k(blocks: Array) -> Array:
    scales, least = _six_bits(blocks[:, 4:16])
    high = _fields(blocks[:, 16:48], range(8), 32) & np.uint8(1)
    numbers = _nibbles(blocks[:, 48:], 32) | high << np.uint8(4)
    return _above(_half(blocks[:, :2]) * scales, _half(blocks[:, 2:4]) * least, numbers)


def _q6_k(blocks: Array) -> Array:
    numbers = _nibbles(blocks[:, :128], 64) | _pairs(blocks[:, 128:192], 32) << np.uint8(4)
    scales = _half(blocks[:, 208:]) * blocks[:, 192:208].view(np.int8)
    return _scaled(scales, _signed(numbers, 32))


def _iq4_xs(blocks: Array) -> Array:
    high = blocks[:, 2:4].copy().view("<u2") >> np.arange(0, 16, 2, dtype=np.uint16) & 3
    low = _fields(blocks[:, 4:8], (0, 4), 1) & np.uint8(15)
    scales = _half(blocks[:, :2]) * _signed(low | high.astype(np.uint8) << 4, 32)
    return _scaled(scales, _NONLINEAR[_nibbles(blocks[:, 8:], 16)])


def _tq1_0(blocks: Array) -> Array:
    powers = np.array([1, 3, 9, 27, 81], np.uint8)
    parts = [
        (part.reshape(len(part), 1, -1) * powers[:digits, None]).reshape(len(part), -1)
        for part, digits in ((blocks[:, :32], 5), (blocks[:, 32:48], 5), (blocks[:, 48:52], 4))
    ]
    digits = np.concatenate(parts, axis=-1).astype(np.uint16) * 3 >> 8
    return _scaled(_half(blocks[:, 52:]), _signed(digits, 1))


def _tq2_0(blocks: Array) -> Array:
    return _scaled(_half(blocks[:, 64:]), _signed(_pairs(blocks[:, :64], 32), 1))


# --- blocks of 256 numbers from tables ---


def _signs(bits: Array) -> Array:
    """-1 for a set bit, else 1."""
    found: Array = 1 - 2 * bits.astype(np.float32)
    return found


def _packed_signs(words: Array) -> Array:
    """The signs of 32 numbers in 28 bits: each eighth sign makes the number of negative signs even."""
    sevens = words[..., None] >> np.array([0, 7, 14, 21], np.uint32) & np.uint32(127)
    return _signs(_bits(signs_of_seven()[sevens].reshape(len(words), -1)))


def _iq2_xxs(blocks: Array) -> Array:
    words = blocks[:, 2:].copy().view("<u4").reshape(len(blocks), 8, 2)
    scales = _half(blocks[:, :2]) * (np.float32(0.5) + (words[..., 1] >> 28)) * np.float32(0.25)
    numbers = grid("IQ2_XXS")[words[..., :1].copy().view(np.uint8).reshape(len(blocks), -1)].reshape(len(blocks), -1)
    return _scaled(scales.astype(np.float32), numbers * _packed_signs(words[..., 1]))


def _half_scales(blocks: Array, stored: Array) -> Array:
    """The scales of 16 groups in 4 bits each, for IQ2."""
    scales = _fields(stored, (0, 4), 1) & np.uint8(15)
    found: Array = _half(blocks[:, :2]) * (np.float32(0.5) + scales) * np.float32(0.25)
    return found


def _iq2_xs(blocks: Array) -> Array:
    words = blocks[:, 2:66].copy().view("<u2")
    numbers = grid("IQ2_XS")[words & 511].reshape(len(blocks), -1)
    signs = _signs(_bits(signs_of_seven()[words >> 9]))
    return _scaled(_half_scales(blocks, blocks[:, 66:]), numbers * signs)


def _iq2_s(blocks: Array) -> Array:
    high = (_fields(blocks[:, 66:74], (0, 2, 4, 6), 1) & np.uint8(3)).astype(np.uint16)
    numbers = grid("IQ2_S")[blocks[:, 2:34] | high << 8].reshape(len(blocks), -1)
    return _scaled(_half_scales(blocks, blocks[:, 74:]), numbers * _signs(_bits(blocks[:, 34:66])))


def _iq3_xxs(blocks: Array) -> Array:
    words = blocks[:, 66:].copy().view("<u4")
    scales = _half(blocks[:, :2]) * (np.float32(0.5) + (words >> 28)) * np.float32(0.5)
    numbers = grid("IQ3_XXS")[blocks[:, 2:66]].reshape(len(blocks), -1)
    return _scaled(scales.astype(np.float32), numbers * _packed_signs(words))


def _iq3_s(blocks: Array) -> Array:
    scales = _half(blocks[:, :2]) * (1 + 2 * (_fields(blocks[:, 106:], (0, 4), 1) & np.uint8(15)))
    numbers = grid("IQ3_S")[blocks[:, 2:66] | _bits(blocks[:, 66:74]).astype(np.uint16) << 8]
    return _scaled(scales, numbers.reshape(len(blocks), -1) * _signs(_bits(blocks[:, 74:106])))


_SHIFT: Final = np.float32(0.125)
"""Number that is added to, or subtracted from, the numbers of a group of IQ1."""


def _iq1_s(blocks: Array) -> Array:
    words = blocks[:, 34:].copy().view("<u2")
    scales = _half(blocks[:, :2]) * (2 * (words >> 12 & 7) + 1)
    added = np.where(words & 0x8000, -_SHIFT, _SHIFT)
    high = (words[..., None] >> np.array([0, 3, 6, 9], np.uint16) & 7).reshape(len(blocks), -1)
    numbers = grid("IQ1_S")[blocks[:, 2:34] | high << 8].reshape(len(blocks), 8, 32) + added[..., None]
    return _scaled(scales.astype(np.float32), numbers.reshape(len(blocks), -1))


def _iq1_m(blocks: Array) -> Array:
    stored = blocks[:, 48:].copy().view("<u2")
    half = np.bitwise_or.reduce((stored & 0xF000) >> np.array([12, 8, 4, 0], np.uint16), axis=-1, keepdims=True)
    steps = (stored[..., None] >> np.array([0, 3, 6, 9], np.uint16) & 7).reshape(len(blocks), -1)
    scales = half.view("<f2").astype(np.float32) * (2 * steps + 1)
    fields = _fields(blocks[:, 32:48], (0, 4), 1)
    added = np.where(fields & 8, -_SHIFT, _SHIFT)
    numbers = grid("IQ1_S")[blocks[:, :32] | (fields & 7).astype(np.uint16) << 8] + added[..., None]
    return _scaled(scales.astype(np.float32), numbers.reshape(len(blocks), -1))


FORMATS: Final[dict[str, BlockFormat]] = {
    one.name: one
    for one in (
        BlockFormat("Q4_0", _q4_0, 8),
        BlockFormat("Q4_1", _q4_1, 16, (0, 2)),
        BlockFormat("Q5_0", _q5_0, 16),
        BlockFormat("Q5_1", _q5_1, 32, (0, 2)),
        BlockFormat("Q8_0", _q8_0, 128),
        BlockFormat("Q1_0", _q1_0, 1),
        BlockFormat("Q2_K", _q2_k, 15 * 4, (80, 82)),
        BlockFormat("Q3_K", _q3_k, 32 * 4, (108,)),
        BlockFormat("Q4_K", _q4_k, 63 * 16, (0, 2)),
        BlockFormat("Q5_K", _q5_k, 63 * 32, (0, 2)),
        BlockFormat("Q6_K", _q6_k, 128 * 32, (208,)),
        BlockFormat("IQ4_NL", _iq4_nl, 127),
        BlockFormat("IQ4_XS", _iq4_xs, 32 * 127),
        BlockFormat("IQ3_XXS", _iq3_xxs, 62 * 15.5 / 2),
        BlockFormat("IQ3_S", _iq3_s, 15 * 31),
        BlockFormat("IQ2_XXS", _iq2_xxs, 43 * 15.5 / 4),
        BlockFormat("IQ2_XS", _iq2_xs, 43 * 15.5 / 4),
        BlockFormat("IQ2_S", _iq2_s, 43 * 15.5 / 4),
        BlockFormat("IQ1_S", _iq1_s, 15 * 1.125),
        BlockFormat("IQ1_M", _iq1_m, 15 * 1.125, ()),
        BlockFormat("TQ1_0", _tq1_0, 1, (52,)),
        BlockFormat("TQ2_0", _tq2_0, 1, (64,)),
        BlockFormat("MXFP4", _mxfp4, 0, ()),
    )
}
"""Dtype as a header spells it -> format. Q8_1 and Q8_K are never stored; NVFP4 has a scale in another tensor."""
