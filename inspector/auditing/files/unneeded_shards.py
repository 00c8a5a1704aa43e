"""Missing shards of an index without which the model is complete: they hold only parts that a loader leaves out.

Trainers that do not train such a part, as that for multi-token prediction, save the others under the file names of the
original index.
"""

from __future__ import annotations

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.findings.shards.files import ShardMissing


def with_unneeded_shards(audited: Audit) -> Audit:
    """The audit, in which a missing shard names the part that it has, if the model lacks nothing else."""
    counts = audited.ledger.counts
    errors = [one for one in audited.findings if one.severity == "error"]
    whole = counts.expected_parameters is not None and counts.unique_parameters == counts.expected_parameters
    if not whole or len(errors) != 1 or not isinstance(errors[0], ShardMissing) or not errors[0].index:
        return audited
    from inspector.findings.names.components import ComponentAbsent

    absent = [one.component for one in audited.findings if isinstance(one, ComponentAbsent)]
    complete = audited.case is not None and not audited.case.placement.missing
    if len(absent) != 1 or not complete:
        return audited
    (missing,) = errors
    findings = [replace(one, holds=absent[0]) if one is missing else one for one in audited.findings]
    return replace(audited, findings=tuple(findings))
