"""Which of two names of a config key decides where a config states both with different values."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from inspector.architectures.defaults import NEWEST, class_defaults
from inspector.architectures.value_rules import configs_within
from inspector.notation.trace import with_leaf

KEY_NAMES: Final = os.path.join(os.path.dirname(__file__), "key_names.json")
"""The table: major version -> "key" and "open" -> model type -> other names of keys of which the key itself decides,
or of which neither does in both orders; `tests/oracle/make_key_names.py` measures them.
"""
KEY: Final = "key"


@cache
def _table() -> Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]:
    with open(KEY_NAMES, "rb") as file:
        found: dict[str, dict[str, dict[str, list[str]]]] = json.loads(file.read())
    return found


def as_decided(values: Mapping[str, Any], major: str) -> Mapping[str, Any]:
    """The config with one value under both names of a key: the one that a version of transformers reads."""
    found: Mapping[str, Any] = values
    for path, inner, kind in configs_within(values, values.get("model_type")):
        for other, key, decides in _in_two(inner, kind, major):
            name, value = (other, inner[key]) if decides == KEY else (key, inner[other])
            found = with_leaf(found, {}, (*path, name), value)
    return found


def other_names_that_decide(values: Mapping[str, Any], model_type: object) -> Iterator[tuple[str, str]]:
    """Other names of keys under which a config states another value than the whole number of the keys, and which
    transformers 5 reads in its place; with these keys.
    """
    return ((other, key) for other, key, decides in _in_two(values, model_type, NEWEST) if decides != KEY)


def _in_two(values: Mapping[str, Any], model_type: object, major: str) -> Iterator[tuple[str, str, str]]:
    """(other name, key, which of them decides) for each whole number that a config states under both names of a key
    with different values, where one is known to decide.

    The value of the other name may be of any type, except where transformers 5 does not use it: its config classes
    check it all the same.
    """
    if not isinstance(model_type, str):
        return
    defaults, aliases = class_defaults(model_type, major)
    exceptions = {kind: types.get(model_type, ()) for kind, types in _table()[major].items()}
    for other, key in aliases.items():
        number = all(type(one) is int for one in (values.get(key), defaults.get(key)))
        if not number or other not in values or _is_same(values[other], values[key]):
            continue
        kind = next((kind for kind, names in exceptions.items() if other in names), "")
        checked = kind == KEY and major == NEWEST and type(values[other]) is not int
        if kind in ("", KEY) and not checked:
            yield other, key, kind


def _is_same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other)
