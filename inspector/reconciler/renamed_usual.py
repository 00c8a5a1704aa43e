"""Adds the usual parts that a file may leave out to the renaming that the tensors beside them have."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.findings.names.renamed import TensorRenamed
from inspector.findings.names.tensors import TensorUnexpected
from inspector.notation.binding import Block, fits
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.renaming import change_between
from inspector.reconciler.wording import place_name


def with_usual_parts(case: Reconciled, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with unexpected tensors that are absent usual parts after a reported renaming as part of it."""
    absent = {place_name(block.key, (block.axes,)): block for block in case.absent}
    found = list(findings)
    for renamed in [one for one in findings if isinstance(one, TensorRenamed) and one.renames and not one.changes]:
        also = [one for one in found if isinstance(one, TensorUnexpected) and _usual(renamed, one, absent)]
        if not also:
            continue
        pairs = [(one.names[0], _usual(renamed, one, absent)) for one in also]
        more = replace(renamed, tensors=renamed.tensors + len(also), renames=(*renamed.renames, *pairs),
                       families=(*renamed.families, *(expected for _, expected in pairs)))  # fmt: skip
        found = [more if one is renamed else one for one in found if one not in also]
    return found


def _usual(renamed: TensorRenamed, one: TensorUnexpected, absent: dict[str, Block]) -> str:
    """The name of the usual part that an unexpected tensor is after a renaming; "" if it is none."""
    if one.tensors != 1 or len(one.names) != 1:
        return ""
    change = renamed.old, renamed.new, renamed.begins
    names = (name for name in absent if change_between(name, one.names[0]) == change)
    return next((name for name in names if fits(absent[name].shape, one.shape)), "")
