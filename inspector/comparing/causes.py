"""Groups dropped, added and misshapen tensors into causes: submodels, layers, experts, the vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box, count, joined, minus, outer
from inspector.algebra.expression import Word
from inspector.algebra.names import axes_of
from inspector.algebra.values import whole
from inspector.comparing.names import FileNames
from inspector.comparing.pieces import VOCABULARY, Identity, Piece, Side, is_vocabulary
from inspector.comparing.tally import Carried, Tally
from inspector.comparing.ties import is_unsettled
from inspector.dialects.catalog import all_dialects
from inspector.findings.conversion.parameters import (
    LayersDropped,
    LayersInvented,
    LayersRenumbered,
    NamesChanged,
    ParametersDropped,
    ParametersInvented,
    TieUnknown,
)
from inspector.findings.conversion.shapes import PaddingDiffers, RowsCut, RowsPadded, ShapeNotCarried
from inspector.findings.finding import Finding, Place
from inspector.notation.roles import label
from inspector.notation.slots import scope_of
from inspector.reconciler.compress import RENUMBERED, SUBTREE, Explanation, Least, OneSided, compress
from inspector.reconciler.wording import boxes_in_words, family_name

PADDED_TO = 8
"""Rows of which writers make whole multiples, at the least."""
DROPPED, INVENTED = "dropped", "invented"


class Case(Struct, frozen=True):
    """A finding, and what it accounts for: families of the source and of the target, for what the audits say too."""

    finding: Finding
    source: frozenset[str]
    target: frozenset[str]


def causes(source: Side, target: Side, found: Tally) -> Iterator[Case]:
    """Everything that was not carried, each parameter in one case."""
    namer = _Namer(source, target, found)
    gone = [_Open(one.piece, one.boxes) for one in found.dropped]
    new = [_Open(one.piece, one.boxes) for one in found.invented]
    unknown = [[_Open(piece, piece.boxes) for piece in side.unexpected] for side in (source, target)]
    kept: dict[str, list[Box]] = {}
    for one in found.carried:
        kept.setdefault(_key(one.identity), []).extend(one.boxes)
    before, after = (gone + unknown[0]), (new + unknown[1])
    least = Least(families=2, modules=2, unknown=2)
    listed = compress(_differences(before, len(gone)), _differences(after, len(new)), kept, kept, least, renames=False)
    for cause in listed:
        if cause.kind in (SUBTREE, RENUMBERED):
            yield from _wholes(cause, before, after, (len(gone), len(new)), namer)
    stacks = {one.piece.identity.axes[-1] for one in (*found.dropped, *found.invented) if one.piece.identity.axes}
    yield from _misshapen(found, stacks, namer)
    yield from _renamed(gone, [*new, *unknown[1]], namer)
    yield from _renamed(unknown[0], new, namer)
    yield from _rest(DROPPED, gone, namer)
    yield from _rest(INVENTED, new, namer)


def _key(identity: Identity) -> str:
    """Where a role is in a model, as a key with a `#` for each index."""
    within = (identity.component, *identity.scope, identity.tower)
    leaf = f"{identity.role}/{identity.tensor}/{identity.place}".replace(".", "/")
    return ".".join([*filter(None, within), *(f"{axis}.#" for axis in identity.axes), leaf])


def _differences(listed: Sequence[_Open], own: int) -> list[OneSided]:
    """What is on one side alone. own: how many of them are parameters; the others no definition explains."""
    return [
        OneSided(
            _key(one.piece.identity),
            one.boxes,
            one.piece.shape,
            explained=at >= own,
            alone=not one.piece.identity.role,
        )
        for at, one in enumerate(listed)
    ]


class _Open(Struct):
    """Tensors of one side alone, while causes take them away."""

    piece: Piece
    boxes: tuple[Box, ...]

    @property
    def parameters(self) -> int:
        return count(self.boxes) * self.piece.elements


class _Namer:
    """The words of places: roles, indices, names in the files, families on either side."""

    __slots__ = ("after", "before", "found", "keys", "source", "target")

    def __init__(self, source: Side, target: Side, found: Tally) -> None:
        self.source, self.target, self.found = source, target, found
        self.before, self.after = FileNames(source.audited), FileNames(target.audited)
        self.keys = [{key for listed in side.expected.values() for key in listed} for side in (source, target)]

    def names(self, kind: str) -> FileNames:
        return self.before if kind == DROPPED else self.after

    def is_unsettled(self, kind: str, piece: Piece) -> bool:
        """Whether nothing says if a tensor of one side alone is a copy of what both have."""
        own, other = (self.source, self.target) if kind == DROPPED else (self.target, self.source)
        return is_unsettled(own, other, piece)

    def siblings(self, kind: str, identity: Identity) -> list[Piece]:
        """Pieces of this identity on the side that lacks the tensors."""
        both = [one for one in self.found.carried if one.identity == identity]
        return [one.target if kind == DROPPED else one.source for one in both]

    def expected(self, kind: str, open_: _Open) -> list[str]:
        """The names that the missing tensors would have on the side that lacks them, where that can be reported."""
        names = self.after if kind == DROPPED else self.before
        siblings = self.siblings(kind, open_.piece.identity)
        if siblings:
            return names.of(siblings[0], open_.boxes)
        return [names.spelled(family_name(key)) for key in self.families(kind, open_)[:3]]

    def families(self, kind: str, open_: _Open) -> list[str]:
        """The families on the side that lacks the tensors in which they would be stored."""
        side = self.target if kind == DROPPED else self.source
        siblings = [piece.line.family for piece in self.siblings(kind, open_.piece.identity)]
        own = replace(open_.piece.identity, place="") if open_.piece.row else open_.piece.identity
        found = [*siblings, *side.expected.get(own, ())]
        family = open_.piece.line.family
        if family in self.keys[side is self.target]:
            found.append(family)
        return list(dict.fromkeys(found))


def _case(kind: str, finding: Finding, opened: Sequence[_Open], namer: _Namer) -> Case:
    own = frozenset(one.piece.line.family for one in opened)
    other = frozenset(family for one in opened for family in namer.families(kind, one))
    source, target = (own, other) if kind == DROPPED else (other, own)
    return Case(finding, source, target)


def _wholes(
    cause: Explanation, before: Sequence[_Open], after: Sequence[_Open], own: tuple[int, int], namer: _Namer
) -> Iterator[Case]:
    """Whole layers, experts or parts of a model that one side alone has, or has at other indices."""
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


def _taken(one: _Open, boxes: tuple[Box, ...]) -> _Open:
    """A part of some tensors, taken out of them."""
    one.boxes = minus(one.boxes, boxes)
    return _Open(one.piece, boxes)


def _words(opened: Sequence[_Open], depth: int, stack: bool = False) -> str:
    """Layers and experts of tensors. stack: the other side has a stacked tensor, which shows how many but not which."""
    boxes = outer((box for one in opened for box in one.boxes), depth)
    nouns = opened[0].piece.nouns[:depth]
    identity = opened[0].piece.identity
    within = "/".join(filter(None, (identity.component, ".".join(identity.scope) or identity.tower)))
    if depth == 0:
        return within
    if within and not nouns[0].startswith(within):  # "single_block" says it already
        nouns = (f"{within} {nouns[0]}", *nouns[1:])
    if stack and depth == len(identity.axes):
        number = max(box[-1].size for box in boxes)
        many = f"{number:,} {nouns[-1]}{'' if number == 1 else 's'}"
        inner = boxes_in_words(nouns[:-1], joined(box[:-1] for box in boxes))
        return f"{many} of {inner}" if inner else many
    return boxes_in_words(nouns, boxes)


def _whole(kind: str, taken: Sequence[_Open], depth: int, namer: _Namer) -> Case:
    stack = any(piece.stacked for piece in namer.siblings(kind, taken[0].piece.identity))
    what = _words(taken, depth, stack)
    rows = _rows_of(kind, taken[0].piece.identity.axes[depth - 1 : depth], namer.found)
    whole = LayersDropped if kind == DROPPED else LayersInvented
    finding = whole(
        place=Place(indices=what),
        what=what,
        tensors=sum(count(one.boxes) for one in taken),
        roles=tuple(dict.fromkeys((*_roles(taken), *(_role(one.source) for one in rows)))),
        parameters=sum(one.parameters for one in taken) + sum(getattr(one, kind) for one in rows),
        names=tuple(namer.names(kind).of(taken[0].piece, taken[0].boxes)),
        stays=_stays(taken[0].piece, depth, namer),
        stack=stack,
    )
    case = _case(kind, finding, taken, namer)
    return _with_rows(case, taken[0].piece.identity.axes[depth - 1 : depth], namer.found)


def _with_rows(case: Case, axis: tuple[str, ...], found: Tally) -> Case:
    """The case with the families that have a row for each index of an axis: audits judge them by it."""
    rows = [
        one for one in found.carried if any(_names(one.source, at, set(axis)) for at in range(len(one.source.dims)))
    ]
    source, target = _members(rows)
    return replace(case, source=case.source | source, target=case.target | target)


def _rows_of(kind: str, axis: tuple[str, ...], found: Tally) -> list[Carried]:
    """Tensors with one row per index of an axis that lost rows too, such as a router."""
    return [one for one in found.carried if getattr(one, kind) and axis and _counts(one, set(axis))]


def _stays(piece: Piece, depth: int, namer: _Namer) -> str:
    """Which indices of the kind both sides have, in words."""
    if depth != 1:
        return ""
    prefix = _key(piece.identity).partition("#")[0]
    boxes = [box for one in namer.found.carried if _key(one.identity).startswith(f"{prefix}#") for box in one.boxes]
    return boxes_in_words(piece.nouns[:1], outer(boxes, 1))


def _renumbered(lost: Sequence[_Open], moved: Sequence[_Open], depth: int, counted: bool, namer: _Namer) -> Case:
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
    case = _case(DROPPED, finding, lost, namer)
    case = replace(case, target=case.target | {one.piece.line.family for one in moved})
    return _with_rows(case, lost[0].piece.identity.axes[depth - 1 : depth], namer.found)


def _roles(opened: Iterable[_Open]) -> list[str]:
    return list(dict.fromkeys(_role(one.piece) for one in opened))


def _role(piece: Piece) -> str:
    """A piece's role in words: 'attention query bias'."""
    role = label(piece.identity.role) if piece.identity.role else family_name(piece.line.family)
    tensor = piece.identity.tensor
    return role if tensor == "weight" or role.endswith(tensor) or not piece.identity.role else f"{role} {tensor}"


