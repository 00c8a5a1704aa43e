"""The result of an audit: counts, findings and skipped checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.budget import Exceeded, one_budget
from inspector.findings.finding import Finding, merged, ordered
from inspector.loader.checkpoint import Checkpoint
from inspector.reconciler.ledger import Counts, Ledger, Line
from inspector.reconciler.reconcile import Reconciled

if TYPE_CHECKING:
    from inspector.loading.outcome import Load
    from inspector.matcher.families import Families
    from inspector.quantization.unpacked import Unpacked
    from inspector.reconciler.claims import TotalClaim
    from inspector.reconciler.experts import Experts
    from inspector.reconciler.inverse.answers import Answers
    from inspector.values.result import Values


CLEAN, UNDECIDED, FINDINGS, UNREADABLE = VERDICTS = ("clean", "undecided", "findings", "unreadable")
"""Verdicts, the best first. "unreadable": no header could be read."""


class ArchitectureName(Struct, frozen=True):
    """The identified architecture. confidence: "certain" if config and names agree, else "likely"."""

    name: str
    model_type: str | None
    confidence: str


FLAT = "bitsandbytes stores 4-bit matrices flat: without a config nothing shows their rows and columns"
"""Why the sizes of a model are unknown whose quantized matrices are stored as columns of bytes."""


class Skipped(Struct, frozen=True):
    """A skipped check and the reason. decisive: without this check the checkpoint is not proven to be right."""

    check: str
    because: str
    decisive: bool = False


class CauseLine(Struct, frozen=True):
    """A finding that is a cause, with the families in which it explains the differences."""

    code: str
    key: str
    families: tuple[str, ...]


class ReferenceFile(Struct, frozen=True):
    """The answer of the reference reader on a file, in words."""

    name: str
    opens: bool
    words: str


class Reference(Struct, frozen=True):
    """Answers of the reference reader. reader: its name and version. every: all files were checked."""

    reader: str
    files: tuple[ReferenceFile, ...]
    every: bool


class Incomplete(Struct, frozen=True):
    """Tensors that are not completely inside their file. elements: number of their elements. bytes: number of absent
    bytes.
    """

    tensors: int = 0
    elements: int = 0
    bytes: int = 0

    def __add__(self, other: Incomplete) -> Incomplete:
        return Incomplete(self.tensors + other.tensors, self.elements + other.elements, self.bytes + other.bytes)


class Audit(Struct, frozen=True):
    """Result of an audit; `inspector.report` formats it.

    verdict: as returned by `verdict_of`. components: of a pipeline, by folder; the counts are then their sums. base:
    audit of an adapter's base, if read. values: result of reading tensor values, if requested. reference: answers of
    safetensors on the files, if it was used. loads: predictions for loaders. stored: the families of all tensors, if
    they were grouped.
    """

    source: str
    title: str
    checkpoint: Checkpoint
    architecture: ArchitectureName | None
    class_name: str | None
    ledger: Ledger
    claims: tuple[TotalClaim, ...] = ()
    findings: tuple[Finding, ...] = ()
    causes: tuple[CauseLine, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    verdict: str = CLEAN
    case: Reconciled | None = None
    unpacked: Unpacked | None = None
    components: Mapping[str, Audit] = {}
    values: Values | None = None
    base: Audit | None = None
    reference: Reference | None = None
    loads: tuple[Load, ...] = ()
    stored: Families | None = None

    @property
    def is_damaged(self) -> bool:
        """True if the header of any file has a finding."""
        parts = (self, *self.components.values(), *((self.base,) if self.base is not None else ()))
        return any(part.checkpoint.damaged for part in parts)

    def with_findings(self, findings: Iterable[Finding], **changes: Any) -> Audit:
        """The audit with these findings, the worst first, and the resulting verdict. changes: of other fields."""
        listed = tuple(ordered(findings))
        return replace(self, findings=listed, verdict=verdict_with(self.verdict, listed), **changes)

    @property
    def counts(self) -> Counts:
        """The totals of the ledger."""
        return self.ledger.counts

    @property
    def incomplete(self) -> Incomplete:
        """The tensors that extend beyond the end of their file, including those of components."""
        own = _incomplete(self.checkpoint, self.findings) if self.checkpoint.cut else Incomplete()
        return sum((part.incomplete for part in self.components.values()), own)

    @property
    def experts(self) -> Experts | None:
        """The experts, and the number of parameters used for one token; None without experts."""
        from inspector.reconciler.experts import experts_of

        config = self.checkpoint.config
        with suppress(Exceeded), one_budget():
            return None if self.case is None or config is None else experts_of(self.ledger, config.values)
        return None

    @property
    def answers(self) -> Answers | None:
        """Config values that the weights determine; None if there is a config, or no definition."""
        if self.case is None or not self.case.solved:
            return None
        from inspector.reconciler.inverse.answers import answers_of

        with suppress(Exceeded), one_budget():
            return answers_of(self.case)
        return None

    @property
    def lines(self) -> tuple[Line, ...]:
        """The ledger's lines."""
        return self.ledger.lines


