"""Recognises models that were pruned layer by layer: fewer attention heads, or another inner width of the MLP."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from inspector.algebra.boxes import Box
from inspector.algebra.span import Span
from inspector.algebra.values import whole
from inspector.findings.finding import Finding, Place
from inspector.notation.scope import Scope
from inspector.notation.slots import scope_of
from inspector.reconciler.place import Placed, Placement
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name, nouns_of

if TYPE_CHECKING:
    from inspector.findings.pruned import HeadsPruned, MlpsPruned

FAMILIES_SHOWN: Final = 5
LEAST_LAYERS: Final = 2
"""Least number of layers of another width; a single layer may come from another checkpoint."""
ATTENTION: Final = "attention."
SHARED: Final = -1
"""Replaces the layer number for a layer that all positions of the model share."""


def pruned(case: Reconciled) -> tuple[Finding, tuple[Placed, ...]] | None:
    """(the finding on layers with fewer heads or other MLP widths than configured, the tensors that it explains).

    None if anything else differs, or if one number fits all layers: a config can state that.
    """
    placement = case.as_configured
    mismatched = placement.mismatched
    if placement.missing or placement.unexpected or not mismatched:
        return None
    attention = [one for one in mismatched if one.block.slot.role.startswith(ATTENTION)]
    others = [one for one in mismatched if not one.block.slot.role.startswith(ATTENTION)]
    heads = _heads_pruned(case, attention) if attention else None
    widths = _mlps_pruned(placement, others) if others else None
    if not attention or not others:
        found: Finding | None = heads or widths
        return None if found is None else (found, tuple(mismatched))
    if heads is None or widths is None or not heads.place.indices:
        return None
    from inspector.findings.pruned import LayersPruned

    noun = nouns_of(mismatched[0].block.key)[0]
    finding = LayersPruned(
        place=Place(indices=_in_words(noun, {layer for one in mismatched for layer in _layers(one.boxes)})),
        heads=heads.heads,
        stored_heads=heads.stored,
        width=widths.width,
        stored_widths=widths.stored,
        families=(*heads.families, *widths.families),
        tensors=heads.tensors + widths.tensors,
    )
    return finding, tuple(mismatched)


def _heads_pruned(case: Reconciled, mismatched: Sequence[Placed]) -> HeadsPruned | None:
    """The finding on layers with fewer heads in their attention matrices, the same number in all
    matrices of a layer.
    """
    heads = {_heads_in(scope_of(case.plan.scope, one.block.slot)) for one in mismatched}
    layers: dict[int, set[int]] = {}
    for one in mismatched:
        width, cut = _heads_of(case, one), _one_axis(one)
        if width is None or cut is None:
            return None
        for layer in _layers(one.boxes) if one.boxes[0] else (SHARED,):
            layers.setdefault(layer, set()).add(width)
    families = tuple(dict.fromkeys(family_name(one.block.key) for one in mismatched))
    configured = heads.pop() if len(heads) == 1 else None
    if configured is None or len(families) < 2 or not layers or any(len(found) != 1 for found in layers.values()):
        return None
    alike = len({min(found) for found in layers.values()}) == 1
    everywhere = alike and (SHARED in layers or len(layers) == _layers_in(case.as_configured))
    if alike and case.causes and (everywhere or len(layers) < LEAST_LAYERS or not _is_whole_attention(mismatched)):
        return None  # a config of this type can state the same number for all layers
    from inspector.findings.pruned import HeadsPruned, LayerHeads

    noun = next(iter(nouns_of(mismatched[0].block.key)), "")  # a part without numbered layers has none
    numbers: dict[int, list[int]] = {}
    for layer, found in sorted(layers.items()):
        numbers.setdefault(min(found), []).append(layer)
    return HeadsPruned(
        place=Place(indices=None if everywhere else _in_words(noun, layers)),
        heads=configured,
        stored=tuple(
            LayerHeads("all layers" if everywhere else _in_words(noun, where), number)
            for number, where in numbers.items()
        ),
        families=families,
        tensors=sum(one.tensors for one in mismatched),
    )


def _is_whole_attention(mismatched: Iterable[Placed]) -> bool:
    """True if query and output are cut: with only key and value, the number of key and value heads differs instead."""
    roles = {one.block.slot.role.removeprefix(ATTENTION) for one in mismatched}
    return "output" in roles and not roles.isdisjoint(("query", "qkv"))


def _one_axis(one: Placed) -> int | None:
    """The only axis along which a stored shape is smaller than expected; None without such an axis."""
    stored, expected = one.layout.shape, one.block.shape
    if len(stored) != len(expected) or None in expected:
        return None
    axes = [at for at, (have, want) in enumerate(zip(stored, expected, strict=True)) if have != want]
    return axes[0] if len(axes) == 1 and stored[axes[0]] < (expected[axes[0]] or 0) else None


def _heads_in(scope: Scope) -> int | None:
    return whole(scope.word(("h",)))


def _heads_of(case: Reconciled, one: Placed) -> int | None:
    """The number of heads that a stored attention matrix has room for; None if it is not whole."""
    axis, heads = _one_axis(one), _heads_in(scope_of(case.plan.scope, one.block.slot))
    if axis is None or not heads:
        return None
    stored, expected = one.layout.shape[axis] * heads, one.block.shape[axis] or 0
    return stored // expected if expected and stored % expected == 0 else None


def _layers_in(placement: Placement) -> int:
    """The number of layers with attention."""
    attention = [one for one in placement.placed if one.block.slot.role.startswith(ATTENTION)]
    return len({layer for one in attention for layer in _layers(one.boxes)})


def _mlps_pruned(placement: Placement, mismatched: Sequence[Placed]) -> MlpsPruned | None:
    """The finding on layers with another MLP width, the same in all matrices of a layer."""
    widths: dict[int, set[Fraction]] = {}  # layer -> shares of the configured width; gate and up may be one matrix
    configured: set[int] = set()
    families: dict[int, set[str]] = {}
    for one in mismatched:
        both = _inner_widths(one)
        if both is None or not both[1]:
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
    from inspector.findings.pruned import LayerWidth, MlpsPruned

    noun = next(iter(nouns_of(mismatched[0].block.key)), "")  # a part without numbered layers has none
    numbers: dict[int, list[int]] = {}
    for layer, found in sorted(widths.items()):
        numbers.setdefault(int(min(found) * width), []).append(layer)
    return MlpsPruned(
        place=Place(indices=_in_words(noun, widths)),
        width=width,
        stored=tuple(LayerWidth(_in_words(noun, where), stored) for stored, where in numbers.items()),
        families=tuple(sorted(map(family_name, names)))[:FAMILIES_SHOWN],
        tensors=sum(one.tensors for one in mismatched),
    )


def _inner_widths(one: Placed) -> tuple[int, int] | None:
    """(stored, expected) inner width of an MLP; None for other matrices and other differences."""
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
