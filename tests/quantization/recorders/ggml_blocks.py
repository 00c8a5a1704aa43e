"""Records blocks that llama.cpp's quantizers make of two rows of values: each format, with and without weights.

    python -m tests.quantization.recorders.ggml_blocks LIBRARY

LIBRARY is a shared library that exports `ggml_quantize_chunk`: libggml-base.so, or the module of xllamacpp (recorded
with 2026.10.11549). Writes `fixtures/values/ggml_blocks.json`: format -> blocks of each set of weights, base 64.
"""

from __future__ import annotations

import ctypes
import json
import sys
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inspector.loader.formats.ggml_types import BY_NAME, TYPES
from tests.judged import FIXTURES
from tests.values.ggml_blocks import WEIGHTS, rows, weights

FILE = FIXTURES / "values" / "ggml_blocks.json"
UNSTORED = ("Q8_1", "Q8_K", "NVFP4")


def quantized(library: ctypes.CDLL, name: str, source: NDArray[Any], of: NDArray[Any]) -> bytes:
    """The blocks of a matrix with these weights of its columns."""
    number = next(number for number, blocks in TYPES.items() if blocks.name == name)
    made = np.zeros(source.size // BY_NAME[name].elements * BY_NAME[name].bytes, np.uint8)
    addresses = [ctypes.c_void_p(one.ctypes.data) for one in (source, made, of)]
    sizes = [ctypes.c_int64(one) for one in (0, *source.shape)]
    library.ggml_quantize_chunk(ctypes.c_int(number), *addresses[:2], *sizes, addresses[2])
    return made.tobytes()


def main(path: str) -> None:
    library = ctypes.CDLL(path)
    names = [one.name for one in TYPES.values() if not one.plain and one.name not in UNSTORED]
    found = {
        name: {which: b64encode(quantized(library, name, rows(), weights(which))).decode() for which in WEIGHTS}
        for name in names
    }
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
