"""Recognizes a draft head of EAGLE, which proposes tokens to the model that it was trained for.

Source: EAGLE, `model/cnets.py`: one or more layers of the target's type; `fc` joins the embedding of a token and the
target's last hidden state; the first layer has no norm before its attention; the final norm and the head are those of
the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inspector.findings.finding import Place
from inspector.reconciler.missing import is_head
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.findings.names.components import DraftHead
    from inspector.reconciler.place import Gap
    from inspector.reconciler.reconcile import Reconciled

JOINS: Final = "fc.weight"
BIAS: Final = "fc.bias"
OF_TARGET: Final = frozenset({"norm.final", "embed.token"})
"""Roles of what a draft head takes from its target."""


def draft_head(case: Reconciled) -> DraftHead | None:
    """The finding on a draft head, where it explains everything that is missing and unexpected."""
    left = case.as_configured
    joins = next((one for one in left.unexpected if one.key == JOINS), None)
    if joins is None or left.mismatched or any(one.key not in (JOINS, BIAS) for one in left.unexpected):
        return None
    shape = joins.layout.shape
    first = [gap for gap in left.missing if _is_first_norm(gap)]
    if len(first) != 1 or first[0].block.shape != shape[:1] or shape[1:] != (2 * shape[0],):
        return None
    if any(gap not in first and gap.block.slot.role not in OF_TARGET and not is_head(gap) for gap in left.missing):
        return None
    from inspector.findings.names.components import DraftHead

    return DraftHead(
        place=Place(family=JOINS),
        model_type=case.reading.name,
        shape=shape,
        missing=tuple(family_name(gap.block.key) for gap in left.missing),
        tensors=sum(gap.tensors for gap in left.missing),
    )


def _is_first_norm(gap: Gap) -> bool:
    """Whether the norm before the attention is missing from the first layer, and from no other."""
    boxes = gap.boxes
    return gap.block.slot.role == "norm.attention" and gap.tensors == 1 and len(boxes[0]) == 1 and 0 in boxes[0][0]
