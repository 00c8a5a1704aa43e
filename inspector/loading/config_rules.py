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
from inspector.architectures.catalog import definition_of
from inspector.architectures.defaults import defaults_by
from inspector.loading.tables import NEWEST
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings


@cache
def _rules() -> Mapping[str, tuple[str, ...]]:
    with open(os.path.join(os.path.dirname(__file__), "config_rules.json"), "rb") as file:
        listed: dict[str, list[str]] = json.loads(file.read())
    return {name: tuple(rules) for name, rules in listed.items()}


def refused_config(values: Mapping[str, Any]) -> str:
    """Why a config, or one within it, is refused; "" where no condition holds that all keys of which are known."""
    for inner in (values, *(one for one in values.values() if isinstance(one, dict))):
        model_type = inner.get("model_type")
        found = next(_refusals(inner, model_type), "") if isinstance(model_type, str) else ""
        if found:
            return found
    return ""


def _refusals(values: Mapping[str, Any], model_type: str) -> Iterator[str]:
    rules, definition = _rules().get(model_type, ()), definition_of(model_type)
    if not rules or definition is None:
        return
    of_type = defaults_by(NEWEST)
    settings = Settings(values, *of_type(model_type), of_type=of_type)
    scope = Scope(definition, settings, definition_of)
    for rule in rules:
        node = parse(rule)
        keys = tuple(dict.fromkeys(path[0] for path in words(node)))
        if all(_is_known(settings, key) for key in keys) and scope.evaluate(node) is True:
            stated = ", ".join(f"{key} {settings.read((key,))[0]}" for key in keys)
            yield f"its config class refuses {show(node)}: {stated}"


def _is_known(settings: Settings, key: str) -> bool:
    """Whether a config or the defaults state a key; null counts where the config states it."""
    return key in settings.values or settings.read((key,))[0] is not None
