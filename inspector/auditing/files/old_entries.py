"""Handles tensors that were renamed in the shards but not in the index: the audit judges their names and ignores the
missing entries.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint


def with_old_entries(audited: Audit, judge: Callable[[Checkpoint], Audit]) -> Audit:
    """Removes the findings on index entries if as many tensors have no entry and the names of these tensors are wrong.

    Under their right names they are the tensors listed in the index. judge: audits the checkpoint again.
    """
    checkpoint = audited.checkpoint
    rest = tuple(one for one in checkpoint.findings if not _on_entries(one))
    if len(rest) == len(checkpoint.findings) or not _as_many(checkpoint):
        return audited
    other = judge(replace(checkpoint, findings=rest))
    errors = [one for one in other.findings if one.severity == "error"]
    return other if errors and all(map(_on_names, errors)) else audited


def _as_many(checkpoint: Checkpoint) -> bool:
    """True if there are as many entries without a tensor as tensors without an entry."""
    if checkpoint.index is None or checkpoint.lost:
        return False
    listed, stored = checkpoint.index.weight_map.keys(), checkpoint.tensors.keys()
    return 0 < len(listed - stored) == len(stored - listed)


def _on_entries(finding: Finding) -> bool:
    from inspector.findings.shards.agreement import (
        ShardOfAnotherSave,
        TensorAbsent,
        TensorInAnotherShard,
        TensorUnlisted,
    )
    from inspector.findings.shards.index import IndexNamesNothing

    kinds = TensorAbsent | TensorInAnotherShard | TensorUnlisted | IndexNamesNothing
    return isinstance(finding, kinds) and not isinstance(finding, ShardOfAnotherSave)


def _on_names(finding: Finding) -> bool:
    from inspector.findings.names.layers import LayersMisnumbered
    from inspector.findings.names.prefixes import PrefixOnNames
    from inspector.findings.names.renamed import TensorRenamed

    return isinstance(finding, PrefixOnNames | TensorRenamed | LayersMisnumbered)
