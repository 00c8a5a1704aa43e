"""Recognises single causes of many differences that no single config key explains.

Each recogniser examines the differences under the unchanged config. It returns a finding, and the differences that the
finding does not explain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from msgspec.structs import replace

from inspector.budget import spend
from inspector.dialects.gguf import WRITER as LLAMA_CPP
from inspector.dialects.libraries import library_of
from inspector.findings.finding import Finding, Place
from inspector.matcher.families import Families
from inspector.reconciler.dtypes import is_four_bit
from inspector.reconciler.place import Placed, Placement
from inspector.reconciler.prefixes import prefix_in_place
from inspector.reconciler.reconcile import Again, Reconciled
from inspector.reconciler.shard_dtypes import FLOATS
from inspector.reconciler.wording import family_name

FAMILIES_SHOWN = 20
RANKS = "the ranks of a parallel save"
ROWS_A_STEP = 32
MOST_RANKS = 1024
"""Most ranks of a fully sharded save that are tried."""
PLACEHOLDERS = ((0,), (1,))
"""Shapes of a parameter in another process, and of its placeholder in a save that was not gathered."""


class Recognized(NamedTuple):
    """A finding, and the case with the differences that it does not explain."""

    finding: Finding
    rest: Reconciled


def recognized(case: Reconciled, families: Families, again: Again) -> Recognized | None:
    """The single cause of the differences of a case; None without such a cause or without a config.

    families: all stored families. again: reconciles them with another claim.
    """
    if case.solved or not case.as_configured.differences:
        return None
    if (known := _of_known_form(case) or prefix_in_place(case) or _of_library(case)) is not None:
        return Recognized(known, case.uncorrected(Placement((), (), ())))
    from inspector.reconciler.longformer import attention_of_longformer

    if (long := attention_of_longformer(case)) is not None:
        return Recognized(long[0], case.uncorrected(long[1]))
    found = _one_part_of_all(case) or _not_gathered(case) or _four_bit_values(case) or _tables_of_one_rank(case)
    if found is None and len(case.causes) == 1 and not case.placement.differences:
        return None  # one config key explains everything
    from inspector.reconciler.merged_ranks import ranks_merged
    from inspector.reconciler.numbering import misnumbered

    if not found and (merged := ranks_merged(case.as_configured)) is not None:
        return Recognized(merged[0], _without(case, merged[1]))
    numbered = None if found else misnumbered(case, again)
    if numbered is not None:
        return Recognized(numbered, case.uncorrected(Placement((), (), ())))
    found = found or _one_rank(case)
    if found is not None:
        return found
    from inspector.reconciler.pruned import pruned

    if (by_layers := pruned(case)) is not None:
        return Recognized(by_layers[0], _without(case, by_layers[1]))
    from inspector.reconciler.uneven_layers import uneven_layers

    if (uneven := uneven_layers(case)) is not None:
        return Recognized(uneven[0], case.uncorrected(uneven[1]))
    from inspector.reconciler.vocabulary import resized_in_part

    resized = resized_in_part(case)
    if resized is not None:
        return Recognized(resized[0], case.uncorrected(resized[1]))
    return _of_config(case, again) or _of_another_model(case, families, again)


def _of_config(case: Reconciled, again: Again) -> Recognized | None:
    """The cause if the config lacks keys, or is that of another size of the family."""
    from inspector.reconciler.sizes import keys_absent, of_another_size

    size = keys_absent(case) or of_another_size(case, again)
    if size is not None:
        finding, head = size
        rest = replace(case.placement, missing=() if head else case.placement.missing)
        return Recognized(finding, replace(case, causes=(), placement=rest))
    return None


def _of_another_model(case: Reconciled, families: Families, again: Again) -> Recognized | None:
    """The cause if names or shapes are those of another model, wholly or in one part."""
    from inspector.reconciler.sizes import of_another_model, of_other_shapes

    other = of_another_model(case, again) if case.placement.differences and not case.plan.scope.faults else None
    if other is not None:
        return Recognized(other, case.uncorrected(Placement((), (), ())))
    from inspector.reconciler.alternatives import explained_otherwise, foreign_submodel
    from inspector.reconciler.joined import projections_joined
    from inspector.reconciler.reparametrized import reparametrized

    if (norms := reparametrized(case)) is not None:
        return Recognized(norms[0], case.uncorrected(norms[1]))
    from inspector.reconciler.vllm_experts import experts_of_vllm

    if (experts := experts_of_vllm(case, again)) is not None:
        return Recognized(experts[0], case.uncorrected(experts[1]))
    from inspector.reconciler.stacked_renamed import stacked_renamed

    if (stacked := stacked_renamed(case, again)) is not None:
        return Recognized(stacked[0], case.uncorrected(stacked[1]))
    joined = projections_joined(case)
    otherwise = explained_otherwise(case, families, again)
    if otherwise is not None and (joined is None or joined[1].differences):
        return Recognized(otherwise, case.uncorrected(Placement((), (), ())))
    if joined is not None:
        from inspector.findings.names.architecture import NamesOfAnotherArchitecture

        like = otherwise.names if isinstance(otherwise, NamesOfAnotherArchitecture) else None
        return Recognized(replace(joined[0], like=like), case.uncorrected(joined[1]))
    foreign = foreign_submodel(case) if case.placement.differences else None
    beside = case if foreign is None else case.uncorrected(_outside(case.as_configured, foreign[1]))
    shapes = of_other_shapes(beside)
    if shapes is not None:
        return Recognized(shapes, case.uncorrected(Placement((), (), ())))
    return None if foreign is None else Recognized(foreign[0], beside)


def _of_library(case: Reconciled) -> Finding | None:
    """The finding if the unexpected names show the library that wrote them, and tensors of the class are missing."""
    unexpected = {one.key for one in case.as_configured.unexpected}
    if not case.as_configured.missing or case.reading.writer or (library := library_of(unexpected)) is None:
        return None
    return of_library(case, library)


def of_library(case: Reconciled, library: str) -> Finding:
    """The finding on names of a library that has no loader here."""
    from inspector.findings.names.of_library import NamesOfLibrary

    claim = case.claim
    return NamesOfLibrary(
        place=Place(key="model_type"), claimed=claim.model_type or case.reading.name, class_name=claim.class_name,
        library=library,
    )  # fmt: skip


def _of_known_form(case: Reconciled) -> Finding | None:
    """The finding on a draft head, on a model without its buffers or without cross-attention, or on one of nanoGPT."""
    from inspector.reconciler.cross_attention import without_cross_attention
    from inspector.reconciler.draft_head import draft_head
    from inspector.reconciler.nanogpt import layers_of_nanogpt
    from inspector.reconciler.without_buffers import without_buffers

    return draft_head(case) or without_buffers(case) or without_cross_attention(case) or layers_of_nanogpt(case)


def _outside(placement: Placement, prefix: str) -> Placement:
    """The differences that are not below a prefix."""
    return Placement(
        tuple(one for one in placement.placed if not one.block.key.startswith(prefix)),
        tuple(gap for gap in placement.missing if not gap.block.key.startswith(prefix)),
        tuple(extra for extra in placement.unexpected if not extra.key.startswith(prefix)),
    )


def _four_bit_values(case: Reconciled) -> Recognized | None:
    """The finding on weights without stored scales that are packed in one column, as bitsandbytes packs them."""
    packed = [one for one in case.as_configured.mismatched if one.packed is None and is_four_bit(one)]
    if not packed:
        return None
    from inspector.findings.types.dtypes import FourBitValuesAlone

    finding = FourBitValuesAlone(
        dtype=packed[0].layout.dtype,
        tensors=sum(one.tensors for one in packed),
        elements=sum(one.tensors * one.layout.elements for one in packed),
        families=tuple(dict.fromkeys(family_name(one.block.key) for one in packed))[:FAMILIES_SHOWN],
    )
    return Recognized(finding, _without(case, packed))


def _without(case: Reconciled, explained: Iterable[Placed]) -> Reconciled:
    """The case under the unchanged config, without some mismatched tensors."""
    ids = {id(one) for one in explained}
    before = case.as_configured
    placed = tuple(one for one in before.placed if id(one) not in ids)
    return case.uncorrected(Placement(placed, before.missing, before.unexpected))


def _not_gathered(case: Reconciled) -> Recognized | None:
    """The finding on placeholders of ZeRO-3 or FSDP: tensors that one process did not hold completely are saved as [0]
    or [1].

    A process of FSDP holds a range of the concatenated parameters of each wrapped module, so that the tensors at both
    ends of the range are flat pieces, and those between them may be flat too. Such pieces alone are a cause if nothing
    else differs and they are of several matrices.
    """
    mismatched = case.as_configured.mismatched
    placeholders = [one for one in mismatched if one.layout.shape in PLACEHOLDERS and one.block.elements != 1]
    pieces = [one for one in mismatched if one not in placeholders and _is_flat_piece(one)]
    if not placeholders and not any(_is_shorter(one) for one in pieces):
        return None
    if len(placeholders) + len(pieces) < len(mismatched):
        pieces = []
    if len({one.block.key for one in (*placeholders, *pieces)}) < 2:
        return None
    if not placeholders and not (pieces and all(len(one.block.shape) > 1 for one in pieces)):
        return None
    from inspector.findings.reading.training import WeightsEmptied

    names = tuple(dict.fromkeys(family_name(one.block.key) for one in placeholders or pieces))
    finding = WeightsEmptied(
        tensors=sum(one.tensors for one in placeholders),
        of=sum(one.tensors for one in case.as_configured.placed),
        names=names[:FAMILIES_SHOWN],
        shapes=tuple(sorted({one.layout.shape for one in placeholders})),
        pieces=sum(one.tensors for one in pieces),
    )
    return Recognized(finding, _without(case, [*placeholders, *pieces]))


def _is_flat_piece(one: Placed) -> bool:
    """True if a tensor may be the expected tensor, its beginning or its end, in one dim.

    FSDP keeps the dtype of parameters, which are floats: flat integers are packed numbers.
    """
    stored, whole_tensor = one.layout.shape, one.block.elements
    plain = one.packed is None and one.layout.dtype in FLOATS
    return len(stored) == 1 and plain and whole_tensor is not None and stored[0] <= whole_tensor


def _is_shorter(piece: Placed) -> bool:
    """True if a flat piece is not the whole tensor."""
    return piece.block.elements is not None and piece.layout.elements < piece.block.elements


# --- tensor parallelism ---


class _Cut(NamedTuple):
    """The axis along which a stored matrix is a fraction of the expected one, and the number of such fractions."""

    axis: int
    parts: int


def _cut_of(one: Placed) -> _Cut | None:
    stored, expected = one.layout.shape, one.block.shape
    if len(stored) != len(expected):
        return None
    axes = [at for at, (have, want) in enumerate(zip(stored, expected, strict=True)) if have != want]
    if len(axes) != 1:
        return None
    want, have = expected[axes[0]], stored[axes[0]]
    return _Cut(axes[0], want // have) if want and have and want % have == 0 and want > have else None


def _one_rank(case: Reconciled) -> Recognized | None:
    """The finding on one rank of a tensor-parallel save: attention and MLP are cut, some matrices by rows, others by
    columns.
    """
    placement = case.as_configured
    if case.claim.writer == LLAMA_CPP:
        return None  # its converter writes whole models, so a number of the metadata is wrong
    if placement.unexpected or any(not gap.block.slot.tied for gap in placement.missing):
        return None
    cuts = [(one, _cut_of(one)) for one in placement.mismatched]
    parts = {cut.parts for _, cut in cuts if cut is not None}
    if len(parts) != 1 or any(cut is None for _, cut in cuts):
        return None
    axes: dict[str, set[int]] = {}
    for one, cut in cuts:
        area = one.block.slot.role.partition(".")[0]
        if cut is not None and len(one.layout.shape) > 1 and area not in ("embed", "head", "norm"):
            axes.setdefault(area, set()).add(cut.axis)
    fitting = {one.block.key for one in placement.placed if one.fits}
    split = len(axes) > 1 and all(len(cut_at) > 1 for cut_at in axes.values())
    if not split or not fitting or any(one.block.key in fitting for one, _ in cuts):
        return None
    return _rank_of(parts.pop(), case, len(fitting))


def _tables_of_one_rank(case: Reconciled) -> Recognized | None:
    from inspector.reconciler.vocabulary_ranks import vocabulary_of_one_rank

    found = vocabulary_of_one_rank(case)
    return None if found is None else Recognized(found[0], _without(case, found[1]))


def _one_part_of_all(case: Reconciled) -> Recognized | None:
    """The finding on one rank of a fully sharded save (FSDP 2, DTensor): every tensor is cut along its first dim only.

    Each rank holds a chunk of ceil(rows / ranks) rows as cut by `torch.chunk`, the last rank the rest. If every tensor
    was flattened before (FSDP 1), the rows are its elements.
    """
    placement = case.as_configured
    if placement.unexpected or any(not gap.block.slot.tied for gap in placement.missing):
        return None
    rows: set[tuple[int, int]] = set()
    intact: set[int] = set()
    flat = _are_flat(placement.placed)
    for one in placement.placed:
        stored, expected = one.layout.shape, one.block.shape
        if flat:
            rows.add((stored[0], one.block.elements or 0))
            continue
        if len(stored) != len(expected) or stored[1:] != expected[1:]:
            return None
        if stored and expected[0] is not None:
            rows.add((stored[0], expected[0]))
            intact.update(stored[1:])
    if not (flat or any(stored < expected and expected in intact for stored, expected in rows)):
        return None
    possible = islice(_ranks(*max(rows, key=itemgetter(1))), 2 * MOST_RANKS)
    ranks = {number for number, rank in possible if _is_rank(number, rank, rows)}
    return _rank_of(ranks.pop(), case, 0) if len(ranks) == 1 else None


def _are_flat(placed: Sequence[Placed]) -> bool:
    """True if every tensor, including matrices, has one dim and fewer elements than expected."""
    flat = (len(one.layout.shape) == 1 and one.layout.shape[0] < (one.block.elements or 0) for one in placed)
    return any(len(one.block.shape) > 1 for one in placed) and all(flat)


def _ranks(stored: int, expected: int) -> Iterator[tuple[int, int]]:
    """(number of ranks, rank) for each rank that would hold this number of the expected rows."""
    for ranks in range(2, MOST_RANKS + 1):
        size = -(-expected // ranks)
        spend(1, RANKS)
        if size == stored or expected - expected // size * size == stored:
            yield from ((ranks, rank) for rank in range(ranks) if _held(expected, ranks, rank) == stored)


def _held(rows: int, ranks: int, rank: int) -> int:
    """The number of rows that a rank holds."""
    size = -(-rows // ranks)
    return max(min(size, rows - rank * size), 0)


def _is_rank(ranks: int, rank: int, rows: Set[tuple[int, int]]) -> bool:
    """True if, for all (stored, expected) rows, this rank holds the stored number."""
    spend(1 + len(rows) // ROWS_A_STEP, RANKS)
    return all(_held(expected, ranks, rank) == stored for stored, expected in rows)


def _rank_of(ranks: int, case: Reconciled, whole: int) -> Recognized:
    """The finding on the mismatched tensors of one rank. whole: number of families that are not split."""
    from inspector.findings.single_causes import OneRankOfSeveral

    cut = case.as_configured.mismatched
    first = next((one for one in cut if not one.block.slot.role.startswith(("embed", "head"))), cut[0])
    finding = OneRankOfSeveral(
        ranks=ranks,
        families=tuple(dict.fromkeys(family_name(one.block.key) for one in cut))[:FAMILIES_SHOWN],
        tensors=sum(one.tensors for one in cut),
        whole=whole,
        stored=first.layout.shape,
        expected=first.block.shape,
    )
    return Recognized(finding, _without(case, cut))
