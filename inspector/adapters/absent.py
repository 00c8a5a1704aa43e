"""Tensors of an adapter that are expected and not stored: biases, halves of pairs, whole modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from inspector.adapters.base import Base
from inspector.adapters.expected import Expected, ExpectedAdapter
from inspector.adapters.matched import Matched, overlap
from inspector.adapters.names import tuner_name
from inspector.adapters.router import MODULE as ROUTER
from inspector.adapters.targets import Boxes, union
from inspector.algebra.boxes import Box, count, joined, minus, outer
from inspector.algebra.names import axes_of, before_index
from inspector.findings.adapters.biases import AdapterBiasesLost, AdapterBiasesMissing
from inspector.findings.adapters.tensors import AdapterGateMissing, AdapterHalfMissing, AdapterTargetMissing
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.reconciler import ledger
from inspector.reconciler.wording import place_of

GATE: Final = ".adaption_gate"
"""Ending of a factor of prompts in the attention that is 0 where it is missing: the prompts have no effect."""


def is_bias(expected: Expected, plan: ExpectedAdapter) -> bool:
    """True if a tensor is a bias of the base, trained in place by `bias`: PEFT does not report it as missing."""
    own = expected.key.endswith(".bias") and tuner_name(expected.key) is None
    return own and f"{expected.key.removesuffix('bias')}weight" not in {one.key for one in plan.expected}


def biases_missing(absent: Sequence[tuple[Expected, Boxes]], plan: ExpectedAdapter) -> Iterator[Finding]:
    if absent:
        (first, boxes), *_ = absent
        tensors = sum(count(boxes) for _, boxes in absent)
        of = sum(count(one.boxes) for one in plan.expected if is_bias(one, plan))
        kind = AdapterBiasesMissing if tensors == of else AdapterBiasesLost
        yield kind(such_as=place_of(first.key, boxes).name, tensors=tensors, of=of)


def absent_of(plan: ExpectedAdapter, matched: Sequence[Matched]) -> Iterator[tuple[Expected, Boxes]]:
    """(expectation, indices) of all tensors that are required and not stored."""
    stored: dict[Expected, list[Box]] = {}
    for one in matched:
        if one.expected is not None:
            stored.setdefault(one.expected, []).extend(one.boxes)
    for expected in plan.expected:
        left = minus(expected.boxes, stored.get(expected, ()))
        if left and expected.required:
            yield expected, left


def halves_missing(absent: Sequence[tuple[Expected, Boxes]], matched: Sequence[Matched]) -> Iterator[Finding]:
    """Findings on absent tensors of modules that have another stored tensor, one finding for each part of a module."""
    lost: dict[str, list[Box]] = {}
    first_of: dict[str, Expected] = {}
    for expected, boxes in absent:
        lost.setdefault(expected.key, []).extend(boxes)
        first_of.setdefault(expected.key, expected)
    grouped: dict[str, list[AdapterHalfMissing]] = {}
    stored = _by_module(matched)
    for key, found in lost.items():
        half = _half(first_of[key], joined(found), stored)
        if half is not None:
            name = tuner_name(key)
            grouped.setdefault(key if name is None else name.ending, []).append(half)
    for first, *others in grouped.values():
        yield replace(
            first,
            tensors=first.tensors + sum(one.tensors for one in others),
            of=first.of + sum(one.of for one in others),
            others=tuple(str(one.place.tensor or one.place.family) for one in others[:NAMES_SHOWN]),
            other_families=len(others),
        )


def _by_module(matched: Sequence[Matched]) -> Mapping[str, Sequence[Matched]]:
    """Module -> its stored tensors, without tensors that all modules share."""
    found: dict[str, list[Matched]] = {}
    for one in matched:
        if one.expected is not None and one.expected.module:
            found.setdefault(one.expected.module, []).append(one)
    return found


def _half(expected: Expected, boxes: Boxes, matched: Mapping[str, Sequence[Matched]]) -> AdapterHalfMissing | None:
    for partner, places in _partners(expected, matched).items():
        hit = _beside(expected.module, boxes, places)
        if hit:
            same = axes_of(partner) == axes_of(expected.key)
            kind = AdapterGateMissing if expected.key.endswith(GATE) else AdapterHalfMissing
            return kind(
                place=place_of(expected.key, hit),
                present=place_of(partner, hit if same else joined(places)).family,
                tensors=count(hit),
                of=count(joined(places)),
                shape=expected.shape if None not in expected.shape else None,
            )
    return None


def _beside(module: str, boxes: Boxes, places: Iterable[Box]) -> Boxes:
    """The boxes with their module at one of the given places; indices that the method adds itself are ignored."""
    axes = axes_of(module)
    there = {place[:axes] for place in places}
    found = ((overlap(box[:axes], one), box[axes:]) for box in boxes for one in there)
    return joined((*hit, *own) for hit, own in found if hit is not None)


def _partners(expected: Expected, matched: Mapping[str, Sequence[Matched]]) -> dict[str, list[Box]]:
    """The other tensors of the module's method, at the same depth of wrapping, and the indices at which they are
    stored.

    matched: the stored tensors of each module.
    """
    own, found = tuner_name(expected.key), dict[str, list[Box]]()
    for one in matched.get(expected.module, ()):
        if one.expected is None or one.key == expected.key:
            continue
        name = tuner_name(one.key) if one.expected.kind == ledger.PARAMETER else None
        if name is not None and own is not None and name.depth == own.depth:
            found.setdefault(one.key, []).extend(one.boxes)
    return found


def targets_missing(
    absent: Sequence[tuple[Expected, Boxes]], matched: Sequence[Matched], base: Base | None
) -> Iterator[Finding]:
    """Findings on modules of the base that the config names and the file lacks, one for each module."""
    missing: dict[str, list[Box]] = {}
    stored = _by_module(matched)
    for expected, boxes in absent:
        there = (one for places in _partners(expected, stored).values() for one in places)
        left = minus(boxes, _beside(expected.module, boxes, there))
        if left:
            own = outer(left, axes_of(expected.module)) if expected.module else left
            missing.setdefault(expected.module or expected.key, []).extend(own)
    for names, where in together({name: union(found) for name, found in missing.items()}):
        tensors = sum(count(missing[name]) for name in names)
        prefix = names[0] if len(names) == 1 else f"{before_index(names[0])}#"
        place = place_of(prefix, where)
        yield AdapterTargetMissing(
            place=place,
            modules=tuple(name[len(prefix) :].lstrip(".") for name in names) if len(names) > 1 else (),
            count=count(where) * len(names),
            tensors=tensors,
            base=None if base is None or names[0] == ROUTER else base.name,
            router=names[0] == ROUTER,
        )


def together(modules: Mapping[str, Boxes]) -> Iterator[tuple[list[str], Boxes]]:
    """Groups modules that lack the same layers: a lost layer is one cause."""
    groups: dict[tuple[str, Boxes], list[str]] = {}
    for name, boxes in modules.items():
        prefix = before_index(name) if axes_of(name) == 1 else name
        groups.setdefault((prefix, boxes), []).append(name)
    for (_, boxes), names in groups.items():
        yield names, boxes
