"""The numbers of an audit by role and submodel, for all report formats."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from msgspec import Struct

from inspector.notation.roles import GROUPS, group, label
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import nouns_of

TOWERS: Final = ("vision", "audio", "speech", "prompt", "encoder", "decoder", "text")
"""Parts of a definition's own model that get their own table, such as an encoder and its decoder."""
PROJECTOR: Final = "projector"
SHARED: Final = "shared"
_LAYERS: Final = ("layer", "block")
_SUMMED: Final = "expert"
"""The noun of indices that are summed within a layer."""


class RoleRow(Struct, frozen=True):
    """Parameters of one role. per_layer: None if the role is in no layer or layers differ."""

    role: str
    group: str
    per_layer: int | None
    total: int
    remark: str = ""


class SubmodelRows(Struct, frozen=True):
    """The roles of one submodel. name: "" if the model has no submodels."""

    name: str
    rows: list[RoleRow]

    @property
    def total(self) -> int:
        """Parameters of the submodel."""
        return sum(row.total for row in self.rows)


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


def submodel_rows(lines: Sequence[Line]) -> list[SubmodelRows]:
    """The roles of each submodel; all roles together if there are fewer than two submodels.

    Heads and embeddings outside submodels count for the text model or the decoder, if there is one.
    """
    counted = [line for line in lines if line.kind in (ledger.PARAMETER, ledger.UNCHECKED) and line.parameters]
    named = [(submodel_of(line), line) for line in counted]
    names = dict.fromkeys(name for name, _ in named if name)
    if len(names) < 2:
        return [SubmodelRows("", role_rows(counted))]
    parts: dict[str, list[Line]] = {}
    for name, line in named:
        parts.setdefault(_home(name, line, names), []).append(line)
    return [SubmodelRows(name, role_rows(members)) for name, members in parts.items()]


def _home(name: str, line: Line, names: Container[str]) -> str:
    """The submodel that a line counts for: the head and embedding of a joined model count for its text model or
    decoder.
    """
    writes = next((one for one in (f"{name} text".strip(), f"{name} decoder".strip()) if one in names), None)
    if writes is not None and (group(line.role) == "head" or (group(line.role) == "embedding" and "text" in writes)):
        return writes
    return name or SHARED


def submodel_of(line: Line) -> str:
    """The submodel that a line belongs to: `vision`, `text`, `encoder`; "" for the model's own modules."""
    if line.block is None:
        return ""
    slot = line.block.slot
    if slot.scope:
        return " ".join(slot.scope)
    tower = slot.tower.partition(".")[0]
    if tower in TOWERS:
        return tower
    return PROJECTOR if group(line.role) == "projector" else ""


def _per_layer(lines: Sequence[Line]) -> int | None:
    """Parameters of one layer, if all are in layers of one kind and all layers are equal.

    Experts of a layer are summed. Layers of stages are not, since stages differ.
    """
    stacks = {line.family.partition(".#")[0] for line in lines if "#" in line.family}
    layers = None
    total = 0
    for line in lines:
        nouns = nouns_of(line.family)
        if not nouns:
            continue
        if len(stacks) > 1 or len(line.boxes) != 1 or not nouns[0].endswith(_LAYERS):
            return None
        span, *inner = line.boxes[0]
        if any(one.size > 1 and noun != _SUMMED for noun, one in zip(nouns[1:], inner, strict=True)):
            return None
        if layers is not None and span != layers:
            return None
        layers = span
        total += line.parameters
    if layers is None or layers.size == 0 or total % layers.size:
        return None
    return total // layers.size
