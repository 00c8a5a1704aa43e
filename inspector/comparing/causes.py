"""Groups dropped, added and misshapen tensors into causes: submodels, layers, experts, the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from inspector.algebra.boxes import Box, count, joined, minus, outer
from inspector.algebra.names import axes_of
from inspector.comparing.cases import (
    DROPPED,
    INVENTED,
    Case,
    Namer,
    OpenTensors,
    case_of,
    families_of_members,
    key_of_identity,
    role_of,
    roles_of,
)
from inspector.comparing.design import became_experts, class_changed
from inspector.comparing.misshapen import counts_missing, is_dim_of, misshapen
from inspector.comparing.pieces import Piece, Side
from inspector.comparing.renamed import renamed
from inspector.comparing.tally import Carried, Tally
from inspector.findings.conversion.parameters import (
    LayersDropped,
    LayersInvented,
    LayersRenumbered,
    ParametersDropped,
    ParametersInvented,
    TieUnknown,
)
from inspector.findings.finding import Place
from inspector.notation.roles import label
from inspector.reconciler.compress import RENUMBERED, SUBTREE, Explanation, Least, OneSided, compress
from inspector.reconciler.wording import boxes_in_words, family_name


def causes(source: Side, target: Side, found: Tally) -> Iterator[Case]:
    """The cases for everything that was not carried over. Each parameter is in one case."""
    namer = Namer(source, target, found)
    gone = [OpenTensors(one.piece, one.boxes) for one in found.dropped]
    new = [OpenTensors(one.piece, one.boxes) for one in found.invented]
    unknown = [[OpenTensors(piece, piece.boxes) for piece in side.unexpected] for side in (source, target)]
    kept: dict[str, list[Box]] = {}
    for one in found.carried:
        kept.setdefault(key_of_identity(one.identity), []).extend(one.boxes)
    yield from class_changed(gone, new, source, target, namer)
    yield from became_experts(gone, new, namer)
    gone, new = [one for one in gone if one.boxes], [one for one in new if one.boxes]
    before, after = (gone + unknown[0]), (new + unknown[1])
    least = Least(families=2, modules=2, unknown=2)
    listed = compress(_differences(before, len(gone)), _differences(after, len(new)), kept, kept, least, renames=False)
    for cause in listed:
        if cause.kind in (SUBTREE, RENUMBERED):
            yield from _wholes(cause, before, after, (len(gone), len(new)), namer)
    stacks = {one.piece.identity.axes[-1] for one in (*found.dropped, *found.invented) if one.piece.identity.axes}
    yield from misshapen(found, stacks, namer)
    yield from renamed(gone, [*new, *unknown[1]], namer)
    yield from renamed(unknown[0], new, namer)
    yield from _rest(DROPPED, gone, namer)
    yield from _rest(INVENTED, new, namer)


def _differences(listed: Sequence[OpenTensors], own: int) -> list[OneSided]:
    """The tensors of only one side. own: how many of them are parameters; the others have no definition."""
    return [
        OneSided(
            key_of_identity(one.piece.identity),
            one.boxes,
            one.piece.shape,
            explained=at >= own,
            alone=not one.piece.identity.role,
        )
        for at, one in enumerate(listed)
    ]


def _wholes(
    cause: Explanation, before: Sequence[OpenTensors], after: Sequence[OpenTensors], own: tuple[int, int], namer: Namer
) -> Iterator[Case]:
    """Whole layers, experts or submodels that only one side has, or that have other indices."""
    depth = axes_of(cause.where)
    lost, added = (
        [_taken(listed[part.position], part.boxes) for part in parts]
        for listed, parts in ((before, cause.missing), (after, cause.extra))
    )
    if lost and added:
        counted = cause.missing[0].position < own[0] and cause.extra[0].position < own[1]
        yield _renumbered(lost, added, depth, counted, namer)
    elif lost or added:
        yield _whole(DROPPED if lost else INVENTED, lost or added, depth, namer)


def _taken(one: OpenTensors, boxes: tuple[Box, ...]) -> OpenTensors:
    """A part of some tensors, removed from them."""
    one.boxes = minus(one.boxes, boxes)
    return OpenTensors(one.piece, boxes)


def _words(opened: Sequence[OpenTensors], depth: int, stack: bool = False) -> str:
    """Layers and experts of tensors in words. stack: the other side stores them stacked, which shows
    only their number.
    """
    boxes = outer((box for one in opened for box in one.boxes), depth)
    nouns = opened[0].piece.nouns[:depth]
    identity = opened[0].piece.identity
    within = "/".join(filter(None, (identity.component, ".".join(identity.scope) or identity.tower)))
    if depth == 0:
        return within
    if within and not nouns[0].startswith(within):  # "single_block" already contains the noun
        nouns = (f"{within} {nouns[0]}", *nouns[1:])
    if stack and depth == len(identity.axes):
        number = max(box[-1].size for box in boxes)
        many = f"{number:,} {nouns[-1]}{'' if number == 1 else 's'}"
        inner = boxes_in_words(nouns[:-1], joined(box[:-1] for box in boxes))
        return f"{many} of {inner}" if inner else many
    return boxes_in_words(nouns, boxes)


def _whole(kind: str, taken: Sequence[OpenTensors], depth: int, namer: Namer) -> Case:
    stack = any(piece.stacked for piece in namer.siblings(kind, taken[0].piece.identity))
    what = _words(taken, depth, stack)
    rows = _rows_of(kind, taken[0].piece.identity.axes[depth - 1 : depth], namer.found)
    whole = LayersDropped if kind == DROPPED else LayersInvented
    finding = whole(
        place=Place(indices=what),
        what=what,
        tensors=sum(count(one.boxes) for one in taken),
        roles=tuple(dict.fromkeys((*roles_of(taken), *(role_of(one.source) for one in rows)))),
        parameters=sum(one.parameters for one in taken) + sum(getattr(one, kind) for one in rows),
        names=tuple(namer.names(kind).of(taken[0].piece, taken[0].boxes)),
        stays=_stays(taken[0].piece, depth, namer),
        stack=stack,
    )
    case = case_of(kind, finding, taken, namer)
    return _with_rows(case, taken[0].piece.identity.axes[depth - 1 : depth], namer.found)


def _with_rows(case: Case, axis: tuple[str, ...], found: Tally) -> Case:
    """The case with the families that have one row for each index of an axis, since audits report these too."""
    rows = [
        one for one in found.carried if any(is_dim_of(one.source, at, set(axis)) for at in range(len(one.source.dims)))
    ]
    source, target = families_of_members(rows)
    return replace(case, source=case.source | source, target=case.target | target)


def _rows_of(kind: str, axis: tuple[str, ...], found: Tally) -> list[Carried]:
    """Tensors with one row per index of an axis that lost rows as well, such as a router."""
    return [one for one in found.carried if getattr(one, kind) and axis and counts_missing(one, set(axis))]


def _stays(piece: Piece, depth: int, namer: Namer) -> str:
    """The indices of the same kind that both sides have, in words."""
    if depth != 1:
        return ""
    prefix = key_of_identity(piece.identity).partition("#")[0]
    boxes = [
        box
        for one in namer.found.carried
        if key_of_identity(one.identity).startswith(f"{prefix}#")
        for box in one.boxes
    ]
    return boxes_in_words(piece.nouns[:1], outer(boxes, 1))


def _renumbered(
    lost: Sequence[OpenTensors], moved: Sequence[OpenTensors], depth: int, counted: bool, namer: Namer
) -> Case:
    source = _words(lost, depth)
    finding = LayersRenumbered(
        place=Place(indices=source),
        source=source,
        target=_words(moved, depth),
        tensors=sum(count(one.boxes) for one in lost),
        parameters=sum(one.parameters for one in lost),
        counted=counted,
        names=(
            namer.before.of(lost[0].piece, lost[0].boxes, 1)[0],
            namer.after.of(moved[0].piece, moved[0].boxes, 1)[0],
        ),
    )
    case = case_of(DROPPED, finding, lost, namer)
    case = replace(case, target=case.target | {one.piece.line.family for one in moved})
    return _with_rows(case, lost[0].piece.identity.axes[depth - 1 : depth], namer.found)


def _rest(kind: str, listed: Sequence[OpenTensors], namer: Namer) -> Iterator[Case]:
    """The remaining tensors, grouped by indices: query, key and value of layer 3 are one cause, as is a whole head."""
    head = _whole_head(kind, listed, namer)
    groups: dict[object, list[OpenTensors]] = {}
    for one in listed:
        if not one.boxes:
            continue
        alone = head if one.piece in head else one.piece.row or one.piece.line.family
        key = (one.boxes, one.piece.identity.axes) if one.piece.identity.axes else alone
        groups.setdefault(key, []).append(one)
    for members in groups.values():
        first = members[0]
        where = boxes_in_words(first.piece.nouns, first.boxes)
        siblings = namer.siblings(kind, first.piece.identity)
        open_question = all(namer.is_unsettled(kind, one.piece) for one in members)
        expected = tuple(dict.fromkeys(name for one in members for name in namer.expected(kind, one)))[:12]
        one_sided = TieUnknown if open_question else ParametersDropped if kind == DROPPED else ParametersInvented
        finding = one_sided(
            place=Place(family=family_name(first.piece.line.family), indices=where or None),
            roles=tuple(roles_of(members)),
            where=where,
            whole=not siblings,
            tensors=sum(count(one.boxes) for one in members),
            parameters=sum(one.parameters for one in members),
            side="source" if kind == DROPPED else "target",
            shape=first.piece.shape,
            tied="" if namer.is_untied(kind) else _tied(first.piece),
            names=tuple(name for one in members for name in namer.names(kind).of(one.piece, one.boxes, 3))[:12],
            expected=expected,
            families=tuple(family_name(one.piece.line.family) for one in members[:12]),
            copy_stored=all(namer.is_copied(kind, one.piece.identity) for one in members),
            held=bool(expected) and all(namer.is_stored(kind, name) for name in expected),
            confidence="likely" if open_question else "certain",
        )
        yield case_of(kind, finding, members, namer)


def _whole_head(kind: str, listed: Sequence[OpenTensors], namer: Namer) -> tuple[Piece, ...]:
    """The tensors of a head that the other side lacks, without those that may be copies. Empty if it has some."""
    own = (namer.source if kind == DROPPED else namer.target).parameters
    head = [one for one in own if one.line.block is not None and not one.line.block.slot.body]
    head = [one for one in head if not (one.identity.axes or namer.is_unsettled(kind, one))]
    lost = [one.piece for one in listed if one.boxes == one.piece.boxes]
    return tuple(head) if all(any(piece is other for other in lost) for piece in head) else ()


def _tied(piece: Piece) -> str:
    """The tensor that this tensor may be a copy of, in words: the other side has that tensor instead."""
    block = piece.line.block
    return label(block.slot.tied.partition(":")[2]) if block is not None and block.slot.tied.startswith("role:") else ""
