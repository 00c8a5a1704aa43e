"""What the tensors of a LoRA show of an adapter_config.json that is not there: all of it but the scale."""

from __future__ import annotations

from typing import Any, Final

from inspector.adapters.names import saved_name, tuner_name
from inspector.matcher.families import Families

FIRST: Final = ".lora_A.weight"
ENDS: Final = (FIRST, ".lora_B.weight")


def shown_settings(families: Families) -> dict[str, Any]:
    """Method, rank and modules of a LoRA of one rank for linear layers; {} for any other adapter."""
    ranks: set[int] = set()
    modules: dict[str, None] = {}
    for key, family in families.items():
        tuner = tuner_name(saved_name(key))
        shapes = [part.layout.shape for part in family.stored]
        if tuner is None or tuner.ending not in ENDS or any(len(shape) != len(ENDS) for shape in shapes):
            return {}
        modules[tuner.module.rpartition(".")[2]] = None
        ranks.update(shape[0] for shape in shapes if tuner.ending == FIRST)
    if len(ranks) != 1 or "#" in modules:
        return {}
    return {"peft_type": "LORA", "r": ranks.pop(), "target_modules": sorted(modules)}
