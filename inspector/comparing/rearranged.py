"""Finds layers and experts of the target that contain other layers and experts of the source, proven by their values.

Corresponding tensors have the same number. If layers were repeated, left out or reordered, a layer is searched for by
the first rows of one matrix, and then read completely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.span import Span
from inspector.comparing.judging import judged
from inspector.comparing.pieces import Identity, Piece
from inspector.comparing.result import Comparison
from inspector.comparing.tally import LogicalTensor, tensor_at
from inspector.dialects.gguf_values import ROTARY
from inspector.findings.conversion.design import LayerHolds, LayersRearranged, MlpBecameExperts
from inspector.findings.conversion.parameters import LayersDropped, LayersInvented
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.reconciler.wording import boxes_in_words
from inspector.values.difference import difference
from inspector.values.result import DIFFERENT, EQUAL, REORDERED, ROUNDED, Values, Verdict
from inspector.values.scan import Scanner
from inspector.values.stored import Numbers

LOOKED_AT: Final = 1_024
"""Elements that are used to search for a layer."""
MOST_PAIRS: Final = 1 << 16
"""Most pairs of layers that are compared."""

MOST_TENSORS: Final = 1 << 17
"""Most tensors that are listed for this search."""

Index = tuple[int, ...]
Stack = tuple[str, tuple[str, ...], str, str]
"""The place of layers: component, submodel, tower, and what the first index counts."""


class PlacedTensor(Struct, frozen=True):
    """A logical tensor of one side with its piece."""

    piece: Piece
    tensor: LogicalTensor


Read = Callable[[PlacedTensor], Numbers | None]
"""Reads the values of a tensor as in its piece; None if they cannot be read."""
Layer = dict[tuple[Identity, Index], PlacedTensor]
"""The tensors of a layer by identity and further indices."""


def exchanged(changed: Sequence[Verdict]) -> dict[str, str]:
    """Tensors with the values of another tensor of the source -> the name of that tensor."""
    sources: dict[bytes | None, str] = {one.digests[0]: one.source for one in changed if one.digests[0]}
    held = ((verdict, verdict.holds or sources.get(verdict.digests[1] or None)) for verdict in changed)
    return {verdict.target: name for verdict, name in held if name}


class Rearrangement(Struct, frozen=True):
    """The explanation of tensors that differ. moved: names of the target's tensors. explained: findings that it
    replaces.
    """

    findings: tuple[Finding, ...] = ()
    moved: frozenset[str] = frozenset()
    explained: tuple[Finding, ...] = ()


def rearrangement(compared: Comparison, found: Values, source: Read, target: Read) -> Rearrangement:
    """The layers of the target that are other layers of the source; empty if only some tensors were requested."""
    differing = [one for one in found.verdicts if one.what == DIFFERENT]
    changed = {one.target for one in differing}
    known = sum(one.tensors for one in compared.carriage)
    if found.requested or known > MOST_TENSORS or not (changed or compared.only_target):
        return Rearrangement()
    if not compared.only_target and changed <= exchanged(differing).keys():
        return Rearrangement()
    before, after = _layers(compared, 0), _layers(compared, 1)
    findings: list[Finding] = []
    moved: set[str] = set()
    placed: dict[Stack, dict[int, int]] = {}
    for stack, layers in after.items():
        wanted = [number for number, layer in layers.items() if _is_open(stack, number, layer, changed, before)]
        holds = _held(layers, wanted, before.get(stack, {}), source, target)
        placed[stack] = holds
        if holds:
            names = [one.tensor.name for number in holds for one in layers[number].values()]
            moved.update(names)
            findings.append(_finding(layers, before[stack], holds, names))
    whole = bool(findings) and _explains(compared, placed, after)
    ends = [one for one in compared.findings if isinstance(one, LayersDropped | LayersInvented)] if whole else []
    return Rearrangement(tuple(findings), frozenset(moved), tuple(ends))


def _layers(compared: Comparison, side: int) -> dict[Stack, dict[int, Layer]]:
    """The layers of a side by their numbers."""
    found: dict[Stack, dict[int, Layer]] = {}
    listed: list[tuple[Identity, Piece, Iterable[tuple[int, ...]]]] = []
    listed.extend((one.identity, (one.source, one.target)[side], one.indices()) for one in compared.carriage)
    alone = (compared.only_source, compared.only_target)[side]
    listed.extend((each.piece.identity, each.piece, each.indices()) for each in alone)
    for identity, piece, indices in listed:
        stack = _stack(identity)
        if stack is None:
            continue
        for index in indices:
            layer = found.setdefault(stack, {}).setdefault(index[0], {})
            layer[identity, index[1:]] = PlacedTensor(piece, tensor_at(piece, index))
    return found


def _is_open(
    stack: Stack, number: int, layer: Layer, changed: set[str], before: Mapping[Stack, Mapping[int, Layer]]
) -> bool:
    """True if a layer of the target differs from the layer with its number, or if the source has no such layer."""
    if number not in before.get(stack, {}):
        return True
    return any(one.tensor.name in changed for one in layer.values())


def _explains(
    compared: Comparison, placed: Mapping[Stack, Mapping[int, int]], after: Mapping[Stack, Mapping[int, Layer]]
) -> bool:
    """True if all tensors of only one side are layers that contain others, or whole layers that were left out."""
    for each in compared.only_target:
        stack = _stack(each.piece.identity)
        if stack is None or any(index[0] not in placed.get(stack, {}) for index in each.indices()):
            return False
    for each in compared.only_source:
        stack = _stack(each.piece.identity)
        if stack is None or any(index[0] in after.get(stack, {}) for index in each.indices()):
            return False
    return True


def _stack(identity: Identity) -> Stack | None:
    """The stack of layers that a tensor is in."""
    if not identity.axes:
        return None
    return identity.component, identity.scope, identity.tower, identity.axes[0]


# --- looking for a layer ---


def _held(
    layers: Mapping[int, Layer], wanted: Sequence[int], others: Mapping[int, Layer], source: Read, target: Read
) -> dict[int, int]:
    """Layer of the target -> layer of the source with exactly its values."""
    if not wanted or not others or len(wanted) * len(others) > MOST_PAIRS:
        return {}
    probe = _probe([layers[number] for number in wanted], list(others.values()))
    if probe is None:
        return {}
    begins = {number: _begin(layer[probe], source) for number, layer in others.items()}
    found: dict[int, int] = {}
    for number in wanted:
        own = _begin(layers[number][probe], target)
        if own is None:
            continue
        alike = (other for other, begin in begins.items() if other != number and begin and _agrees(begin, own))
        same = next((other for other in alike if _is(layers[number], others[other], source, target)), None)
        if same is not None:
            found[number] = same
    return found


def _probe(layers: Sequence[Layer], others: Sequence[Layer]) -> tuple[Identity, Index] | None:
    """The smallest matrix of all layers with rows that no program reorders."""
    first = layers[0]
    shared = [
        key
        for key, one in first.items()
        if len(one.piece.shape) > 1 and not key[0].role.startswith(ROTARY) and one.piece.line.packed is None
        and all(key in layer for layer in (*layers, *others))
    ]  # fmt: skip
    return min(shared, key=lambda key: first[key].piece.elements, default=None)


def _begin(one: PlacedTensor, read: Read) -> Numbers | None:
    """The first rows of a tensor."""
    numbers = read(one)
    if numbers is None or numbers.raw.ndim < 2:
        return None
    rows = max(1, LOOKED_AT // max(1, numbers.raw.size // max(1, numbers.raw.shape[0])))
    return Numbers(np.asarray(numbers.raw[:rows]), numbers.dtype)  # read once, compared with many


def _agrees(one: Numbers, other: Numbers) -> bool:
    if one.raw.shape != other.raw.shape:
        return False
    found = difference(one, other)
    return found.equal or bool(found.rounding)


def _is(layer: Layer, other: Layer, source: Read, target: Read) -> bool:
    """True if two layers have the same tensors with the same values."""
    return layer.keys() == other.keys() and all(
        _holds(key[0].role, other[key], one, source, target) for key, one in layer.items()
    )


def _holds(role: str, one: PlacedTensor, other: PlacedTensor, source: Read, target: Read) -> bool:
    before, after = source(one), target(other)
    if before is None or after is None or before.raw.shape != after.raw.shape:
        return False
    return judged(role, before, after, Scanner(after.dtype), None)[0] in (EQUAL, ROUNDED, REORDERED)


# --- words ---


def _finding(
    layers: Mapping[int, Layer], others: Mapping[int, Layer], holds: Mapping[int, int], names: Sequence[str]
) -> Finding:
    used = {holds.get(number, number) for number in layers}
    noun = next(iter(layers[next(iter(holds))].values())).piece.nouns[0]
    return LayersRearranged(
        place=Place(indices=_numbers(noun, sorted(holds))),
        place_of=_numbers(noun, sorted(holds)),
        holds=tuple(_runs(holds)),
        unused=_numbers(noun, sorted(others.keys() - used)),
        tensors=len(names),
        names=tuple(names[:NAMES_SHOWN]),
    )


def _runs(holds: Mapping[int, int]) -> Iterator[LayerHolds]:
    """Adjacent layers that contain adjacent layers, joined into one entry."""
    run: LayerHolds | None = None
    for number, other in sorted(holds.items()):
        if run is not None and (run.target[1] + 1, run.source[1] + 1) == (number, other):
            run = replace(run, target=(run.target[0], number), source=(run.source[0], other))
            continue
        if run is not None:
            yield run
        run = LayerHolds((number, number), (other, other))
    if run is not None:
        yield run


def _numbers(noun: str, numbers: Sequence[int]) -> str:
    return boxes_in_words((noun,), ((Span.of(numbers),),)) if numbers else ""


# --- experts ---


def with_expert_values(finding: MlpBecameExperts, compared: Comparison, source: Read, target: Read) -> Finding:
    """The finding, with how many tensors of the experts have the values of the MLP of their layer."""
    dense = {
        (each.piece.identity.role, each.piece.identity.tensor, index): PlacedTensor(
            each.piece, tensor_at(each.piece, index)
        )
        for each in compared.only_source
        for index in each.indices()
    }
    held = of = 0
    for each in compared.only_target:
        identity = each.piece.identity
        for index in each.indices():
            one = dense.get((identity.role, identity.tensor, index[:-1]))
            if one is not None:
                of += 1
                other = PlacedTensor(each.piece, tensor_at(each.piece, index))
                held += _holds(identity.role, one, other, source, target)
    if not of:
        return finding
    words = "each expert has those of the MLP" if held == of else f"{held:,} of {of:,} tensors have those of the MLP"
    return replace(finding, holds=words)
