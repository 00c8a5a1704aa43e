"""Finds what a checkpoint lacks in a file beside the shards that no entry of the index names.

Quantizers and merges write some tensors, such as layers for multi-token prediction, to a file of their own, and an
index made from the names of the shards leaves it out. Loaders that follow the index do not open it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from inspector.auditing.files.renamed_shards import without_sets
from inspector.auditing.result import Audit
from inspector.findings.finding import ContentFinding, Finding, Place
from inspector.findings.names.components import ComponentAbsent
from inspector.findings.shards.files import ShardUnlisted
from inspector.loader.checkpoint import Checkpoint, load_other_set
from inspector.loader.other_files import OtherSet

MOST_READ: Final = 4
"""Most files beside the shards that are read."""


def with_forgotten_files(audited: Audit, judge: Callable[[Checkpoint], Audit]) -> Audit:
    """The audit of the shards with a file whose tensors they lack, and a finding that the index does not name it.

    judge: audits the checkpoint again. A file is of the model if no tensor in it is stored elsewhere, and if with it
    less is missing and nothing else is wrong.
    """
    single = [one for one in audited.checkpoint.other_sets if one.kind == "safetensors" and len(one.files) == 1]
    for one in single[:MOST_READ] if len(audited.checkpoint.files) > 1 and _lacks(audited) else ():
        whole = _with_file(audited.checkpoint, one)
        found = None if whole is None else judge(whole)
        if found is not None and _is_better(found, audited):
            return found
    return audited


def _lacks(audited: Audit) -> bool:
    """True if tensors are missing or disagree with the config, or an extra part that it declares is missing."""
    checkpoint = audited.checkpoint
    if checkpoint.index is None or checkpoint.lost or checkpoint.alone or not audited.findings:
        return False
    return bool(_missing(audited) or _errors(audited)) or any(isinstance(one, ComponentAbsent)
                                                              for one in audited.findings)  # fmt: skip


def _missing(audited: Audit) -> int:
    """The number of tensors that the definition has and the files lack."""
    return 0 if audited.case is None else sum(one.tensors for one in audited.case.placement.missing)


def _errors(audited: Audit) -> int:
    """The number of errors in the content."""
    return sum(isinstance(one, ContentFinding) and one.severity == "error" for one in audited.findings)


def _with_file(checkpoint: Checkpoint, one: OtherSet) -> Checkpoint | None:
    """The checkpoint with a file that is whole and has no tensor of the shards; None for any other file."""
    other, index = load_other_set(checkpoint, one.name), checkpoint.index
    if other is None or index is None or not other.readable or not other.tensors or other.cut or other.damaged:
        return None
    if not checkpoint.tensors.keys().isdisjoint(other.tensors):
        return None
    unlisted = ShardUnlisted(place=Place(file=one.name), index=index.file, tensors=len(other.tensors), repeated=0,
                             contradicted=0, names=())  # fmt: skip
    return replace(
        checkpoint,
        tensors={**checkpoint.tensors, **other.tensors},
        file_of={**checkpoint.file_of, **dict.fromkeys(other.tensors, one.name)},
        files=(*checkpoint.files, *other.files),
        other_sets=tuple(left for left in checkpoint.other_sets if left != one),
        findings=(*without_sets(list(checkpoint.findings), {one.name}), unlisted),
    )


def _is_better(found: Audit, before: Audit) -> bool:
    """True if an audit has fewer missing tensors, fewer errors or all extra parts, and no finding of another kind."""
    known: tuple[type[Finding], ...] = (ShardUnlisted, *(type(one) for one in before.findings))
    worse = any(one.severity != "note" and not isinstance(one, known) for one in found.findings)
    absent = [sum(isinstance(one, ComponentAbsent) for one in audit.findings) for audit in (found, before)]
    fewer = _missing(found) < _missing(before) or absent[0] < absent[1] or _errors(found) < _errors(before)
    return fewer and not worse
