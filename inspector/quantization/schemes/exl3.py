"""EXL3, the third format of ExLlama: `trellis` I16 [in/16, out/16, 16*K] for K bits, which vary by module.

`suh` [in] or `su` [in/16] and `svh` [out] or `sv` [out/16] are signs; inputs and outputs may be padded to 128.
"""

from __future__ import annotations

from inspector.quantization.module import FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor, ceil_div
from inspector.quantization.stated import ModuleSettings


def _is_exl3(tensors: Tensors, setting: ModuleSettings) -> bool:
    return tensors["trellis"].dtype == "I16" and len(tensors["trellis"].shape) == 3


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, columns, width = tensors["trellis"].shape
    inputs, outputs = (_size(tensors, name, tiles) for name, tiles in (("suh", rows), ("svh", columns)))
    if (inputs, outputs) != (16 * rows, 16 * columns):
        reading.widths(
            f"trellis holds {16 * columns:,} x {16 * rows:,}", f"svh and suh have {outputs:,} and {inputs:,}"
        )
    elif width % 16:
        reading.widths(f"trellis has {width} words in a tile", "16 for each bit")
    for long, short, size in (("suh", "su", inputs), ("svh", "sv", outputs)):
        if short in tensors and long not in tensors:
            reading.helper(short, [(ceil_div(size, 16),), (size,)], "its signs")
        else:
            reading.helper(long, [(size,)], "its signs", FLOATS)
    bounds = ((max(outputs - 127, 1), outputs), (max(inputs - 127, 1), inputs))
    return reading.result("trellis", "exl3", (outputs, inputs), width / 16, bounds=bounds)


def _size(tensors: Tensors, signs: str, tiles: int) -> int:
    """The inputs or outputs by their signs, if these fill whole tiles; else by the tiles of 16."""
    stored = tensors[signs].elements if signs in tensors else 0
    return stored if stored and stored % 16 == 0 else 16 * tiles


EXL3 = Scheme("exl3", "trellis", (), ("suh", "su", "svh", "sv", "mcg", "mul1"), _is_exl3, _open)
