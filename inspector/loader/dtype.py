"""The element types of safetensors and their sizes, in bits."""

from __future__ import annotations

from typing import Final

BITS: Final[dict[str, int]] = {
    "BOOL": 8,
    "F4": 4,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "U8": 8,
    "I8": 8,
    "F8_E5M2": 8,
    "F8_E4M3": 8,
    "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8,
    "F8_E5M2FNUZ": 8,
    "I16": 16,
    "U16": 16,
    "F16": 16,
    "BF16": 16,
    "I32": 32,
    "U32": 32,
    "F32": 32,
    "C64": 64,
    "F64": 64,
    "I64": 64,
    "U64": 64,
}
"""Name as a header spells it -> bits of one element; `Dtype::bitsize` of safetensors 0.8.0, `tensor.rs`."""

BELOW_BYTE: Final = frozenset(name for name, bits in BITS.items() if bits < 8)
"""Dtypes with elements of less than a byte."""

TORCH_NAMES: Final[dict[str, str]] = {
    "float64": "F64", "double": "F64", "float32": "F32", "float": "F32", "float16": "F16", "half": "F16",
    "bfloat16": "BF16", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL",
    "complex64": "C64", "uint16": "U16", "uint32": "U32", "uint64": "U64", "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2", "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "float8_e8m0fnu": "F8_E8M0", "quint8": "U8", "qint8": "I8", "qint32": "I32",
}  # fmt: skip
"""Dtype names of torch, as in pickles and configs -> name in a header."""

NO_WEIGHTS: Final = frozenset(
    {"BOOL", "C64", "F4", "F6_E2M3", "F6_E3M2", "F8_E8M0", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64"}
)
"""Dtypes in which only quantized weights are stored: integers, and floats that need a scale."""
