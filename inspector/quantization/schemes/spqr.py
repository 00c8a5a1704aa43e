"""SpQR: `dense_weights` I64 in one dim, sparse outliers in `row_offsets` and `col_vals`, inputs in `in_perm`.

Sizes are in the config and shapes nowhere: 16 values in a word is the most it can hold, the definition decides.
"""

from __future__ import annotations

from inspector.quantization.module import ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings


def _is_spqr(tensors: Tensors, said: ModuleSettings) -> bool:
    return tensors["dense_weights"].dtype == "I64" and len(tensors["dense_weights"].shape) == 1


def _open(tensors: Tensors, said: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, said)
    for helper in ("row_offsets", "col_vals"):
        reading.helper(helper, [tensors[helper].shape] if helper in tensors else [()])
    reading.compare("bits", 3)
    elements = 16 * tensors["dense_weights"].elements
    return reading.opened("dense_weights", "spqr", (elements,), 3, 16, shaped=False, padding=elements - 1)


SPQR = Scheme("spqr", "dense_weights", ("row_offsets", "col_vals"), ("in_perm",), _is_spqr, _open)
