"""Renamings: tensors that the target has in the same shape under a name that no definition knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from inspector.algebra.boxes import count
from inspector.comparing.cases import DROPPED, INVENTED, Case, Namer, OpenTensors, case_of
from inspector.comparing.pieces import Piece
from inspector.comparing.symbols import row_of
from inspector.findings.conversion.parameters import NamesChanged
from inspector.findings.finding import Place
from inspector.reconciler.wording import boxes_in_words, family_name

ALIKE = 0.8
"""Least similarity of the two names of a renaming."""

Pair = tuple[OpenTensors, OpenTensors]
Change = tuple[str, str, bool]


def _is_known(piece: Piece) -> bool:
    """True if the definition of its side knows the tensor."""
    return bool(piece.identity.role) and piece.line.block is not None


def renamed(gone: Sequence[OpenTensors], new: Sequence[OpenTensors], namer: Namer) -> Iterator[Case]:
    """One case for each change of names: tensors that are dropped, and added with the same shape under
    a similar name.
    """
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
    from inspector.reconciler.renaming import change_between

    changes: dict[Change, list[Pair]] = {}
    for one, other in _most_alike(pairs):
        change = change_between(family_name(one.piece.line.family), family_name(other.piece.line.family))
        changes.setdefault(change, []).append((one, other))
    for change, members in changes.items():
        yield _case(change, members, namer)
        for pair in members:
            for each in pair:
                each.boxes = ()


def _most_alike(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Pairs of names that are more similar than either name is to any other remaining name; ambiguous pairs are left
    out.
    """
    from inspector.reconciler.renaming import attention_part, likeness

    rated: list[tuple[float, Pair]] = []
    for one, other in pairs:
        names = one.piece.line.family, other.piece.line.family
        parts = [attention_part(name) for name in names]
        alike = 0.0 if None not in parts and parts[0] != parts[1] else likeness(*names)
        if alike >= ALIKE:
            rated.append((alike, (one, other)))
    rated.sort(key=lambda entry: -entry[0])
    while rated:
        most = [pair for alike, pair in rated if alike == rated[0][0]]
        uses = Counter(id(each) for pair in most for each in pair)
        yield from (pair for pair in most if uses[id(pair[0])] == 1 == uses[id(pair[1])])
        rated = [(alike, pair) for alike, pair in rated if not any(id(each) in uses for each in pair)]


def _case(change: Change, members: Sequence[Pair], namer: Namer) -> Case:
    first, other = members[0]
    rows: Counter[str] = Counter()
    for one, _ in members:
        rows[row_of(one.piece.identity.role or one.piece.line.role)] += one.parameters
    finding = NamesChanged(
        place=Place(
            family=family_name(other.piece.line.family) if len(members) == 1 else None,
            indices=boxes_in_words(first.piece.nouns, first.boxes) or None,
        ),
        source=namer.before.of(first.piece, first.boxes, 1)[0],
        target=namer.after.of(other.piece, other.boxes, 1)[0],
        tensors=sum(count(one.boxes) for one, _ in members),
        parameters=sum(one.parameters for one, _ in members),
        families=tuple(family_name(new.piece.line.family) for _, new in members),
        old=change[0],
        new=change[1],
        roles=dict(rows),
    )
    old, new = ([pair[side] for pair in members] for side in (0, 1))
    case, added = case_of(DROPPED, finding, old, namer), case_of(INVENTED, finding, new, namer)
    return Case(finding, case.source | added.source, case.target | added.target)
