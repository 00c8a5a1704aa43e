"""Finds helpers that a module has in most layers and experts but not in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box, count, minus
from inspector.findings.types.packed import PackingHelperDiffers
from inspector.quantization.catalog import FOREIGN, HELPERS, KV_CACHE
from inspector.quantization.module import Scheme
from inspector.quantization.modules import COMMON, Module, is_cache_scale
from inspector.quantization.pieces import is_lone
from inspector.quantization.schemes.bitsandbytes import FOUR, block_differs, only_block_size, state_bytes
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.work import Known, ModuleGroup, Work


class Lacking(Struct, frozen=True):
    """The place where a module lacks a helper. shape: of the helper elsewhere."""

    suffix: str
    boxes: tuple[Box, ...]
    shape: tuple[int, ...]
    scheme: str


def uneven_helpers(known: Known) -> Iterator[Lacking]:
    """Missing helpers that at least half of the modules of a family with the same scheme and settings have."""
    for number, (first, scheme) in enumerate(known):
        alike = [piece for piece, other in known if other is scheme and piece.setting == first.setting]
        if len(alike) < 2 or alike[0] is not known[number][0]:
            continue
        for suffix in dict.fromkeys(suffix for piece in alike for suffix in piece.layouts):
            if suffix not in HELPERS and suffix not in COMMON:
                continue
            having = [piece for piece in alike if suffix in piece.layouts and not _faults(piece, scheme)]
            lacking = [piece for piece in alike if suffix not in piece.layouts and not is_lone(piece)]
            if lacking and 2 * sum(piece.modules for piece in having) >= sum(piece.modules for piece in alike):
                boxes = tuple(box for piece in lacking for box in piece.boxes)
                opened = scheme.open(having[0].layouts, first.setting)
                name = opened.packed.scheme if opened.packed is not None else scheme.name
                yield Lacking(suffix, boxes, having[0].layouts[suffix].shape, name)


TOGETHER: Final = frozenset({
    "input_scale", "activation_scale", "input_scale_inv", "activation_scale_inv", "act_scale", "input_global_scale",
    "input_zero_point", "weight_zero_point", "weight_scale_2", "weight_global_scale", "g_idx", "_weight_zero_point",
})  # fmt: skip
"""Helpers that a tool stores for every module with the same settings, or for none."""
FEW: Final = 4
"""Such a helper counts as missing if at most one in this many modules lacks it."""
ModuleGroups = Sequence[tuple[Module, Sequence[ModuleGroup]]]


def uneven_modules(groups: ModuleGroups) -> Iterator[tuple[Module, Lacking]]:
    """Helpers that a whole family of modules lacks although nearly all other modules with the same settings have them.

    Without settings an embedding or a head may be quantized in another way than the layers.
    """
    alike: dict[tuple[str, ModuleSettings], list[tuple[Module, ModuleGroup, Scheme]]] = {}
    for module, pieces in groups:
        for piece in pieces:
            if piece.scheme is not None and not is_lone(piece) and piece.setting.skipped is None:
                alike.setdefault((piece.scheme.name, piece.setting), []).append((module, piece, piece.scheme))
    for members in alike.values():
        for suffix in sorted(TOGETHER.intersection(name for _, piece, _ in members for name in piece.layouts)):
            having = [(module, piece, scheme) for module, piece, scheme in members if suffix in piece.layouts]
            keys = {module.key for module, _, _ in having}
            lacking = [(module, piece) for module, piece, _ in members if suffix not in piece.layouts]
            few = FEW * sum(piece.modules for _, piece in lacking) <= sum(piece.modules for _, piece, _ in members)
            if not few or any(_faults(piece, scheme) for _, piece, scheme in having[:1]):
                continue
            shape = having[0][1].layouts[suffix].shape
            name = having[0][2].name
            for module, piece in lacking:
                if module.key not in keys and (piece.setting.method or "#" in module.key):
                    yield module, Lacking(suffix, piece.boxes, shape if shape == (1,) else (), name)


def uneven_of_unknown(pieces: Sequence[ModuleGroup]) -> Iterator[Lacking]:
    """The same for modules of one family with an unknown scheme, by the names of their tensors."""
    for suffix in dict.fromkeys(suffix for piece in pieces for suffix in piece.layouts):
        having = [piece for piece in pieces if suffix in piece.layouts]
        lacking = [piece for piece in pieces if suffix not in piece.layouts]
        named = suffix in HELPERS or suffix in FOREIGN
        if named and lacking and 2 * sum(one.modules for one in having) >= sum(one.modules for one in pieces):
            boxes = tuple(box for piece in lacking for box in piece.boxes)
            yield Lacking(suffix, boxes, having[0].layouts[suffix].shape, "unknown")


def _faults(piece: ModuleGroup, scheme: Scheme) -> bool:
    """True if modules contradict themselves or the settings; their helpers are then no model for other modules."""
    return bool(scheme.open(piece.read, piece.setting).faults)


def uneven_cache_scales(work: Work, module: Module) -> Iterator[Lacking]:
    """Scales of the key-value cache that at least half of the attention layers have and others lack."""
    for suffix in KV_CACHE & module.parts.keys():
        family = module.parts[suffix]
        if not is_cache_scale(family, work.settings):
            continue
        having = family.boxes
        beside = [box for other in module.parts.values() for box in other.boxes]
        own, scales = f"{module.key}.", {other.key for other in module.parts.values()}
        alone = beside == [*having] and not any(key.startswith(own) and key not in scales for key in work.stored)
        below = f"{module.key.rpartition('.')[0]}." if alone else own  # DeepSeek has a scale of k_proj, but no k_proj
        for key, stored in work.stored.items():
            if key.startswith(below) and key.count("#") == family.key.count("#"):
                beside += [box for piece in stored for box in piece.boxes]
        lacking: list[Box] = []
        for box in dict.fromkeys(beside):
            lacking += minus([box], [*having, *lacking])
        if lacking and count(lacking) <= count(having):
            yield Lacking(suffix, tuple(lacking), family.stored[0].layout.shape, "")


def uneven_blocks(groups: ModuleGroups) -> Iterator[tuple[Module, ModuleGroup, PackingHelperDiffers]]:
    """The findings on scales with another block size than nearly all other modules, if no setting states the size.

    bitsandbytes stores the size in the bytes of `quant_state` and uses one size for a model. A module whose state is
    longer or shorter than usual states a different size and is skipped.
    """
    sized = [
        (module, piece)
        for module, pieces in groups
        for piece in pieces
        if piece.scheme is FOUR and not piece.recast and not piece.turned and not _faults(piece, FOUR)
    ]
    counts: dict[int, int] = {}
    for _, piece in sized:
        if (size := only_block_size(piece.layouts)) is not None:
            counts[size] = counts.get(size, 0) + piece.modules
    if len(counts) < 2:
        return
    usual = max(counts, key=counts.__getitem__)
    few = FEW * (sum(counts.values()) - counts[usual]) <= sum(counts.values())
    alike = {(module.key, state_bytes(piece.layouts)) for module, piece in sized
             if only_block_size(piece.layouts) == usual}  # fmt: skip
    families = {key for key, _ in alike}
    for module, piece in sized if few else ():
        size = only_block_size(piece.layouts)
        stated = module.key in families and (module.key, state_bytes(piece.layouts)) not in alike
        if size not in (None, usual) and not stated:
            yield module, piece, block_differs(piece.layouts, usual)
