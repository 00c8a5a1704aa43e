"""The table of roles: parameters of one layer and of all layers, by submodel, with the share as a bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from inspector.report.screen import Screen
from inspector.report.tables import SubmodelRows, submodel_rows

if TYPE_CHECKING:
    from inspector.auditing.result import Audit

LONGEST_BAR: Final = 20
"""Width of a bar for the whole model, in columns."""
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


class RoleLine(Struct, frozen=True):
    """A line before layout. share: of the whole model. bar: True if the share is drawn as a bar too."""

    name: str
    layer: str
    total: int
    share: float
    bar: bool


def role_text(audited: Audit, screen: Screen, *, head_is_tied: bool) -> str:
    """The table, ending in a line break; "" if no roles are known."""
    parts = submodel_rows(audited.lines)
    whole = audited.counts.unique_parameters
    if audited.architecture is None or not any(part.rows for part in parts) or not whole:
        return ""
    rows = list(_table(parts, whole))
    tied = "  head" if parts[-1].name else "head"
    names = max(18, *(len(row.name) + 1 for row in rows))
    layers = max(10, *(len(row.layer) for row in rows))
    totals = max(14, *(len(f"{row.total:,}") for row in rows))
    lines = [f"  {'role':<{names}}{'per layer':>{layers}}  {'total':>{totals}}   share"]
    for row in rows:
        name = screen.paint(f"{row.name:<{names}}", "quiet" if row.bar else "bold")
        numbers = f"{row.layer:>{layers}}  {row.total:>{totals},}  {row.share:>6.1%}  "
        room = screen.width - 2 - names - len(numbers)
        lines.append(f"  {name}{numbers}{_bar(row.share, min(LONGEST_BAR, room)) if row.bar else ''}".rstrip())
    if head_is_tied:
        line, remark = f"  {tied:<{names}}{'tied':>{layers}}  {'0':>{totals}}", " " * 10 + "is the embedding"
        lines.append(line + remark if len(line + remark) <= screen.width else line)
    return "\n".join(lines) + "\n"


def _table(parts: Sequence[SubmodelRows], whole: int) -> Iterator[RoleLine]:
    """Each submodel with its roles below it; only the roles if the model has no submodels."""
    for part in parts:
        if part.name:
            yield RoleLine(part.name, "", part.total, part.total / whole, bar=False)
        for row in part.rows:
            layer = f"{row.per_layer:,}" if row.per_layer is not None else ""
            yield RoleLine("  " * bool(part.name) + row.role, layer, row.total, row.total / whole, bar=True)


def _bar(share: float, longest: int) -> str:
    eighths = round(share * 8 * max(longest, 0))
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
