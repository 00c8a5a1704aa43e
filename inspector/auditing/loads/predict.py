"""Predicts what loaders do with an audited checkpoint, and adds findings if the intended loader fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from inspector.auditing.layouts_of_mlx import is_of_mlx
from inspector.auditing.loads.after_loading import after_loading
from inspector.auditing.loads.encoders import of_encoder
from inspector.auditing.loads.given_facts import given_of, unreadable
from inspector.auditing.loads.merged_files import with_merged_files
from inspector.auditing.loads.of_pipelines import of_pipeline_class
from inspector.auditing.loads.quantized import is_whole_for_vllm
from inspector.auditing.loads.single_experts import is_whole_with_single_experts
from inspector.auditing.loads.stray_shards import without_converted
from inspector.auditing.loads.strict import is_draft, of_newer_names, of_text_model_alone, refused
from inspector.auditing.loads.strict_config import of_strict_config
from inspector.auditing.loads.without_config import loads_without_config, of_diffusers
from inspector.auditing.result import Audit
from inspector.loader.config_file import named_class
from inspector.loading.given import Given, without_settings_of_mlx
from inspector.loading.outcome import COMPLETE, RANDOM, Load
from inspector.loading.tables import NEWEST, OLDER
from inspector.loading.transformers import loads
from inspector.reconciler.config_keys import lacks_method

if TYPE_CHECKING:
    from inspector.findings.adapters.saved import AdapterBesideWeights


SAFETENSORS_INDEX: Final = "model.safetensors.index.json"


def with_loads(audited: Audit) -> Audit:
    """Adds the predictions for each loader to the audit of a folder, or of a file that contains its own config."""
    found = loads_of(audited)
    return after_loading(replace(audited, loads=found)) if found else audited


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
        return loads_without_config(audited)
    if "_class_name" in config.values:
        return (of_strict_config(audited, of_diffusers(audited, config.values), NEWEST),)
    if config.values.keys().isdisjoint(("model_type", "auto_map")):
        return loads_without_config(audited)
    return _of_model(audited, config.values, beside)


def _of_model(audited: Audit, values: Mapping[str, Any], beside: AdapterBesideWeights | None) -> tuple[Load, ...]:
    """Predictions for a model of transformers: both versions, the loader of the folder around it, vLLM and mlx-lm."""
    given = given_of(audited, values)
    read = without_settings_of_mlx(given)
    newest, older = (of_strict_config(audited, loads(read, major), major) for major in (NEWEST, OLDER))
    mlx = _is_for_mlx(audited, values)
    others = tuple(
        replace(one, intended=mlx and one.loader == "mlx")
        for one in _of_engines(audited, values, given, newest if read is given else loads(given, NEWEST), newest)
    )
    others = of_newer_names(others, newest, older)
    sentences = "modules.json" in audited.checkpoint.siblings
    newest = replace(newest, intended=not (mlx or sentences or is_draft(audited)))
    if beside is not None:
        from inspector.auditing.loads.beside_adapter import with_adapter

        newest, older = with_adapter(newest, audited, beside), with_adapter(older, audited, beside)
    own = of_pipeline_class(audited, given, unreadable(audited))
    if own is not None:
        return (own, replace(newest, intended=False), older, *others)
    if sentences:
        others = (of_encoder(audited, given, newest, alone=beside is None), *others)
    return (newest, older, *others)


def _of_engines(audited: Audit, values: Mapping[str, Any], given: Given, built: Load, newest: Load) -> tuple[Load, ...]:
    """What vLLM and mlx-lm do. built: what the newest transformers does if it reads the settings of MLX; newest: what
    it does.
    """
    from inspector.loading.registries import of_safetensors

    checkpoint = audited.checkpoint
    if lacks_method(values):
        kept = {key: value for key, value in values.items() if key != "quantization_config"}
        built = loads(replace(given, values=kept), NEWEST)
    alone = bool(given.recorded) and given.quantized is True  # other programs read the quantization
    whole = loads(replace(given, recorded={}), NEWEST) if alone else newest
    built = _with_stacks_of_mlx(audited, values, of_text_model_alone(audited, whole if alone else built))
    unread = SAFETENSORS_INDEX if checkpoint.index is None and SAFETENSORS_INDEX in checkpoint.siblings else ""
    for_vllm = is_whole_for_vllm(audited) or is_whole_with_single_experts(audited)
    others = of_safetensors(named_class(values), given.model_type, whole, built, unread, values, of_vllm=for_vllm)
    return with_merged_files(checkpoint, refused(audited, values, without_converted(audited, others)))


def _with_stacks_of_mlx(audited: Audit, values: Mapping[str, Any], built: Load) -> Load:
    """What mlx-lm reads of a folder that it wrote: transformers has no names for the stacks of its experts, and a
    complete audit under them shows that none is missing.
    """
    case = audited.case
    if built.outcome != RANDOM or case is None or case.placement.differences or not _is_for_mlx(audited, values):
        return built
    return replace(built, outcome=COMPLETE, because="", missing=0, unexpected=0, mismatched=0)


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
