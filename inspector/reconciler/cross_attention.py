"""Recognizes a decoder that was stored without the cross-attention that a model of two parts needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inspector.findings.finding import Place
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.findings.names.cross_attention import CrossAttentionMissing
    from inspector.reconciler.place import Gap
    from inspector.reconciler.reconcile import Reconciled

SWITCH: Final = "add_cross_attention"
BETWEEN: Final = "project"
"""The role of the projection from the encoder's width to the decoder's; neither part has it without the other."""


def without_cross_attention(case: Reconciled) -> CrossAttentionMissing | None:
    """The finding on a wholly missing cross-attention, if nothing else differs; None for other differences.

    Only for classes in which every forward pass needs it: for other classes the config's switch is wrong.
    """
    left = case.as_configured
    kept = next((key for key in case.plan.scope.definition.keeps.split() if key.endswith(SWITCH)), None)
    if kept is None or not left.missing or left.unexpected or left.mismatched:
        return None
    missing = [gap for gap in left.missing if _is_cross(gap.block.slot.role)]
    others = [gap for gap in left.missing if gap not in missing]
    if not missing or not all(gap.block.slot.role == BETWEEN for gap in others) or not all(map(_is_whole, missing)):
        return None
    if any(_is_cross(one.block.slot.role) for one in left.placed):
        return None
    from inspector.findings.names.cross_attention import CrossAttentionMissing

    return CrossAttentionMissing(
        place=Place(family=family_name(_layer_of(missing[0].block.key))),
        tensors=sum(gap.tensors for gap in left.missing),
        parameters=sum(gap.tensors * (gap.block.elements or 0) for gap in left.missing),
        key=kept,
    )


def _is_cross(role: str) -> bool:
    return role == "norm.cross" or role.startswith("cross.")


def _is_whole(gap: Gap) -> bool:
    return gap.tensors == gap.block.tensors


def _layer_of(key: str) -> str:
    """A key up to its first number."""
    before, number, _ = key.partition("#")
    return before + number