ALIKE = 0.8
"""Names less alike than this are not taken for a renaming."""


def _is_known(piece: Piece) -> bool:
    """Whether the definition of its side has a place for it."""
    return bool(piece.identity.role) and piece.line.block is not None


def _renamed(gone: Sequence[_Open], new: Sequence[_Open], namer: _Namer) -> Iterator[Case]:
    """What is lost under a name and added under one that no definition reads, in the same shape: a renaming."""
    pairs = [
        (one, other)
        for one in gone
        for other in new
        if one.boxes
        and count(one.boxes) == count(other.boxes)
        and one.piece.shape == other.piece.shape
        and not (_is_known(one.piece) and _is_known(other.piece))
    ]
    if not pairs:
        return
    from difflib import SequenceMatcher

    for one, other in pairs:
        family, stored = one.piece.line.family, other.piece.line.family
        if not one.boxes or not other.boxes or SequenceMatcher(None, family, stored).ratio() < ALIKE:
            continue
        finding = NamesChanged(
            place=Place(family=family_name(stored), indices=boxes_in_words(one.piece.nouns, one.boxes) or None),
            source=namer.before.of(one.piece, one.boxes, 1)[0],
            target=namer.after.of(other.piece, other.boxes, 1)[0],
            tensors=count(one.boxes),
            parameters=one.parameters,
        )
        case = _case(DROPPED, finding, [one], namer)
        other_case = _case(INVENTED, finding, [other], namer)
        yield replace(case, source=case.source | other_case.source, target=case.target | other_case.target)
        one.boxes = other.boxes = ()


