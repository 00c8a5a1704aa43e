"""The parameters of two checkpoints role by role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from inspector.auditing.result import Audit
from inspector.comparing.pieces import Piece, Side
from inspector.comparing.result import RoleDifference
from inspector.comparing.symbols import reasons, row_of
from inspector.comparing.tally import OneSidedTensors, Tally
from inspector.notation.roles import GROUPS, group
from inspector.reconciler import ledger


def role_differences(one: Audit, other: Audit) -> Iterator[RoleDifference]:
    """The table of two different models: parameters by role, and the symbols that differ."""
    left, right = _by_role(one.lines), _by_role(other.lines)
    because = reasons(one.case, other.case)
    for name in _ordered((line.role for line in (*one.lines, *other.lines)), {*left, *right}):
        source, target = left.get(name, 0), right.get(name, 0)
        yield RoleDifference(name, source, target, "" if source == target else ", ".join(because.get(name, ())))


def _by_role(lines: Iterable[ledger.Line]) -> Mapping[str, int]:
    totals: dict[str, int] = {}
    for line in lines:
        if line.kind in (ledger.PARAMETER, ledger.UNCHECKED):
            totals[row_of(line.role)] = totals.get(row_of(line.role), 0) + line.parameters
    return totals


def _ordered(roles: Iterable[str], wanted: set[str]) -> list[str]:
    """Rows in the order of charts."""
    groups = {row_of(role): group(role) for role in roles}
    return sorted((name for name in groups if name in wanted), key=lambda name: GROUPS.index(groups[name]))


class _Row(Struct):
    """A row of the table while its numbers are added up."""

    carried: int = 0
    dropped: int = 0
    invented: int = 0
    how: dict[str, None] = {}
    types: dict[str, None] = {}


def role_rows(before: Side, after: Side, found: Tally) -> Iterator[RoleDifference]:
    rows: dict[str, _Row] = {}
    roles: dict[str, None] = {}

    def row(piece: Piece) -> _Row:
        role = piece.identity.role or piece.line.role
        roles.setdefault(role)
        return rows.setdefault(row_of(role), _Row())

    for one in found.carried:
        into = row(one.source)
        into.carried += one.parameters
        into.dropped += one.dropped
        into.invented += one.invented
        into.how.update(dict.fromkeys(one.steps))
        if one.source.storage != one.target.storage:
            into.types[f"{one.source.storage} → {one.target.storage}"] = None
    alone: tuple[tuple[tuple[OneSidedTensors, ...], str], ...] = (
        (found.dropped, "dropped"),
        (found.invented, "invented"),
    )
    for members, kind in alone:
        for each in members:
            into = row(each.piece)
            setattr(into, kind, getattr(into, kind) + each.parameters)
            into.how[kind] = None
    for piece in (*before.copies, *after.copies):
        into = row(piece)
        if not into.carried + into.dropped + into.invented:
            into.how["tied"] = None
    because = reasons(before.audited.case, after.audited.case)
    for name in _ordered(roles, set(rows)):
        made = rows[name]
        how = [step for step in made.how if step != "same" or len(made.how) == 1]
        lossy = made.dropped or made.invented
        yield RoleDifference(
            role=name,
            source=made.carried + made.dropped,
            target=made.carried + made.invented,
            because=", ".join(because.get(name, ()) if lossy else made.types),
            carried=made.carried,
            dropped=made.dropped,
            invented=made.invented,
            how=tuple(how),
            types=tuple(made.types),
        )
