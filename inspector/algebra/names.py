"""Tensor names as keys: `model.layers.17.mlp.up_proj.weight` is (17,) of `model.layers.#.mlp.up_proj.weight`.

A segment that is a canonical number of at most six ASCII digits is an index; everything else (`w1`, `007`,
`²`, `1_0`, twenty digits) stays part of the key. Names are grouped by digit classes: names that agree
after every digit is replaced by 0 have their numbers at the same places, so the slow look at a name is
taken once for each class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Index = tuple[int, ...]

_DIGITS = str.maketrans("123456789", "000000000")
_NUMBER = re.compile(r"(?:(?<=\.)|^)0{1,6}(?=\.|$)")
_CANONICAL = re.compile(r"(?:(?<=\.)|^)(?:0|[1-9][0-9]{0,5})(?=\.|$)", re.ASCII)


def key_of(name: str) -> tuple[str, Index]:
    """One name's key and indices. A `#` of the name itself is written `\\#` in the key."""
    numbers: list[int] = []
    if "#" in name:
        name = name.replace("#", "\\#")

    def note(match: re.Match[str]) -> str:
        numbers.append(int(match.group()))
        return "#"

    key = _CANONICAL.sub(note, name)
    return key, tuple(numbers)


def name_of(key: str, indices: Index) -> str:
    """The name of a key at these indices: the inverse of `key_of`."""
    parts = iter(indices)
    if indices:
        key = ".".join(str(next(parts)) if segment == "#" else segment for segment in key.split("."))
    return key.replace("\\#", "#") if "#" in key else key


def grouped(names: Iterable[str]) -> dict[str, list[tuple[Index, str]]]:
    """Names by key, in order: key -> [(indices, name), …]. A few microseconds for ten names."""
    listed = list(names)
    if any("\n" in name for name in listed):
        return _one_by_one(listed)
    classes: dict[str, list[str]] = {}
    for name, digit_class in zip(listed, "\n".join(listed).translate(_DIGITS).split("\n"), strict=True):
        members = classes.get(digit_class)
        if members is None:
            classes[digit_class] = [name]
        else:
            members.append(name)
    groups: dict[str, list[tuple[Index, str]]] = {}
    for digit_class, members in classes.items():
        _place(digit_class, members, groups)
    return groups


def _one_by_one(names: Iterable[str]) -> dict[str, list[tuple[Index, str]]]:
    groups: dict[str, list[tuple[Index, str]]] = {}
    for name in names:
        key, indices = key_of(name)
        groups.setdefault(key, []).append((indices, name))
    return groups


def _place(digit_class: str, members: list[str], groups: dict[str, list[tuple[Index, str]]]) -> None:
    places = [match.span() for match in _NUMBER.finditer(digit_class)]
    rest = _NUMBER.sub("", digit_class)
    if "0" in rest or len(members) == 1 or "#" in digit_class:  # digits beside letters: keys may differ
        for key, entries in _one_by_one(members).items():
            groups.setdefault(key, []).extend(entries)
        return
    columns = [[int(name[start:stop]) for name in members] for start, stop in places]
    for (start, stop), column in zip(places, columns, strict=True):
        if stop - start > 1 and min(column) < 10 ** (stop - start - 1):  # leading zeros are no indices
            for key, entries in _one_by_one(members).items():
                groups.setdefault(key, []).extend(entries)
            return
    entries = list(zip(zip(*columns, strict=True), members, strict=True)) if columns else [((), members[0])]
    groups.setdefault(_NUMBER.sub("#", digit_class), []).extend(entries)
