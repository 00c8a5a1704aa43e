"""Predicts what vLLM and mlx-lm do with the names of a base model under a class with a head.

transformers adds the prefix of the base model to such names. Source: vLLM 0.33, `AutoWeightsLoader` (a name that
begins with no module of the class is an error) and `get_pooling_config` (a folder with modules.json is loaded as the
base model); mlx-lm 0.32, `load_weights` of `utils.py`, which is strict, and `sanitize` of its models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from inspector.auditing.files.lone_weights import OF_TEXT
from inspector.auditing.result import Audit
from inspector.findings.names.architecture import NamesOfBaseModel
from inspector.loading.outcome import COMPLETE, REFUSES, Load
from inspector.loading.vllm_modules import nameless

ADDING: Final[Mapping[str, frozenset[str]]] = {
    "vllm": frozenset({"gpt2", "bloom", "opt"}),
    "mlx": frozenset({"gpt2", "gpt_neox", "gemma4", "gemma4_text"}),
}
"""Loader -> model types whose classes add the prefix."""
OF_PARTS: Final = frozenset({
    "gemma3n", "gemma4", "mistral3", "qwen2_vl", "qwen3_5", "qwen3_5_moe", "qwen3_vl", "qwen3_vl_moe",
})  # fmt: skip
"""Multimodal types of which mlx-lm reads `model.language_model.`, and not `language_model.` before the layers."""
HEAD_ROLE: Final = "head.token"
_LOOKS: Final = "it looks for "


def with_base_names(audited: Audit, model_type: str, loads: tuple[Load, ...]) -> tuple[Load, ...]:
    """The predictions, with the refusals of loaders that look for the prefix of the base model before the names."""
    named = _named(audited)
    if named is None:
        return loads
    if not str(named.class_name).endswith(OF_TEXT):
        return tuple(_of_parts(audited, model_type, named.prefix, one) for one in loads)
    return tuple(_refusing(audited, model_type, named.prefix, one) for one in loads)


def _refusing(audited: Audit, model_type: str, prefix: str, load: Load) -> Load:
    adding = ADDING.get(load.loader)
    if adding is None or model_type in adding or load.outcome != COMPLETE:
        return load
    if load.loader == "vllm" and "modules.json" in audited.checkpoint.siblings:
        return load
    return replace(load, outcome=REFUSES, because=_without(prefix))


def _of_parts(audited: Audit, model_type: str, prefix: str, load: Load) -> Load:
    """The prediction for a multimodal model, whose parts have the prefix of the base model in front."""
    names = audited.checkpoint.tensors
    if load.outcome != COMPLETE or any(name.startswith(prefix) for name in names):
        return load
    if load.loader == "mlx":
        refuses = model_type in OF_PARTS and any(name.startswith("language_model.") for name in names)
    else:
        whole = load.loader == "vllm" and "modules.json" not in audited.checkpoint.siblings
        refuses = whole and bool(nameless(audited.class_name, names))
    return replace(load, outcome=REFUSES, because=_without(prefix)) if refuses else load


def _without(prefix: str) -> str:
    return f'{_LOOKS}"{prefix}" before the names, and does not add it'


def renames_into_class(audited: Audit, load: Load) -> tuple[tuple[str, str], ...]:
    """The names as the class with the head has them, as patterns, if the loader refuses those of the base model."""
    named = _named(audited)
    if named is None or load.outcome != REFUSES or not load.because.startswith(f'{_LOOKS}"{named.prefix}"'):
        return ()
    head = {line.family for line in audited.lines if line.role == HEAD_ROLE}
    parts = dict.fromkeys(name.partition(".")[0] for name in audited.checkpoint.tensors if name not in head)
    return tuple((f"{part}.*", f"{named.prefix}{part}.*") for part in parts)


def _named(audited: Audit) -> NamesOfBaseModel | None:
    """The note that the names lack the prefix of the base model."""
    named = next((one for one in audited.findings if isinstance(one, NamesOfBaseModel)), None)
    return named if named is not None and named.prefix and not named.stored_prefix else None
