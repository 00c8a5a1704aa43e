"""The quantization blocks of methods that store tensors of their own: what the tensors determine of each.

AQLM, VPTQ, SpQR, HIGGS, EETQ, BitNet, FP-Quant, HQQ and FBGEMM. Sources: `utils/quantization_config.py` and
`integrations` of transformers 5.24, which build each module from the block alone; aqlm 1.1, vptq 0.0.5, fp_quant 0.3.
Measured: AQLM, BitNet and static fp8 load completely with the block; for the others, which load only on a GPU, the
modules that transformers builds have the stored names and shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Final

from inspector.algebra.boxes import tuples
from inspector.algebra.names import name_of
from inspector.quantization.module import FLOATS, ceil_div
from inspector.quantization.scales_block import Block, Determined, Scaled, Shape
from inspector.quantization.schemes.fp_quant import MATRICES
from inspector.quantization.schemes.fp_quant import SIZES as FP4_GROUPS
from inspector.quantization.schemes.hqq import IN_BYTE
from inspector.quantization.schemes.spqr import SPQR
from inspector.quantization.schemes.vptq import VECTORS
from inspector.quantization.tool_block import open_of_quark
from inspector.quantization.unpacked import Helper


def block_of_method(scheme: str, modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    """What the modules of a scheme determine, without lists of unquantized modules; None if nothing is known."""
    maker = MAKERS.get(scheme)
    if maker is None or any(one.packed.scheme != scheme for one in modules):
        return None
    return maker(modules, helpers)


def _aqlm(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    books = _common(modules, "codebooks")
    if books is None or len(books) != 4 or books[1] < 2 or books[1] & (books[1] - 1):
        return None
    number, entries, outputs, inputs = books
    sizes = {"in_group_size": inputs, "out_group_size": outputs, "num_codebooks": number}
    return Determined(({"quant_method": "aqlm", **sizes, "nbits_per_codebook": entries.bit_length() - 1},))


def _higgs(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    bits = {int(one.packed.bits) for one in modules}
    sizes = {size for one in modules if (size := one.packed.group_size) is not None and size > 0}
    known = {"bits": bits.pop()} if len(bits) == 1 else {}
    known |= {"group_size": sizes.pop()} if len(sizes) == 1 else {}
    return Determined(absent=("tune_metadata", "hadamard_size"), known={"quant_method": "higgs", **known})


def _eetq(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    return Determined(({"quant_method": "eetq", "weights": "int8"},))


def _bitnet(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    """One class of layers divides by the scale, the other multiplies with it: no shape shows which one wrote it."""
    if any(4 * one.packed.storage.shape[0] != one.shape[0] for one in modules):
        return None
    divides = {"quant_method": "bitnet", "linear_class": "bitlinear"}
    return Determined((divides, {**divides, "linear_class": "autobitlinear", "quantization_mode": "offline"}))


def _fp_quant(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    rotation = {shape for name in MATRICES for one in modules for shape in one.helpers.get(name, ())}
    floats = {one.packed.values == "dqweight" for one in modules}
    if len(rotation) != 1 or len(floats) != 1:
        return None
    ((size, *_),) = rotation
    block = {"quant_method": "fp_quant", "hadamard_group_size": size, "pseudoquantization": floats == {True}}
    groups = set(FP4_GROUPS) if floats == {True} else {one.packed.group_size for one in modules}
    ways = [{**block, "forward_dtype": "nvfp4"}] if 16 in groups else []
    if 32 in groups and size >= 32:
        ways += [{**block, "forward_dtype": "mxfp4", "forward_method": one} for one in ("abs_max", "quest")]
    return Determined(tuple(ways)) if floats == {True} or len(groups) == 1 else None


def _fbgemm(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    if any("input_scale_ub" not in one.helpers for one in modules):
        return None
    if any(one.helpers.get("weight_scale") != frozenset({(one.shape[0], 1)}) for one in modules):
        return None
    return Determined(({"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0},), ("activation_scale_ub",))


def _hqq(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    """One config for all modules, or one for each name of a module without its numbers, where their widths differ.

    Groups along the inputs have the stored width; the width of groups of the other axis follows from the logical shape.
    """
    known = {"quant_method": "hqq"}
    read = {(_tag(one.family), _hqq_widths(one)) for one in modules}
    configs = {widths: _hqq_config(widths) for _, widths in read if widths is not None}
    tags = {tag: configs[widths] for tag, widths in sorted(read, key=str) if widths is not None}
    if any(widths is None for _, widths in read) or (len(configs) > 1 and len(tags) < len(read)):
        keys = ("quant_config.weight_quant_params.nbits", "quant_config.weight_quant_params.group_size")
        return Determined(absent=keys, known=known)
    return Determined(({**known, "quant_config": tags if len(configs) > 1 else next(iter(configs.values()))},))


HqqWidths = tuple[int, int, int, bool]
"""Bits, size of a group, axis, and whether bytes are stored as floats."""


def _hqq_widths(one: Scaled) -> HqqWidths | None:
    """The widths of a module; None if its shapes leave them open."""
    floats, size = one.packed.storage.dtype in FLOATS, one.packed.group_size
    if all(shape[-1:] == (1,) for shape in one.helpers.get("scale", {()})):
        return None if size is None else (int(one.packed.bits), size, 1, floats)
    rows, columns = one.packed.storage.shape
    size, rest = divmod(prod(one.shape), columns)
    if rest or not size or floats:
        return None
    if one.packed.storage.dtype == "I32":
        return (3, size, 0, False) if ceil_div(size, 10) == rows else None
    bits = next((bits for bits, each in IN_BYTE.items() if each * rows == size), None)
    return None if bits is None else (bits, size, 0, False)


def _hqq_config(widths: HqqWidths) -> Block:
    bits, size, axis, floats = widths
    weights = {"nbits": bits, "channel_wise": True, "group_size": size, "optimize": True, "round_zero": bits == 4,
               "axis": axis, "view_as_float": floats}  # fmt: skip
    return {"weight_quant_params": weights, "scale_quant_params": None, "zero_quant_params": None,
            "offload_meta": False}  # fmt: skip


def _tag(key: str) -> str:
    """The name of a module as HQQ's config has it (`name_to_linear_tag` of hqq 0.2.8)."""
    words = key.removesuffix(".weight").split(".")
    return ".".join(word for word in words if word not in ("model", "layers", "#") and not word.isnumeric())


