"""Adapts the findings of an audit to what the intended loader does, and its verdict with them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from inspector.algebra.names import key_of
from inspector.auditing.identity.own_program import joining_program
from inspector.auditing.loads.failures import with_failures
from inspector.auditing.loads.given_facts import given
from inspector.auditing.loads.other_names import is_of_writer, of_another_program, without_unread_names
from inspector.auditing.result import CLEAN, FINDINGS, UNDECIDED, Audit, Skipped, verdict_of, verdict_with
from inspector.auditing.totals import difference_left_open, with_ties_of_class
from inspector.findings.finding import NOT_READ, Finding, ordered
from inspector.loading.outcome import BY_CLASS, BY_NAME, REFUSES, TWICE, UNKNOWN, UNMEASURED, UNSUPPORTED, Load

JUDGED: Final = ("transformers", "sentence-transformers", "peft", "diffusers")
"""Loaders with recorded behaviour that decides the verdict."""


def after_loading(audited: Audit) -> Audit:
    """The audit with each finding as the intended loader sees it, and a finding for a failure that no other one
    explains.
    """
    audited = _as_far_as_read(audited)
    intended = next((one for one in audited.loads if one.intended), None)
    if intended is None:
        return audited
    name = f"{intended.loader} {intended.version or ''}".strip()
    seen = (one.after_loading(name, intended.outcome, intended.because) for one in audited.findings)
    findings = [one for one in seen if one is not None]
    if intended.outcome in (UNKNOWN, UNSUPPORTED) and findings:
        findings = _with_partitions_aside(audited, findings)
    if intended.loader == "transformers" and findings:
        from inspector.auditing.loads.keys_of_ties import with_keys_of_ties
        from inspector.auditing.loads.larger_config import with_names_of_class

        findings = with_names_of_class(audited, with_keys_of_ties(findings, lambda: given(audited)))
    if audited.checkpoint.index is not None and findings:
        findings = _of_parts(audited, _of_one_index(findings))
    if intended.loader in JUDGED and audited.case is not None and any(is_of_writer(one) for one in findings):
        findings = without_unread_names([of_another_program(audited, one, intended, name) for one in findings])
    if audited.checkpoint.is_gguf:
        from inspector.auditing.gguf.findings import for_llama_cpp

        findings = for_llama_cpp(audited, findings, intended)
    if any(one.severity == "error" for one in findings):
        findings = [one for one in findings if not _is_older_naming(one)]
    if intended.loader == "transformers" and intended.outcome != REFUSES:
        from inspector.auditing.loads.untyped_rotary import untyped_rotary

        findings += untyped_rotary(audited)
    if intended.loader in JUDGED or (intended.loader == "mlx" and NOT_READ in intended.because):
        findings = _without_said_tokens(with_failures(audited, findings, lambda: given(audited)))
    if intended.loader == "transformers":
        from inspector.auditing.loads.older_rotary import older_rotary

        findings += older_rotary(audited)
    by_others = intended.excuse in (BY_NAME, BY_CLASS, TWICE, UNMEASURED) or intended.outcome == UNSUPPORTED
    if by_others and audited.verdict == CLEAN:
        audited = left_open(audited, intended)
    if len(findings) == len(audited.findings) and all(map(operator.is_, findings, audited.findings)):
        return audited
    return _with_findings(audited, findings)


def _as_far_as_read(audited: Audit) -> Audit:
    """The audit with its predictions; nothing is known of any loader if the network did not deliver a file."""
    unread = next((one for one in audited.findings if one.content_unknown), None)
    if unread is None:
        return audited
    because = f"{unread.place.file or 'a file'} was not read"
    loads = (
        replace(one, outcome=UNKNOWN, missing=None, unexpected=None, mismatched=None, because=because, excuse="",
                keys=(), source="documented") for one in audited.loads
    )  # fmt: skip
    return replace(audited, loads=tuple(loads))


def _with_findings(audited: Audit, findings: Sequence[Finding]) -> Audit:
    """Replaces the findings of an audit; if no error or warning is left, the numbers of parameters
    decide the verdict.
    """
    ledger = with_ties_of_class(audited.ledger, findings)
    verdict, counts = verdict_with(audited.verdict, findings), ledger.counts
    if verdict == FINDINGS and all(one.severity == "note" for one in findings):
        left = difference_left_open(counts, joining_program(findings))
        audited = replace(audited, skipped=(*audited.skipped, *left))
        verdict = verdict_of(findings, audited.skipped)
    return replace(audited, ledger=ledger, findings=tuple(ordered(findings)), verdict=verdict)


def left_open(audited: Audit, load: Load) -> Audit:
    """The audit with the open question of what a loader does."""
    skipped = Skipped(f"what {load.loader} does", load.because, decisive=True)
    verdict = UNDECIDED if audited.verdict == CLEAN else audited.verdict
    return replace(audited, skipped=(*audited.skipped, skipped), verdict=verdict)


def _is_older_naming(finding: Finding) -> bool:
    """True for a note that names are those of an older release; such a note is redundant if an error
    has another cause.
    """
    from inspector.findings.names.architecture import NamesInDialect

    return isinstance(finding, NamesInDialect) and not finding.writer


def _with_partitions_aside(audited: Audit, findings: list[Finding]) -> list[Finding]:
    """The findings, with partitions of a training run as what they are beside weights that the definition finds whole,
    where only code of the repository loads them.
    """
    from inspector.findings.reading.training import PartitionedSave

    counts = audited.ledger.counts
    whole = counts.unique_parameters == counts.expected_parameters and not counts.unexplained
    if not whole or any(one.severity == "error" for one in findings):
        return findings
    return [one.beside_weights() if isinstance(one, PartitionedSave) else one for one in findings]


def _of_one_index(findings: list[Finding]) -> list[Finding]:
    """Removes the finding on index entries without a tensor if the same file has tensors without an entry: their names
    were changed.
    """
    from inspector.findings.shards.agreement import TensorListedInVain, TensorReadUnlisted

    unlisted = {one.place.file for one in findings if isinstance(one, TensorReadUnlisted)}
    return [one for one in findings if not isinstance(one, TensorListedInVain) or one.place.file not in unlisted]


def _of_parts(audited: Audit, findings: list[Finding]) -> list[Finding]:
    """The findings, with index entries without a tensor that belong to a part of the model as such."""
    from inspector.findings.shards.agreement import TensorListedInVain

    vain = [one for one in findings if isinstance(one, TensorListedInVain)]
    if not vain or audited.case is None:
        return findings
    known = {one.key for one in audited.case.plan.blocks if one.slot.extra or not one.slot.built}
    return [
        replace(one, of_part=True)
        if isinstance(one, TensorListedInVain) and all(key_of(name)[0] in known for name in one.names)
        else one
        for one in findings
    ]


def _without_said_tokens(findings: list[Finding]) -> list[Finding]:
    """Removes a finding on token ids in the config if another finding corrects or removes these ids."""
    if all(one.severity == "note" for one in findings):
        return findings
    from inspector.findings.declared import TokensBeyondRows
    from inspector.findings.loading import LoaderFails
    from inspector.findings.names.text_model import ConfigOfLargerModel

    keys = {key for one in findings if isinstance(one, LoaderFails) for key in one.keys}
    keys |= {key for one in findings if isinstance(one, ConfigOfLargerModel) for key in one.removed}
    return [
        one
        for one in findings
        if not isinstance(one, TokensBeyondRows) or {key for ids in one.beyond for key in ids.names} - keys
    ]
