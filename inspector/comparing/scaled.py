"""Finds the scales of 8-bit floats, and which of their matrices are compared as value times scale."""

from __future__ import annotations

from typing import Final

from inspector.auditing.result import Audit
from inspector.comparing.tally import Carried, LogicalTensor
from inspector.quantization.module import DEFAULT_BLOCK
from inspector.values.reading import Store
from inspector.values.scaled import Scales, scales_of
from inspector.values.stored import Numbers

SCHEMES: Final = frozenset({"fp8", "fp8-block"})
VALUES: Final = ("F8_E4M3", "F8_E5M2")
SCALES: Final = ("_scale_inv", "_scale")
"""Endings of the scale of a weight, which is multiplied under both names."""
QUANTIZED: Final = "it is quantized"


def is_scaled(carried: Carried, source: LogicalTensor, target: LogicalTensor) -> bool:
    """True for whole matrices of 8-bit floats in the source whose target is not quantized."""
    packed = carried.source.line.packed
    if packed is None or packed.scheme not in SCHEMES or carried.steps != ("unpacked",) or not carried.fit.whole:
        return False
    return all(one.index is None and one.part is None and not one.transposed for one in (source, target))


def scaled_values(tensor: LogicalTensor, store: Store, audited: Audit) -> tuple[Numbers, Scales] | str:
    """(8-bit floats [rows, columns], their scales), or why they cannot be multiplied."""
    codes = store.numbers(tensor.name)
    if isinstance(codes, str):
        return codes
    stated = None if audited.unpacked is None else audited.unpacked.settings.base.block
    for ending in SCALES:
        scale = store.numbers(f"{tensor.name}{ending}")
        if not isinstance(scale, str) and codes.dtype in VALUES and codes.raw.ndim == 2:
            scales = scales_of(scale, codes.raw.shape, stated or DEFAULT_BLOCK)
            return QUANTIZED if scales is None else (codes, scales)
    return QUANTIZED
