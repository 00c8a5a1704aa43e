"""Audits an adapter with one base, or with several of which it chooses the one that the adapter fits.

Reading a base and comparing with it have budgets of their own: whatever a base takes, the adapter itself is audited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.auditing.adapter.audit import audit_adapter
from inspector.auditing.adapter.base_read import BaseRead
from inspector.auditing.result import Audit
from inspector.budget import Budget, Exceeded, allow_tensors, one_budget
from inspector.findings.adapters.whole import AdapterBasesCompared, BaseThatDiffers
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.families import Families

if TYPE_CHECKING:
    from inspector.reconciler.stated_total import Stated


def audit_with_bases(
    checkpoint: Checkpoint, claim: Stated | None, reads: Sequence[BaseRead], stored: Families
) -> Audit:
    """The audit of an adapter with the bases that were read, at least one."""
    compared = [(read.source, _compared(checkpoint, claim, read, stored)) for read in reads]
    return compared[0][1] if len(compared) == 1 else best_of(compared)


def _compared(checkpoint: Checkpoint, claim: Stated | None, read: BaseRead, stored: Families) -> Audit:
    """The audit with one base; with the base as not read, if the comparison takes more than one audit may."""
    try:
        return _within_own_budget(checkpoint, claim, read, stored)
    except Exceeded as exceeded:
        if read.audited is None:
            raise
        unread = BaseRead(read.source, None, str(exceeded), read.given, read.audited.checkpoint.config)
        return _within_own_budget(checkpoint, claim, unread, stored)


def _within_own_budget(checkpoint: Checkpoint, claim: Stated | None, read: BaseRead, stored: Families) -> Audit:
    with one_budget(Budget()):
        allow_tensors(len(checkpoint.tensors))
        return audit_adapter(checkpoint, claim, read, stored)


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
