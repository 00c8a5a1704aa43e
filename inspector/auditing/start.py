"""Chooses the audit for a source: a model, an adapter, an unmerged model, a pipeline, a single file.

This module imports all kinds; none of them imports it. Where a kind contains checkpoints (the components of a
pipeline), it is given the function that audits them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from msgspec.structs import replace

from inspector.auditing.files.names import with_file_names
from inspector.auditing.model import audit_model
from inspector.auditing.quantized.torchao_objects import with_torchao_objects
from inspector.auditing.result import FINDINGS, UNREADABLE, Audit, Skipped
from inspector.budget import Exceeded, allow_tensors, one_budget
from inspector.dialects.catalog import is_lone, is_single_file
from inspector.dialects.reading import with_stated_config
from inspector.loader.checkpoint import Checkpoint, load, load_within
from inspector.loader.loaders import MLX_ADAPTERS
from inspector.matcher.claim import claim_of
from inspector.matcher.families import families_of, with_numbered_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.findings.finding import Finding
    from inspector.loader.config_file import Config
    from inspector.loader.sources.address import Where
    from inspector.loader.sources.traffic import Progress
    from inspector.matcher.families import Families
    from inspector.reconciler.stated_total import Stated

SIGNS_OF_ADAPTERS = (
    ".lora_", ".base_layer.", ".original_module.", "base_model.model.", ".lora.", "_lora.", "_lora1.", ".hada_",
    ".lokr_", ".oft_", ".on_input", ".a1.weight", ".lambda_layer", ".diff", "ip_adapter.", "emb_params",
    "string_to_param", "clip_l", "clip_g", "text_encoders_", "<", "lora_controlnet", "input_hint_block", "zero_convs",
    "lllite_", "ip_adapter_", ":up",
)  # fmt: skip
"""Parts of names that suggest an adapter, or a model saved with PEFT's layers around its own."""
NO_ADAPTER = Skipped("the base", "the weights are not an adapter")
"""The skipped check if a base was requested for weights that are not an adapter."""


def audit(
    source: str,
    *,
    weights: str | None = None,
    config: str | Config | None = None,
    claim: Stated | None = None,
    base: str | Sequence[str] | None = None,
    with_base: bool = False,
    progress: Progress | None = None,
    **where: Unpack[Where],
) -> Audit:
    """Audits the checkpoint at a path, in a repository of the Hub (`org/name`), or at another address.

    weights: chooses among several sets of weights. config: used instead of the stored one. claim: a total to compare
    with (`inspector.reconciler.claims.read_claim` parses "8.03B"). base: the base of an adapter, as a source or a
    config, or several to compare with; with_base: reads the repository that the adapter's config names. where: of a
    repository; progress: called while headers arrive. Invalid content never raises: it is reported in the findings.
    """
    with one_budget():
        try:
            loaded = load(source, weights=weights, config=config, progress=progress, **where)
        except Exceeded as exceeded:
            from inspector.loader.over_budget import exceeded_findings

            loaded = Checkpoint(source, source, findings=exceeded_findings(exceeded, lost=True), address=source)
        return audit_opened(loaded, claim, base=base, with_base=with_base, whole=weights is None, progress=progress)


def audit_opened(
    checkpoint: Checkpoint,
    claim: Stated | None = None,
    *,
    base: str | Sequence[str] | None = None,
    with_base: bool = False,
    whole: bool = True,
    progress: Progress | None = None,
) -> Audit:
    """Audits the content of a source: a pipeline (unless incomplete), an adapter with its base, a single file, or a
    model.
    """
    with one_budget():
        try:
            return _audit_opened(checkpoint, claim, base, with_base, whole, progress)
        except Exceeded as exceeded:
            from inspector.auditing.counted import audit_counted

            return audit_counted(checkpoint, exceeded)


