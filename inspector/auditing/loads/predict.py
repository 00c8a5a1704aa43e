"""Predicts what loaders do with an audited checkpoint, and adds findings if the intended loader fails."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from inspector.auditing.identity.own_program import joining_program
from inspector.auditing.layouts_of_mlx import as_stored, is_of_mlx
from inspector.auditing.loads.below_key import at_top, is_untyped
from inspector.auditing.loads.failures import (
    is_of_other_program,
    is_of_writer,
    is_older_naming,
    of_another_program,
    of_one_index,
    with_failures,
    without_said_tokens,
    without_unread_names,
)
from inspector.auditing.loads.merged_files import with_merged_files
from inspector.auditing.loads.of_pipelines import of_pipeline_class
from inspector.auditing.loads.quantized import (
    has_unread_scales,
    is_understood,
    is_whole_for_vllm,
    recorded,
    stacked_scales,
    takes_packed,
    why_unread,
)
from inspector.auditing.loads.strict import is_draft, of_newer_names, of_text_model_alone, refused
from inspector.auditing.result import CLEAN, FINDINGS, UNDECIDED, Audit, Skipped, verdict_of, verdict_with
from inspector.auditing.sentence_listing import class_of_task, has_table_at_top
from inspector.auditing.totals import difference_left_open, with_ties_of_class
from inspector.findings.finding import Finding, ordered
from inspector.loader.config_file import named_class
from inspector.loader.loaders import DIFFUSERS, OF_MLX
from inspector.loading.given import Given, without_settings_of_mlx
from inspector.loading.outcome import (
    BY_CLASS,
    BY_NAME,
    COMPLETE,
    RANDOM,
    REFUSES,
    TWICE,
    UNKNOWN,
    UNMEASURED,
    UNSUPPORTED,
    Load,
)
from inspector.loading.tables import NEWEST, OLDER, has_type
from inspector.loading.transformers import loads
from inspector.reconciler.config_keys import lacks_method

if TYPE_CHECKING:
    from inspector.findings.adapters.saved import AdapterBesideWeights
    from inspector.findings.config import ConfigImpossible

SAFETENSORS_INDEX: Final = "model.safetensors.index.json"
JUDGED: Final = ("transformers", "sentence-transformers", "peft", "diffusers")
"""Loaders with recorded behaviour that decides the verdict."""


def with_loads(audited: Audit) -> Audit:
    """Adds the predictions for each loader to the audit of a folder, or of a file that contains its own config."""
    found = loads_of(audited)
    return after_loading(replace(audited, loads=found)) if found else audited


def _as_far_as_read(audited: Audit) -> Audit:
    """The audit with its predictions; nothing is known of any loader if the network did not deliver a file."""
    unread = next((one for one in audited.findings if one.content_unknown), None)
    if unread is None:
        return audited
    because = f"{unread.place.file or 'a file'} was not read"
    loads = (
        replace(one, outcome=UNKNOWN, missing=None, unexpected=None, mismatched=None, because=because, excuse="",
                keys=(), source="documented") for one in audited.loads
    )  # fmt: skip
    return replace(audited, loads=tuple(loads))


def after_loading(audited: Audit) -> Audit:
    """The audit with each finding as the intended loader sees it, and a finding for a failure that no other one
    explains.
    """
    audited = _as_far_as_read(audited)
    intended = next((one for one in audited.loads if one.intended), None)
    if intended is None:
        return audited
    name = f"{intended.loader} {intended.version or ''}".strip()
    seen = (one.after_loading(name, intended.outcome, intended.because) for one in audited.findings)
    findings = [one for one in seen if one is not None]
    if audited.checkpoint.index is not None and findings:
        findings = of_one_index(findings)
    if intended.loader in JUDGED and audited.case is not None and any(is_of_writer(one) for one in findings):
        findings = without_unread_names([of_another_program(audited, one, intended, name) for one in findings])
    if audited.checkpoint.is_gguf:
        from inspector.auditing.gguf.findings import for_llama_cpp

        findings = for_llama_cpp(audited, findings, intended)
    if any(one.severity == "error" for one in findings):
        findings = [one for one in findings if not is_older_naming(one)]
    if intended.loader in JUDGED:
        findings = without_said_tokens(with_failures(audited, findings, lambda: _given(audited)))
    if intended.loader == "transformers":
        from inspector.auditing.loads.older_rotary import older_rotary

        findings += older_rotary(audited)
    by_others = intended.excuse in (BY_NAME, BY_CLASS, TWICE, UNMEASURED) or intended.outcome == UNSUPPORTED
    if by_others and audited.verdict == CLEAN:
        audited = left_open(audited, intended)
    if len(findings) == len(audited.findings) and all(map(operator.is_, findings, audited.findings)):
        return audited
    return _with_findings(audited, findings)


def _given(audited: Audit) -> Given:
    """The facts of an audit, with the config of the checkpoint."""
    config = audited.checkpoint.config
    return given_of(audited, {} if config is None else config.values)


def _with_findings(audited: Audit, findings: Sequence[Finding]) -> Audit:
    """Replaces the findings of an audit; if no error or warning is left, the numbers of parameters
    decide the verdict.
    """
    ledger = with_ties_of_class(audited.ledger, findings)
    verdict, counts = verdict_with(audited.verdict, findings), ledger.counts
    if verdict == FINDINGS and all(one.severity == "note" for one in findings):
        left = difference_left_open(counts, joining_program(findings))
        audited = replace(audited, skipped=(*audited.skipped, *left))
        verdict = verdict_of(findings, audited.skipped)
    return replace(audited, ledger=ledger, findings=tuple(ordered(findings)), verdict=verdict)


def loads_of(audited: Audit) -> tuple[Load, ...]:
    """Predicts what each loader of the format does; empty for single files without a config of their own."""
    checkpoint = audited.checkpoint
    beside = _adapter_beside(audited)
    is_gguf = checkpoint.is_gguf
    is_bare = checkpoint.alone and not is_gguf
    if not checkpoint.set_name or is_bare or (checkpoint.adapter is not None and beside is None):
        return ()
    if is_gguf:
        from inspector.auditing.loads.gguf import loads_of_gguf

        return loads_of_gguf(audited)
    config = checkpoint.config
    if config is not None and config.writer:
        return ()  # the config of another program
    if config is None or config.kind != "config":
        return _without_config(audited)
    if "_class_name" in config.values:
        return (_of_strict_config(audited, _of_diffusers(audited, config.values), NEWEST),)
    if config.values.keys().isdisjoint(("model_type", "auto_map")):
        return _without_config(audited)
    from inspector.loading.registries import of_safetensors

    given = given_of(audited, config.values)
    read = without_settings_of_mlx(given)
    newest = _of_strict_config(audited, loads(read, NEWEST), NEWEST)
    built = newest if read is given else loads(given, NEWEST)
    if lacks_method(config.values):
        kept = {key: value for key, value in config.values.items() if key != "quantization_config"}
        built = loads(replace(given, values=kept), NEWEST)
    alone = bool(given.recorded) and given.quantized is True  # other programs read the quantization
    whole = loads(replace(given, recorded={}), NEWEST) if alone else newest
    built = _with_stacks_of_mlx(audited, config.values, of_text_model_alone(audited, whole if alone else built))
    unread = SAFETENSORS_INDEX if checkpoint.index is None and SAFETENSORS_INDEX in checkpoint.siblings else ""
    others = of_safetensors(
        given.class_name, given.model_type, whole, built, unread, config.values, of_vllm=is_whole_for_vllm(audited)
    )
    others = with_merged_files(checkpoint, refused(audited, config.values, others))
    mlx = _is_for_mlx(audited, config.values)
    sentences = "modules.json" in checkpoint.siblings
    newest = replace(newest, intended=not (mlx or sentences or is_draft(audited)))
    older = _of_strict_config(audited, loads(read, OLDER), OLDER)
    others = tuple(replace(one, intended=mlx and one.loader == "mlx") for one in others)
    others = of_newer_names(others, newest, older)
    if beside is not None:
        from inspector.auditing.loads.beside_adapter import with_adapter

        newest, older = with_adapter(newest, audited, beside), with_adapter(older, audited, beside)
    own = of_pipeline_class(audited, given, _unreadable(audited))
    if own is not None:
        return (own, replace(newest, intended=False), older, *others)
    if sentences:
        others = (_of_encoder(audited, given, newest, alone=beside is None), *others)
    return (newest, older, *others)


def _of_encoder(audited: Audit, given: Given, newest: Load, *, alone: bool) -> Load:
    """What sentence-transformers does: it builds the class of the task, or the base class. alone: there is no adapter
    beside the weights.
    """
    checkpoint = audited.checkpoint
    base, of_task = _base_class(audited), class_of_task(checkpoint)
    class_name = base if of_task is None else of_task
    case = given.case if of_task is None or of_task == given.class_name else None
    used = newest
    if class_name is not None and alone:
        used = loads(replace(given, class_name=class_name, case=case), NEWEST)
    if has_table_at_top(checkpoint):
        outcome = COMPLETE if audited.verdict == CLEAN else UNKNOWN
        used = Load(loader="", version=None, outcome=outcome, source="documented")
    return with_failing_module(audited, replace(used, loader="sentence-transformers", version=None, intended=True))


def _with_stacks_of_mlx(audited: Audit, values: Mapping[str, Any], built: Load) -> Load:
    """What mlx-lm reads of a folder that it wrote: transformers has no names for the stacks of its experts, and a
    complete audit under them shows that none is missing.
    """
    case = audited.case
    if built.outcome != RANDOM or case is None or case.placement.differences or not _is_for_mlx(audited, values):
        return built
    return replace(built, outcome=COMPLETE, because="", missing=0, unexpected=0, mismatched=0)


def with_failing_module(audited: Audit, load: Load) -> Load:
    """Predicts what sentence-transformers does, which also loads the modules after the model."""
    if not audited.findings:
        return load
    from inspector.findings.sentence_modules import ModuleMissing

    wrong = next((one for one in audited.findings if isinstance(one, ModuleMissing)), None)
    if wrong is None or load.outcome != COMPLETE:
        return load
    because = f"{wrong.folder}: {wrong.problem}; it fails {wrong.when}"
    return replace(load, outcome=REFUSES if wrong.given is None else UNKNOWN, because=because, source="documented",
                   missing=None, unexpected=None, mismatched=None)  # fmt: skip


def _adapter_beside(audited: Audit) -> AdapterBesideWeights | None:
    """The finding on an adapter's config in the same folder as the weights of a model."""
    if audited.checkpoint.adapter is None:
        return None
    from inspector.findings.adapters.saved import AdapterBesideWeights

    return next((one for one in audited.findings if isinstance(one, AdapterBesideWeights)), None)


