"""Audits the weights of a model with a chain of explainers, each of which explains some families of a draft.

An explainer gets the draft, adds lines to the ledger and findings, and passes on the families that are not explained
yet. Families that remain after the last explainer are unexplained.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.algebra.boxes import Box
from inspector.auditing.by_definition import definition
from inspector.auditing.draft import Draft
from inspector.auditing.identity.kernels_of_mlx import kernels_of_torch
from inspector.auditing.identity.llava_projector import (
    projector_of_llava,
    tower_of_llava,
    tower_unread,
    tower_unstored,
)
from inspector.auditing.layouts_of_mlx import as_stored, in_torch_layout, is_of_mlx
from inspector.auditing.reported import (
    emptied_shapes,
    lost_tensors,
    odd_shards,
)
from inspector.auditing.result import ArchitectureName, Audit, conclude
from inspector.auditing.totals import check_totals
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.claim import claim_of
from inspector.matcher.families import Families, families_of
from inspector.quantization.signs import may_be_packed
from inspector.reconciler.config_keys import as_meant, lacks_method
from inspector.reconciler.dtypes import dtype_findings, unscaled, weights_not_float, without_flat, without_scales

if TYPE_CHECKING:
    from inspector.reconciler.stated_total import Stated

SIGNS_OF_TRAINING = ("ema", "averaged", "_extra_state", "flat_param", "exp_avg", "momentum_buffer", "_packed_params")
"""Parts of names that suggest training state."""


Explain = Callable[[Draft], Draft]


def audit_model(
    checkpoint: Checkpoint, stated: Stated | None = None, *, like: str | None = None, stored: Families | None = None
) -> Audit:
    """Audits a loaded checkpoint as one model. stated: a total to compare with.

    like: the model type to use if it has no config. stored: the families of its tensors, if they are known.
    """
    draft = _explained(checkpoint, stated, like, stored)
    return conclude(
        draft.checkpoint,
        draft.ledger,
        draft.findings,
        architecture=_architecture(draft),
        class_name=draft.config.class_name if checkpoint.readable else None,
        claims=draft.claims,
        skipped=draft.skipped,
        case=draft.case,
        unpacked=draft.unpacked,
        stored=draft.stored,
    )


def _explained(checkpoint: Checkpoint, stated: Stated | None, like: str | None, stored: Families | None) -> Draft:
    """Applies every explainer, and applies them again if other shapes or corrected settings explain more."""
    draft = explain(checkpoint, stated, like, stored)
    if _is_wrong(draft) and (of_torch := as_stored(checkpoint)) is not None:
        again = explain(checkpoint, stated, like, of_torch, turns=False)
        draft = draft if _is_wrong(again) else again
    if draft.unpacked is None:
        return draft
    from inspector.auditing.quantized.corrected_settings import (
        explaining,
        with_assumed_bits,
        with_lost_block,
        with_weights_settings,
    )
    from inspector.findings.types.undecided import PackingUndecided

    if checkpoint.kept_shapes is None and any(isinstance(one, PackingUndecided) for one in draft.findings):
        from inspector.quantization.kept_shapes import with_kept_shapes

        draft = explain(with_kept_shapes(checkpoint), stated, like)
    for config in with_weights_settings(checkpoint.config, draft.findings):
        again = explain(replace(draft.checkpoint, config=config), stated, like, stored)
        found = explaining(draft.findings, again.findings)
        if found is not None:
            return replace(again, checkpoint=draft.checkpoint, findings=found)
    for bits, config in with_assumed_bits(checkpoint.config, draft.findings):
        again = explain(replace(draft.checkpoint, config=config), stated, like, stored)
        found = with_lost_block(draft.findings, again.findings, bits)
        if found is not None:
            return replace(again, checkpoint=draft.checkpoint, findings=found)
    from inspector.auditing.quantized.mlx_pairs import with_other_pairs

    for pair, config in with_other_pairs(checkpoint.config, draft.findings):
        again = explain(replace(draft.checkpoint, config=config), stated, like, stored)
        if all(one.severity == "note" for one in again.findings):
            return replace(again, checkpoint=draft.checkpoint, findings=(pair, *again.findings))
    return draft


def _is_wrong(draft: Draft) -> bool:
    return any(one.severity == "error" for one in draft.findings)


def explain(
    checkpoint: Checkpoint, stated: Stated | None, like: str | None, stored: Families | None = None, turns: bool = True
) -> Draft:
    """Applies every explainer in turn. turns: convolutions of MLX may have its layout."""
    draft = Draft(checkpoint, claim_of(as_meant(checkpoint), like), {}, {}, stated, findings=checkpoint.findings)
    draft = draft.open("values", _unread_values(checkpoint), decisive=False)
    if not checkpoint.readable:
        return draft
    families = families_of(checkpoint.tensors) if stored is None else stored
    families = in_torch_layout(families, checkpoint) if turns and is_of_mlx(checkpoint) else families
    draft = replace(draft, stored=families, families=families, lost=tuple(lost_tensors(checkpoint)))
    for step in EXPLAINERS:
        draft = step(draft)
    return draft


def training_state(draft: Draft) -> Draft:
    """Explains averages, optimizer state and flat parameters; skipped if no name and no empty tensor suggests any."""
    emptied = emptied_shapes(draft.checkpoint)
    if not emptied and not any(sign in key for key in draft.families for sign in SIGNS_OF_TRAINING):
        return draft
    from inspector.reconciler.training_state import set_aside

    aside = set_aside(draft.families, emptied=emptied)
    if aside is None:
        return draft
    nameless = aside.nameless
    if aside.lost and draft.config.definition is None:
        nameless = nameless or "the matrices are empty"
    kept = replace(draft, families=aside.kept, emptied=aside.lost, nameless=nameless, deferred=aside.lines)
    return kept.with_findings(aside.findings)


def quantized_modules(draft: Draft) -> Draft:
    """Replaces quantized modules by their logical weights."""
    values, checkpoint = draft.config.settings.values, draft.checkpoint
    dtypes = {part.layout.dtype for family in draft.families.values() for part in family.stored}
    if not may_be_packed(draft.families, dtypes, values):
        return draft
    from inspector.quantization.expected_widths import inputs_by
    from inspector.quantization.read_settings import settings_of
    from inspector.quantization.unpacking import unpack

    settings = settings_of(values, checkpoint.side)
    lost, config = list(draft.lost), draft.config
    unpacked = unpack(draft.families, settings, lost, whole=not checkpoint.partial, widths=lambda: inputs_by(config))
    without = (*draft.lost, *unpacked.names_without_values())
    return replace(draft, families=unpacked.families, unpacked=unpacked, lost=without)


def copies(draft: Draft) -> Draft:
    """Counts tensors that are stored in several files."""
    if not draft.checkpoint.copies:
        return draft
    from inspector.reconciler.copies import with_copies

    return replace(draft, ledger=with_copies(draft.ledger, draft.checkpoint.tensors, draft.checkpoint.copies))


def quantization_helpers(draft: Draft) -> Draft:
    """Explains scales, zero points and indices of quantized modules, and reports problems of the modules."""
    if draft.unpacked is None:
        return draft
    from inspector.auditing.quantized.findings import helper_lines, open_questions, packing_findings
    from inspector.auditing.quantized.lost_block import block_missing
    from inspector.findings.totals import HeadTied

    added = draft.add(list(helper_lines(draft.unpacked)))
    mismatched: dict[str, tuple[Box, ...]] = {}
    for one in draft.case.placement.mismatched if draft.case is not None else ():
        key = (draft.reading.prefix if draft.reading is not None else "") + one.block.key
        mismatched[key] = mismatched.get(key, ()) + one.boxes
    solved = draft.case is not None and draft.case.solved
    unpacked = draft.unpacked.judged_by(_required(draft))
    heads = [one.place.tensor or one.place.family for one in draft.findings if isinstance(one, HeadTied)]
    found = packing_findings(
        draft.checkpoint, unpacked, added.ledger.lines, mismatched, solved=solved, tied=(*heads, None)[0]
    )
    added = added.with_findings(list(found))
    added = added.with_findings(list(block_missing(draft.checkpoint, draft.unpacked, added.ledger.lines)))
    config = draft.checkpoint.config
    if config is not None and lacks_method(config.values):
        from inspector.auditing.quantized.unnamed_method import with_method

        added = replace(added, findings=tuple(with_method(added.findings, draft.unpacked, config.values)))
    return replace(added, skipped=(*added.skipped, *open_questions(added.findings)))


def _required(draft: Draft) -> frozenset[str]:
    """The families of weights that the definition requires."""
    if draft.case is None or draft.reading is None:
        return frozenset()
    blocks = draft.case.plan.blocks
    return frozenset(draft.reading.prefix + one.key for one in blocks if one.required and one.tie is None)


def deferred_lines(draft: Draft) -> Draft:
    """Adds the lines that were set aside before the names were read."""
    return draft.add(draft.deferred)


def dtypes(draft: Draft) -> Draft:
    """Compares the dtypes with each other, with the dtype in the config, and with the dtypes possible for weights."""
    quantized = {case.key for case in draft.unpacked.cases} if draft.unpacked is not None else ()
    draft = draft.with_findings(list(weights_not_float(draft.ledger.lines, quantized)))
    if not draft.lost:
        draft = draft.with_findings(projector_of_llava(draft.config, draft.families))
        draft = draft.with_findings(list(tower_of_llava(draft.config, draft.families)))
        draft = draft.with_findings(list(tower_unstored(draft.config, draft.families)))
        draft = draft.with_findings(list(tower_unread(draft.config, draft.families)))
    draft = draft.with_findings(list(kernels_of_torch(draft.checkpoint)))
    lines = draft.ledger.lines
    draft = replace(draft, findings=tuple(without_flat(without_scales(draft.findings, lines), lines)))
    draft = draft.with_findings(odd_shards(draft.checkpoint, draft.ledger.lines))
    draft = draft.with_findings(list(unscaled(lines, draft.config.settings.values)))
    if draft.checkpoint.is_gguf:  # its vectors are F32 whatever the dtype of the matrices is
        lines = tuple(line for line in lines if len(line.layout.shape) > 1)
    return draft.with_findings(list(dtype_findings(lines, draft.config.settings.values)))


def totals(draft: Draft) -> Draft:
    """Checks the totals stated in the index and by the user."""
    checked = check_totals(draft.checkpoint, draft.ledger, draft.case, draft.stated)
    skipped = (*draft.skipped, *checked.skipped)
    return replace(draft, claims=checked.claims, skipped=skipped).with_findings(checked.findings)


EXPLAINERS: tuple[Explain, ...] = (
    training_state,
    quantized_modules,
    definition,
    copies,
    quantization_helpers,
    deferred_lines,
    dtypes,
    totals,
)
"""The explainers, in the order in which they are applied."""


def _unread_values(checkpoint: Checkpoint) -> str:
    if not checkpoint.readable or not checkpoint.kept_shapes:
        return "headers only: no tensor data was read"
    return f"headers only, and the shapes stored in {checkpoint.kept_shapes:,} small tensors"


def _architecture(draft: Draft) -> ArchitectureName | None:
    reading, config = draft.reading, draft.config
    if reading is None:
        return None
    certain = config.definition is reading.definition and not reading.by_names
    name = reading.definition.names[0] if certain and config.is_params else reading.name
    return ArchitectureName(name, config.model_type, "certain" if certain else "likely")