def _audit_opened(
    checkpoint: Checkpoint,
    claim: Stated | None,
    base: str | Sequence[str] | None,
    with_base: bool,
    whole: bool,
    progress: Progress | None,
) -> Audit:
    checkpoint, asked = with_stated_config(checkpoint), base is not None or with_base
    if checkpoint.pipeline is not None and whole:
        from inspector.auditing.pipeline.audit import audit_pipeline, with_claim

        audited = audit_pipeline(checkpoint, lambda name: load_within(checkpoint, name), audit_loaded)
        return with_claim(_without_base(audited) if asked else audited, claim)
    if not checkpoint.readable and whole and "modules.json" in checkpoint.siblings:
        from inspector.auditing.declared import with_modules
        from inspector.auditing.pipeline.sentence_loads import with_model_below, with_modules_loaded
        from inspector.auditing.pipeline.sentence_modules import model_below, sentence_modules

        below = model_below(checkpoint)
        if below is not None:
            audited = with_model_below(audit_loaded(below, claim), below.title)
            audited = with_modules(audited, sentence_modules(checkpoint, audited, audit_loaded))
            audited = with_modules_loaded(audited)
            return _without_base(audited) if asked else audited
    if asked:
        return _audit_with_base(checkpoint, claim, base, progress)
    if is_single_file(checkpoint.tensors) and claim_of(checkpoint.config).definition is None:
        from inspector.auditing.pipeline.audit import with_claim
        from inspector.auditing.pipeline.single_file import audit_single_file

        return with_claim(audit_single_file(checkpoint, audit_loaded), claim)
    return audit_loaded(checkpoint, claim)


def _with_entries(audited: Audit, claim: Stated | None, like: str | None) -> Audit:
    """The audit of the files that the entries of an index do not name."""
    if audited.checkpoint.index is not None and audited.checkpoint.findings:
        from inspector.auditing.files.old_entries import with_old_entries

        audited = with_old_entries(audited, lambda other: _audit_weights(other, claim, like))
    if audited.checkpoint.index is not None and audited.checkpoint.other_sets:
        from inspector.auditing.files.forgotten_files import with_forgotten_files

        audited = with_forgotten_files(audited, lambda other: _audit_weights(other, claim, like))
    if audited.checkpoint.other_sets and audited.verdict == UNREADABLE:
        from inspector.auditing.files.stale_index import with_weights_elsewhere

        audited = with_weights_elsewhere(audited, lambda other: _audit_stated(other, claim, like))
    return audited


def audit_loaded(checkpoint: Checkpoint, claim: Stated | None = None, *, like: str | None = None) -> Audit:
    """Audits a loaded checkpoint: an adapter, a model with an unmerged adapter, or a model.

    like: the model type to use if the checkpoint has no config.
    """
    with one_budget():
        allow_tensors(len(checkpoint.tensors))
        try:
            audited = _audit_stated(checkpoint, claim, like)
        except Exceeded as exceeded:
            from inspector.auditing.counted import audit_counted

            return with_file_names(audit_counted(checkpoint, exceeded))
        audited = _with_entries(audited, claim, like)
        if audited.checkpoint.rival or (audited.checkpoint.other_sets and audited.verdict in (FINDINGS, UNREADABLE)):
            from inspector.auditing.files.rivals import with_rival

            audited = with_rival(audited, lambda other: audit_loaded(other, like=like))
        of_gguf = audited.checkpoint.is_gguf
        if of_gguf and (audited.verdict == FINDINGS or audited.case is None):
            from inspector.auditing.gguf.config_beside import without_config_beside

            audited = without_config_beside(audited, checkpoint, lambda other: _audit_stated(other, claim, like))
        if (of_gguf or audited.checkpoint.lost) and audited.checkpoint.other_sets and not audited.checkpoint.alone:
            from inspector.auditing.files.renamed_shards import with_renamed_shards

            audited = with_renamed_shards(audited)
        if audited.checkpoint.lost and not of_gguf:
            from inspector.auditing.files.unneeded_shards import with_unneeded_shards

            audited = with_unneeded_shards(audited)
        if of_gguf and audited.checkpoint.other_sets:
            from inspector.auditing.gguf.projector_beside import with_projectors_beside

            audited = _with_models_beside(with_projectors_beside(audited))
        audited = with_file_names(audited)
        if not audited.checkpoint.readable and audited.checkpoint.set_name:
            from inspector.auditing.files.speech_features import speech_features

            if absent := list(speech_features(audited.checkpoint)):
                audited = audited.with_findings([*absent, *audited.findings])
        if audited.checkpoint.config is None:
            audited = _without_config(audited)
        if not audited.checkpoint.set_name or (audited.checkpoint.alone and not of_gguf):
            return audited
        if audited.checkpoint.set_name.startswith("model-rank-"):
            from inspector.auditing.files.sharded_state import with_sharded_state

            of_ranks = with_sharded_state(audited)
            if of_ranks is not audited:
                return of_ranks
        from inspector.auditing.declared import with_declared
        from inspector.auditing.loads.predict import with_loads

        return with_loads(with_declared(audited, audit_loaded))


