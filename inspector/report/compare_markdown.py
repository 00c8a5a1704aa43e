"""A comparison as Markdown, for issues and pull requests. Text from the checkpoints is in code spans or escaped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from inspector.report.compare_text import ledger, lines_of_files, role_cells, verdict_line
from inspector.report.markdown import code, escaped, finding_section, table
from inspector.report.values_text import values_text

if TYPE_CHECKING:
    from inspector.comparing.result import Comparison


_REASONS: Final = 4
"""Column of the table of roles that says why both sides differ, or how a role was converted."""


def compare_markdown(compared: Comparison) -> str:
    """Title, verdict and what it does not cover, the table of roles, the sums, files, values, findings."""
    sides = f"{code(compared.source.title)} → {code(compared.target.title)}"
    verdict, _, rest = verdict_line(compared).partition(": ")
    parts = [f"# {sides}: {escaped(verdict)}", "", *([f"{escaped(rest)}.", ""] if rest else [])]
    if compared.skipped and compared.verdict != "unreadable":
        checks = "; ".join(f"{skip.check} ({skip.because})" for skip in compared.skipped)
        parts.extend([f"Not checked: {escaped(checks)}.", ""])
    if compared.verdict != "unreadable":
        parts.extend(_roles(compared))
    if compared.files is not None:
        parts.extend([*(f"- {escaped(line.strip())}" for line in lines_of_files(compared.files)), ""])
    if compared.values is not None:
        parts.extend([*(f"- {escaped(line.strip())}" for line in values_text(compared.values).splitlines()), ""])
    for finding in compared.findings:
        parts.extend(finding_section(finding))
    return "\n".join(parts).rstrip("\n") + "\n"


def _roles(compared: Comparison) -> Iterator[str]:
    """The table of roles and, of a conversion, the sums of both sides."""
    head, *rows = role_cells(compared)
    columns = [column for column in range(len(head)) if any(row[column] for row in rows)]
    yield from table(
        tuple(escaped(head[column]) for column in columns),
        [tuple(escaped(row[column]) for column in columns) for row in rows],
        texts=(0, columns.index(_REASONS)) if _REASONS in columns else (0,),
    )
    yield ""
    if compared.relation == "conversion":
        yield from (f"- {escaped(' '.join(line.split()))}" for line in ledger(compared))
        yield ""
