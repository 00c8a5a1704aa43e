"""Facts about a checkpoint's tensors that the findings on its files already report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.algebra.boxes import Box
from inspector.algebra.names import key_of
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.weight_sets import shard_number
from inspector.reconciler.ledger import Line
from inspector.reconciler.reconcile import Reconciled

if TYPE_CHECKING:
    from inspector.auditing.draft import Draft

OF_MLX: Final = "mlx"
"""The format in the metadata of files that a converter of MLX writes."""


def lacks_shards(checkpoint: Checkpoint) -> bool:
    """True if shards are missing, by their numbers, or cannot be read, and no index lists their tensors."""
    if not checkpoint.findings:
        return False
    from inspector.findings.header.gguf import GgufPartRenamed, GgufPartsJoined
    from inspector.findings.reading.content import NotACheckpoint
    from inspector.findings.reading.place import Unreadable
    from inspector.findings.shards.files import ShardMissing

    closed = [one for one in checkpoint.findings if one.unreadable or isinstance(one, NotACheckpoint | Unreadable)]
    if checkpoint.index is None and any(map(_is_shard, closed)):
        return True
    return any(
        isinstance(one, GgufPartRenamed | GgufPartsJoined) or (isinstance(one, ShardMissing) and one.tensors is None)
        for one in checkpoint.findings
    )


def _is_shard(finding: Finding) -> bool:
    """True if a finding is on a shard, or on several."""
    return finding.place.file is None or shard_number(finding.place.file) is not None


def weights_emptied(checkpoint: Checkpoint) -> bool:
    """True if a finding says that the tensors were saved empty."""
    return bool(emptied_shapes(checkpoint))


def emptied_shapes(checkpoint: Checkpoint) -> tuple[tuple[int, ...], ...]:
    """The shapes of the tensors that were saved empty, according to a finding."""
    if not checkpoint.findings:
        return ()
    from inspector.findings.reading.training import WeightsEmptied

    return tuple(shape for one in checkpoint.findings if isinstance(one, WeightsEmptied) for shape in one.shapes)


def as_one_save(draft: Draft) -> Draft:
    """Joins the finding on tensors that were saved empty with that on the flat pieces next to them: one process of FSDP
    wrote both.
    """
    if not weights_emptied(draft.checkpoint):
        return draft
    from inspector.findings.reading.training import WeightsEmptied

    said = [one for one in draft.findings if isinstance(one, WeightsEmptied)]
    pieces = sum(one.pieces for one in said)
    if len(said) < 2 or not pieces:
        return draft
    joined = replace(said[0], pieces=pieces, of=max(one.of for one in said))
    kept = [one for one in draft.findings if one not in said]
    return replace(draft, findings=(joined, *kept))


def lost_tensors(checkpoint: Checkpoint) -> list[str]:
    """Tensors in files that were not read, or listed in the index and in no header; other findings report them."""
    names = [name for names in checkpoint.lost.values() for name in names]
    index = checkpoint.index
    if index is not None and checkpoint.findings:
        from inspector.findings.shards.agreement import TensorAbsent

        if any(isinstance(finding, TensorAbsent) for finding in checkpoint.findings):
            names.extend(name for name in index.weight_map if name not in checkpoint.tensors)
    return names


def lists_nothing(finding: Finding) -> bool:
    """True if a finding says that an index lists no file, as it is saved with an empty state dict."""
    from inspector.findings.shards.index import IndexStale

    return isinstance(finding, IndexStale) and not finding.files


def nothing_stored(checkpoint: Checkpoint) -> Finding:
    """The finding on weights without a single tensor."""
    place = Place(file=checkpoint.set_name or None)
    if checkpoint.is_gguf and not _is_of_towers(checkpoint):
        from inspector.findings.names.gguf_architecture import VocabularyOnly

        return VocabularyOnly(place=place)
    from inspector.findings.reading.content import WeightsWithoutTensors

    formats = {(file.metadata or {}).get("format") for file in checkpoint.files}
    return WeightsWithoutTensors(place=place, converted=OF_MLX in formats)


def _is_of_towers(checkpoint: Checkpoint) -> bool:
    """True if a GGUF file is that of the towers for images or sound, which has no vocabulary."""
    from inspector.dialects.gguf_projector import ARCHITECTURE

    return any((file.metadata or {}).get("general.architecture") == ARCHITECTURE for file in checkpoint.files)


def entries_in_vain(findings: Iterable[Finding], checkpoint: Checkpoint, case: Reconciled) -> Iterator[Finding]:
    """Lowers the severity of the finding on tensors that are only in the index if the corrected config needs none of
    them.

    A pruned expert leaves its entries in the index, and so do the scales of weights that were cast to 16 bits.
    """
    for one in findings:
        if checkpoint.index is not None:
            from inspector.findings.shards.agreement import ShardOfAnotherSave, TensorAbsent

            if isinstance(one, TensorAbsent) and not isinstance(one, ShardOfAnotherSave):
                absent = checkpoint.index.weight_map.keys() - checkpoint.tensors.keys()
                unneeded = bool(case.causes) and not _needs(case, absent)
                one = one.listed_in_vain() if unneeded or _scale_floats(checkpoint, absent) else one
        yield one


FLOATS: Final = frozenset({"F64", "F32", "F16", "BF16"})
OF_QUANTIZED: Final = (
    ".weight_scale", ".weight_scale_inv", ".weight_scale_2", ".weight_zero_point", ".weight_shape", ".input_scale",
)  # fmt: skip
"""Endings of what is stored next to quantized weights only."""


def _scale_floats(checkpoint: Checkpoint, names: Iterable[str]) -> bool:
    """True if all these names are scales of weights that are stored as plain floats, which need none."""
    endings = [(name, next((one for one in OF_QUANTIZED if name.endswith(one)), "")) for name in names]
    weights = (checkpoint.tensors.get(f"{name.removesuffix(end)}.weight") for name, end in endings)
    return all(end for _, end in endings) and all(one is not None and one.dtype in FLOATS for one in weights)


def _needs(case: Reconciled, names: Iterable[str]) -> bool:
    """True if any of these tensors has a place in the model of the corrected config."""
    places: dict[str, list[Box]] = {}
    for block in case.corrected.blocks:
        places.setdefault(case.reading.prefix + block.key, []).append(block.axes)
    found = (key_of(name) for name in names)
    return any(
        all(number in axis for number, axis in zip(indices, box, strict=False))
        for key, indices in found
        for box in places.get(key, ())
    )


def odd_shards(checkpoint: Checkpoint, lines: Sequence[Line]) -> list[Finding]:
    """The finding on shards of another dtype; none if all tensors have one dtype, or if there are more than two."""
    if len(checkpoint.files) < 2 or len({line.layout.dtype for line in lines}) != 2:
        return []
    from inspector.reconciler.shard_dtypes import shards_of_another_dtype

    return list(shards_of_another_dtype(checkpoint.tensors, checkpoint.file_of))
