"""State of an audit in progress, which the explainers pass on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.auditing.result import Skipped
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families
from inspector.matcher.reading import Reading
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Ledger, Line
from inspector.reconciler.lines import unknown_lines
from inspector.reconciler.reconcile import Reconciled

if TYPE_CHECKING:
    from inspector.quantization.unpacked import Unpacked
    from inspector.reconciler.claims import TotalClaim
    from inspector.reconciler.stated_total import Stated


class Draft(Struct, frozen=True):
    """An audit in progress.

    config: the claim of the config. stored: all families as they are stored. families: those not explained yet;
    under logical names once unpacked.
    lost: missing tensors that another finding reports; emptied: tensors that a finding reports as empty.
    nameless: why names and shapes cannot be checked, "" where they can. reading, case: the definition and its
    reconciliation, None if no definition fits. unpacked: the result of unpacking quantized modules. deferred: lines
    to append to the ledger at the end.
    """

    checkpoint: Checkpoint
    config: Claim
    stored: Families
    families: Families
    stated: Stated | None = None
    ledger: Ledger = field(default_factory=Ledger)
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    claims: tuple[TotalClaim, ...] = ()
    lost: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    nameless: str = ""
    deferred: tuple[Line, ...] = ()
    reading: Reading | None = None
    case: Reconciled | None = None
    unpacked: Unpacked | None = None

    def with_findings(self, findings: Sequence[Finding]) -> Draft:
        """The draft with further findings."""
        return replace(self, findings=(*self.findings, *findings)) if findings else self

    def open(self, check: str, because: str, *, decisive: bool = True) -> Draft:
        """The draft with a skipped check."""
        return replace(self, skipped=(*self.skipped, Skipped(check, because, decisive)))

    def add(self, lines: Sequence[Line]) -> Draft:
        """The draft with further lines in its ledger."""
        if not lines:
            return self
        return replace(self, ledger=ledger.add_up([*self.ledger.lines, *lines], self.ledger.counts.expected_parameters))

    def without_definition(self) -> Draft:
        """The draft with every family as a line of unknown role."""
        return replace(self, ledger=ledger.add_up(unknown_lines(self.families), None))
