"""Changes of design that explain dropped and added tensors at once: another class, or an MLP that became experts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.algebra.boxes import Box, count, minus, outer
from inspector.comparing.cases import DROPPED, INVENTED, Case, Namer, OpenTensors, case_of, roles_of
from inspector.comparing.pieces import Side
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.reconciler.wording import boxes_in_words

ROUTER: Final = "router"


def class_changed(
    gone: Sequence[OpenTensors], new: Sequence[OpenTensors], source: Side, target: Side, namer: Namer
) -> Iterator[Case]:
    """The case of two classes of one architecture: tensors that only one class has."""
    before, after = source.audited, target.audited
    if not before.class_name or not after.class_name or before.class_name == after.class_name:
        return
    if before.architecture is None or after.architecture is None:
        return
    if before.architecture.name != after.architecture.name:
        return
    dropped = [one for one in gone if _is_of_class(one, DROPPED, namer)]
    added = [one for one in new if _is_of_class(one, INVENTED, namer)]
    if not dropped and not added:
        return
    from inspector.findings.conversion.design import ClassChanged

    finding = ClassChanged(
        source=before.class_name,
        target=after.class_name,
        dropped=sum(one.parameters for one in dropped),
        added=sum(one.parameters for one in added),
        dropped_tensors=_tensors(dropped),
        added_tensors=_tensors(added),
        dropped_names=_names(dropped, DROPPED, namer),
        added_names=_names(added, INVENTED, namer),
    )
    yield _case(finding, dropped, added, namer)


def _is_of_class(one: OpenTensors, kind: str, namer: Namer) -> bool:
    """True if a tensor is outside the layers, and the other side's class has no tensor of its role."""
    known = one.piece.line.block is not None and not one.piece.identity.axes
    return bool(one.boxes) and known and not namer.families(kind, one)


def became_experts(gone: Sequence[OpenTensors], new: Sequence[OpenTensors], namer: Namer) -> Iterator[Case]:
    """The case of an MLP that became experts of the same shapes, with a router, in the target."""
    matched: list[tuple[OpenTensors, OpenTensors]] = []
    for one in gone:
        if one.boxes and one.piece.identity.role.startswith("mlp.") and one.piece.identity.axes:
            other = next((each for each in new if _is_expert_of(one, each)), None)
            if other is None:
                return
            matched.append((one, other))
    layers = {_layers(other, len(one.piece.identity.axes)) for one, other in matched}
    if len(layers) != 1:
        return
    (boxes,) = layers
    depth = len(boxes[0])
    routers = [one for one in new if one.piece.identity.role == ROUTER and _layers(one, depth) == boxes]
    if not routers or any(minus(boxes, one.boxes) for one, _ in matched):
        return
    dropped = [OpenTensors(one.piece, boxes) for one, _ in matched]
    for one, _ in matched:
        one.boxes = minus(one.boxes, boxes)
    from inspector.findings.conversion.design import MlpBecameExperts

    experts = [other for _, other in matched]
    finding = MlpBecameExperts(
        place=Place(indices=boxes_in_words(dropped[0].piece.nouns, boxes)),
        where=boxes_in_words(dropped[0].piece.nouns, boxes),
        experts=experts[0].parameters // dropped[0].parameters,
        roles=tuple(roles_of(dropped)),
        dropped=sum(one.parameters for one in dropped),
        dropped_tensors=_tensors(dropped),
        added=sum(one.parameters for one in experts),
        added_tensors=_tensors(experts),
        router=sum(one.parameters for one in routers),
        router_tensors=_tensors(routers),
        names=_names(experts, INVENTED, namer),
    )
    yield _case(finding, dropped, [*experts, *routers], namer)


def _is_expert_of(one: OpenTensors, other: OpenTensors) -> bool:
    """True if tensors are the same matrices for several experts in the same layers."""
    own, its = one.piece.identity, other.piece.identity
    if (own.role, own.tensor, own.scope, own.tower) != (its.role, its.tensor, its.scope, its.tower):
        return False
    if not other.boxes:
        return False
    depth = len(own.axes)
    if len(its.axes) == depth:  # stacked
        return other.piece.shape[1:] == one.piece.shape
    return len(its.axes) == depth + 1 and other.piece.shape == one.piece.shape


def _layers(one: OpenTensors, depth: int) -> tuple[Box, ...]:
    return tuple(outer(one.boxes, depth)) if one.boxes else ()


def _case(finding: Finding, dropped: Sequence[OpenTensors], added: Sequence[OpenTensors], namer: Namer) -> Case:
    """A case for tensors of both sides, which are then explained."""
    own = case_of(DROPPED, finding, dropped, namer)
    other = case_of(INVENTED, finding, added, namer)
    for one in (*dropped, *added):
        one.boxes = ()
    return Case(own.finding, own.source | other.source, own.target | other.target)


def _tensors(opened: Sequence[OpenTensors]) -> int:
    return sum(count(one.boxes) for one in opened)


def _names(opened: Sequence[OpenTensors], kind: str, namer: Namer) -> tuple[str, ...]:
    found = [name for one in opened for name in namer.names(kind).of(one.piece, one.boxes, NAMES_SHOWN)]
    return tuple(found[:NAMES_SHOWN])
