"""Recognises a table of embeddings that is stored only under the name of a tied tensor outside the class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.tie_findings import TABLES
from inspector.reconciler.wording import family_name, place_name, place_of

if TYPE_CHECKING:
    from inspector.findings.names.renamed import TensorRenamed


def table_under_copy(case: Reconciled, other: Reconciled) -> TensorRenamed | None:
    """The finding if the class misses nothing but the table, and another class explains all with a copy of it.

    safetensors stores a shared matrix once, and a conversion may keep the name of the decoder or of the head; a class
    with neither has no tensor to take the table from. other: the same weights under the class that has the copy.
    """
    differing = case.as_configured
    if len(differing.missing) != 1 or differing.unexpected or differing.mismatched or case.reading.prefix:
        return None
    gap = differing.missing[0]
    if gap.tensors != 1 or gap.block.slot.role not in TABLES:
        return None
    outside = {one.block.slot.path for one in case.placement.placed if id(one.block.slot) in case.beyond}
    copies = (one for one in other.placement.placed if one.block.slot.path in outside)
    copy = next((one for one in copies if one.block.tie and one.block.tie.path == gap.block.slot.path), None)
    if copy is None or copy.tensors != 1 or copy.layout.shape != gap.block.shape:
        return None
    from inspector.findings.names.renamed import TensorRenamed

    stored, expected = place_name(copy.block.key, copy.boxes), place_name(gap.block.key, gap.boxes)
    return TensorRenamed(
        place=place_of(gap.block.key, gap.boxes), stored=stored, expected=expected, tensors=1, shape=gap.block.shape,
        role=gap.block.slot.role, families=(family_name(gap.block.key),), old=expected, new=stored, begins=True,
        renames=((stored, expected),),
    )  # fmt: skip
