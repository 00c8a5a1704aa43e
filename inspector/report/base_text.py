"""The base of an adapter in the adapter's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.findings.words import count
from inspector.report.clean import clean

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.report.screen import Screen

BASE_SHOWN = 4
"""Most findings of a base that the adapter's report names; the base's own report has all of them."""


def base_text(audited: Audit, screen: Screen) -> str:
    """The base of an adapter and its own findings."""
    base = audited.base
    if base is None:
        return ""
    named = clean(base.checkpoint.address.removeprefix("hf://") or base.source)
    what = clean(base.architecture.name, 24) if base.architecture is not None else "config only"
    lines = screen.wrapped(f"{named} · {what}", first="  base       ", rest=" " * 13)
    if base.checkpoint.readable:
        share = audited.counts.unique_parameters / (base.counts.unique_parameters or 1)
        lines.append(f"             {base.counts.unique_parameters:,} parameters; the adapter adds {share:.3%}")
        reported = [finding for finding in base.findings if finding.severity != "note"]
        lines.append(
            f"             {base.verdict}" + (f": {count(len(reported), 'finding')} in the base" if reported else "")
        )
        lines.extend(
            f"             {finding.severity}[{finding.code}] {clean(finding.name, 50)}"
            for finding in reported[:BASE_SHOWN]
        )
    else:
        lines.append("             config only: shapes follow from its definition")
    return "\n".join(lines) + "\n"
