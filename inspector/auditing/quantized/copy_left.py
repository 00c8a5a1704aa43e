"""A quantized copy of a tied matrix in the files of a model that is not quantized."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.reconciler.ledger import COPY, Line


def copy_left(checkpoint: Checkpoint, scheme: str, lines: Sequence[Line]) -> Finding | None:
    """The finding on the only quantized matrix, if the config ties it to one that is stored plain.

    Its own name is not stored: transformers leaves out the names of its values and scales, and ties the matrix.
    """
    packed = [line for line in lines if line.packed is not None]
    if len(packed) != 1 or packed[0].kind != COPY or packed[0].family in checkpoint.tensors:
        return None
    (line,) = packed
    if line.block is None or line.block.tie is None:
        return None
    from inspector.findings.types.block import QuantizedCopyLeft

    module = line.family.removesuffix("weight")
    names = tuple(name for name in checkpoint.tensors if name.startswith(module))
    place = Place(tensor=module.removesuffix("."))
    return QuantizedCopyLeft(place=place, scheme=scheme, tied_to=line.block.tie.role, names=names)
