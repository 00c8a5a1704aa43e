"""VPTQ: `indices` [groups, out/v, words] into `centroids.weight` [groups, k*v], with residuals and a permutation.

v is the length of a vector. Inputs are those of `perm`, `weight_scale` or `weight_bias` [in]; outputs may be padded
to a whole number of vectors. `config_for_layers` states both.
"""

from __future__ import annotations

from collections import Counter
from math import log2

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import ModuleReading, Scheme, Tensors, UnpackedTensor, word
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import exact

MAY = ("res_centroids.weight", "res_indices", "perm", "weight_scale", "weight_bias", "outlier_centroids.weight",
       "outlier_indices", "outlier_res_centroids.weight", "invert_perm", "norm_weight", "norm_bias")  # fmt: skip
VECTORS = (8, 12, 6, 16, 4, 2)


def _is_vptq(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["indices"]
    return len(values.shape) == 3 and ("centroids.weight" in tensors or setting.method == "vptq")


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, books = tensors["indices"], tensors.get("centroids.weight")
    groups, rows, words = values.shape
    reported = Counter(tensors[name].elements for name in ("perm", "weight_scale", "weight_bias") if name in tensors)
    inputs = reported.most_common(1)[0][0] if reported else 0
    if setting.shape is not None:
        inputs = inputs or setting.shape[1]
    reading.stored_as("indices", frozenset({"I16", "U16", "I32", "I64"}))
    reading.helper("centroids.weight", [books.shape if books is not None else ()])
    for helper in ("perm", "weight_scale", "weight_bias"):
        reading.helper(helper, [(inputs,)], "one for each input", required=False)
    stored = words * word(values) * groups
    bits = stored / inputs if inputs else 16.0
    length = _length(tensors, bits, setting.shape[0] if setting.shape else None, rows)
    outputs = rows * length
    bounds: tuple[tuple[int, int], ...] = ()
    if setting.shape is not None and outputs - length < setting.shape[0] <= outputs:
        outputs = setting.shape[0]
    elif length > 1:
        bounds = ((outputs - length + 1, outputs), (inputs, inputs))
    return reading.result("indices", "vptq", (outputs, inputs), bits / length, bounds=bounds)


def _length(tensors: Tensors, index_bits: float, outputs: int | None, rows: int) -> int:
    """The length of a vector: the stated one, else one at which the codebooks' sizes give the bits of an index."""
    books, more = tensors.get("centroids.weight"), tensors.get("res_centroids.weight")
    if outputs is not None and rows:
        return -(-outputs // rows)
    if books is not None and books.shape:
        for length in VECTORS:
            first = books.shape[-1] / length
            second = more.shape[-1] / length if more is not None and more.shape else 1.0
            if first >= 1 and second >= 1 and abs(log2(first) + log2(second) - index_bits) < 1e-6:
                return length
    return 8


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The VPTQ config, which states the size of every module."""
    layers = block.inner("config_for_layers").blocks()
    special = tuple(
        (exact(name), block.module_settings(shape=layer.pair("out_features", "in_features"))) for name, layer in layers
    )
    return QuantizationSettings(block.module_settings(), special=special, ignored=block.ignored())


VPTQ = Scheme("vptq", "indices", ("centroids.weight",), MAY, _is_vptq, _open)
