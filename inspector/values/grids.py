"""The tables of the IQ formats of GGUF: vectors of 4 or 8 numbers that a block refers to by position.

`grids.txt` has one line for each table: its name, the number of vectors, numbers per vector, the distinct numbers, and
the position of each number among these in 1, 2 or 4 bits, compressed and in base 85. Source: `iq2xxs_grid` and the
others in llama.cpp's ggml-common.h, as gguf.quants 0.19.0 packs them.
"""

from __future__ import annotations

import os
import zlib
from base64 import b85decode
from functools import cache

import numpy as np

from inspector.values.decoding import Array


@cache
def grid(name: str) -> Array:
    """The vectors of a table, float32 [vectors, numbers per vector]."""
    with open(os.path.join(os.path.dirname(__file__), "grids.txt"), encoding="ascii") as file:
        line = next(line.split() for line in file if line.startswith(f"{name} "))
    _, vectors, length, numbers, text = line
    values = np.array([int(number) for number in numbers.split(",")], np.float32)
    bits = 4 if len(values) > 4 else 2
    packed = np.frombuffer(zlib.decompress(b85decode(text)), np.uint8)
    positions = packed[:, None] >> np.arange(0, 8, bits, dtype=np.uint8) & np.uint8((1 << bits) - 1)
    found: Array = values[positions.reshape(int(vectors), int(length))]
    return found


@cache
def signs_of_seven() -> Array:
    """For each seven bits the byte that contains them and has an even number of set bits: uint8 [128]."""
    sevens = np.arange(128, dtype=np.uint8)
    odd = np.bitwise_xor.reduce(sevens[:, None] >> np.arange(7, dtype=np.uint8) & np.uint8(1), axis=-1)
    found: Array = sevens | odd << np.uint8(7)
    return found
