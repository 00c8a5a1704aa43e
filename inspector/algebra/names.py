"""Tensor names as keys: `model.layers.17.mlp.up_proj.weight` is (17,) of `model.layers.#.mlp.up_proj.weight`.

A segment that is a canonical number of at most six ASCII digits is an index; everything else (`w1`, `007`,
`²`, `1_0`, twenty digits) stays part of the key. Names are grouped by digit classes: names that agree
after every digit is replaced by 0 have their numbers at the same places, so the slow analysis of a name is
done once for each class. Digits next to letters (`w1`, `conv2d`) then distinguish the keys of a class.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import prod
from operator import itemgetter, lt
from sys import byteorder
from typing import TypeVar

from msgspec import Struct

from inspector.algebra.span import Span
from inspector.budget import spend

Index = tuple[int, ...]

NAMES = "the names of the tensors"
_STEPS_A_CLASS = 20
_STEPS_AN_INDEX = 4
"""Steps for each `#` of a key, and for each index of names that are read singly: a name can consist of indices."""
_NAMES_A_STEP = 8
_CHUNK = 1_000
"""Number of names that are processed together, small enough for the CPU cache."""
_DIGITS = str.maketrans("123456789", "000000000")
_NUMBER = re.compile(r"(?:(?<=\.)|^)0{1,6}(?=\.|$)")
_CANONICAL = re.compile(r"(?:(?<=\.)|^)(?:0|[1-9][0-9]{0,5})(?=\.|$)", re.ASCII)


def key_of(name: str) -> tuple[str, Index]:
    """The key and indices of one name. A literal `#` in the name is written `\\#` in the key."""
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


def axes_of(key: str) -> int:
    """Number of indices of a key. A `#` within a segment is literal and not counted."""
    return key.split(".").count("#")


DEEPEST = 64
"""Most segments of a key that are used as prefixes: real names have up to 20, a malicious one any number."""


def prefixes_of(key: str) -> Iterator[str]:
    """The prefixes of a key, with the index included: "layers.#", "layers.#.mlp"."""
    segments = key.split(".", DEEPEST)
    for length in range(1, len(segments)):
        if segments[length] != "#":
            yield ".".join(segments[:length])


def before_index(key: str) -> str:
    """The part before the first index of a key, with its dot; ValueError if it has none."""
    segments = key.split(".")
    return "".join(f"{segment}." for segment in segments[: segments.index("#")])


class Column(Struct, frozen=True):
    """Names of one key with their numbers at the same positions, or names of one key one by one.

    positions: of the names in the input. spans: of the numbers in each name. box: the index sets, if the names are the
    full product of their numbers. distinct: no name occurs twice; False also if that was not
    checked. indices: the index tuples, for names whose numbers are not at the same positions.
    """

    key: str
    positions: Sequence[int]
    spans: tuple[tuple[int, int], ...]
    box: tuple[Span, ...] | None = None
    distinct: bool = False
    indices: list[Index] | None = None

    def values(self, names: Sequence[str]) -> list[Index]:
        """The index tuple of each name of the column."""
        if self.indices is not None:
            return self.indices
        if not self.spans:
            return [()] * len(names)
        numbers = [[int(name[start:stop]) for name in names] for start, stop in self.spans]
        return list(zip(*numbers, strict=True))


def _letters(text: str, names: int, place: int) -> str:
    """The letters at one position of all names, joined. text: the names, which have one length; names: their number."""
    return text[place :: len(text) // names]


def _numbers(digits: Sequence[str]) -> set[int]:
    """The distinct numbers, from the first digits of all names, their second digits and so on."""
    if len(digits) == 1:
        return set(map(int, set(digits[0])))
    if len(digits) > 4:
        return set(map(int, map("".join, set(zip(*digits, strict=True)))))
    words = bytearray(4 * len(digits[0]))  # four adjacent digits are one machine word
    for place, letters in enumerate(digits):
        words[place::4] = letters.encode()
    return {int(word.to_bytes(4, byteorder)[: len(digits)]) for word in set(memoryview(words).cast("I"))}


def columns(names: Iterable[str]) -> Iterator[Column]:
    """The columns of some names: one or more for each key. Takes a few microseconds for ten names."""
    listed = list(names)
    classes: defaultdict[str, list[int]] = defaultdict(list)
    for start in range(0, len(listed), _CHUNK):
        chunk = listed[start : start + _CHUNK]
        digit_classes = "\n".join(chunk).translate(_DIGITS).split("\n")
        if len(digit_classes) != len(chunk):  # a name that contains a line break
            yield from _one_by_one(chunk, range(start, start + len(chunk)))
            continue
        before = len(classes)
        for position, digit_class in enumerate(digit_classes, start):
            classes[digit_class].append(position)
        spend(_STEPS_A_CLASS * (len(classes) - before) + len(chunk) // _NAMES_A_STEP, NAMES)
    for digit_class, members in classes.items():
        yield from _placed(digit_class, at(listed, members), members)


def keys_in(names: Iterable[str]) -> set[str]:
    """The distinct keys of some names, without their indices."""
    listed = iter(names)
    keys: set[str] = set()
    while chunk := list(islice(listed, _CHUNK)):
        text = "\n".join(chunk)
        masked = re.sub(_CANONICAL.pattern, "#", text.replace("#", "\\#"), flags=re.ASCII | re.MULTILINE)
        found = masked.split("\n")
        keys.update(found if len(found) == len(chunk) else (key_of(name)[0] for name in chunk))
    return keys


T = TypeVar("T")


def at(values: Sequence[T], positions: Sequence[int]) -> Sequence[T]:
    """The values at these positions."""
    return itemgetter(*positions)(values) if len(positions) > 1 else [values[positions[0]]]


def _one_by_one(names: Iterable[str], positions: Iterable[int]) -> Iterator[Column]:
    groups: dict[str, list[tuple[int, Index]]] = {}
    for name, position in zip(names, positions, strict=True):
        key, indices = key_of(name)
        groups.setdefault(key, []).append((position, indices))
    spend(_STEPS_A_CLASS * len(groups), NAMES)
    for key, members in groups.items():
        spend(_STEPS_AN_INDEX * len(members[0][1]) * len(members) // _NAMES_A_STEP, NAMES)
        places, indexed = zip(*members, strict=True)
        yield Column(key, places, (), indices=list(indexed))


def _placed(digit_class: str, members: Sequence[str], positions: Sequence[int]) -> Iterator[Column]:
    """The columns of names with digits at the same positions."""
    if "#" in digit_class:
        yield from _one_by_one(members, positions)
        return
    spans = tuple(match.span() for match in _NUMBER.finditer(digit_class))
    indices = {place for span in spans for place in range(*span)}
    inside = [place for place, letter in enumerate(digit_class) if letter == "0" and place not in indices]
    if not inside:
        yield from _column(_NUMBER.sub("#", digit_class), members, positions, spans)
        return
    text = "".join(members)  # w1, w2 and w3 are in one class and have three keys
    digits = zip(*(_letters(text, len(members), place) for place in inside), strict=True)
    groups: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, found in enumerate(digits):
        groups[found].append(number)
    spend(_STEPS_A_CLASS * len(groups), NAMES)
    between = list(zip((0, *(stop for _, stop in spans)), (*(start for start, _ in spans), None), strict=True))
    for numbers in groups.values():
        name = members[numbers[0]]
        key = "#".join([name[start:stop] for start, stop in between])
        yield from _column(key, at(members, numbers), at(positions, numbers), spans)


def _column(
    key: str, members: Sequence[str], positions: Sequence[int], spans: tuple[tuple[int, int], ...]
) -> Iterator[Column]:
    """The column of names with one key; they are read singly if a number is not canonical (`007`)."""
    spend(_STEPS_AN_INDEX * len(spans), NAMES)
    text = "".join(members)
    digits = [[_letters(text, len(members), place) for place in range(*span)] for span in spans]
    if any(len(letters) > 1 and "0" in letters[0] for letters in digits):
        yield from _one_by_one(members, positions)
        return
    box = _box_in_order(digits, len(members))
    if box is not None:
        yield Column(key, positions, spans, box, distinct=True)
        return
    sets = list(map(_numbers, digits))
    box = tuple(map(Span.of, sets)) if prod(map(len, sets)) == len(members) else None
    yield Column(key, positions, spans, box, distinct=all(map(lt, members, islice(members, 1, None))))


def _box_in_order(digits: Sequence[list[str]], names: int) -> tuple[Span, ...] | None:
    """The box of names that are listed in the order of a full product: the last number changes with each name.

    digits: for each number, its first digits of all names, its second digits and so on.
    """
    block, axes = names, list[Span]()
    for letters in digits:
        run = min(block - len(one[:block].lstrip(one[0])) for one in letters)
        values = [one[:block:run] for one in letters]
        in_order = ["".join([digit * run for digit in own]) * (names // block) for own in values]
        if in_order != letters:
            return None
        numbers = set(map(int, map("".join, zip(*values, strict=True))))
        if len(numbers) * run != block:
            return None
        axes.append(Span.of(numbers))
        block = run
    return tuple(axes) if block == 1 else None