def _is_for_mlx(audited: Audit, values: Mapping[str, Any]) -> bool:
    """True if mlx-lm wrote the folder, by its quantization block, the format in its metadata, or its stacked experts.

    In each case a config for transformers may be in the same folder. mlx-lm writes its block under both keys.
    """
    if "quantization_config" in values and not ("quantization" in values and lacks_method(values)):
        return False
    if is_of_mlx(audited.checkpoint):
        return True
    from inspector.architectures.blocks import MLX_EXPERTS

    return any(f".{MLX_EXPERTS}." in line.family for line in audited.lines)


def _of_strict_config(audited: Audit, load: Load, major: str) -> Load:
    """Predicts what transformers does with values of a wrong type: the config classes of version 5 refuse them, and
    version 4 builds no model if a size depends on one. A class of diffusers refuses them too.
    """
    if not audited.findings:
        return load
    from inspector.findings.config import ConfigImpossible
    from inspector.findings.declared import CodeFileMissing

    for one in audited.findings:
        by_type = _has_type(audited, major) and not _has_type(audited, NEWEST)  # else the code is needed beside it
        if type(one) is CodeFileMissing and load.outcome == UNKNOWN and not by_type:
            return replace(load, outcome=REFUSES, because=f"{one.files[0]}, its code, is absent", source="documented")
        if isinstance(one, ConfigImpossible) and one.kind == "type":
            if major == OLDER and _older_reads(audited, one):
                continue
            empty = replace(load, outcome=REFUSES, missing=None, unexpected=None, mismatched=None)
            return replace(empty, because=f"{one.place.key}: {one.detail}", source="documented")
    return load