def _incomplete(checkpoint: Checkpoint, findings: Sequence[Finding]) -> Incomplete:
    from inspector.findings.shards.files import ShardCut

    layouts = [checkpoint.tensors[name] for name in checkpoint.cut if name in checkpoint.tensors]
    lost = sum(one.lost_bytes for one in findings if isinstance(one, ShardCut))
    return Incomplete(len(layouts), sum(layout.elements for layout in layouts), lost)


def conclude(
    checkpoint: Checkpoint,
    ledger: Ledger,
    findings: Sequence[Finding],
    *,
    architecture: ArchitectureName | None = None,
    class_name: str | None = None,
    claims: Sequence[TotalClaim] = (),
    skipped: Sequence[Skipped] = (),
    case: Reconciled | None = None,
    unpacked: Unpacked | None = None,
    stored: Families | None = None,
    alone: bool = False,
) -> Audit:
    """The result of a finished draft.

    alone: an adapter without its base, for which no formula gives the count.
    """
    findings = merged(findings)
    bad = _are_bad(findings)
    causes = _causes(findings) if bad else ()
    if checkpoint.readable and not bad and not any(skip.decisive for skip in skipped):
        skipped = (*skipped, *_unproven(ledger, alone))
    return Audit(
        source=checkpoint.source,
        title=checkpoint.title,
        checkpoint=checkpoint,
        architecture=architecture,
        class_name=class_name,
        ledger=ledger,
        claims=tuple(claims),
        findings=tuple(findings),
        causes=causes,
        skipped=tuple(skipped),
        verdict=verdict_of(findings, skipped) if checkpoint.readable else UNREADABLE,
        case=case if case is None else replace(case, ledger=ledger),
        unpacked=unpacked,
        stored=stored,
    )


def verdict_of(findings: Sequence[Finding], skipped: Sequence[Skipped]) -> str:
    """The verdict on the content that could be read.

    "findings": an error or a warning. "undecided": neither, but a decisive check was skipped. "clean": every tensor is
    explained, and the stored number of parameters is the one that the formula gives.
    """
    if _are_bad(findings):
        return FINDINGS
    return UNDECIDED if any(skip.decisive for skip in skipped) else CLEAN


def verdict_with(before: str, findings: Sequence[Finding]) -> str:
    """The verdict with further findings."""
    return FINDINGS if before in (CLEAN, UNDECIDED) and _are_bad(findings) else before


def _are_bad(findings: Sequence[Finding]) -> bool:
    return any(finding.severity != "note" for finding in findings)


def _unproven(ledger: Ledger, alone: bool) -> Iterator[Skipped]:
    """The checks that the counts leave open if nothing was found."""
    counts = ledger.counts
    if not counts.tensors:
        yield Skipped("the weights", "no tensor is stored", decisive=True)
    elif counts.unexplained:
        yield Skipped("the unexplained tensors", f"{counts.unexplained:,} elements", decisive=True)
    elif counts.expected_parameters is None:
        if not alone:
            flat = any(line.packed is not None and not line.packed.shaped for line in ledger.lines)
            because = FLAT if flat else "the formula has dims that nothing determines"
            yield Skipped("the number of parameters", because, decisive=True)
    elif counts.expected_parameters != counts.unique_parameters:
        because = f"the formula gives {counts.expected_parameters:,}, and no finding explains the difference"
        yield Skipped("the number of parameters", because, decisive=True)


def _causes(findings: Sequence[Finding]) -> tuple[CauseLine, ...]:
    from inspector.findings.config import ConfigDisagrees

    wrong = [finding for finding in findings if isinstance(finding, ConfigDisagrees)]
    return tuple(CauseLine(finding.code, finding.place.key or "", finding.families) for finding in wrong)
