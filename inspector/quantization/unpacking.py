"""Replaces quantized families by their logical ones and separates scales, zero points and other helpers.

Works on families and boxes: the tensors of a module are siblings (`P.qweight`, `P.qzeros`, `P.scales`). If their
layouts differ by layer or expert, the boxes are divided until each tensor of a piece has one layout. Whether and how a
module is quantized is decided for each piece, never for the whole checkpoint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from inspector.algebra.boxes import Box, joined, overlapping
from inspector.findings.types.modules import PackedModules
from inspector.findings.types.packing_config import PackingConfigDisagrees
from inspector.loader.layout import Layout
from inspector.loader.packed import Packed
from inspector.matcher.families import Families, Family, Stored, families_of
from inspector.quantization.catalog import BY_VALUES, PLAIN
from inspector.quantization.fused_scales import with_stacked
from inspector.quantization.module import DEFAULT_BLOCK, Scheme
from inspector.quantization.module_families import groups_of, lacks, unpack_module
from inspector.quantization.modules import Module, logical_name, modules_of, plain_dims, split
from inspector.quantization.pieces import is_lone, plain_together
from inspector.quantization.retyped import as_it_should_be, usual_dtypes
from inspector.quantization.scaled_activations import take_scaled_activations
from inspector.quantization.scales_block import INVERSE, block_size
from inspector.quantization.settings import NO_SETTINGS, QuantizationSettings
from inspector.quantization.uneven import uneven_blocks, uneven_modules
from inspector.quantization.unpacked import ModuleProblem, Unpacked
from inspector.quantization.work import ModuleGroup, Work

UNSTATED: Final = frozenset({"mlx", "pack-quantized"})
"""Schemes with tensors that do not determine the bits without settings."""


def no_widths() -> frozenset[int]:
    """The widths of a model without a definition."""
    return frozenset()


def unpack(
    families: Families,
    settings: QuantizationSettings = NO_SETTINGS,
    lost: Collection[str] = (),
    *,
    whole: bool = True,
    widths: Callable[[], frozenset[int]] = no_widths,
) -> Unpacked:
    """Unpacks the families of a checkpoint.

    lost: names in unreadable files, which are not reported as missing. whole: absent tensors count as missing; False if
    only one shard is audited. widths: returns the inputs that the definition expects; called if no bits are stated or
    the stored widths contradict them, since half of a joint gate and up matrix is not a stored width.
    """
    modules = modules_of(families, settings)
    if not modules and not lost:
        return Unpacked(families, settings=settings)
    dims = plain_dims(families)
    unsized = not settings.special and settings.base.bits is None
    of_model = widths() if unsized else frozenset[int]()
    settings = settings.with_dims(of_model or dims)
    absent = families_of(dict.fromkeys(lost, Layout("U8", (), 1, 1))) if lost else {}
    found = _unpacked(families, modules, settings, absent, whole)
    if unsized:
        return _uniform(
            found,
            lambda bits: _unpacked(families, modules, settings.with_usual(bits), absent, whole),
            decided=bool(of_model),
        )
    shown = _bits_shown(found.cases)
    if not shown:
        return found
    if more := widths() - dims:
        known = _unpacked(families, modules, settings.with_dims(dims | more), absent, whole)
        if not _bits_shown(known.cases):
            return known
    other = _unpacked(families, modules, settings.with_bits(shown), absent, whole)
    needed = any((key, "bits") in other.agreed for key in shown)
    if needed or _open(other):  # widths that allow several readings may mean the stated bits with other groups
        stated = _unpacked(families, modules, settings.with_bits_as_stated(), absent, whole)
        if not _bits_shown(stated.cases) and not _open(stated):
            return stated
    return found if needed or _others_wrong(other) > _others_wrong(found) else other


def _open(unpacked: Unpacked) -> bool:
    """True if the sizes of a tensor are not determined."""
    return any(packed.bounds for packed, _ in _packed(unpacked))


def _others_wrong(unpacked: Unpacked) -> int:
    """Number of modules with a problem other than their bits."""
    return sum(case.tensors for case in unpacked.cases if not _is_of_bits(case))


def _is_of_bits(case: ModuleProblem) -> bool:
    return isinstance(case.finding, PackingConfigDisagrees) and case.finding.what == "bits"


def _unpacked(
    families: Families, modules: Sequence[Module], settings: QuantizationSettings, lost: Families, whole: bool
) -> Unpacked:
    work = Work(settings, lost, whole, {key: list(family.stored) for key, family in families.items()})
    work.take_transforms()
    modules = take_scaled_activations(work, modules)
    work.without_values = _lost_values(lost)
    groups = [groups_of(work, module) for module in modules]
    work.used = _used(piece for pieces in groups for piece in pieces)
    groups = groups if work.used else plain_together(groups)
    usual = usual_dtypes(piece for pieces in groups for piece in pieces)
    groups = [[as_it_should_be(piece, usual) for piece in pieces] for pieces in groups]
    for module, pieces in zip(modules, groups, strict=True):
        unpack_module(work, module, pieces)
    for module, lacking in uneven_modules(list(zip(modules, groups, strict=True))):
        lacks(work, module, lacking)
    for module, piece, differs in uneven_blocks(list(zip(modules, groups, strict=True))):
        work.report(differs, module, differs.helper, piece.boxes, "nf4")
    logical: dict[str, Family] = {}
    for key, stored in work.stored.items():
        if key not in work.touched:
            logical[key] = families.get(key) or Family(key, tuple(stored))
        elif stored:
            logical[key] = Family(key, _joined(stored))
    return Unpacked(
        logical,
        helpers=tuple(work.helpers),
        cases=tuple(with_stacked(work.cases, lost, families, _block(work))),
        agreed=work.agreed,
        schemes=work.schemes,
        without_values=work.without_values,
        biased=frozenset(key for key in work.biased if key in logical),
        settings=settings,
    )


def _block(work: Work) -> tuple[int, int] | None:
    """Rows and columns that share a scale of fine-grained fp8: as stated, else by the scales of single matrices."""
    if work.settings.known or work.settings.base.block is not None:
        return work.settings.base.block or DEFAULT_BLOCK
    shapes = [
        (part.layout.shape, helper.layout.shape)
        for helper in work.helpers
        if helper.key.endswith(INVERSE)
        for part in work.stored.get(helper.of, ())
        if overlapping(part.boxes, helper.boxes)
    ]
    return block_size(shapes)


def _used(pieces: Iterable[ModuleGroup]) -> tuple[Scheme, ...]:
    """The schemes of modules, the most frequent first."""
    found: dict[tuple[str, str], tuple[Scheme, list[int]]] = {}
    for piece in pieces:
        if piece.scheme is not None and not is_lone(piece):
            found.setdefault((piece.scheme.name, piece.scheme.values), (piece.scheme, []))[1].append(piece.modules)
    return tuple(scheme for scheme, _ in sorted(found.values(), key=lambda one: -sum(one[1])))


def _uniform(found: Unpacked, again: Callable[[int], Unpacked], *, decided: bool) -> Unpacked:
    """The reading with the same bits and group size for all modules, if there is one and no settings state them.

    again: the reading that prefers a number of bits if widths allow several. Tools may mix bits, but not group sizes.
    decided: the widths of the model are known and decide between several such readings, else the bits of most modules.
    """
    bits = Counter[int]()
    for packed, tensors in _packed(found):
        bits[int(packed.bits)] += tensors
    if len(bits) < 2 or not all(packed.scheme in UNSTATED for packed, _ in _packed(found)):
        return found
    uniform = [other for one, _ in bits.most_common() if _is_uniform(other := again(one), found)]
    closed = [other for other in uniform if decided and not _open(other)]
    return next(iter(closed or uniform), found)


def _is_uniform(other: Unpacked, found: Unpacked) -> bool:
    """True if a reading has one number of bits and one group size, and no more problems than another reading."""
    alike = {packed.bits for packed, _ in _packed(other)}
    groups = {packed.group_size for packed, _ in _packed(other)} - {None}
    return len(alike) == 1 and len(groups) < 2 and len(other.cases) <= len(found.cases)


def _packed(unpacked: Unpacked) -> Iterator[tuple[Packed, int]]:
    """(packing, number of tensors) of the quantized tensors."""
    for family in unpacked.families.values():
        for part in family.stored:
            if part.packed is not None and part.packed.known:
                yield part.packed, part.tensors


def _bits_shown(cases: Sequence[ModuleProblem]) -> dict[str, int]:
    """Setting -> the bits of modules with widths that rule out the stated bits. Modules with widths that allow both are
    then also read with these bits, unless one of them needs the stated bits.
    """
    found: dict[str, int] = {}
    for case in cases:
        finding: PackedModules = case.finding
        if isinstance(finding, PackingConfigDisagrees) and finding.what == "bits" and isinstance(finding.weights, int):
            found[finding.key] = finding.weights
    return found


def _lost_values(lost: Families) -> dict[str, tuple[Box, ...]]:
    """The logical families of packed values in unreadable files."""
    found: dict[str, tuple[Box, ...]] = {}
    for key, family in lost.items():
        module, suffix, bare = split(key, lost)
        if suffix in BY_VALUES and suffix != PLAIN:
            logical = logical_name(module, bare)
            found[logical] = found.get(logical, ()) + family.boxes
    return found


def _joined(stored: Sequence[Stored]) -> tuple[Stored, ...]:
    """Joins pieces of equal layout and storage."""
    found: dict[tuple[Layout, Packed | None], Stored] = {}
    for part in stored:
        known = found.get((part.layout, part.packed))
        if known is not None:
            boxes = joined(known.boxes + part.boxes)
            part = Stored(part.layout, boxes, known.tensors + part.tensors, part.packed)
        found[part.layout, part.packed] = part
    return tuple(found.values())