def _without_config(audited: Audit) -> Audit:
    """The audit of weights without a config, with what programs look for in the file itself."""
    if "encoder.conv1.weight" in audited.checkpoint.tensors:
        from inspector.auditing.identity.whisper_sizes import with_sizes_missing

        audited = with_sizes_missing(audited)
    if audited.case is None and audited.checkpoint.kind == "pytorch":
        from inspector.auditing.identity.kept_objects import with_key_of_library

        audited = with_key_of_library(audited)
    return audited


def _with_models_beside(audited: Audit) -> Audit:
    """The audit of one GGUF file, with the other models in the folder as not checked."""
    checkpoint = audited.checkpoint
    if checkpoint.alone:
        return audited
    names = [one.name for one in checkpoint.other_sets if one.kind == "gguf" and "mmproj" not in one.name.casefold()]
    if not names:
        return audited
    beside = f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]
    skipped = Skipped(f"other models, {beside}", f"--weights {names[0]}" if len(names) == 1 else "--weights NAME")
    return replace(audited, skipped=(*audited.skipped, skipped))


def _audit_stated(checkpoint: Checkpoint, claim: Stated | None, like: str | None) -> Audit:
    return _audit_weights(with_stated_config(checkpoint), claim, like)


def _audit_weights(checkpoint: Checkpoint, claim: Stated | None, like: str | None) -> Audit:
    if not checkpoint.readable:
        return audit_model(checkpoint, claim, like=like)
    if checkpoint.config is not None and is_single_file(checkpoint.tensors):
        from inspector.auditing.pipeline.ldm_names import audit_under_ldm_names

        renamed = audit_under_ldm_names(checkpoint, lambda other: audit_model(other, claim, like=like))
        if renamed is not None:
            return renamed
    checkpoint = with_torchao_objects(checkpoint)
    stored = with_numbered_parts(families_of(checkpoint.tensors))
    if is_lone(checkpoint.tensors):
        from inspector.auditing.pipeline.single_file import lone_network

        checkpoint = replace(checkpoint, findings=(*checkpoint.findings, *lone_network(checkpoint)))
    keys = "\n".join(stored)
    if checkpoint.config is None and "text_encoders." in keys:
        from inspector.auditing.pipeline.misplaced_encoder import misplaced_encoders

        checkpoint = replace(checkpoint, findings=(*checkpoint.findings, *misplaced_encoders(checkpoint.tensors)))
    checkpoint = _with_image_prompt(checkpoint, stored)
    named = MLX_ADAPTERS.finds(checkpoint.set_name)
    if checkpoint.adapter is None and not (named or any(sign in keys for sign in SIGNS_OF_ADAPTERS)):
        audited = audit_model(checkpoint, claim, like=like, stored=stored)
        return audited if checkpoint.config is not None else _with_image_programs(audited)
    from inspector.auditing.adapter.audit import audit_adapter
    from inspector.auditing.adapter.base_read import base_from_folder
    from inspector.auditing.adapter.recognized import holds_adapter
    from inspector.auditing.adapter.unmerged import audit_unmerged
    from inspector.auditing.loads.beside_adapter import adapter_config_with_model

    claimed = claim_of(checkpoint.config, like)
    if checkpoint.adapter is None and ".base_layer." in keys:
        whole = audit_unmerged(checkpoint, stored, claimed, claim)
        if whole is not None and whole.case is not None and not whole.case.placement.missing:
            return whole
    if holds_adapter(checkpoint, stored):
        beside = None if checkpoint.is_gguf else base_from_folder(checkpoint)
        return audit_adapter(checkpoint, claim, beside, stored)
    own = ".parametrizations." in keys and "auto_map" in claimed.settings.values  # low-rank matrices of the model's own
    unmerged = None if own else audit_unmerged(checkpoint, stored, claimed, claim)
    if unmerged is not None:
        return unmerged
    config = adapter_config_with_model(checkpoint)
    if config is not None:
        checkpoint = replace(checkpoint, findings=(*checkpoint.findings, config))
    return audit_model(checkpoint, claim, like=like, stored=stored)


