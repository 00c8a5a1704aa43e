"""Finds settings with which schedulers of diffusers cannot be built, or fail at their first call.

`schedulers.json` lists what diffusers 0.42 refused for each class; `tests/oracle/make_schedulers.py` generates it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from msgspec import UNSET, Struct

from inspector.algebra.values import shown
from inspector.architectures.refused_value import digits_in

MOST_NAMED: Final = 12
"""Most words that a reason lists."""
SIMILAR: Final = 0.8
"""Least similarity (of 1) between a word and the intended word."""
LONGEST: Final = 100
"""Longest word for which a similar one is searched."""


class RefusedSetting(Struct, frozen=True):
    """A setting that a scheduler refuses. built: its constructor refuses it. meant: a value that it accepts instead."""

    key: str
    value: Any
    because: str
    built: bool
    meant: Any = UNSET


class SettingKind(Struct, frozen=True):
    """A kind of values, and what the scheduler accepts instead."""

    applies: Callable[[Any], bool]
    wanted: str


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


CONDITIONS: Final[Mapping[str, SettingKind]] = {
    "null": SettingKind(lambda value: value is None, "a value"),
    "zero": SettingKind(lambda value: _is_int(value) and value == 0, "above 0"),
    "negative": SettingKind(lambda value: _is_number(value) and value < 0, "above 0"),
    "float": SettingKind(lambda value: type(value) is float and not value.is_integer(), "a whole number"),
    "text": SettingKind(lambda value: isinstance(value, str), "a number"),
    "number": SettingKind(_is_number, "no number"),
    "list": SettingKind(lambda value: isinstance(value, list) and bool(value), "a single value"),
    "empty": SettingKind(lambda value: value == [], "empty"),
}
"""Name in the table -> condition."""


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    with open(os.path.join(os.path.dirname(__file__), "schedulers.json"), "rb") as file:
        table: dict[str, dict[str, Any]] = json.loads(file.read())
    return table


def refused_settings(class_name: str, values: Mapping[str, Any]) -> Iterator[RefusedSetting]:
    """The settings that a scheduler refuses, each key once; refusals of the constructor come first."""
    entry = _table().get(class_name, {})
    seen: set[str] = set()
    named = values.get("_class_name", class_name)
    if entry and not isinstance(named, str | list):
        yield RefusedSetting("_class_name", named, f"{shown(named)} is not the name of a class", True, class_name)
    values = _read(values)
    for place in ("built", "called"):
        rules = entry.get(place, {})
        stated = {**entry.get("defaults", {}), **values}
        kinds = (*_kinds(rules, values, place), *_given(rules, values, stated, place))
        for one in (*kinds, *_words(rules, values, place), *_most(rules, values, place)):
            if one.key not in seen:
                seen.add(one.key)
                yield one
        for key, value, other, beside in rules.get("together", ()):
            if seen.isdisjoint((key, other)) and _is(stated.get(key), value) and _is(stated.get(other), beside):
                named, against = (key, (other, beside)) if key in values else (other, (key, value))
                seen.update((key, other))
                because = f"it does not go with {against[0]} = {shown(against[1])}"
                yield RefusedSetting(named, stated[named], because, place == "built")


def _read(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings that take effect: without those marked as defaults, and without a schedule if the
    betas are listed.
    """
    unread = values.get("_use_default_values")
    names = unread if isinstance(unread, list) else ()
    listed = isinstance(values.get("trained_betas"), list)
    return {
        key: value for key, value in values.items() if key not in names and not (listed and key.startswith("beta_"))
    }


def _is(stated: Any, value: Any) -> bool:
    """True if a setting has a value; true does not equal 1."""
    return type(stated) is type(value) and bool(stated == value)


def _kinds(rules: Mapping[str, Any], values: Mapping[str, Any], place: str) -> Iterator[RefusedSetting]:
    for name in CONDITIONS:
        for key in rules.get(name, "").split():
            yield from _of_kind(name, key, values, place)


def _given(
    rules: Mapping[str, Any], values: Mapping[str, Any], stated: Mapping[str, Any], place: str
) -> Iterator[RefusedSetting]:
    """The values that a scheduler refuses in combination with certain words of another key."""
    for name, key, other, words in rules.get("given", ()):
        if stated.get(other) in words:
            yield from _of_kind(name, key, values, place)


def _of_kind(name: str, key: str, values: Mapping[str, Any], place: str) -> Iterator[RefusedSetting]:
    kind = CONDITIONS[name]
    if key in values and kind.applies(values[key]):
        value = values[key]
        because = f"{shown(value)} is not {kind.wanted}"
        yield RefusedSetting(key, value, because, place == "built", _number_meant(name, value))


def _number_meant(condition: str, value: Any) -> Any:
    """The number that a text means, or the positive number for a negative one; else UNSET."""
    if condition == "text":
        return digits_in(value)
    return -value if condition == "negative" else UNSET


def _words(rules: Mapping[str, Any], values: Mapping[str, Any], place: str) -> Iterator[RefusedSetting]:
    for key, listed in rules.get("words", {}).items():
        value, known = values.get(key), listed.split()
        if isinstance(value, str) and value not in known:
            because = f"{shown(value)} is none of {', '.join(known[:MOST_NAMED])}"
            yield RefusedSetting(key, value, because, place == "built", _word_meant(value, known))


def _word_meant(value: str, known: Sequence[str]) -> Any:
    """The only known word that is similar to a value; else UNSET."""
    if len(value) > LONGEST:
        return UNSET
    from difflib import get_close_matches

    near = get_close_matches(value, known, 2, SIMILAR)
    return near[0] if len(near) == 1 else UNSET


def _most(rules: Mapping[str, Any], values: Mapping[str, Any], place: str) -> Iterator[RefusedSetting]:
    for key, most in rules.get("most", {}).items():
        value = values.get(key)
        if type(value) is int and value > most:
            yield RefusedSetting(key, value, f"{value:,} is above {most}", place == "built")
