"""Config values with which classes of diffusers cannot be built, though no shape need depend on them.

`diffusers_values.json` has what diffusers 0.42 refused when each class was built with other values;
`tests/oracle/make_diffusers_values.py` makes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from msgspec import UNSET, Struct

from inspector.algebra.values import shown
from inspector.architectures.catalog import data_file

MOST_NAMED: Final = 12
"""Most words that a finding lists."""
A_BLOCK_EACH: Final[Mapping[str, tuple[str, ...]]] = {
    "UNet2DConditionModel": ("attention_head_dim", "cross_attention_dim"),
}
"""Class -> keys whose lists have an entry for each of `down_block_types` and change no shape that is compared."""


class RefusedByClass(Struct, frozen=True):
    """A value that a class refuses. meant: the value that it states, None for a key to remove; unset if not known."""

    key: str
    detail: str
    meant: Any = UNSET


class ValueKind(Struct, frozen=True):
    """A kind of values, what a key should be instead, and the value that is meant."""

    applies: Callable[[Any], bool]
    wanted: str
    meant: Callable[[Any], Any]


def _is_int(value: Any) -> bool:
    return type(value) is int


CONDITIONS: Final[Mapping[str, ValueKind]] = {
    "null": ValueKind(lambda value: value is None, "a value that it takes", lambda value: None),
    "zero": ValueKind(lambda value: _is_int(value) and value == 0, "a number above 0", lambda value: UNSET),
    "negative": ValueKind(lambda value: _is_int(value) and value < 0, "a number above 0", lambda value: -value),
    "float": ValueKind(
        lambda value: type(value) is float, "a whole number", lambda value: int(value) if value == int(value) else UNSET
    ),
    "text": ValueKind(
        lambda value: isinstance(value, str), "a number", lambda value: int(value) if value.isdecimal() else UNSET
    ),
    "single": ValueKind(lambda value: _is_int(value) or isinstance(value, str), "a list", lambda value: UNSET),
}
"""Name in the table -> condition."""


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    table: dict[str, dict[str, Any]] = json.loads(data_file("diffusers_values.json"))
    return table


def refused_by_class(values: Mapping[str, Any]) -> Iterator[RefusedByClass]:
    """The values of a component's config with which its class cannot be built."""
    class_name = values.get("_class_name")
    entry = _table().get(class_name) if isinstance(class_name, str) else None
    if entry is None:
        return
    for name, condition in CONDITIONS.items():
        for key in entry.get(name, "").split():
            if key in values and condition.applies(values[key]):
                detail = f"{shown(values[key])} is not {condition.wanted}"
                yield RefusedByClass(key, detail, condition.meant(values[key]))
    yield from _words(values, entry)
    yield from _lengths(values, str(class_name))


def _words(values: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[RefusedByClass]:
    for key, listed in entry.get("words", {}).items():
        known = listed.split()
        if isinstance(values.get(key), str) and values[key].casefold() not in map(str.casefold, known):
            yield RefusedByClass(key, f"{shown(values[key])} is {_none_of(known)}")
    for key, listed in entry.get("items", {}).items():
        known, value = listed.split(), values.get(key)
        for item in value if isinstance(value, list) else ():
            if isinstance(item, str) and item not in known:
                yield RefusedByClass(key, f"{shown(item)} is {_none_of(known)}")
                break


def _none_of(known: list[str]) -> str:
    return f"none of {', '.join(known)}" if len(known) <= MOST_NAMED else "not known to it"


def _lengths(values: Mapping[str, Any], class_name: str) -> Iterator[RefusedByClass]:
    blocks = values.get("down_block_types")
    for key in A_BLOCK_EACH.get(class_name, ()):
        value = values.get(key)
        if isinstance(blocks, list) and isinstance(value, list) and len(value) != len(blocks):
            yield RefusedByClass(key, f"it has length {len(value)}, down_block_types {len(blocks)}")
