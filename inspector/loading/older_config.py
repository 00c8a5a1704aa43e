"""A config as transformers 4 reads it: a null switch is off, true counts as 1, and some keys never reach the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from inspector.architectures.config_types import types_of
from inspector.architectures.defaults import OLDER, class_defaults
from inspector.architectures.value_rules import configs_within, is_replaced
from inspector.loading.key_names import as_decided
from inspector.notation.trace import with_leaf

COMPUTED: Final = frozenset({"is_gated_act"})
"""Switches that config classes compute from other keys; null replaces what they computed, and is off."""


def as_older_reads(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The config without the keys that the classes replace, with one value under both names of a key, with true or
    false for switches, and with 1 and 0 for true and false in place of whole numbers, which Python counts as these.

    None if it has none of them.
    """
    found, counted = dict(as_decided(values, OLDER)), False
    for path, inner, kind in configs_within(values, values.get("model_type")):
        defaults = class_defaults(kind, OLDER)[0] if isinstance(kind, str) else {}
        for key, value in inner.items():
            if value is None and (defaults.get(key) is True or key in COMPUTED):
                found = with_leaf(found, {}, (*path, key), False)
            elif isinstance(value, bool) and _is_number(kind, key, defaults.get(key)):
                found, counted = with_leaf(found, {}, (*path, key), int(value)), True
            elif _stands_for_switch(value, defaults.get(key)):
                found = with_leaf(found, {}, (*path, key), bool(value))
            elif isinstance(kind, str) and is_replaced(kind, key):
                found = _without(found, (*path, key))
    inside = _with_numbers_inside(found)
    counted = counted or inside is not found
    return dict(inside) if counted or found != values else None  # true equals 1


def counted(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config with 1 and 0 for true and false in place of whole numbers, and with false and true for empty and other
    texts, lists and objects in place of switches: code of transformers 4 does not tell them apart.
    """
    found = values
    for path, inner, kind in configs_within(values, values.get("model_type")):
        defaults = class_defaults(kind, OLDER)[0] if isinstance(kind, str) else {}
        for key, value in inner.items():
            if isinstance(value, bool) and _is_number(kind, key, defaults.get(key)):
                found = with_leaf(found, {}, (*path, key), int(value))
            elif _stands_for_switch(value, defaults.get(key)):
                found = with_leaf(found, {}, (*path, key), bool(value))
    return _with_numbers_inside(found)


def _with_numbers_inside(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config with 1 and 0 for true and false in place of whole numbers of objects that are no configs."""
    found = values
    for path, inner, kind in configs_within(values, values.get("model_type")):
        defaults = class_defaults(kind, OLDER)[0] if isinstance(kind, str) else {}
        for key, value in inner.items():
            if isinstance(value, dict) and "model_type" not in value:
                stated, start = defaults.get(key), key.removesuffix("config")  # it may be computed from other keys
                usual = stated if isinstance(stated, Mapping) else {one: defaults.get(f"{start}{one}") for one in value}
                for name in [
                    one for one, old in usual.items() if type(old) is int and isinstance(value.get(one), bool)
                ]:
                    found = with_leaf(found, {}, (*path, key, name), int(value[name]))
    return found


def _stands_for_switch(value: Any, usual: Any) -> bool:
    """True for a text, a list or an object in place of true or false: if it is empty, it is off."""
    return isinstance(value, str | list | dict) and isinstance(usual, bool)


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