def _has_type(audited: Audit, major: str) -> bool:
    config = audited.checkpoint.config
    return config is not None and has_type(str(config.values.get("model_type")), major)


def _older_reads(audited: Audit, finding: ConfigImpossible) -> bool:
    """True if transformers 4 builds a model with a value of another type; for types that were measured, the refusal is
    reported elsewhere.
    """
    from inspector.architectures.refused_kinds_table import is_measured
    from inspector.matcher.spelling import keys_of_definition
    from inspector.reconciler.config_keys import older_reads

    config = audited.checkpoint.config
    if config is not None and is_measured(str(config.values.get("model_type")), OLDER):
        return True
    read = keys_of_definition(audited.case.plan.scope) if audited.case is not None else frozenset()
    return older_reads(finding.keys[-1].rpartition(".")[2], finding.stated, read, finding.detail)


def _base_class(audited: Audit) -> str | None:
    """The base class that sentence-transformers builds, if the config names another class."""
    if not audited.findings:
        return None
    from inspector.findings.class_names import BaseModelUsed

    return next((one.stored_class for one in audited.findings if isinstance(one, BaseModelUsed)), None)


def _without_config(audited: Audit) -> tuple[Load, ...]:
    """Predictions for a folder that transformers would read if its config.json were found and named a model type."""
    if not audited.findings:
        return ()
    from inspector.findings.config import ConfigMissing, ModelTypeMissing

    config = audited.checkpoint.config
    unusable = next((one for one in audited.findings if isinstance(one, ConfigMissing | ModelTypeMissing)), None)
    if unusable is None and _shows_a_class_of_diffusers(audited):
        return (_of_strict_config(audited, _of_diffusers(audited, {} if config is None else config.values), NEWEST),)
    if unusable is None:
        given = Given(audited.checkpoint, None, None, None)
        return (loads(given, NEWEST), loads(given, OLDER)) if is_of_other_program(audited) else ()
    if isinstance(unusable, ConfigMissing) and unusable.loader == OF_MLX:
        return ()
    if isinstance(unusable, ConfigMissing) and unusable.loader == DIFFUSERS.name:
        from inspector.loading.diffusers import without_config

        return (replace(without_config(), intended=True),)
    if isinstance(unusable, ModelTypeMissing) and unusable.place.key == "_class_name":
        from inspector.loading.diffusers import without_config

        because = f"config.json states no sizes, and those of {unusable.class_name} are others by default"
        return (replace(without_config(), intended=True, because=because),)
    given = Given(audited.checkpoint, None, None, None)
    if config is not None and config.file == "config.json":
        given = replace(given, values=config.values)
    return (replace(loads(given, NEWEST), intended=True), loads(given, OLDER))


