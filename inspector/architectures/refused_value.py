"""The table of config values that transformers refuses, and the record of one of them.

`value_rules.json` has what was measured for each model type by building models of transformers 5.23 and 4.57 from
changed configs; `tests/oracle/make_value_rules.py` makes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import Any, Final

from msgspec import UNSET, Struct

from inspector.architectures.catalog import data_file


class RefusedValue(Struct, frozen=True):
    """A value that a version refuses. path: of its key. wanted: what it should be.

    meant: the value that it states, None for a key to remove; unset where the value is not known. others: paths of
    further keys that are absent or wrong like it. measured: whether a class was found to refuse it, of which no type or
    word is known that it needs; meant is then only a size that the weights may confirm. follows: path of the key that
    decides what it should be, a wrong value of which is the cause.
    """

    path: tuple[str, ...]
    wanted: str
    meant: Any = UNSET
    others: tuple[tuple[str, ...], ...] = ()
    measured: bool = False
    follows: tuple[str, ...] = ()


@cache
def rules_of(major: str) -> Mapping[str, Any]:
    table: dict[str, Any] = json.loads(data_file("value_rules.json"))[major]
    return table


@cache
def looking_up(kind: str, key: str, major: str) -> frozenset[str]:
    """The model types that refuse a key with such a word, number or part."""
    return frozenset(rules_of(major).get(kind, {}).get(key, "").split())


MOST_DIGITS: Final = 18
"""Digits of the largest number that a text is taken to mean; Python reads no more than 4,300."""


def digits_in(text: str) -> Any:
    """The whole number that a text of decimal digits states, unset for another text."""
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else UNSET


def number_in(value: Any) -> Any:
    """The number that a text states, unset where it states none."""
    try:
        number = float(value) if isinstance(value, str) else float("nan")
    except ValueError:
        return UNSET
    return number if isfinite(number) else UNSET
