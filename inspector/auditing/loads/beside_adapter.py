"""Predicts what transformers does with the weights of a model if an adapter_config.json is in the same folder.

Source: transformers 5.23 (`integrations/peft.py`, `maybe_load_adapters` and `load_adapter`) and 4.57
(`modeling_utils.py`), with PEFT 0.21 installed; without PEFT they do not read the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from inspector.adapters.expected import PROMPTS
from inspector.adapters.methods import PEFT_TYPES
from inspector.adapters.peft_configs import refusal
from inspector.findings.adapters.saved import AdapterBesideWeights
from inspector.findings.finding import Finding, Place
from inspector.loader.loaders import DIFFUSERS, MLX_ADAPTERS, PEFT, TRANSFORMERS
from inspector.loading.outcome import ALTERED, REFUSES, UNKNOWN, UNSUPPORTED, Load
from inspector.loading.tables import OLDER

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.loader.checkpoint import Checkpoint

NOT_ADDED: Final = frozenset({
    *(kind.upper() for kind in PROMPTS), "ADAPTION_PROMPT", "SHADOW", "FROD", "PVERA", "TINYLORA", "UNILORA", "VBLORA",
    "VERA",
})  # fmt: skip
"""Methods that `inject_adapter_in_model` refuses: prompts, whole layers, and tensors that modules share."""
INSTALLED: Final = "with PEFT installed "
OWN_ADAPTER: Final = "has_lora_adapter"
"""Key of configs for a class that is built from the weights together with the adapter in the same folder (Granite
Speech).
"""

NO_SAFETENSORS: Final = f"there is no {PEFT.files[0]}"
"""Why no adapter is added. For a local folder 5.23 looks for no adapter_model.bin in its place (measured)."""
LIBRARY_FILES: Final = ("pytorch_adapter.bin", "adapter.safetensors")
"""Files of the library adapters (AdapterHub); its adapter_config.json has `config` in place of a peft_type."""


def adapter_config_with_model(checkpoint: Checkpoint) -> Finding | None:
    """The finding on an adapter config that is stored with the weights of a model, or that PEFT did not write."""
    if checkpoint.adapter is None:
        return None
    values = checkpoint.adapter.values
    if checkpoint.set_name in LIBRARY_FILES and "peft_type" not in values and isinstance(values.get("config"), dict):
        from inspector.findings.reading.other_library import AdapterOfLibrary

        model = values.get("model_name")
        return AdapterOfLibrary(place=Place(file=checkpoint.adapter.file), base=model if isinstance(model, str) else "")
    if checkpoint.config is None and "config.json" not in checkpoint.siblings and _is_of_model(values):
        from inspector.findings.adapters.config_of_model import ModelConfigMisnamed

        return ModelConfigMisnamed(place=Place(file=checkpoint.adapter.file), of=str(values["model_type"]))
    base = values.get("base_model_name_or_path")
    there = next((name for name in (*PEFT.files, *MLX_ADAPTERS.files) if name in checkpoint.siblings), None)
    config = checkpoint.config
    if config is None and there is None and str(values.get("peft_type")) in PEFT_TYPES and _is_of_no_loader(checkpoint):
        from inspector.findings.shards.names import ModelWeightsAbsent

        return ModelWeightsAbsent(
            place=Place(file=checkpoint.set_name), loader=PEFT.name, wanted=PEFT.files[0], model_type="an adapter",
            tensors=len(checkpoint.tensors), example=next(iter(checkpoint.tensors)),
        )  # fmt: skip
    refused = _refused(values, there)
    of_newest = not refused and there == PEFT.files[1] and os.path.exists(checkpoint.address)
    return AdapterBesideWeights(
        place=Place(file=checkpoint.adapter.file),
        base=base if isinstance(base, str) and base else None,
        adapter_file=there,
        refused=refused or (NO_SAFETENSORS if of_newest else ""),
        of_newest=of_newest,
        added=config is None or config.values.get(OWN_ADAPTER) is not True,
    )


def _is_of_model(values: Mapping[str, Any]) -> bool:
    """True for the keys of a model's config without the type of an adapter."""
    return "peft_type" not in values and isinstance(values.get("model_type"), str) and "architectures" in values


def _is_of_no_loader(checkpoint: Checkpoint) -> bool:
    """True if the weights are a single file without the name of a model's file, of a shard or of a variant."""
    name = checkpoint.set_name
    if len(checkpoint.files) != 1 or checkpoint.files[0].name != name or name in LIBRARY_FILES:
        return False
    return re.split(r"[.-]", name)[0] not in {*TRANSFORMERS.stems.values(), *DIFFUSERS.stems.values()}


def _refused(values: Mapping[str, Any], there: str | None) -> str:
    """The reason for which the adapter cannot be added to these weights; "" if none is known."""
    kind = values.get("peft_type")
    if str(kind) not in PEFT_TYPES:
        return f"{PEFT.config} names no peft_type that PEFT knows"
    if kind in NOT_ADDED:
        return f"transformers adds no adapter of the peft_type {kind}"
    if there not in PEFT.files:
        return NO_SAFETENSORS
    return refusal(values)


def with_adapter(load: Load, audited: Audit, finding: AdapterBesideWeights) -> Load:
    """What a version of transformers does if PEFT is installed."""
    if load.outcome in (REFUSES, UNSUPPORTED, UNKNOWN):
        return load
    checkpoint = audited.checkpoint
    from_base = finding.base != checkpoint.address and (
        str(load.version).startswith(OLDER) or not os.path.exists(checkpoint.address)
    )
    because = "" if finding.of_newest and str(load.version).startswith(OLDER) else finding.refused
    if not because and from_base and finding.base is None:
        because = f"{PEFT.config} names no base, which it loads"
    if because:
        empty = replace(load, outcome=REFUSES, missing=None, unexpected=None, mismatched=None, excuse="")
        return replace(empty, because=INSTALLED + because)
    if from_base:
        words = f"it loads {finding.base} instead of these weights"
    elif finding.added:
        words = f"it adds {finding.adapter_file} to these weights"
    else:
        return load
    return replace(load, outcome=ALTERED, because=f"{INSTALLED}{words}", excuse="")