def _shows_a_class_of_diffusers(audited: Audit) -> bool:
    """True if the tensors next to a config.json without a class have the names of a class of diffusers."""
    config, case = audited.checkpoint.config, audited.case
    if config is None or config.file != DIFFUSERS.config or case is None or not case.reading.by_names:
        return False
    from inspector.loading.diffusers import is_class

    return not case.reading.writer and is_class(case.reading.name)


def _of_diffusers(audited: Audit, values: Mapping[str, Any]) -> Load:
    from inspector.loading.diffusers import of_component

    load = replace(of_component(audited.checkpoint, values, _unreadable(audited), audited.case), intended=True)
    if at_top(audited) is not None and load.outcome not in (REFUSES, UNKNOWN, UNSUPPORTED):
        return replace(load, outcome=RANDOM, missing=len(audited.checkpoint.tensors), unexpected=1, mismatched=0)
    return load


def left_open(audited: Audit, load: Load) -> Audit:
    """The audit with the open question of what a loader does."""
    skipped = Skipped(f"what {load.loader} does", load.because, decisive=True)
    verdict = UNDECIDED if audited.verdict == CLEAN else audited.verdict
    return replace(audited, skipped=(*audited.skipped, skipped), verdict=verdict)


def given_of(audited: Audit, values: Mapping[str, Any]) -> Given:
    """The facts of an audit that decide how a checkpoint is loaded."""
    model_type, turned = values.get("model_type"), as_stored(audited.checkpoint)
    return Given(
        audited.checkpoint,
        values,
        named_class(values),
        model_type if isinstance(model_type, str) else None,
        problem=_unreadable(audited),
        quantized=is_understood(audited, values),
        unread=why_unread(audited),
        recorded=recorded(audited),
        stacked=stacked_scales(audited),
        case=audited.case if turned is None and _is_whole(audited) else None,
        stored=at_top(audited) or turned or audited.stored,
        untyped=is_untyped(audited, values),
        unscaled=takes_packed(audited) or has_unread_scales(audited),
    )


def _is_whole(audited: Audit) -> bool:
    """True if every tensor was compared in its stored form and no problem was found."""
    unpacked = audited.unpacked
    plain = unpacked is None or not (unpacked.cases or unpacked.helpers)
    plain = plain and all(one.severity == "note" for one in audited.findings)
    float_only = all(line.layout.dtype.startswith(("F", "BF")) for line in audited.lines)
    compared = audited.ledger.counts.tensors == len(audited.checkpoint.tensors)
    own_class = _base_class(audited) is None
    return plain and float_only and compared and own_class and not audited.checkpoint.lost


def _unreadable(audited: Audit) -> str:
    """The reason for which a file of the audited set cannot be opened."""
    return next((one.unread for one in audited.findings if one.closes_file), "")