def _rest(kind: str, listed: Sequence[_Open], namer: _Namer) -> Iterator[Case]:
    """What is left, the same indices together: query, key and value of layer 3 are one cause."""
    groups: dict[object, list[_Open]] = {}
    for one in listed:
        if not one.boxes:
            continue
        alone = one.piece.row or one.piece.line.family
        key = (one.boxes, one.piece.identity.axes) if one.piece.identity.axes else alone
        groups.setdefault(key, []).append(one)
    for members in groups.values():
        first = members[0]
        where = boxes_in_words(first.piece.nouns, first.boxes)
        siblings = namer.siblings(kind, first.piece.identity)
        open_question = all(namer.is_unsettled(kind, one.piece) for one in members)
        one_sided = TieUnknown if open_question else ParametersDropped if kind == DROPPED else ParametersInvented
        finding = one_sided(
            place=Place(family=family_name(first.piece.line.family), indices=where or None),
            roles=tuple(_roles(members)),
            where=where,
            whole=not siblings,
            tensors=sum(count(one.boxes) for one in members),
            parameters=sum(one.parameters for one in members),
            side="source" if kind == DROPPED else "target",
            shape=first.piece.shape,
            tied=_tied(first.piece),
            names=tuple(name for one in members for name in namer.names(kind).of(one.piece, one.boxes, 3))[:12],
            expected=tuple(dict.fromkeys(name for one in members for name in namer.expected(kind, one)))[:12],
            families=tuple(family_name(one.piece.line.family) for one in members[:12]),
            confidence="likely" if open_question else "certain",
        )
        yield _case(kind, finding, members, namer)


