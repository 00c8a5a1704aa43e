"""Finds the weights of a folder whose index lists only absent shards, in a file under a name that no loader looks for.

A quantizer that is run in a copy of the original's folder leaves the index of the original there, and a repository has
the one with its own file. None of the shards can be downloaded from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from inspector.auditing.files.renamed_shards import without_sets
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint, load_other_set
from inspector.loader.loaders import DIFFUSERS, PEFT, TRANSFORMERS

MOST_READ: Final = 4
"""Most files beside the index that are read."""
KINDS: Final = ("safetensors", "pytorch")


def with_weights_elsewhere(audited: Audit, judge: Callable[[Checkpoint], Audit]) -> Audit:
    """The audit of the only file that has every tensor of the model, with the finding on the index.

    judge: audits a set of weights.
    """
    checkpoint, index = audited.checkpoint, audited.checkpoint.index
    if index is None or checkpoint.files or checkpoint.alone or len(checkpoint.other_sets) > MOST_READ:
        return audited
    single = [one for one in checkpoint.other_sets if one.kind in KINDS and len(one.files) == 1]
    if any(loader.finds(one.name) for one in single for loader in (PEFT, TRANSFORMERS, DIFFUSERS)):
        return audited
    loaded = (load_other_set(checkpoint, one.name) for one in single)
    found = [judge(one) for one in loaded if one is not None and one.readable]
    whole = [one for one in found if one.case is not None and not one.case.placement.missing]
    if len(whole) != 1:
        return audited
    from inspector.findings.shards.index import IndexStale

    (model,) = whole
    stale: Finding = IndexStale(
        place=Place(file=index.file), files=len(index.promised), tensors=len(index.weight_map),
        audited=model.checkpoint.set_name,
    )  # fmt: skip
    others = tuple(one for one in model.checkpoint.other_sets if one.name != index.file)
    alone = replace(model.checkpoint, findings=(*model.checkpoint.findings, stale), other_sets=others, alone=False)
    kept = without_sets(list(model.findings), {index.file})
    return replace(model, checkpoint=alone).with_findings([stale, *kept])
