"""Finds the usual parts that a file may leave out among its unexpected tensors: after a renaming that other tensors
have too, or under a former name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.findings.names.renamed import TensorRenamed
from inspector.findings.names.tensors import TensorUnexpected
from inspector.notation.binding import Block, fits
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.renaming import change_between
from inspector.reconciler.wording import place_name

FORMER: Final = {"mask_time_emb_vector": "masked_spec_embed"}
"""Last part of a former name -> that of the present one. Source: the first checkpoints of wav2vec 2.0 on the Hub
(facebook/wav2vec2-base-100h).
"""


def with_usual_parts(case: Reconciled, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with unexpected tensors that are absent usual parts after a reported renaming as part of it."""
    absent = {place_name(block.key, (block.axes,)): block for block in case.absent}
    found = [_under_former_name(one, absent) if isinstance(one, TensorUnexpected) else one for one in findings]
    for renamed in [one for one in findings if isinstance(one, TensorRenamed) and one.renames and not one.changes]:
        also = [one for one in found if isinstance(one, TensorUnexpected) and _usual(renamed, one, absent)]
        if not also:
            continue
        pairs = [(one.names[0], _usual(renamed, one, absent)) for one in also]
        more = replace(renamed, tensors=renamed.tensors + len(also), renames=(*renamed.renames, *pairs),
                       families=(*renamed.families, *(expected for _, expected in pairs)))  # fmt: skip
        found = [more if one is renamed else one for one in found if one not in also]
    return found


def _under_former_name(one: TensorUnexpected, absent: dict[str, Block]) -> TensorUnexpected:
    """The finding with the present name of a usual part, if the tensor has the former name of an absent one."""
    parent, dot, last = one.names[0].rpartition(".") if len(one.names) == 1 else ("", "", "")
    name = f"{parent}{dot}{FORMER.get(last, '')}"
    known = name in absent and fits(absent[name].shape, one.shape)
    return replace(one, present_name=name) if known else one


def _usual(renamed: TensorRenamed, one: TensorUnexpected, absent: dict[str, Block]) -> str:
    """The name of the usual part that an unexpected tensor is after a renaming; "" if it is none."""
    if one.tensors != 1 or len(one.names) != 1:
        return ""
    change = renamed.old, renamed.new, renamed.begins
    names = (name for name in absent if change_between(name, one.names[0]) == change)
    return next((name for name in names if fits(absent[name].shape, one.shape)), "")
