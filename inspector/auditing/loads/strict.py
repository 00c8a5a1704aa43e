"""Predicts which checkpoints vLLM and mlx-lm refuse although transformers reads them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from msgspec.structs import replace

from inspector.auditing.loads.quantized import refused_by_vllm, refused_if_read
from inspector.auditing.loads.vllm_processors import without_processor
from inspector.auditing.result import Audit
from inspector.findings.finding import ARGS_REQUIRE
from inspector.loading.converter import HEAD
from inspector.loading.mlx_heads import head_refused
from inspector.loading.mlx_keys import keys_lacking
from inspector.loading.mlx_methods import of_other_tool
from inspector.loading.mlx_models import refusal_of_model
from inspector.loading.outcome import COMPLETE, RANDOM, REFUSES, UNKNOWN, Load
from inspector.loading.vllm_heads import head_refused as of_vllm
from inspector.loading.vllm_modules import nameless
from inspector.loading.vllm_settings import refused_settings, refused_side_file
from inspector.reconciler.ledger import COPY


def refused(audited: Audit, values: Mapping[str, Any], loads: tuple[Load, ...]) -> tuple[Load, ...]:
    """The predictions with the refusals of vLLM and mlx-lm."""
    if because := refused_by_vllm(audited, values):
        loads = tuple(replace(one, outcome=REFUSES, because=because) if one.loader == "vllm" else one for one in loads)
    elif because := refused_if_read(audited):
        loads = tuple(_refusing(one, because) if one.loader == "vllm" else one for one in loads)
    elif audited.unpacked is not None and any(audited.unpacked.schemes.values()):
        loads = tuple(_by_settings(audited, values, one) if one.loader == "vllm" else one for one in loads)
    if because := without_processor(audited):
        loads = tuple(replace(one, outcome=REFUSES, because=because) if one.loader == "vllm" else one for one in loads)
    kind = values.get("model_type")
    answer = of_other_tool(values, kind if isinstance(kind, str) else None, _names(audited))
    if answer is not None:
        loads = tuple(_refusing(one, answer[1], answer[0]) if one.loader == "mlx" else one for one in loads)
    copied = any(line.family.endswith(HEAD) and line.kind == COPY for line in audited.lines)
    if copied and (because := of_vllm(audited.class_name, values)):
        loads = tuple(replace(one, outcome=REFUSES, because=because) if one.loader == "vllm" else one for one in loads)
    copied = copied and HEAD in audited.checkpoint.tensors
    because = head_refused(kind if isinstance(kind, str) else None, audited.checkpoint.tensors, copied=copied)
    if because:
        loads = tuple(_refusing(one, because) if one.loader == "mlx" else one for one in loads)
    if any(one.loader == "mlx" and one.outcome == COMPLETE for one in loads):
        lacking = keys_lacking(kind if isinstance(kind, str) else None, values)
        because = f"{ARGS_REQUIRE} {', '.join(lacking)}, which config.json does not state"
        because = because if lacking else refusal_of_model(values, audited.checkpoint.tensors)
        loads = tuple(_refusing(one, because) if because and one.loader == "mlx" else one for one in loads)
    if audited.findings and any(one.outcome == COMPLETE for one in loads):
        from inspector.auditing.loads.base_names import with_base_names

        loads = with_base_names(audited, kind if isinstance(kind, str) else "", loads)
    if is_draft(audited):
        loads = tuple(replace(one, outcome=UNKNOWN, because=OF_DRAFT) for one in loads)
    if _has_only_tied_head(audited):
        loads = tuple(_without_embedding(one) for one in loads)
    prefixed = _has_prefix(audited)
    return tuple(_by_names(audited, one, prefixed=prefixed) for one in loads)


def _by_names(audited: Audit, load: Load, *, prefixed: bool) -> Load:
    """The prediction with the refusal of names that the program does not look for."""
    if load.outcome != COMPLETE:
        return load
    if load.loader == "vllm":
        unknown = _nameless(audited)
        if unknown is not None and not (prefixed and unknown):
            return _refusing(load, f"its class has no module for {unknown}") if unknown else load
    return _refusing(load, "it does not read past a prefix before the names") if prefixed else load


def _nameless(audited: Audit) -> str | None:
    """The first name without a module in vLLM's class; "" if there is none, None if this is open.

    A folder with modules.json is loaded as a base model.
    """
    of_encoder = "modules.json" in audited.checkpoint.siblings
    return None if of_encoder else nameless(audited.class_name, audited.checkpoint.tensors)


def _names(audited: Audit) -> Collection[str]:
    """The names of the families, whose endings are those of the tensors; all names if they were not grouped."""
    return audited.checkpoint.tensors if audited.stored is None else audited.stored


def _by_settings(audited: Audit, values: Mapping[str, Any], load: Load) -> Load:
    """The prediction for vLLM, with its refusal of the settings of intact weights."""
    scaled = any(name.endswith(INPUT_SCALES) for name in _names(audited))
    refused_block = refused_settings(values, has_input_scales=scaled) or _without_block_size(audited)
    if load.outcome == COMPLETE and (unread := refused_side_file(values, audited.checkpoint.side)):
        return _refusing(load, unread)
    if refused_block is None or load.outcome != COMPLETE:
        return _with_plain_experts(audited, values, load)
    because, setting = refused_block
    return replace(_refusing(load, because), setting=setting)


def _without_block_size(audited: Audit) -> tuple[str, tuple[str, Any]] | None:
    """vLLM's refusal of fp8 blocks of a size that the config does not state, and the setting with which it reads them.

    Source: `Fp8LinearMethod` of vLLM 0.33, which then builds `weight_scale`, one for a matrix.
    """
    from inspector.findings.types.own_program import BlockSizeUnstated

    if not any(isinstance(one, BlockSizeUnstated) for one in audited.findings):
        return None
    because = "without weight_block_size it builds one scale for a matrix, and has no weight_scale_inv"
    return because, ("weight_block_size", [128, 128])


def _with_plain_experts(audited: Audit, values: Mapping[str, Any], load: Load) -> Load:
    """The prediction for vLLM, with its refusal of plain experts among quantized layers."""
    from inspector.auditing.loads.plain_experts import REASON, setting_for_plain_experts

    setting = setting_for_plain_experts(audited, values) if load.outcome == COMPLETE else None
    if setting is not None:
        return replace(_refusing(load, REASON), setting=setting)
    from inspector.auditing.loads.vllm_names import not_listed_for_vllm

    open_question = not_listed_for_vllm(audited) if load.outcome == COMPLETE else ""
    return _refusing(load, open_question, UNKNOWN) if open_question else load


def _refusing(load: Load, because: str, outcome: str = REFUSES) -> Load:
    """A prediction of complete loading, changed to a refusal with its reason."""
    return replace(load, outcome=outcome, because=because) if load.outcome == COMPLETE else load


INPUT_SCALES: Final = (".input_scale", ".activation_scale")
OF_DRAFT: Final = "a draft head is loaded next to its target, which has the other tensors"
DROPS_HEAD: Final = "it drops a tied head, and the embedding is not stored"
NEWER_NAMES: Final = "it may look for the names of transformers 4, which are not in the file"


def of_newer_names(others: tuple[Load, ...], newest: Load, older: Load) -> tuple[Load, ...]:
    """The predictions for names under which only transformers 5 finds every tensor, such as its stacked experts.

    It saves older names; its names in memory are those of a state dict. Measured: mlx-lm 0.32 refuses Mixtral under
    these names. The classes of vLLM map names of their own, which were not recorded.
    """
    if newest.outcome != COMPLETE or older.outcome != RANDOM or not (older.missing and older.unexpected):
        return others
    return tuple(_refusing(one, NEWER_NAMES, UNKNOWN) if not one.intended else one for one in others)


def _without_embedding(load: Load) -> Load:
    """The prediction for a tied pair that is stored under the name of the head: both programs drop a tied head.

    vLLM skips it (`skip_prefixes` in its `load_weights`) and leaves the embedding as it was allocated. mlx-lm 0.32
    removes it in `sanitize` and misses the embedding (measured).
    """
    if load.outcome != COMPLETE or load.loader not in ("vllm", "mlx"):
        return load
    if load.loader == "mlx":
        return replace(load, outcome=REFUSES, because=DROPS_HEAD)
    return replace(load, outcome=RANDOM, missing=1, because=DROPS_HEAD)


def _has_only_tied_head(audited: Audit) -> bool:
    """True if a note says that only the head of a tied pair is stored."""
    if not audited.findings:
        return False
    from inspector.findings.totals import HeadAloneOfTie

    return any(isinstance(one, HeadAloneOfTie) for one in audited.findings)


def is_draft(audited: Audit) -> bool:
    """True for a draft head, which programs that decode speculatively load next to its target."""
    if not audited.findings:
        return False
    from inspector.findings.names.components import DraftHead

    return any(isinstance(one, DraftHead) for one in audited.findings)


def _has_prefix(audited: Audit) -> bool:
    """True if a wrapper's prefix is before the names, which only transformers 5 removes."""
    if not audited.findings:
        return False
    from inspector.findings.names.prefixes import PrefixOnNames

    return any(isinstance(one, PrefixOnNames) for one in audited.findings)


def of_text_model_alone(audited: Audit, load: Load) -> Load:
    """The result of a program of MLX: one that has only the text model, or that puts a module around every model, if
    transformers lacks no other tensors.
    """
    if load.outcome != RANDOM or load.mismatched or not audited.findings:
        return load
    from inspector.findings.names.prefixes import PrefixOfMlxVlm
    from inspector.findings.names.text_model import LeftOutByMlx

    if any(isinstance(one, PrefixOfMlxVlm) for one in audited.findings):
        fits = audited.case is not None and not audited.case.placement.differences
        return replace(load, outcome=COMPLETE, missing=0, unexpected=0, because="") if fits else load
    if load.unexpected:
        return load

    text = next((one for one in audited.findings if isinstance(one, LeftOutByMlx)), None)
    lacks_no_other = text is not None and text.tensors == load.missing
    return replace(load, outcome=COMPLETE, missing=0, because="") if lacks_no_other else load