def _with_image_programs(audited: Audit) -> Audit:
    """The audit with the notes on what programs for images do with a file without a config."""
    from inspector.auditing.pipeline.image_programs import of_image_programs

    found = tuple(of_image_programs(audited))
    return audited.with_findings([*audited.findings, *found]) if found else audited


def _with_image_prompt(checkpoint: Checkpoint, stored: Families) -> Checkpoint:
    """The checkpoint with the findings on the parts of an IP-Adapter, which need no base."""
    keys = "\n".join(stored)
    if checkpoint.config is not None:
        return checkpoint
    found: tuple[Finding, ...] = ()
    if "image_proj_model." in keys:
        from inspector.auditing.adapter.image_prompt_training import image_prompt_training

        found = tuple(image_prompt_training(checkpoint.tensors))
    if "image_proj." in keys or "ip_adapter." in keys:
        from inspector.auditing.adapter.image_prompt_layers import image_prompt_layers, other_encoder_beside

        found = (*found, *image_prompt_layers(checkpoint.tensors), *other_encoder_beside(checkpoint, stored))
    return replace(checkpoint, findings=(*checkpoint.findings, *found)) if found else checkpoint


def _without_base(audited: Audit) -> Audit:
    """The audit with the note that the requested base was not read."""
    return replace(audited, skipped=(*audited.skipped, NO_ADAPTER))


def _used_in(audited: Audit, base: str | Sequence[str] | None, progress: Progress | None) -> Audit:
    """The audit of a network with the one pipeline in which it is to be used; noted as no adapter with any other
    base.
    """
    from inspector.auditing.adapter.base_read import read_base
    from inspector.auditing.pipeline.used_in import network_of, used_in

    sources = [base] if isinstance(base, str) else list(base or ())
    if len(sources) != 1 or network_of(audited) is None:
        return _without_base(audited)
    read = read_base(sources[0], cached=audited.checkpoint.cached, progress=progress).audited
    if read is None:
        return _without_base(audited)
    from inspector.auditing.pipeline.autoencoder_half import compared_with_whole

    return compared_with_whole(audited, read) or used_in(audited, read) or _without_base(audited)


def _audit_with_base(
    checkpoint: Checkpoint, claim: Stated | None, base: str | Sequence[str] | None, progress: Progress | None
) -> Audit:
    """Audits an adapter with its base, or a network with a pipeline; for other weights, notes that they are neither."""
    from inspector.auditing.adapter.base_read import read_base, read_named_base
    from inspector.auditing.adapter.recognized import holds_adapter
    from inspector.auditing.adapter.several_bases import audit_with_bases

    allow_tensors(len(checkpoint.tensors))
    stored = families_of(checkpoint.tensors)
    if not checkpoint.readable or not holds_adapter(checkpoint, stored):
        audited = _audit_opened(checkpoint, claim, None, False, False, progress)
        return _used_in(audited, base, progress) if checkpoint.readable else audited
    checkpoint = _with_image_prompt(checkpoint, stored)
    if base is None:
        return audit_with_bases(checkpoint, claim, [read_named_base(checkpoint, progress)], stored)
    bases = [base] if isinstance(base, str) else base
    reads = [read_base(one, cached=checkpoint.cached, progress=progress) for one in bases]
    return audit_with_bases(checkpoint, claim, reads, stored)