def _tied(piece: Piece) -> str:
    """What a tensor may be a copy of, in words: the other side has that in its place."""
    block = piece.line.block
    return label(block.slot.tied.partition(":")[2]) if block is not None and block.slot.tied.startswith("role:") else ""


def _misshapen(found: Tally, stacks: set[str], namer: _Namer) -> Iterator[Case]:
    """Tensors on both sides of which a part has no place: a vocabulary, a fused matrix, a width."""
    vocabulary: dict[tuple[int, int], list[Carried]] = {}
    others: dict[object, list[Carried]] = {}
    for one in found.carried:
        if not (one.dropped or one.invented):
            continue
        axis = one.fit.axis
        if axis is not None and (is_vocabulary(one.source, axis) or is_vocabulary(one.target, axis)):
            vocabulary.setdefault((one.source.shape[axis], one.target.shape[axis]), []).append(one)
        elif not _counts(one, stacks):
            others.setdefault((one.boxes, one.identity.axes or one.identity), []).append(one)
    for (rows, other), members in vocabulary.items():
        yield _vocabulary(rows, other, members, namer)
    for members in others.values():
        yield _shape(members, namer)


def _counts(one: Carried, stacks: set[str]) -> bool:
    """Whether the axis counts experts or layers that are reported as missing, such as a router's rows."""
    return one.fit.axis is not None and _names(one.source, one.fit.axis, stacks)


def _names(piece: Piece, axis: int, symbols: set[str]) -> bool:
    """Whether a dim is one of these symbols."""
    node = piece.dims[axis] if axis < len(piece.dims) else None
    return isinstance(node, Word) and node.path[-1] in symbols


def _members(members: Sequence[Carried]) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(one.source.line.family for one in members), frozenset(one.target.line.family for one in members)


