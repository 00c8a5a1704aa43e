"""Recognises GPT-2 as saved by nanoGPT: linear layers instead of Conv1D, and no biases.

Source: nanoGPT's `model.py` (GPTConfig.bias is False by default; from_pretrained transposes the same four matrices).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inspector.findings.finding import NAMES_SHOWN
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.findings.names.other_layers import LayersOfAnotherProgram
    from inspector.reconciler.place import Placed, Placement
    from inspector.reconciler.reconcile import Reconciled

MODEL: Final = "gpt2"
INPUTS_FIRST: Final = "linear_io"
BIAS: Final = ".bias"


def layers_of_nanogpt(case: Reconciled) -> LayersOfAnotherProgram | None:
    """The finding on a model of nanoGPT; None if anything else differs from the class."""
    left = case.as_configured
    turned = left.mismatched
    if MODEL not in case.reading.definition.names or left.unexpected or not turned or not _lacks_every_bias(left):
        return None
    if any(not one.transposed or one.block.slot.kind.name != INPUTS_FIRST for one in turned):
        return None
    square = [one for one in left.placed if one.fits and one.block.slot.kind.name == INPUTS_FIRST]
    if not all(_is_square(one) for one in square):
        return None
    from inspector.findings.names.other_layers import LayersOfAnotherProgram

    sizes = [gap.tensors * gap.block.elements for gap in left.missing if gap.block.elements is not None]
    return LayersOfAnotherProgram(
        program="nanoGPT",
        stored=turned[0].layout.shape,
        expected=turned[0].block.shape,
        families=tuple(dict.fromkeys(family_name(one.block.key) for one in turned)),
        tensors=sum(one.tensors for one in turned),
        square=tuple(dict.fromkeys(family_name(one.block.key) for one in square))[:NAMES_SHOWN],
        square_tensors=sum(one.tensors for one in square),
        biases=tuple(family_name(gap.block.key) for gap in left.missing),
        biases_missing=sum(gap.tensors for gap in left.missing),
        parameters=sum(sizes) if len(sizes) == len(left.missing) else None,
    )


def _lacks_every_bias(left: Placement) -> bool:
    """True if exactly the biases are missing, and all of them."""
    stored = any(one.block.key.endswith(BIAS) and one.block.slot.tensor.counted for one in left.placed)
    whole = all(gap.block.key.endswith(BIAS) and gap.tensors == gap.block.tensors for gap in left.missing)
    return bool(left.missing) and whole and not stored


def _is_square(one: Placed) -> bool:
    shape = one.layout.shape
    return len(shape) == 2 and shape[0] == shape[1]
