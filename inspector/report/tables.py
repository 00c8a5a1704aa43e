"""Numbers of an audit by role, as every format tabulates them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.algebra.names import axes_of
from inspector.notation.roles import GROUPS, group, label
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line


class RoleRow(Struct, frozen=True):
    """Parameters of one role. per_layer: None where it is in no layer or not the same in all."""

    role: str
    group: str
    per_layer: int | None
    total: int
    remark: str = ""


def role_rows(lines: Sequence[Line]) -> list[RoleRow]:
    """Counted parameters by role, norms together, in the order of the groups."""
    rows: dict[str, list[Line]] = {}
    for line in lines:
        if line.kind in (ledger.PARAMETER, ledger.UNCHECKED) and line.parameters:
            name = "norms" if group(line.role) == "norms" else label(line.role)
            rows.setdefault(name, []).append(line)
    found = [
        RoleRow(name, group(members[0].role), _per_layer(members), sum(line.parameters for line in members))
        for name, members in rows.items()
    ]
    return sorted(found, key=lambda row: GROUPS.index(row.group))


def _per_layer(lines: Sequence[Line]) -> int | None:
    """Parameters of one layer, where every layer has the same."""
    inside = [line for line in lines if axes_of(line.family)]
    layers = None
    total = 0
    for line in inside:
        if len(line.boxes) != 1 or (layers is not None and line.boxes[0][0] != layers):
            return None
        layers = line.boxes[0][0]
        total += line.parameters
    if layers is None or layers.size == 0 or total % layers.size:
        return None
    return total // layers.size


class CountMeaning(Struct, frozen=True):
    """A count with what it means."""

    name: str
    number: int | None
    meaning: str
