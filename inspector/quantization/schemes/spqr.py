"""SpQR: `dense_weights` I64 in one dim, sparse outliers in `row_offsets` and `col_vals`, inputs in `in_perm`.

The config states sizes and nothing states shapes: a word holds at most 16 values, the definition decides.
"""

from __future__ import annotations

from inspector.quantization.config_block import MOST_ENTRIES, ConfigBlock
from inspector.quantization.module import ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import exact


def _is_spqr(tensors: Tensors, setting: ModuleSettings) -> bool:
    return tensors["dense_weights"].dtype == "I64" and len(tensors["dense_weights"].shape) == 1


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    for helper in ("row_offsets", "col_vals"):
        reading.helper(helper, [tensors[helper].shape] if helper in tensors else [()])
    reading.as_stated()
    reading.compare("bits", 3)
    elements = 16 * tensors["dense_weights"].elements
    return reading.result("dense_weights", "spqr", (elements,), 3, 16, shaped=False, padding=elements - 1)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The SpQR config, which states the lengths of the tensors of each module."""
    found: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    lengths = block.inner("shapes")
    for name in list(lengths.values)[:MOST_ENTRIES]:
        module, _, suffix = str(name).removesuffix(".shape").rpartition(".")
        length = lengths.integer(name)
        # as many as there are outliers, whose number differs in every module
        if length is not None and suffix != "col_vals":
            found.setdefault(module, []).append((suffix, (length,)))
    special = tuple(
        (exact(module), block.module_settings(bits=block.integer("bits"), shapes=tuple(shapes)))
        for module, shapes in found.items()
    )
    return QuantizationSettings(
        block.module_settings(bits=block.integer("bits")), special=special, ignored=block.ignored()
    )


SPQR = Scheme("spqr", "dense_weights", ("row_offsets", "col_vals"), ("in_perm",), _is_spqr, _open)
