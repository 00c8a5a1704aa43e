"""VPTQ: `indices` [groups, out/v, words] into `centroids.weight` [groups, k*v], with residuals and a permutation.

v is the length of a vector. Inputs are those of `perm`, `weight_scale` or `weight_bias` [in]; outputs may be padded
to a whole number of vectors. `config_for_layers` states both.
"""

from __future__ import annotations

from collections import Counter
from math import log2

from inspector.loader.packed import Packed
from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import ModuleReading, Scheme, Shape, Tensors, UnpackedTensor, ceil_div, word
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import exact

MAY = ("res_centroids.weight", "res_indices", "perm", "weight_scale", "weight_bias", "outlier_centroids.weight",
       "outlier_indices", "outlier_res_centroids.weight", "invert_perm", "norm_weight", "norm_bias")  # fmt: skip
DTYPES_OF = {"float": frozenset({"F16"}), "short": frozenset({"I16", "U16"}), "packed": frozenset({"I32", "I64"})}
DTYPES = frozenset().union(*DTYPES_OF.values())
INTEGERS = DTYPES - DTYPES_OF["float"]
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
    reading.stored_as("indices", DTYPES_OF.get(setting.variant or "", DTYPES if setting.method is None else INTEGERS))
    reading.helper("centroids.weight", [books.shape if books is not None else ()])
    for helper in ("perm", "weight_scale", "weight_bias"):
        reading.helper(helper, [(inputs,)], "one for each input", required=False)
    reading.as_stated()
    stated = dict(setting.shapes).get("outlier_indices", ())
    outliers = tensors["outlier_indices"].shape if "outlier_indices" in tensors else stated
    spare = outliers[-1] if outliers else 0
    if not reading.faults and groups:
        reading.compare("group_size", (inputs - spare) // groups)
    if not inputs:
        packed = Packed("vptq", 2, None, values, known=False)
        return UnpackedTensor(values, packed, reading.others("indices"), tuple(reading.faults))
    stored = words * word(values) * groups
    bits = stored / inputs
    length = _length(tensors, stored / max(inputs - spare, 1), setting.shape[0] if setting.shape else None, rows)
    outputs = rows * length
    bounds: tuple[tuple[int, int], ...] = ()
    if setting.shape is not None and outputs - length < setting.shape[0] <= outputs:
        outputs = setting.shape[0]
    elif length > 1:
        bounds = ((outputs - length + 1, outputs), (inputs, inputs))
    return reading.result("indices", "vptq", (outputs, inputs), bits / length, bounds=bounds)


def _length(tensors: Tensors, index_bits: float, outputs: int | None, rows: int) -> int:
    """The length of a vector: the stated one, else one for which the codebook sizes give the bits of an index."""
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
        (
            exact(name),
            block.module_settings(
                shape=layer.pair("out_features", "in_features"),
                variant=_variant(layer),
                shapes=_shapes(layer),
                group_size=layer.integer("group_size"),
            ),
        )
        for name, layer in layers
    )
    return QuantizationSettings(block.module_settings(), special=special, ignored=block.ignored())


def _shapes(layer: ConfigBlock) -> tuple[tuple[str, Shape], ...]:
    """The shapes in vptq 0.0.5, `layers/vqlinear.py`; empty if a size is not stated."""
    shape, groups, size = (
        layer.pair("out_features", "in_features"),
        layer.integer("group_num"),
        layer.integer("group_size"),
    )
    (few, length), (outliers, centroids), (_, residuals) = (
        _numbers(layer, name) for name in ("vector_lens", "num_centroids", "num_res_centroids")
    )
    packed, spare = layer.truth("is_indice_packed"), layer.integer("outlier_size")
    if shape is None or not groups or not size or length < 1 or centroids < 1 or packed is None or spare is None:
        return ()
    rows, size = ceil_div(shape[0], length), (shape[1] - max(spare, 0)) // groups
    bits = int(log2(centroids)) + (int(log2(residuals)) if residuals > 0 else 0)
    width = ceil_div(size * bits, 32) if packed else size
    found = {"indices": (groups, rows, width), "centroids.weight": (groups, centroids * length)}
    if layer.truth("enable_norm"):
        found |= {"weight_scale": (shape[1],), "weight_bias": (shape[1],)}
    if layer.truth("enable_perm"):
        found |= {"perm": (shape[1],)}
    if residuals > 0:
        found |= {"res_centroids.weight": (groups, residuals * length)}
        found |= {} if packed else {"res_indices": (groups, rows, size)}
    if few > 1 and outliers > 0:
        found |= {
            "outlier_centroids.weight": (1, outliers * few),
            "outlier_indices": (1, ceil_div(shape[0], few), spare),
        }
    return tuple(found.items())


def _numbers(layer: ConfigBlock, name: str) -> tuple[int, int]:
    """Two numbers: for the outliers and for the other inputs; -1 for none."""
    found = layer.values.get(name)
    whole = isinstance(found, list) and len(found) == 2 and all(type(one) is int for one in found)
    return (found[0], found[1]) if whole and isinstance(found, list) else (-1, -1)


def _variant(layer: ConfigBlock) -> str | None:
    packed = layer.truth("is_indice_packed")
    return None if packed is None else "packed" if packed else "float" if layer.truth("indices_as_float") else "short"


VPTQ = Scheme("vptq", "indices", ("centroids.weight",), MAY, _is_vptq, _open)
