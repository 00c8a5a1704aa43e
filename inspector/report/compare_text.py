"""Two checkpoints, matrix by matrix, as people read it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.report.clean import clean
from inspector.report.text import WIDTH, finding_text

if TYPE_CHECKING:
    from inspector.comparing import Comparison
    from inspector.downloads import Files


def compare_text(compared: Comparison, *, colour: bool = False) -> str:
    """The table of roles, the totals, and what is to be said of them."""
    names = [clean(side.title, 20) for side in (compared.source, compared.target)]
    rows: list[Cells] = [("role", names[0], names[1], "difference", "because")]
    rows.extend(
        (row.role, f"{row.source:,}", f"{row.target:,}", _signed(row.difference), row.because) for row in compared.roles
    )
    left, right = (side.counts.unique_parameters for side in (compared.source, compared.target))
    rows.append(("parameters", f"{left:,}", f"{right:,}", _signed(right - left), ""))
    parts = ["\n".join(_table(rows)) + "\n"]
    if compared.relation == "conversion":
        parts.append(
            f"conversion: {compared.carried:,} carried, {compared.dropped:,} dropped, {compared.invented:,} invented\n"
            "Not checked: values, and rows that were only permuted (headers show neither)\n"
        )
    else:
        parts.append("different models: nothing is proven of one by the other\n")
    if compared.files is not None:
        parts.append(_files(compared.files))
    parts.extend(finding_text(finding, colour=colour) for finding in compared.findings)
    return "\n".join(parts)


def _files(files: Files) -> str:
    """What of the files agrees, and how much of that was looked at."""
    from inspector.loader.traffic import amount

    where = f"{clean(files.reference, 44)} at {files.commit[:12]}"
    lines = [f"files: {files.same:,} of {files.of:,} are as in {where}"]
    lines.append(f"  content of {files.proven:,} proven by the digests that the Hub states")
    if files.unproven:
        how = "its digests are not of one kind" if not files.local else "--hashes reads them"
        noun = "file" if files.unproven == 1 else "files"
        lines.append(f"Not checked: content of {files.unproven:,} large {noun}, {amount(files.unproven_bytes)} ({how})")
    return "\n".join(lines) + "\n"


Cells = tuple[str, str, str, str, str]


def _signed(difference: int) -> str:
    return f"{difference:+,}" if difference else "same"


def _table(rows: list[Cells]) -> Iterator[str]:
    """The columns as wide as they must be; reasons wrap in what is left of the line, or below it."""
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    used = sum(widths) + 8
    room = WIDTH - used
    for row in rows:
        first, *numbers = row[:4]
        cells = [f"{first:<{widths[0]}}", *(f"{n:>{w}}" for n, w in zip(numbers, widths[1:], strict=True))]
        line = "  ".join(cells)
        if room >= 12:
            reason, *more = _reasons(row[4], room) or [""]
            yield f"{line}  {reason}".rstrip()
            yield from (" " * used + one for one in more)
        else:
            yield line
            reason = "" if row[4] == "because" else row[4]
            yield from (f"    {part}" for part in _reasons(reason, WIDTH - 4))


def _reasons(text: str, width: int) -> list[str]:
    """Reasons in lines; one reason is not torn apart."""
    whole = ", ".join(reason.replace(" ", "\x00") for reason in text.split(", "))
    return [line.replace("\x00", " ") for line in textwrap.wrap(whole, width)]
