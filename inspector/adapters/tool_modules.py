"""Checks an adapter of another tool than PEFT module by module: complete sets of parts, and one rank in each pair.

Such a file has no config that states its targets, so it is checked on its own, and with a base by the base's modules
(`inspector.adapters.tool_base`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from inspector.adapters.changed_modules import ChangedModule, like, modules_of
from inspector.adapters.comfyui_names import names_unread_by_comfyui
from inspector.adapters.control_lora import lost_of_control
from inspector.adapters.explain import AdapterReport
from inspector.adapters.image_projection import COMPONENT, IMAGES, METHOD, lost_of_projection, width_of_images
from inspector.adapters.lost_module import lost_module
from inspector.adapters.misspelled import exchanged_vectors, misspelled
from inspector.adapters.processor_names import unread_by_comfyui
from inspector.adapters.rotated_pieces import lost_pieces
from inspector.adapters.targets import Boxes, union
from inspector.adapters.tool_ranks import lacks_core, misshapen_scales, ranks_of, unequal
from inspector.adapters.tools import (
    LOADS_VECTORS,
    LOW_RANK,
    METHODS,
    NOTHING,
    PIECES,
    VECTORS,
    ToolTensor,
    is_control,
)
from inspector.adapters.trainer_ends import unread_ends
from inspector.adapters.unread_names import unread_methods, unread_names
from inspector.adapters.wan_blocks import partial_blocks
from inspector.adapters.wrapped_modules import wrapped_modules
from inspector.algebra.boxes import common, count, joined, minus
from inspector.algebra.names import name_of
from inspector.findings.adapters.empty import AdapterEmpty
from inspector.findings.adapters.tools import (
    AdapterPartMissing,
    AdapterTensorUnknown,
)
from inspector.findings.adapters.whole import Adapter, ModulesOf, RankOf
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.loaders import LOADS_LORA
from inspector.matcher.families import Families, Family
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import names_in, place_of

CONSTANTS: Final = frozenset({"alpha", "on_input", "reshape", "scaled", "marker", "token"})
"""Parts that state how the others are used; they are not trained."""
SHARED: Final = ("alpha", "bias", "magnitude", "rescale", "scalar")
"""Parts that a training run gives to all of its low-rank modules, or to none."""
UNIFORM: Final = (IMAGES, "controlnet-lllite")
"""Methods that store the same parts for all modules."""
FULL: Final = frozenset({"diff", "diff_b"})
"""The parts of a module that is stored as a full difference."""
ALONE: Final = frozenset({"diff_b", "diff_m", "b_norm", "set_weight"})
"""Parts that change a module without any other part."""


def account_tool(families: Families, found: Mapping[str, ToolTensor], *, whole: bool = True) -> AdapterReport:
    """Explains every tensor of an adapter. whole: absent tensors are reported as missing, as no file was lost."""
    modules = modules_of(families, found)
    unknown = [key for key in families if key not in found]
    findings: list[Finding] = [_adapter(modules, families, found)]
    if not any(_whole(module) if module.method in METHODS else ALONE & module.parts.keys() for module in modules):
        findings.append(AdapterEmpty(tensors=sum(family.tensors for family in families.values())))
    elif whole:
        findings.extend(_missing(modules))
        findings.extend(_lost_with_others_there(modules))
        findings.extend(_lost_in_one(modules))
        findings.extend(lost_pieces(modules))
        findings.extend(lost_module([one for one in modules if one.component != COMPONENT]))
        findings.extend(lost_of_projection(families))
        findings.extend(lost_of_control(families, found) if is_control(found) else ())
    findings.extend((*unequal(modules), *misshapen_scales(modules)))
    findings.extend(wrapped_modules(families, found))
    findings.extend((*misspelled(families, found), *exchanged_vectors(families)))
    findings.extend((*unread_names(families, found), *unread_ends(families, found), *unread_methods(found)))
    findings.extend(names_unread_by_comfyui(families, found))
    findings.extend((*partial_blocks(families, found), *unread_by_comfyui(families, found)))
    if unknown:
        findings.append(_unknown(unknown, families))
    lines = tuple(line for key, family in families.items() for line in _lines(family, found.get(key)))
    return AdapterReport(lines, tuple(findings), None, ())


def _lines(family: Family, tensor: ToolTensor | None) -> Iterator[Line]:
    kind = ledger.UNEXPLAINED if tensor is None else ledger.BUFFER if tensor.part in CONSTANTS else ledger.PARAMETER
    for part in family.stored:
        yield Line(family.key, "unexplained" if tensor is None else "adapter", kind, part.layout, part.boxes,
                   tensors=part.tensors, elements=part.elements,
                   parameters=part.elements if kind == ledger.PARAMETER else 0)  # fmt: skip


# --- complete modules ---


def _whole(module: ChangedModule) -> Boxes:
    """The indices at which a module has all parts that its method needs."""
    cores = _cores(module)
    return union(box for needed in METHODS[module.method].complete for box in _together(module, needed | cores))


def _changed_alone(module: ChangedModule) -> Boxes:
    """The indices at which a module has only parts that change it without others, such as the
    difference of its bias.
    """
    parts = {part: module.boxes(part) for part in module.parts if part not in CONSTANTS}
    alone = union(box for part, boxes in parts.items() if part in ALONE for box in boxes)
    return minus(alone, [box for part, boxes in parts.items() if part not in ALONE for box in boxes])


def _cores(module: ChangedModule) -> frozenset[str]:
    """The cores of a convolution that is decomposed by Tucker's method: all of them if one is stored or the matrices
    can only be multiplied with one.
    """
    method = METHODS[module.method]
    if method.cores & module.parts.keys():
        return method.cores
    return _paired_cores(module) if lacks_core(module) else frozenset()


def _together(module: ChangedModule, parts: Iterable[str]) -> Boxes:
    listed = [module.boxes(part) for part in parts]
    there = listed[0]
    for boxes in listed[1:]:
        there = joined(hit for one in there for other in boxes if (hit := common(one, other)) is not None)
    return there


def _missing(modules: Sequence[ChangedModule]) -> Iterator[Finding]:
    """Findings on parts that modules lack, one finding for each part."""
    lost: dict[tuple[str, str], list[tuple[ChangedModule, Boxes]]] = {}
    for module in modules:
        if module.method not in METHODS:
            if ALONE.isdisjoint(module.parts) and module.component != "controlnet":
                lost.setdefault(("", "weights"), []).append((module, module.everywhere))
            continue
        if not METHODS[module.method].complete:
            continue
        left = minus(minus(module.everywhere, _whole(module)), _changed_alone(module))
        needed = max(METHODS[module.method].complete, key=lambda parts: (len(parts & module.parts.keys()), -len(parts)))
        for part in sorted(needed | _cores(module)) if left else ():
            absent = minus(left, module.boxes(part))
            if absent:
                lost.setdefault((module.method, part), []).append((module, absent))
    for (method, part), cases in lost.items():
        like = [one for one in modules if one.method == method or not method]
        yield _part_missing(method, part, cases, sum(count(one.everywhere) for one in like))


def _lost_with_others_there(modules: Sequence[ChangedModule]) -> Iterator[Finding]:
    """Findings on scales and magnitudes that most modules of a method and component have, and some lack."""
    groups: dict[tuple[str, str], list[ChangedModule]] = {}
    for module in modules:
        if module.method in (*LOW_RANK, *UNIFORM):
            groups.setdefault((module.component, module.method), []).append(module)
    for (_, method), own in groups.items():
        optional = dict.fromkeys(part for one in own for part in one.parts) if method in UNIFORM else SHARED
        needed = frozenset[str]().union(*METHODS[method].complete) if method in UNIFORM else frozenset[str]()
        for part in (one for one in optional if one not in needed):
            lacking = [(one, left) for one in own if (left := minus(one.everywhere, one.boxes(part)))]
            absent, of = sum(count(left) for _, left in lacking), sum(count(one.everywhere) for one in own)
            if absent and 2 * absent < of:
                yield _part_missing(method, part, lacking, of)


def _kernels(module: ChangedModule) -> frozenset[str]:
    """The cores that belong to the matrices of a module; none if its cores are reported as missing."""
    method = METHODS.get(module.method, NOTHING)
    if lacks_core(module) or (method.cores & module.parts.keys() and not method.cores <= module.parts.keys()):
        return frozenset()
    return _paired_cores(module)


def _paired_cores(module: ChangedModule) -> frozenset[str]:
    """The cores that belong to the matrices of a module."""
    method = METHODS.get(module.method, NOTHING)
    paired = (group.keys() for group in method.tucker if group.keys() - method.cores <= module.parts.keys())
    return frozenset(part for parts in paired for part in parts if part in method.cores)


def _lost_in_one(modules: Sequence[ChangedModule]) -> Iterator[Finding]:
    """The finding on a part that one module lacks and the same module of all other blocks has: a difference, or the
    core of a kernel.
    """
    groups: dict[tuple[str, str, str], list[ChangedModule]] = {}
    for module in modules:
        if module.method in ("full", "") and not FULL.isdisjoint(module.parts):
            groups.setdefault(("diff_b", module.component, like(module.name)), []).append(module)
            if "diff_b" in module.parts:  # a bias is not changed without its weight
                groups.setdefault(("diff", module.component, ""), []).append(module)
        for core in _kernels(module):
            groups.setdefault((core, module.component, like(module.name)), []).append(module)
        if module.method in LOW_RANK:  # the change of a bias, next to matrices of low rank
            groups.setdefault(("diff_b", module.component, like(module.name)), []).append(module)
    for (part, _, _), own in groups.items():
        lacking = [(one, left) for one in own if (left := minus(one.everywhere, one.boxes(part)))]
        absent, of = sum(count(left) for _, left in lacking), sum(count(one.everywhere) for one in own)
        if absent == 1 and of > 2:
            yield _part_missing("full" if part in FULL else own[0].method, part, lacking, of)


def _part_missing(method: str, part: str, cases: Sequence[tuple[ChangedModule, Boxes]], of: int) -> Finding:
    first, boxes = cases[0]
    total = sum(count(left) for _, left in cases)
    key, _ = next(iter(first.parts.values()))
    single = place_of(key, boxes) if len(cases) == 1 else Place()
    there = next(
        names_in(stored.replace("#", "0") if other == PIECES else stored, beside, 1)[0]
        for other, (stored, _) in first.parts.items()
        if (beside := minus(boxes, minus(boxes, first.boxes(other))))
    )
    return AdapterPartMissing(
        place=Place(family=single.family, indices=single.indices) if single.indices else Place(),
        method=method,
        part=part,
        modules=total,
        of=of,
        names=tuple(name for one, left in cases for name in _names(one, left))[:NAMES_SHOWN],
        present=there,
    )


def _names(module: ChangedModule, boxes: Boxes) -> list[str]:
    """The names of a module, with its component as in the file."""
    key = next(iter(module.parts.values()))[0]
    stem = key[: key.index(module.name) + len(module.name)] if module.name in key else module.name
    return names_in(stem, boxes, NAMES_SHOWN) if boxes and boxes[0] else [name_of(stem, ())]


# --- ranks ---


# --- what it is ---


def _adapter(modules: Sequence[ChangedModule], families: Families, found: Mapping[str, ToolTensor]) -> Finding:
    ranks = ranks_of(modules)
    targets: Counter[str] = Counter()
    for module in modules:
        targets[module.component] += count(module.everywhere)
    kind = kind_of_tool(found)
    return Adapter(
        type=kind,
        base=None,
        rank=next(iter(ranks)) if len(ranks) == 1 else None,
        tensors=sum(family.tensors for family in families.values()),
        writer=writer_of(found),
        ranks=tuple(RankOf(rank, modules) for rank, modules in sorted(ranks.items())),
        targets=tuple(ModulesOf(component, number) for component, number in targets.items()),
        scaled=sum(count(module.boxes("alpha")) for module in modules),
        images=width_of_images(families),
        loaded_by=_loaded_by(kind, writer_of(found)),
    )


def _loaded_by(kind: str, writer: str) -> str:
    """The call of diffusers for an adapter; "" where other programs are meant as well."""
    if kind == VECTORS:
        return LOADS_VECTORS
    return LOADS_LORA if kind == "lora" and writer == "diffusers" else ""


def kind_of_tool(found: Mapping[str, ToolTensor]) -> str:
    """The method of an adapter; the most frequent one if there are several."""
    methods = Counter(one.method.partition(",")[0] for one in found.values() if one.method != METHOD)
    del methods[""]
    if is_control(found):
        return "control-lora"
    if IMAGES in methods:  # those for faces have more matrices of low rank than of their own
        return IMAGES
    return methods.most_common(1)[0][0] if methods else "adapter"


def writer_of(found: Mapping[str, ToolTensor]) -> str:
    """The tool that uses these tensor names; LyCORIS if any part is its own, "" if no tool is certain."""
    writers = Counter(one.writer for one in found.values())
    if writers["LyCORIS"]:
        return "LyCORIS"
    return writers.most_common(1)[0][0] if writers else ""


def _unknown(keys: Sequence[str], families: Families) -> Finding:
    tensors = sum(families[key].tensors for key in keys)
    boxes = families[keys[0]].boxes
    place = place_of(keys[0], boxes) if len(keys) == 1 else Place()
    return AdapterTensorUnknown(
        place=place,
        tensors=tensors,
        elements=sum(families[key].elements for key in keys),
        names=tuple(name for key in keys[:NAMES_SHOWN] for name in _first_names(families[key]))[:NAMES_SHOWN],
    )


def _first_names(family: Family) -> list[str]:
    return [name for stored in family.stored for name in names_in(family.key, stored.boxes, NAMES_SHOWN)]
