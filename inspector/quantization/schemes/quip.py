"""QuIP#: `Qidxs` holds indices into a lattice of 8 weights each, between the signs `SU` [in] and `SV` [out].

Source: `lib/linear/quantized_linear.py` of quip-sharp. The packing of the indices depends on codebook and version, so
that the size of the matrix is that of the signs, and its bits are those of the indices. Modules that read the same
input are stored as one (`qkv_proj`, `upgate_proj`), each with its `fuse_scales`.
"""

from __future__ import annotations

from inspector.loader.dtype import BITS
from inspector.quantization.module import FLOATS, INTEGERS, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings


def _is_quip(tensors: Tensors, setting: ModuleSettings) -> bool:
    return "SU" in tensors or "SV" in tensors


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values = tensors["Qidxs"]
    bits = values.elements * BITS[values.dtype]
    outputs, inputs = _size(tensors, "SV", "SU", bits), _size(tensors, "SU", "SV", bits)
    reading.helper("SU", [(inputs,)], "its signs", FLOATS)
    reading.helper("SV", [(outputs,)], "its signs", FLOATS)
    reading.helper("Wscale", [(), (1,)], "one number", FLOATS)
    reading.helper("codebook_id", [(), (1,)], "one number", INTEGERS)
    return reading.result("Qidxs", "quip", (outputs, inputs), bits / max(1, outputs * inputs))


def _size(tensors: Tensors, signs: str, others: str, bits: int) -> int:
    """The size of an axis by its signs; without them by those of the other axis and two bits for each weight."""
    if signs in tensors:
        return tensors[signs].elements
    return bits // max(1, 2 * tensors[others].elements)


QUIP = Scheme("quip", "Qidxs", ("SU", "SV", "Wscale", "codebook_id"), ("fuse_scales", "rescale_WH"), _is_quip, _open)
