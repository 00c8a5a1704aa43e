"""Replaces quantized families by their logical ones and separates scales, zero points and other helpers.

Works on families and boxes: the tensors of a module are siblings (`P.qweight`, `P.qzeros`, `P.scales`), and
where their layouts differ by layer or expert the boxes are cut until each piece has one layout a tensor. Whether
a module is packed, and how, is decided for each piece; nothing is decided for the checkpoint as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from inspector.algebra.boxes import Box, joined
from inspector.findings.types.modules import PackedModules
from inspector.findings.types.packed import PackingConfigDisagrees, PackingHelperMissing
from inspector.findings.types.unpacked import PackingHelperOrphaned
from inspector.loader.layout import Layout
from inspector.loader.packed import Packed
from inspector.matcher.families import Families, Family, Stored, families_of
from inspector.quantization.catalog import BY_VALUES, PLAIN
from inspector.quantization.module_families import unpack_module
from inspector.quantization.modules import Module, logical_name, modules_of, plain_dims, split
from inspector.quantization.settings import NO_SETTINGS, QuantizationSettings
from inspector.quantization.unpacked import ModuleProblem, Unpacked
from inspector.quantization.work import Work


def unpack(
    families: Families, settings: QuantizationSettings = NO_SETTINGS, lost: Collection[str] = (), *, whole: bool = True
) -> Unpacked:
    """The logical families of a checkpoint.

    lost: names in files that could not be read, which are not reported as missing. whole: absent tensors
    are missing; not so if only one shard is audited.
    """
    modules = modules_of(families, settings)
    if not modules and not lost:
        return Unpacked(families, settings=settings)
    settings = settings.among(plain_dims(families))
    absent = families_of(dict.fromkeys(lost, Layout("U8", (), 1, 1))) if lost else {}
    found = _unpacked(families, modules, settings, absent, whole)
    shown = _bits_shown(found.cases)
    if not shown:
        return found
    other = _unpacked(families, modules, settings.doubting(shown), absent, whole)
    return found if any((key, "bits") in other.agreed for key in shown) else other


def _unpacked(
    families: Families, modules: Sequence[Module], settings: QuantizationSettings, lost: Families, whole: bool
) -> Unpacked:
    work = Work(settings, lost, whole, {key: list(family.stored) for key, family in families.items()})
    work.gone = _lost_values(lost)
    for module in modules:
        unpack_module(work, module)
    logical: dict[str, Family] = {}
    for key, stored in work.stored.items():
        if key not in work.touched:
            logical[key] = families.get(key) or Family(key, tuple(stored))
        elif stored:
            logical[key] = Family(key, _joined(stored))
    return Unpacked(
        logical,
        helpers=tuple(work.helpers),
        cases=tuple(_without_fused(work.cases)),
        agreed=work.agreed,
        schemes=work.schemes,
        gone=work.gone,
        biased=frozenset(key for key in work.biased if key in logical),
        settings=settings,
    )


def _bits_shown(cases: Sequence[ModuleProblem]) -> dict[str, int]:
    """Setting -> the bits shown by modules with widths that rule out the stated ones.

    Then the widths of the others, which allow both by chance, are read so too, unless one needs what is stated.
    """
    found: dict[str, int] = {}
    for case in cases:
        finding: PackedModules = case.finding
        if isinstance(finding, PackingConfigDisagrees) and finding.what == "bits" and isinstance(finding.weights, int):
            found[finding.key] = finding.weights
    return found


def _lost_values(lost: Families) -> dict[str, tuple[Box, ...]]:
    """The logical families of packed values that are in files which could not be read."""
    found: dict[str, tuple[Box, ...]] = {}
    for key, family in lost.items():
        module, suffix, bare = split(key, lost)
        if suffix in BY_VALUES and suffix != PLAIN:
            logical = logical_name(module, bare)
            found[logical] = found.get(logical, ()) + tuple(box for part in family.stored for box in part.boxes)
    return found


def _without_fused(cases: Sequence[ModuleProblem]) -> list[ModuleProblem]:
    """The cases; if scales of experts are fused and the weights are not, no single scale is missing."""
    fused: dict[str, int] = {
        case.key.rsplit(".", 1)[0]: 0
        for case in cases
        if isinstance(case.finding, PackingHelperOrphaned)
        and not case.finding.beside
        and case.key.endswith("_scale_inv")
    }
    kept: list[ModuleProblem] = []
    for case in cases:
        above = next((prefix for prefix in fused if case.key.startswith(f"{prefix}.#.")), None)
        if above is not None and isinstance(case.finding, PackingHelperMissing):
            fused[above] += case.tensors
        else:
            kept.append(case)
    return [_serving(case, fused.get(case.key.rsplit(".", 1)[0], 0)) for case in kept] if fused else kept


def _serving(case: ModuleProblem, weights: int) -> ModuleProblem:
    """A case of helpers without values, with the number of unfused weights they belong to."""
    if not weights or not isinstance(case.finding, PackingHelperOrphaned):
        return case
    return msgspec.structs.replace(case, finding=msgspec.structs.replace(case.finding, serves=weights))


def _joined(stored: Sequence[Stored]) -> tuple[Stored, ...]:
    """Pieces of equal layout and storage as one."""
    found: dict[tuple[Layout, Packed | None], Stored] = {}
    for part in stored:
        known = found.get((part.layout, part.packed))
        if known is not None:
            boxes = joined(known.boxes + part.boxes)
            part = Stored(part.layout, boxes, known.tensors + part.tensors, part.packed)
        found[part.layout, part.packed] = part
    return tuple(found.values())
