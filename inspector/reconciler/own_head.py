"""A head of custom code that replaces the head of the class in the config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.findings.finding import NAMES_SHOWN, Place
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.renaming import renamings
from inspector.reconciler.wording import place_name

if TYPE_CHECKING:
    from inspector.findings.names.own_head import HeadOfOwnCode


def head_of_own_code(case: Reconciled) -> HeadOfOwnCode | None:
    """The finding on a complete body with a head that no class of its type has, if the head of the class is absent.

    None for a head under other names and for a part of the class's head: some of its tensors are then stored.
    """
    configured, claim = case.as_configured, case.claim
    missing, unexpected = configured.missing, configured.unexpected
    if claim.head is None or claim.class_name is None or not missing or not unexpected or configured.mismatched:
        return None
    if any(gap.block.slot.body or gap.is_head for gap in missing):
        return None
    if any(not one.block.slot.body for one in configured.placed):
        return None
    roots = {block.key.partition(".")[0] for block in case.plan.blocks if block.slot.body}
    if any(one.key.partition(".")[0] in roots for one in unexpected):
        return None
    gaps = [(gap.block.key, gap.boxes, gap.block.shape) for gap in missing]
    pairs = renamings(gaps, [(one.key, one.boxes, one.layout.shape) for one in unexpected])
    # two vectors of one size, such as the biases of two heads with the same labels, are no evidence
    if any(len(gaps[at][2]) > 1 for missing_at, _ in pairs for at in missing_at):
        return None
    from inspector.findings.names.own_head import HeadOfOwnCode

    return HeadOfOwnCode(
        place=Place(key="architectures"),
        declared=claim.class_name,
        model_type=case.reading.name,
        missing=tuple(place_name(gap.block.key, gap.boxes) for gap in missing)[:NAMES_SHOWN],
        stored=tuple(place_name(one.key, one.boxes) for one in unexpected)[:NAMES_SHOWN],
    )
