"""Tensors on both sides that are only partly carried over: vocabulary rows, fused matrices, widths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.algebra.boxes import joined
from inspector.algebra.expression import Word
from inspector.algebra.values import whole
from inspector.comparing.cases import Case, Namer, families_of_members, role_of
from inspector.comparing.pieces import LAYER_EMBEDDING, VOCABULARY, Piece, Side, is_vocabulary
from inspector.comparing.tally import Carried, Tally
from inspector.dialects.catalog import all_dialects
from inspector.dialects.gguf import WRITER
from inspector.findings.config import ConfigDisagrees
from inspector.findings.conversion.shapes import PaddingDiffers, PaddingUnstated, RowsCut, RowsPadded, ShapeNotCarried
from inspector.findings.finding import Finding, Place
from inspector.findings.single_causes import OneRankOfSeveral
from inspector.notation.slots import scope_of
from inspector.reconciler.wording import boxes_in_words, family_name

PADDED_TO = 8
"""Smallest multiple to which writers pad the rows of a vocabulary."""


def misshapen(found: Tally, stacks: set[str], namer: Namer) -> Iterator[Case]:
    """The cases for tensors that are only partly carried over: vocabulary rows, fused matrices, widths."""
    vocabulary: dict[tuple[int, int], list[Carried]] = {}
    others: dict[object, list[Carried]] = {}
    for one in found.carried:
        if not (one.dropped or one.invented):
            continue
        axis = one.fit.axis
        if axis is not None and (is_vocabulary(one.source, axis) or is_vocabulary(one.target, axis)):
            vocabulary.setdefault((one.source.shape[axis], one.target.shape[axis]), []).append(one)
        elif not counts_missing(one, stacks):
            others.setdefault((one.boxes, one.identity.axes or one.identity), []).append(one)
    for (rows, other), members in vocabulary.items():
        yield _vocabulary(rows, other, members, namer)
    for members in others.values():
        yield _shape(members, namer)


def counts_missing(one: Carried, stacks: set[str]) -> bool:
    """True if the axis counts experts or layers that are reported as missing, such as the rows of a router."""
    return one.fit.axis is not None and is_dim_of(one.source, one.fit.axis, stacks)


def is_dim_of(piece: Piece, axis: int, symbols: set[str]) -> bool:
    """True if a dim is one of these symbols."""
    node = piece.dims[axis] if axis < len(piece.dims) else None
    return isinstance(node, Word) and node.path[-1] in symbols


def _stated(piece: Piece, side: Side) -> int | None:
    """The vocabulary size in the config of a side; None without a config."""
    case, block = side.audited.case, piece.line.block
    if case is None or case.solved or block is None or side.audited.checkpoint.config is None:
        return None
    return whole(scope_of(case.plan.scope, block.slot).word((VOCABULARY,)))


def _writer(side: Side) -> str:
    """The framework that wrote a side, if it pads vocabularies; else "".

    llama.cpp pads only the rows of Gemma's per-layer embeddings, to the size of the vocabulary.
    """
    case = side.audited.case
    if case is None or not case.reading.writer:
        return ""
    pads = {WRITER, *(dialect.writer for dialect in all_dialects() if dialect.pads_vocabulary)}
    return case.reading.writer if case.reading.writer in pads else ""


def _is_padding(rows: int, other: int, one: Carried, namer: Namer) -> bool:
    """True if the extra rows of one side are padding: its writer pads, and a config states a smaller vocabulary.

    If the padded side has no config, the config of the other side must state the number of rows of that side.
    """
    padded, plain, more, fewer = namer.target, namer.source, other, rows
    long, short = one.target, one.source
    if other < rows:
        padded, plain, more, fewer, long, short = plain, padded, fewer, more, short, long
    if one.identity.role == LAYER_EMBEDDING:
        return _writer(padded) == WRITER and more == _stated(long, padded)
    if _writer(padded) in ("", WRITER) or more % PADDED_TO:
        return False
    stated = _stated(long, padded)
    return fewer == (stated if stated is not None else _stated(short, plain))


def _vocabulary(rows: int, other: int, members: Sequence[Carried], namer: Namer) -> Case:
    roles = tuple(dict.fromkeys(role_of(one.source) for one in members))
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
        wrong = _disagreeing(namer.target, other)
        if isinstance(finding, RowsPadded) and wrong is not None:
            finding = PaddingUnstated(**finding.stated_fields(), key=wrong.headline(), file=wrong.file)
    return Case(finding, *families_of_members(members))


def _disagreeing(side: Side, rows: int) -> ConfigDisagrees | None:
    """The finding of a side's audit that corrects the vocabulary key in a JSON file to a number of rows."""
    found = (one for one in side.audited.findings if isinstance(one, ConfigDisagrees))
    return next((one for one in found if one.solved == rows and one.file.endswith(".json")), None)


def _together(one: Carried, found: Tally) -> list[Carried]:
    """All parts of the fused matrix that contains a tensor, if it is unknown which part is short."""
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
        return f"{role_of(one.source)} {list(one.source.shape)} → {list(one.target.shape)}"
    before, after = (
        sum(piece.shape[0] for piece in side) for side in ([p.source for p in parts], [p.target for p in parts])
    )
    return f"{' and '.join(role_of(part.source) for part in parts)} together {before:,} rows → {after:,}"


def _shape(members: Sequence[Carried], namer: Namer) -> Case:
    changes = dict.fromkeys(_change(one, namer.found) for one in members)
    roles = dict.fromkeys(role_of(part.source) for one in members for part in _together(one, namer.found))
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
            rank_of=_rank_of(namer, families_of_members(members)),
        ),
        *families_of_members(members),
    )


def _rank_of(namer: Namer, families: tuple[frozenset[str], frozenset[str]]) -> tuple[str, int] | None:
    """The side that contains only one rank of these families by its own audit, and the number of ranks; None if
    neither.
    """
    for name, side, own in (("source", namer.source, families[0]), ("target", namer.target, families[1])):
        for one in side.audited.findings:
            if isinstance(one, OneRankOfSeveral) and {family_name(key) for key in own} <= set(one.families):
                return name, one.ranks
    return None
