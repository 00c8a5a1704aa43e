"""An audit as Markdown, for issues and pull requests. Text from the checkpoint is in code spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from inspector.findings.words import count
from inspector.report.clean import clean
from inspector.report.loads_text import loads_line
from inspector.report.tables import role_rows
from inspector.report.text import verdict_line

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.findings.finding import Finding

_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\`*_{}[]<>()#+-.!|~@"})


def audit_markdown(audited: Audit) -> str:
    """Title, verdict and what it does not cover, counts, failing loaders, claims, findings, roles."""
    parts = [f"# {code(audited.title)}: {escaped(audited.verdict)}", "", *_verdict(audited)]
    if audited.checkpoint.readable:
        parts.extend(_counts(audited))
    loads = loads_line(audited.loads)
    if loads:
        parts.extend([f"Loads: {escaped(loads)}.", ""])
    for claim in audited.claims:
        agrees = "agrees" if claim.agrees else "disagrees"
        parts.extend([f"- {code(claim.source)} {code(claim.claimed)}: {agrees}, {escaped(claim.because)}", ""])
    for finding in audited.findings:
        parts.extend(finding_section(finding))
    parts.extend(_roles(audited))
    return "\n".join(parts).rstrip("\n") + "\n"


def finding_section(finding: Finding) -> Iterator[str]:
    """The finding under its own heading: its rows, and what to do."""
    yield from (f"## {finding.severity}\\[{finding.code}\\] {finding.name}: {code(finding.title)}", "")
    yield from (f"- {label}: {code(text)}" for label, text in finding.lines)
    if finding.help:
        yield f"- help: {escaped(finding.help)}"
    yield ""


def _verdict(audited: Audit) -> Iterator[str]:
    yield escaped(verdict_line(audited).partition(": ")[2]) + "."
    yield ""
    labels = () if audited.verdict == "unreadable" else (("Open", True), ("Not checked", False))
    for label, decisive in labels:
        checks = [f"{skip.check} ({skip.because})" for skip in audited.skipped if skip.decisive is decisive]
        if checks:
            yield f"{label}: {escaped('; '.join(checks))}."
            yield ""


def _counts(audited: Audit) -> Iterator[str]:
    counts = audited.counts
    expected = counts.expected_parameters
    architecture = audited.architecture.name if audited.architecture else "unknown architecture"
    yield (
        f"{escaped(architecture)}, {count(len(audited.checkpoint.files), 'file')}, "
        f"{count(counts.tensors, 'tensor')}, {counts.stored_bytes:,} bytes of weights."
    )
    yield ""
    yield from table(
        ("count", "number"),
        [
            ("parameters", f"{counts.unique_parameters:,}"),
            ("formula", f"{expected:,}" if expected is not None else "not known"),
            ("stored elements", f"{counts.stored_elements:,}"),
            ("extra components", f"{counts.extra_components:,}"),
            ("tied copies", f"{counts.tied_copies:,}"),
            ("buffers", f"{counts.buffers:,}"),
            ("unexplained", f"{counts.unexplained:,}"),
        ],
    )
    yield ""


def _roles(audited: Audit) -> Iterator[str]:
    rows = role_rows(audited.lines) if audited.checkpoint.readable and audited.architecture is not None else ()
    shown = [(row.role, f"{row.per_layer:,}" if row.per_layer is not None else "", f"{row.total:,}") for row in rows]
    if shown:
        yield from ("## Parameters by role", "")
        yield from table(("role", "per layer", "total"), shown)
        yield ""


def escaped(text: object) -> str:
    """Text in a form that Markdown and HTML show unchanged."""
    return clean(text, 600).translate(_SPECIAL)


def code(text: object) -> str:
    """A code span that contains the text; the text cannot end the span."""
    written = clean(text, 600)
    fence = "`" * (1 + max(map(len, re.findall("`+", written)), default=0))
    blank = " " if written.startswith("`") or written.endswith("`") or not written else ""
    return f"{fence}{blank}{written.replace('|', chr(92) + '|')}{blank}{fence}"


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], texts: Sequence[int] = (0,)) -> Iterator[str]:
    """A table of cells that are Markdown already. texts: columns that are aligned to the left, not to the right."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join(" --- " if position in texts else " ---: " for position in range(len(head))) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
