"""Compares an adapter with several bases and chooses the one that it fits."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.findings.adapters.whole import AdapterBasesCompared, BaseThatDiffers
from inspector.findings.finding import Finding


def best_of(compared: Sequence[tuple[str, Audit]]) -> Audit:
    """The audit with the first base that fits, or else with the fewest errors, with a note on all bases.

    compared: (base, audit of the adapter with it), at least one.
    """
    best = min((audited for _, audited in compared), key=lambda audited: len(_errors(audited)))
    others = [(base, errors[0]) for base, audited in compared if (errors := _errors(audited))]
    note = AdapterBasesCompared(
        fits=tuple(base for base, audited in compared if not _errors(audited)),
        others=tuple(BaseThatDiffers(base, f"{error.name}: {error.headline()}") for base, error in others),
    )
    return replace(best, findings=(*best.findings, note))


def _errors(audited: Audit) -> list[Finding]:
    return [one for one in audited.findings if one.severity == "error"]
