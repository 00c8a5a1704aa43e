"""Recognises the scheme of a group of equal modules, even if a helper is transposed or the values are
plain integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from inspector.findings.types.packed import TRANSPOSED, PackedWidthsDisagree, PackingHelperDiffers
from inspector.findings.types.packing_config import PackingConfigDisagrees
from inspector.loader.layout import Layout
from inspector.quantization.catalog import HELPERS, PLAIN, scheme_of
from inspector.quantization.module import FLOAT8, FLOATS, Scheme, Tensors
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.work import ModuleGroup

SHAPES_DIFFER: Final = (PackingHelperDiffers, PackedWidthsDisagree, PackingConfigDisagrees)


def recognised(tensors: Tensors, setting: ModuleSettings) -> tuple[Scheme | None, dict[str, Layout]]:
    """(scheme, helpers that are stored transposed, with the layouts they should have).

    A helper counts as transposed if the tensors contradict each other as stored, but not with its dims exchanged.
    """
    scheme = scheme_of(tensors, setting)
    faults = faults_of(scheme, tensors, setting)
    if scheme is not None and not faults:
        return scheme, {}
    for turned in _turned(tensors):
        read = {**tensors, **turned}
        other = scheme_of(read, setting)
        if other is not None and not faults_of(other, read, setting):
            return other, turned
    return scheme, {}


def faults_of(scheme: Scheme | None, tensors: Tensors, setting: ModuleSettings) -> int:
    """Number of contradictions between the tensors of a module, or with the settings."""
    faults = scheme.open(tensors, setting).faults if scheme is not None else ()
    return sum(isinstance(fault, SHAPES_DIFFER) for fault in faults)


def _turned(tensors: Tensors) -> Iterator[dict[str, Layout]]:
    """Each helper with two dims transposed, and finally all of them transposed."""
    found: dict[str, Layout] = {}
    for suffix, layout in tensors.items():
        if suffix in HELPERS and len(layout.shape) >= 2 and layout.shape[-1] != layout.shape[-2]:
            *lead, rows, columns = layout.shape
            found[suffix] = replace(layout, shape=(*lead, columns, rows))
            yield {suffix: found[suffix]}
    if len(found) > 1:
        yield found


def transposed(suffix: str, stored: Layout, expected: Layout) -> PackingHelperDiffers:
    """The finding on a helper that is stored transposed."""
    return PackingHelperDiffers(
        helper=suffix,
        stored=stored.shape,
        dtype=stored.dtype,
        expected=(expected.shape,),
        dtypes=(),
        because=TRANSPOSED,
    )


def is_by_row(tensors: Tensors) -> bool:
    """True if a matrix has a scale for each of its rows."""
    values, scale = tensors.get(PLAIN), tensors.get("weight_scale")
    if values is None or scale is None or len(values.shape) != 2:
        return False
    return values.shape[0] > 1 and scale.shape in (values.shape[:1], (values.shape[0], 1))


def is_lone(piece: ModuleGroup) -> bool:
    """True if a module has integers as its weight and no helpers to unpack them with."""
    weight = piece.layouts.get(PLAIN)
    return weight is not None and weight.dtype not in FLOATS | FLOAT8 and not piece.layouts.keys() - {PLAIN, "bias"}


def without_plain_integers(key: str, pieces: Sequence[ModuleGroup]) -> list[ModuleGroup]:
    """The pieces; pieces with unpacked integers get no scheme.

    Integers are not packed if their module has no helper and is excluded by the settings or has no quantized sibling,
    if they have the shape of the same weight in other layers after unpacking, if that weight is unquantized in all
    other layers, or if the model has layers of their inputs as stored, and none of those after unpacking.
    """
    others = [piece for piece in pieces if not is_lone(piece)]
    if others and all(piece.scheme is None and _is_dense(piece) for piece in others):
        return [replace(piece, scheme=None) if is_lone(piece) else piece for piece in pieces]
    shapes = {
        unpacked
        for piece in pieces
        if piece.scheme is not None and not is_lone(piece)
        for layout in (piece.scheme.open(piece.read, piece.setting).layout,)
        for unpacked in (layout.shape, layout.elements)
    }
    return [
        replace(piece, scheme=None)
        if piece.scheme is not None and is_lone(piece) and _is_plain(key, piece, shapes)
        else piece
        for piece in pieces
    ]


def plain_together(groups: Sequence[Sequence[ModuleGroup]]) -> list[list[ModuleGroup]]:
    """The pieces of each family in a checkpoint without helpers: integers of a dtype are all packed, or none is."""
    lone = [piece for pieces in groups for piece in pieces if is_lone(piece)]
    plain = {piece.layouts[PLAIN].dtype for piece in lone if piece.scheme is None}
    return [
        [replace(one, scheme=None) if is_lone(one) and one.layouts[PLAIN].dtype in plain else one for one in pieces]
        for pieces in groups
    ]


def _is_dense(piece: ModuleGroup) -> bool:
    weight = piece.layouts.get(PLAIN)
    return weight is not None and weight.dtype in FLOATS and piece.layouts.keys() <= {PLAIN, "bias"}


def _is_plain(key: str, piece: ModuleGroup, shapes: set[tuple[int, ...] | int]) -> bool:
    weight = piece.layouts[PLAIN]
    assert piece.scheme is not None
    if piece.setting.skipped is not None or ("#" not in key and weight.dtype != "U32"):
        return True  # only MLX stores U32, and it quantizes embeddings and heads too
    own = piece.scheme.open(piece.layouts, piece.setting).layout
    if own.shape == weight.shape:
        return False
    dims = piece.setting.dims
    if weight.shape and own.shape and weight.shape[-1] in dims and own.shape[-1] not in dims:
        return True
    return weight.shape in shapes or (len(own.shape) == 1 and weight.elements in shapes)


def scheme_name(piece: ModuleGroup, scheme: Scheme) -> str:
    """The name of the scheme of quantized modules; one scheme holds floats and integers of 8 bits."""
    opened = scheme.open(piece.read, piece.setting)
    return scheme.name if opened.packed is None else opened.packed.scheme
