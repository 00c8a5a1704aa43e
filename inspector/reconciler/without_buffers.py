"""Recognises a save of only the parameters: every buffer of the model is missing, and no other tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inspector.reconciler.wording import names_in, place_of

if TYPE_CHECKING:
    from inspector.findings.names.tensors import BuffersMissing
    from inspector.reconciler.reconcile import Reconciled

FILLED: Final = (".running_mean", ".running_var")
"""Endings of the names of buffers that training fills; other buffers are computed from the config."""


def without_buffers(case: Reconciled) -> BuffersMissing | None:
    """The finding on a model saved without buffers; None if anything else differs."""
    left = case.as_configured
    if left.unexpected or left.mismatched or case.causes:
        return None
    if not all(any(gap.block.key.endswith(name) for gap in left.missing) for name in FILLED):
        return None
    if any(gap.block.slot.tensor.counted or gap.tensors != gap.block.tensors for gap in left.missing):
        return None
    if any(one.block.required and not one.block.slot.tensor.counted for one in left.placed):
        return None
    from inspector.findings.names.tensors import BuffersMissing

    first = left.missing[0]
    return BuffersMissing(
        place=place_of(first.block.key, first.boxes),
        tensors=sum(gap.tensors for gap in left.missing),
        kinds=tuple(dict.fromkeys(gap.block.key.rpartition(".")[2] for gap in left.missing)),
        example=names_in(first.block.key, first.boxes, 1)[0],
        stored=sum(one.tensors for one in left.placed),
    )
