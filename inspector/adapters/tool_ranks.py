"""Checks the ranks of an adapter's modules: the two matrices of a pair must have the same rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from inspector.adapters.changed_modules import ChangedModule
from inspector.adapters.tools import METHODS, NOTHING
from inspector.algebra.boxes import Box, common, count, joined
from inspector.findings.adapters.scales import AdapterScaleMisshapen
from inspector.findings.adapters.tools import AdapterPairDiffers, Pair
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.matcher.families import Stored
from inspector.reconciler.wording import names_in

SCALE: Final = "alpha"
"""The part of a module that, divided by the rank, is its scale."""


def _pairs(
    module: ChangedModule, groups: Sequence[Mapping[str, int]]
) -> Iterator[tuple[str, str, Box, tuple[int, ...], tuple[int, ...], int, int]]:
    """Yields two parts that share a rank, with their shapes and ranks, for all indices at which both are stored."""
    for group in groups:
        first, *others = [part for part in group if part in module.parts] or [""]
        for other in others:
            for one in module.parts[first][1].stored:
                for two in module.parts[other][1].stored:
                    shared = joined(hit for a in one.boxes for b in two.boxes if (hit := common(a, b)) is not None)
                    shapes = one.layout.shape, two.layout.shape
                    ranks = [_at(_parted(*shapes), group[first]), _at(_parted(*shapes[::-1]), group[other])]
                    for box in shared:
                        yield first, other, box, one.layout.shape, two.layout.shape, ranks[0], ranks[1]


def _parted(shape: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a matrix that stacks the ranks of all experts in one dim, divided into experts like the other
    matrix.

    The first versions of mlx-lm's LoRASwitchLinear have [experts*r, in] together with [experts, out, r].
    """
    if len(shape) != 2 or len(other) != 3 or not other[0] or shape[0] % other[0]:
        return shape
    return other[0], shape[0] // other[0], shape[1]


def _groups(module: ChangedModule) -> tuple[Mapping[str, int], ...]:
    """The axes that share a rank, including the cores of a convolution if it has any."""
    method = METHODS.get(module.method, NOTHING)
    return method.tucker if method.cores & module.parts.keys() or lacks_core(module) else method.ranks


def lacks_core(module: ChangedModule) -> bool:
    """True if no core is stored although the matrices can only be multiplied with one between them."""
    method = METHODS.get(module.method, NOTHING)
    if not method.cores or method.cores & module.parts.keys() or _agree(module, method.ranks):
        return False
    return _agree(module, method.tucker)


def _agree(module: ChangedModule, groups: Sequence[Mapping[str, int]]) -> bool:
    """True if the matrices of each pair have the same rank."""
    return all(rank == other and rank >= 0 for *_, rank, other in _pairs(module, groups))


def _at(shape: tuple[int, ...], axis: int) -> int:
    """A dim of a shape; -1 if the shape has too few dims."""
    return shape[axis] if -len(shape) <= axis < len(shape) else -1


def unequal(modules: Sequence[ChangedModule]) -> Iterator[Finding]:
    """One finding on all pairs of matrices that cannot be multiplied."""
    pairs: list[Pair] = []
    total = 0
    for module in modules:
        for first, other, box, one, two, rank, another in _pairs(module, _groups(module)):
            if rank != another or rank < 0:
                total += count((box,))
                names = [names_in(module.parts[part][0], (box,), 1)[0] for part in (first, other)]
                pairs.append(Pair(names[0], one, names[1], two))
    if pairs:
        place = Place(tensor=pairs[0].second) if total == 1 else Place()
        yield AdapterPairDiffers(place=place, pairs=tuple(pairs[:NAMES_SHOWN]), count=total)


def misshapen_scales(modules: Sequence[ChangedModule]) -> Iterator[Finding]:
    """One finding on all scales that are not a single number."""
    total = 0
    wrong: list[tuple[str, Stored]] = []
    for module in modules:
        if SCALE in module.parts:
            key, family = module.parts[SCALE]
            total += family.tensors
            wrong.extend((key, stored) for stored in family.stored if stored.layout.elements != 1)
    if not wrong:
        return
    names = [name for key, stored in wrong for name in names_in(key, stored.boxes, NAMES_SHOWN)]
    count_wrong = sum(stored.tensors for _, stored in wrong)
    yield AdapterScaleMisshapen(
        place=Place(tensor=names[0]) if count_wrong == 1 else Place(),
        names=tuple(names[:NAMES_SHOWN]),
        count=count_wrong,
        of=total,
        stored=wrong[0][1].layout.shape,
    )


def ranks_of(modules: Iterable[ChangedModule]) -> Counter[int]:
    """Rank -> number of modules with this rank."""
    found: Counter[int] = Counter()
    for module in modules:
        groups = _groups(module)
        part, axis = next(((part, group[part]) for group in groups for part in group if part in module.parts), ("", 0))
        if part:
            for stored in module.parts[part][1].stored:
                found[_at(stored.layout.shape, axis)] += stored.tensors
    return found
