"""The vision tower of LLaVA's own code, which is no module yet when PEFT looks for the adapter's targets.

Source: LLaVA's `llava/model/multimodal_encoder/clip_encoder.py` builds the tower with `delay_load` and loads it at once
only for `unfreeze_mm_vision_tower`; `train.py` calls `initialize_vision_modules` after `get_peft_model`, and
`find_all_linear_names` leaves out mm_projector, vision_tower and vision_resampler; `load_pretrained_model` in
`builder.py` loads the tower after `PeftModel.from_pretrained`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from inspector.adapters.names import tuner_name
from inspector.auditing.identity.own_code import is_foreign
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config, named_class
from inspector.matcher.families import Families

TOWERS: Final = ("model.vision_tower.", "model.vision_resampler.")
TEXT_TYPES: Final = {
    f"Llava{name}ForCausalLM": (kind, f"{built}ForCausalLM")
    for name, kind, built in (
        ("Llama", "llama", "Llama"), ("Mistral", "mistral", "Mistral"), ("Mixtral", "mixtral", "Mixtral"),
        ("Qwen", "qwen2", "Qwen2"),
    )
}  # fmt: skip
"""Class of LLaVA's code -> the type and the class of the text model that it extends."""


def is_of_llava(config: Mapping[str, Any]) -> bool:
    """True for a config of LLaVA's own code with a vision tower: the text model's sizes are at the top."""
    named = named_class(config) or ""
    return named in TEXT_TYPES and is_foreign(named) and isinstance(config.get("mm_vision_tower"), str)


def seen_by_peft(config: Config, families: Collection[str]) -> Config | None:
    """The config of the text model alone, whose names the modules have, for a base of LLaVA's own code; None for an
    adapter with pairs in the tower, which no config here describes. families: the adapter's.
    """
    if any(_of_tower(families)):
        return None
    kind, named = TEXT_TYPES[named_class(config.values) or ""]
    return replace(config, values={**config.values, "model_type": kind, "architectures": [named]})


def tower_unloaded(checkpoint: Checkpoint, families: Families, of_base: Mapping[str, Any]) -> Iterator[Finding]:
    """The note on pairs in a tower that LLaVA's code loads after the adapter. of_base: the config of the base."""
    beside = {} if checkpoint.config is None else checkpoint.config.values
    config = of_base or beside
    if not is_of_llava(config) or config.get("unfreeze_mm_vision_tower"):
        return
    inside = [key for key in _of_tower(families) if tuner_name(key) is not None]
    if not inside:
        return
    from inspector.findings.adapters.beside import TowerUnloaded

    count = sum(families[key].tensors for key in inside)
    yield TowerUnloaded(tensors=count, of=sum(one.tensors for one in families.values()))


def _of_tower(families: Collection[str]) -> Iterator[str]:
    for key in families:
        found = tuner_name(key)
        if found is not None and found.module.startswith(TOWERS):
            yield key
