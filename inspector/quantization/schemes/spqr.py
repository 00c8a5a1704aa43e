"""SpQR: `dense_weights` I64 in one dim, sparse outliers in `row_offsets` and `col_vals`, inputs in `in_perm`.

The config states sizes and nothing states shapes: a word holds at most 16 values, the definition decides.
"""

from __future__ import annotations

from inspector.quantization.module import ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings


def _is_spqr(tensors: Tensors, setting: ModuleSettings) -> bool:
    return tensors["dense_weights"].dtype == "I64" and len(tensors["dense_weights"].shape) == 1


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    for helper in ("row_offsets", "col_vals"):
        reading.helper(helper, [tensors[helper].shape] if helper in tensors else [()])
    reading.compare("bits", 3)
    elements = 16 * tensors["dense_weights"].elements
    return reading.result("dense_weights", "spqr", (elements,), 3, 16, shaped=False, padding=elements - 1)


SPQR = Scheme("spqr", "dense_weights", ("row_offsets", "col_vals"), ("in_perm",), _is_spqr, _open)
