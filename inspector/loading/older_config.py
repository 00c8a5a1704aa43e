"""A config as transformers 4 reads it: a null switch is off, and some keys never reach the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.architectures.defaults import OLDER, class_defaults
from inspector.architectures.value_rules import configs_within, is_replaced
from inspector.notation.trace import with_leaf


def as_older_reads(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The config without the keys that the classes replace, and with false for null switches.

    None if it has neither.
    """
    found = dict(values)
    for path, inner, kind in configs_within(values, values.get("model_type")):
        defaults = class_defaults(kind, OLDER)[0] if isinstance(kind, str) else {}
        for key, value in inner.items():
            if value is None and defaults.get(key) is True:
                found = with_leaf(found, {}, (*path, key), False)
            elif isinstance(kind, str) and is_replaced(kind, key):
                found = _without(found, (*path, key))
    return found if found != values else None


def _without(values: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """The config without the key at a path."""
    if len(path) == 1:
        return {key: value for key, value in values.items() if key != path[0]}
    return {**values, path[0]: _without(values[path[0]], path[1:])}
