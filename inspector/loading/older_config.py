"""A config as transformers 4 reads it: a null switch is off, true counts as 1, and some keys never reach the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from inspector.architectures.config_types import types_of
from inspector.architectures.defaults import OLDER, class_defaults
from inspector.architectures.value_rules import configs_within, is_replaced
from inspector.notation.trace import with_leaf

COMPUTED: Final = frozenset({"is_gated_act"})
"""Switches that config classes compute from other keys; null replaces what they computed, and is off."""


def as_older_reads(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The config without the keys that the classes replace, with false for null switches, and with 1 and 0 for true and
    false in place of whole numbers, which Python counts as these.

    None if it has none of them.
    """
    found, counted = dict(values), False
    for path, inner, kind in configs_within(values, values.get("model_type")):
        defaults = class_defaults(kind, OLDER)[0] if isinstance(kind, str) else {}
        for key, value in inner.items():
            if value is None and (defaults.get(key) is True or key in COMPUTED):
                found = with_leaf(found, {}, (*path, key), False)
            elif isinstance(value, bool) and _is_number(kind, key, defaults.get(key)):
                found, counted = with_leaf(found, {}, (*path, key), int(value)), True
            elif isinstance(kind, str) and is_replaced(kind, key):
                found = _without(found, (*path, key))
    return found if counted or found != values else None  # true equals 1


def counted(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config with 1 and 0 for true and false in place of whole numbers, and with false for empty values in place of
    switches: code of transformers 4 does not tell them apart.
    """
    found = values
    for path, inner, kind in configs_within(values, values.get("model_type")):
        defaults = class_defaults(kind, OLDER)[0] if isinstance(kind, str) else {}
        for key, value in inner.items():
            if isinstance(value, bool) and _is_number(kind, key, defaults.get(key)):
                found = with_leaf(found, {}, (*path, key), int(value))
            elif isinstance(value, str | list | dict) and not value and isinstance(defaults.get(key), bool):
                found = with_leaf(found, {}, (*path, key), False)
    return found


def _is_number(model_type: Any, key: str, usual: Any) -> bool:
    """True if a key holds a whole number, by its default or by the types of transformers 5."""
    types = types_of(model_type) if isinstance(model_type, str) else None
    accepted = types.fields.get(key, "") if types is not None else ""
    return type(usual) is int or ("i" in accepted and "b" not in accepted)


def _without(values: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """The config without the key at a path."""
    if len(path) == 1:
        return {key: value for key, value in values.items() if key != path[0]}
    return {**values, path[0]: _without(values[path[0]], path[1:])}