def _spqr(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    """The block states the length of each tensor."""
    needed = {*SPQR.needs, *SPQR.may}
    if any(one.helpers.keys() != needed for one in modules):
        return None
    lengths = {f"{name}.dense_weights.shape": one.packed.storage.shape[0] for one in modules for name in _names(one)}
    lengths |= {
        f"{name_of(one.key, index)}.shape": one.layout.shape[0]
        for one in helpers if one.scheme == SPQR.name and len(one.layout.shape) == 1
        for box in one.boxes for index in tuples(box)
    }  # fmt: skip
    return Determined(({"quant_method": "spqr", "bits": 3, "beta1": 16, "beta2": 16, "shapes": lengths},))


def _vptq(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    """The block states the sizes of each module. transformers builds only modules with packed indices."""
    layers: dict[str, Block] = {}
    for one in modules:
        layer = _vptq_layer(one)
        if layer is None:
            return None
        layers |= dict.fromkeys(_names(one), layer)
    return Determined(({"quant_method": "vptq", "config_for_layers": layers},))


def _vptq_layer(module: Scaled) -> Block | None:
    only = {suffix: next(iter(shapes)) for suffix, shapes in module.helpers.items() if len(shapes) == 1}
    books, residual = only.get("centroids.weight"), only.get("res_centroids.weight")
    several = only.keys() != module.helpers.keys() or not {"outlier_res_centroids.weight", "res_indices"}.isdisjoint(
        only
    )
    if books is None or several or module.packed.storage.dtype != "I32" or len(module.shape) != 2:
        return None
    (outputs, inputs), (groups, rows, words) = module.shape, module.packed.storage.shape
    spare = only["outlier_indices"][-1] if "outlier_indices" in only else 0
    size = (inputs - spare) // groups
    more = residual[-1] if residual is not None else 0
    fits = [
        (length, number, rest)
        for length, number in _vectors(outputs, rows, books[-1])
        if (rest := _whole(more, length)) is not None and ceil_div(size * (_bits(number) + _bits(rest)), 32) == words
    ]
    few = _outliers(outputs, only)
    if len(fits) != 1 or few is None:
        return None
    ((length, number, rest),) = fits
    return {
        "in_features": inputs, "out_features": outputs, "vector_lens": [few[0], length],
        "num_centroids": [few[1], number], "num_res_centroids": [-1, rest or -1], "group_num": groups,
        "group_size": size, "outlier_size": spare, "indices_as_float": False, "is_indice_packed": True,
        "enable_norm": "weight_scale" in only, "enable_perm": "perm" in only,
    }  # fmt: skip


def _outliers(outputs: int, shapes: Mapping[str, Shape]) -> tuple[int, int] | None:
    """(length, number) of the vectors of outliers, -1 for none; None if not determined."""
    indices, books = shapes.get("outlier_indices"), shapes.get("outlier_centroids.weight")
    if indices is None and books is None:
        return -1, -1
    fits = [*_vectors(outputs, indices[1], books[-1])] if indices is not None and books is not None else []
    return fits[0] if len(fits) == 1 else None


def _vectors(outputs: int, rows: int, values: int) -> Iterator[tuple[int, int]]:
    """The (length, number) of vectors with these values in all, if `rows` of them hold the outputs."""
    for length in VECTORS:
        number = _whole(values, length)
        if number and ceil_div(outputs, length) == rows:
            yield length, number


def _whole(values: int, length: int) -> int | None:
    """The number of vectors, a power of two or 0; None if there is none."""
    number, rest = divmod(values, length)
    return None if rest or number & (number - 1) else number


def _bits(number: int) -> int:
    return max(number, 1).bit_length() - 1


def _common(modules: Sequence[Scaled], suffix: str) -> Shape | None:
    """The shape of a helper, if it is the same in all modules."""
    found = {shape for one in modules for shape in one.helpers.get(suffix, {()})}
    return next(iter(found)) if len(found) == 1 else None


def _names(module: Scaled) -> list[str]:
    family = module.family.removesuffix(".weight")
    return [name_of(family, index) for box in module.boxes for index in tuples(box)]


MAKERS: Final[Mapping[str, Callable[[Sequence[Scaled], Sequence[Helper]], Determined | None]]] = {
    "aqlm": _aqlm, "higgs": _higgs, "eetq": _eetq, "bitnet": _bitnet, "fp-quant": _fp_quant, "hqq": _hqq,
    "spqr": _spqr, "vptq": _vptq, "fp8": _fbgemm, "quark-int4": open_of_quark, "mxfp6": open_of_quark,
}  # fmt: skip
"""Scheme -> what its tensors determine."""
