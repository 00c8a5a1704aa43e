"""Configs that transformers 5 refuses while it reads them, by the conditions of its config classes.

`config_rules.json` has them as expressions of config keys, by model type; `tests/oracle/make_config_rules.py` makes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from inspector.algebra.expression import parse, show, words
from inspector.algebra.values import shown
from inspector.architectures.catalog import definition_of
from inspector.architectures.config_types import layer_types, types_of
from inspector.architectures.defaults import defaults_by
from inspector.architectures.value_rules import refused_values
from inspector.loading.tables import NEWEST
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings


@cache
def _rules() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    with open(os.path.join(os.path.dirname(__file__), "config_rules.json"), "rb") as file:
        listed: dict[str, dict[str, tuple[str, ...]]] = json.loads(file.read())
    return listed


def refused_config(values: Mapping[str, Any], major: str = NEWEST) -> str:
    """Why a config, or one within it, is refused; "" where no condition holds that all keys of which are known.

    What the config classes check is of transformers 5 alone; transformers 4 fails where it builds the model.
    """
    value = next(refused_values(values, major), None)
    if value is not None:
        return f"{'.'.join(value.path)} is not {value.wanted}"
    for inner in (values, *(one for one in values.values() if isinstance(one, dict))):
        model_type = inner.get("model_type")
        if isinstance(model_type, str):
            found = next(_refusals(inner, model_type, major), "") or _refused_layers(inner, model_type)
            if found:
                return found
    return ""


def _refused_layers(values: Mapping[str, Any], model_type: str) -> str:
    """Why the list of layer types is refused (`PreTrainedConfig.validate_layer_type`); "" where it is not."""
    defaults, aliases = defaults_by(NEWEST)(model_type)
    key = aliases.get("layer_types", "layer_types")
    listed, types = values.get(key), types_of(model_type)
    if not isinstance(listed, list) or types is None or not types.fields.keys() >= {key, "num_hidden_layers"}:
        return ""
    odd = next((one for one in listed if one not in layer_types()), None) if key == "layer_types" else None
    if odd is not None:
        return f"its config class knows no layer type {shown(odd)} of {key}"
    number = Settings(values, defaults, aliases).read(("num_hidden_layers",))[0]
    if type(number) is int and number != len(listed):
        return f"{key} has {len(listed)} entries, num_hidden_layers is {number}"
    return ""


def _refusals(values: Mapping[str, Any], model_type: str, major: str) -> Iterator[str]:
    kinds, definition = _rules().get(model_type, {}), definition_of(model_type)
    rules = (*(kinds.get("config", ()) if major == NEWEST else ()), *kinds.get("model", ()))
    if not rules or definition is None:
        return
    of_type = defaults_by(NEWEST)
    settings = Settings(values, *of_type(model_type), of_type=of_type)
    scope = Scope(definition, settings, definition_of)
    for rule in rules:
        node, keys = parse(rule), _keys(rule)
        if all(_is_known(settings, key) for key in keys) and scope.evaluate(node) is True:
            stated = ", ".join(f"{key} {settings.read((key,))[0]}" for key in keys)
            who = "config class" if rule in kinds.get("config", ()) else "model"
            yield f"its {who} refuses {show(node)}: {stated}"


@cache
def _keys(rule: str) -> tuple[str, ...]:
    """The keys of a condition; there are only as many conditions as the table has."""
    return tuple(dict.fromkeys(path[0] for path in words(parse(rule))))


def _is_known(settings: Settings, key: str) -> bool:
    """Whether a config or the defaults state a key; null counts where the config states it."""
    return key in settings.values or settings.read((key,))[0] is not None
