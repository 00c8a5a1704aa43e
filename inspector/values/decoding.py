"""Decodes stored bytes to numbers. Dtypes that numpy does not know are decoded here, exactly.

All 8-bit floats, bfloat16 and float16 are exact in float32; float64 and integers of more than 24 bits need float64.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

RAW: Final[dict[str, str]] = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "u1",
    "F8_E4M3": "u1", "F8_E5M2": "u1", "F8_E8M0": "u1", "F8_E4M3FNUZ": "u1", "F8_E5M2FNUZ": "u1",
}  # fmt: skip
"""Dtype as a header spells it -> numpy's type of the bytes. Sub-byte and complex dtypes are not read."""
WIDE: Final = frozenset({"F64", "I64", "I32", "U64", "U32"})
"""Dtypes with values that float32 cannot represent."""
_SMALL: Final[dict[str, tuple[int, int, bool]]] = {
    "F8_E4M3": (3, 7, False), "F8_E5M2": (2, 15, True), "F8_E4M3FNUZ": (3, 8, False), "F8_E5M2FNUZ": (2, 16, False),
}  # fmt: skip
"""8-bit floats: (bits of the fraction, bias of the exponent, True if the largest exponent means infinity and NaN)."""


def decoded(raw: Array, dtype: str, wide: bool = False) -> Array:
    """Decodes raw elements to float32; to float64 if `wide` is set or the dtype needs it."""
    kind = np.float64 if wide or dtype in WIDE else np.float32
    if dtype == "BF16":
        bits = raw.astype(np.uint32)
        bits <<= np.uint32(16)
        return bits.view(np.float32).astype(kind, copy=False)
    if dtype == "F16":
        return half_values(raw).astype(kind, copy=False)
    if dtype in _SMALL or dtype == "F8_E8M0":
        return table(dtype)[raw].astype(kind, copy=False)
    return raw.astype(kind)


def half_values(raw: Array) -> Array:
    """Converts float16 to float32 by bit operations on normal numbers, which is faster than numpy's element-wise
    conversion.

    The exponent and the fraction move by 13 bits, and 112 is added to the exponent, for biases of 15 and 127.
    """
    flat = raw.reshape(-1)
    bits = flat.view("<i2").astype(np.int32)
    bits <<= 13
    bits &= _SIGN_AND_REST
    bits += 112 << 23
    size = flat.view("<u2") & np.uint16(0x7FFF)
    size -= np.uint16(0x400)
    others = positions(size >= 0x7800)  # zero, subnormal numbers, infinity and NaN
    values = bits.view(np.float32)
    values[others] = flat[others].astype(np.float32)
    return values.reshape(raw.shape)


_SIGN_AND_REST: Final = np.uint32(0x8FFFE000).astype(np.int32)


def positions(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Positions of the set flags of a flat array with few set flags: eight are tested at a time."""
    if flags.size % 8:
        return np.flatnonzero(flags)
    eights = flags.view(np.uint64)
    groups = np.flatnonzero(eights != 0)
    inside = np.flatnonzero(eights[groups].view(np.bool_))
    found: NDArray[np.intp] = groups[inside >> 3] * 8 + (inside & 7)
    return found


@cache
def table(dtype: str) -> Array:
    """The 256 values of an 8-bit float by bit pattern (OCP 8-bit formats, revision 1.0; FNUZ of Graphcore and AMD)."""
    if dtype == "F8_E8M0":
        powers = np.ldexp(np.float64(1), np.arange(256) - 127)
        powers[255] = np.nan
        return powers.astype(np.float32)
    fraction_bits, bias, infinite = _SMALL[dtype]
    bits = np.arange(256)
    sign = np.where(bits >= 128, -1.0, 1.0)
    exponent, fraction = (bits & 127) >> fraction_bits, bits & ((1 << fraction_bits) - 1)
    ones = (1 << (7 - fraction_bits)) - 1
    part = fraction / (1 << fraction_bits)
    numbers = sign * np.where(
        exponent == 0, np.ldexp(part, 1 - bias), np.ldexp(1 + part, np.maximum(exponent, 1) - bias)
    )
    if dtype.endswith("FNUZ"):
        numbers[128] = np.nan
    elif infinite:
        numbers = np.where(exponent == ones, np.where(fraction == 0, sign * np.inf, np.nan), numbers)
    else:
        numbers = np.where((exponent == ones) & (fraction == (1 << fraction_bits) - 1), np.nan, numbers)
    return numbers.astype(np.float32)


def rounded(numbers: Array, dtype: str) -> Array | None:
    """Rounds to a narrower float, to nearest and ties to even, and converts back; None for other dtypes."""
    if dtype == "F32":
        return numbers.astype(np.float32).astype(numbers.dtype)
    if dtype == "F16" and numbers.dtype == np.float32:
        return _rounded_to_half(numbers)
    if dtype == "F16":
        with np.errstate(over="ignore"):
            return numbers.astype(np.float16).astype(numbers.dtype)
    if dtype == "BF16":
        bits = numbers.astype(np.float32).view(np.uint32)
        even = (bits >> np.uint32(16)) & np.uint32(1)
        up = ((bits + np.uint32(0x7FFF) + even) >> np.uint32(16)) << np.uint32(16)
        return np.where(np.isfinite(numbers), up.view(np.float32), numbers).astype(numbers.dtype)
    return None


def _rounded_to_half(numbers: Array) -> Array:
    """Rounds float32 to float16 and back by bit operations, which is faster than numpy's element-wise conversion."""
    bits = numbers.view(np.uint32)
    even = (bits >> np.uint32(13)) & np.uint32(1)
    normal = ((bits + np.uint32(0xFFF) + even) & np.uint32(0xFFFFE000)).view(np.float32)
    size = np.abs(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.where(size < 2.0**-14, np.rint(numbers * np.float32(2.0**24)) * np.float32(2.0**-24), normal)
        found = np.where(size >= 65520, numbers * np.float32(np.inf), found)
    return np.where(np.isnan(numbers), numbers, found)


def truncated(numbers: Array, dtype: str) -> Array | None:
    """Truncates to bfloat16 without rounding, as some converters do, and converts back; None for other dtypes."""
    if dtype != "BF16":
        return None
    bits = numbers.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(numbers.dtype)
