"""Compares stated totals with the counts: those in the index, and the user's claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.auditing.result import Skipped
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.reconciler.ledger import Counts, Ledger, add_up
from inspector.reconciler.reconcile import Reconciled

if TYPE_CHECKING:
    from inspector.reconciler.claims import TotalClaim
    from inspector.reconciler.stated_total import Stated


class Totals(Struct, frozen=True):
    """The results of comparing stated totals. skipped: totals that could not be compared."""

    claims: tuple[TotalClaim, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    findings: tuple[Finding, ...] = ()


def _active(checkpoint: Checkpoint, ledger: Ledger) -> int | None:
    from inspector.reconciler.experts import experts_of

    found = None if checkpoint.config is None else experts_of(ledger, checkpoint.config.values)
    return None if found is None else found.parameters


def _lacks_listed(checkpoint: Checkpoint) -> bool:
    """True if no file has some of the tensors that the index lists."""
    if not checkpoint.findings:
        return False
    from inspector.findings.shards.agreement import TensorAbsent
    from inspector.findings.shards.index import IndexOfAnotherSave

    return any(
        isinstance(one, TensorAbsent) or (isinstance(one, IndexOfAnotherSave) and one.nowhere > 0)
        for one in checkpoint.findings
    )


def check_totals(checkpoint: Checkpoint, ledger: Ledger, case: Reconciled | None, stated: Stated | None) -> Totals:
    """Checks the totals in the index, if all of its shards were read, and the claim of the user."""
    index = checkpoint.index
    if index is None and stated is None:
        return Totals()
    from inspector.reconciler.claims import check_claim, index_claims, unexplained_totals

    claims: list[TotalClaim] = []
    skipped: tuple[Skipped, ...] = ()
    if index is not None and (checkpoint.lost or checkpoint.partial):
        skipped = (Skipped("totals of the index", "not all shards of the index were read", decisive=True),)
    elif index is not None and _lacks_listed(checkpoint):
        skipped = (Skipped("totals of the index", "tensors that it lists are not stored", decisive=True),)
    elif index is not None and case is not None and case.placement.mismatched:
        skipped = (Skipped("totals of the index", "tensors of another shape are stored", decisive=True),)
    elif index is not None:
        sizes = [file.bytes for file in checkpoint.files]
        claims.extend(index_claims(index.metadata, ledger.counts, ledger.lines, case, sizes))
    if stated is not None:
        claims.append(check_claim(stated, ledger.counts, ledger.lines, case, _active(checkpoint, ledger)))
    findings = tuple(unexplained_totals(claims, index.file)) if index is not None and claims else ()
    return Totals(tuple(claims), skipped, findings)


def with_ties_of_class(ledger: Ledger, findings: Sequence[Finding]) -> Ledger:
    """The ledger without the parameters of heads that the class ties although the config denies it."""
    from inspector.findings.totals import HeadTiedByClass

    tied = sum(one.parameters for one in findings if isinstance(one, HeadTiedByClass))
    expected = ledger.counts.expected_parameters
    return ledger if not tied or expected is None else add_up(ledger.lines, expected - tied)


def difference_left_open(counts: Counts, program: str = "") -> Iterator[Skipped]:
    """The checks that the counts leave open for a checkpoint that its loader loads completely and that
    has no finding.

    program: with an own layout of modules, which the weights are made for instead.
    """
    unique, expected = counts.unique_parameters, counts.expected_parameters
    if counts.unexplained:
        yield Skipped("names and shapes of the other tensors", "no definition has them", decisive=True)
    if unique == expected:
        return
    because = "the class of the config leaves out a part that is stored"
    if expected is not None and unique < expected:
        loaded = f"some modules are as {program} joins them" if program else "the loader loads it completely"
        because = f"the config asks for more than is stored, and {loaded}"
    yield Skipped("the number of parameters", because, decisive=True)
