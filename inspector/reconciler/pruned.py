"""MLPs that were pruned to another inner width in each layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from inspector.algebra.boxes import Box
from inspector.algebra.span import Span
from inspector.findings.finding import Finding, Place
from inspector.reconciler.place import Placed
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name, nouns_of

FAMILIES_SHOWN: Final = 5
LEAST_LAYERS: Final = 2
"""Layers of another width; a single one may come from another checkpoint."""


def pruned_mlps(case: Reconciled) -> tuple[Finding, tuple[Placed, ...]] | None:
    """The finding on layers whose MLPs have another width, the same in each matrix of a layer, and what it explains.

    None where anything else is wrong, or where one width for all layers would do: a config can state that.
    """
    placement = case.as_configured
    mismatched = placement.mismatched
    if placement.missing or placement.unexpected or not mismatched:
        return None
    widths: dict[int, set[Fraction]] = {}  # layer -> parts of the configured width; gate and up may be one matrix
    configured: set[int] = set()
    families: dict[int, set[str]] = {}
    for one in mismatched:
        both = _inner_widths(one)
        if both is None:
            return None
        configured.add(both[1])
        for layer in _layers(one.boxes):
            widths.setdefault(layer, set()).add(Fraction(*both))
            families.setdefault(layer, set()).add(one.block.key)
    names = {one.block.key for one in mismatched}
    agree = all(len(widths[layer]) == 1 and families[layer] == names for layer in widths)
    width = min(configured)
    if len(names) < 2 or len(widths) < LEAST_LAYERS or not agree or any(one % width for one in configured):
        return None
    layers = {layer for one in placement.placed if one.block.key in names for layer in _layers(one.boxes)}
    if layers == widths.keys() and len({min(found) for found in widths.values()}) == 1:
        return None
    from inspector.findings.single_causes import LayerWidth, MlpsPruned

    noun = nouns_of(mismatched[0].block.key)[0]
    numbers: dict[int, list[int]] = {}
    for layer, found in sorted(widths.items()):
        numbers.setdefault(int(min(found) * width), []).append(layer)
    finding = MlpsPruned(
        place=Place(indices=_in_words(noun, widths)),
        width=width,
        stored=tuple(LayerWidth(_in_words(noun, where), stored) for stored, where in numbers.items()),
        families=tuple(sorted(map(family_name, names)))[:FAMILIES_SHOWN],
        tensors=sum(one.tensors for one in mismatched),
    )
    return finding, tuple(mismatched)


def _inner_widths(one: Placed) -> tuple[int, int] | None:
    """The stored and the expected inner width of an MLP; None where it is not a matrix of one, or differs otherwise."""
    stored, expected = one.layout.shape, one.block.shape
    if not one.block.slot.role.startswith("mlp.") or len(stored) != len(expected):
        return None
    differing = [(have, want) for have, want in zip(stored, expected, strict=True) if have != want]
    if len(differing) != 1 or differing[0][1] is None:
        return None
    return differing[0][0], differing[0][1]


def _layers(boxes: Iterable[Box]) -> Iterator[int]:
    for box in boxes:
        yield from box[0] if box else ()


def _in_words(noun: str, indices: Iterable[int]) -> str:
    span = Span.of(indices)
    return f"{noun if span.size == 1 else noun + 's'} {span.words()}"