def _stated(piece: Piece, side: Side) -> int | None:
    """The vocabulary that a side's config states; None without one."""
    case, block = side.audited.case, piece.line.block
    if case is None or case.solved or block is None or side.audited.checkpoint.config is None:
        return None
    return whole(scope_of(case.plan.scope, block.slot).word((VOCABULARY,)))


def _writer(side: Side) -> str:
    """The framework that wrote a side, if it rounds vocabularies up; "" for any other."""
    case = side.audited.case
    if case is None or not case.reading.writer:
        return ""
    pads = {dialect.writer for dialect in all_dialects() if dialect.pads_vocabulary}
    return case.reading.writer if case.reading.writer in pads else ""


def _is_padding(rows: int, other: int, one: Carried, namer: _Namer) -> bool:
    """Whether the rows of one side alone are beyond its vocabulary: its writer pads, and a config says so.

    Where the padded side has no config the other's must state its own rows.
    """
    padded, plain, more, fewer = namer.target, namer.source, other, rows
    long, short = one.target, one.source
    if other < rows:
        padded, plain, more, fewer, long, short = plain, padded, fewer, more, short, long
    if not _writer(padded) or more % PADDED_TO:
        return False
    stated = _stated(long, padded)
    return fewer == (stated if stated is not None else _stated(short, plain))


def _vocabulary(rows: int, other: int, members: Sequence[Carried], namer: _Namer) -> Case:
    roles = tuple(dict.fromkeys(_role(one.source) for one in members))
    stated = _stated(members[0].target, namer.target)
    dropped, invented = sum(one.dropped for one in members), sum(one.invented for one in members)
    finding: Finding
    if _is_padding(rows, other, members[0], namer):
        writer = _writer(namer.target if other > rows else namer.source)
        finding = PaddingDiffers(
            roles=roles, source=rows, target=other, stated=stated, dropped=dropped, invented=invented, writer=writer
        )
    else:
        kind = RowsCut if other < rows else RowsPadded
        finding = kind(roles=roles, source=rows, target=other, stated=stated, dropped=dropped, invented=invented)
    return Case(finding, *_members(members))


def _together(one: Carried, found: Tally) -> list[Carried]:
    """The parts of the fused matrix that a tensor is in, where it is not known which of them is short."""
    side = "target" if one.target.part is not None else "source"
    fused: Piece = getattr(one, side)
    if fused.part is None:
        return [one]
    parts = [
        other
        for other in found.carried
        if (piece := getattr(other, side)).line is fused.line and piece.part is not None and other.boxes == one.boxes
    ]
    return parts if sum(part.source.shape[0] - part.target.shape[0] for part in parts) else [one]


def _change(one: Carried, found: Tally) -> str:
    parts = _together(one, found)
    if len(parts) == 1:
        return f"{_role(one.source)} {list(one.source.shape)} → {list(one.target.shape)}"
    before, after = (
        sum(piece.shape[0] for piece in side) for side in ([p.source for p in parts], [p.target for p in parts])
    )
    return f"{' and '.join(_role(part.source) for part in parts)} together {before:,} rows → {after:,}"


def _shape(members: Sequence[Carried], namer: _Namer) -> Case:
    changes = dict.fromkeys(_change(one, namer.found) for one in members)
    roles = dict.fromkeys(_role(part.source) for one in members for part in _together(one, namer.found))
    first = members[0]
    boxes = tuple(box for one in members if one.identity == first.identity for box in one.boxes)
    where = boxes_in_words(first.source.nouns, joined(boxes))
    place = Place(family=family_name(first.target.line.family), indices=where or None)
    return Case(
        ShapeNotCarried(
            place=place,
            changes=tuple(changes),
            roles=tuple(roles),
            where=where,
            tensors=sum(one.tensors for one in members),
            dropped=sum(one.dropped for one in members),
            invented=sum(one.invented for one in members),
            carries=any(one.fit.carried for one in members),
            names=(namer.before.of(first.source, first.boxes, 1)[0], namer.after.of(first.target, first.boxes, 1)[0]),
        ),
        *_members(members),
    )
