"""Finds weights of compressed-tensors that are stored in compressed form and that the loader does not expand.

Measured with transformers 5.23 and compressed-tensors 0.15 and 0.20, on floats, integers and words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from inspector.architectures.value_rules import QUANTIZATION
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.quantization.unpacked import Unpacked
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import names_in

METHOD: Final = "compressed-tensors"
SPARSE: Final = "sparse-bitmask"
COMPRESSED: Final = "compressed"


def not_expanded(checkpoint: Checkpoint, unpacked: Unpacked, lines: Sequence[Line]) -> Iterator[Finding]:
    """The findings on a status that is not "compressed", and on a format that is no longer expanded."""
    yield from _sparse(unpacked, lines)
    config = checkpoint.config
    block = None if config is None or config.kind != "config" else config.values.get(QUANTIZATION)
    if config is None or not isinstance(block, Mapping) or block.get("quant_method") != METHOD:
        return
    modules = sum(number for scheme, number in unpacked.schemes.items() if scheme != SPARSE)
    status = block.get("quantization_status")
    if modules and isinstance(status, str) and status != COMPRESSED:
        from inspector.findings.types.compressed import CompressedStatus

        yield CompressedStatus(
            place=Place(key=f"{QUANTIZATION}.quantization_status"),
            status=status,
            modules=modules,
            file=config.file,
            path=(QUANTIZATION,),
        )


def _sparse(unpacked: Unpacked, lines: Sequence[Line]) -> Iterator[Finding]:
    """The finding on the format that is no longer expanded, with a block of settings or without one."""
    if not unpacked.schemes.get(SPARSE) or (unpacked.settings.known and unpacked.settings.base.method != METHOD):
        return
    from inspector.findings.types.compressed import SparseCompression

    first = next((line for line in lines if line.packed is not None and line.packed.scheme == SPARSE), None)
    if first is not None:
        yield SparseCompression(
            place=Place(key=QUANTIZATION),
            modules=unpacked.schemes[SPARSE],
            first=names_in(first.family, first.boxes, 1)[0],
            others=sum(number for scheme, number in unpacked.schemes.items() if scheme != SPARSE),
        )
