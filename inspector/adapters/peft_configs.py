"""What PEFT makes of an adapter's config: keys that its classes do not have are dropped, absent ones have defaults.

`peft_configs.json` has the keys, the defaults and what the classes refuse (`tests/oracle/make_peft_configs.py`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

EXPRESSION: Final = "an expression in target_modules"
WITHOUT_PARAMETERS: Final = frozenset({"use_dora", "lora_bias"})
"""What PEFT does not do to single parameters (`ParamWrapper` in `tuners/lora/layer.py`)."""
INFERRED: Final = frozenset({"trainable_tokens", "osf"})
"""Methods that find their modules themselves where the config names none."""


@cache
def _table() -> Mapping[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "peft_configs.json"), "rb") as file:
        table: dict[str, Any] = json.loads(file.read())
    return table


def as_read(values: Mapping[str, Any], base_type: str) -> Mapping[str, Any]:
    """A config with the defaults of its class and the modules that it changes by default in a base of a type."""
    entry = _table().get(str(values.get("peft_type")))
    if not isinstance(entry, dict):
        return values
    known: dict[str, Any] = entry["keys"]
    found = {**known, **{key: value for key, value in values.items() if key in known or key == "peft_type"}}
    if found.get("target_modules") is None and base_type in entry["targets"]:
        named = _table()["targets"][entry["targets"][base_type]]
        found["target_modules"] = named.split() if " " in named or not named.startswith("all-") else named
    if values.get("peft_type") == "ADALORA" and not found.get("rank_pattern"):
        found["r"] = found.get("init_r")
    return found


def refusal(values: Mapping[str, Any]) -> str:
    """Why the class of a config, or the method, refuses its values; "" where it does not."""
    entry = _table().get(str(values.get("peft_type")))
    if not isinstance(entry, dict):
        return ""
    stated = {key for key, value in values.items() if value not in (None, False) and key in entry["keys"]}
    if isinstance(values.get("target_modules"), str):
        stated.add(EXPRESSION)
    if "target_parameters" in stated and stated & WITHOUT_PARAMETERS:
        return f"{values['peft_type']} refuses {min(stated & WITHOUT_PARAMETERS)} with target_parameters"
    for condition in entry["refused"]:
        first, without, other = condition.partition(" without ")
        if not without:
            first, _, other = condition.partition(" with ")
        if first in stated and (other in stated) is not bool(without):
            return f"{values['peft_type']} refuses {condition}"
    return ""


def names_modules(values: Mapping[str, Any]) -> bool:
    """Whether a config, with its defaults, names modules or parameters: most methods refuse one that does not."""
    keys = _table().get(str(values.get("peft_type")), {}).get("keys", {})
    if "target_modules" not in keys or str(values["peft_type"]).lower() in INFERRED:
        return True
    return values.get("target_modules") is not None or bool(values.get("target_parameters"))
