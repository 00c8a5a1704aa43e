"""Make `inspector/architectures/diffusers_values.json`: config values with which classes of diffusers cannot be built.

Needs torch and diffusers; no weights are made:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0 diffusers==0.42.1
    five/bin/python -m tests.oracle.make_diffusers_values [CLASS ...]
    five/bin/python -m tests.oracle.make_diffusers_values objects|lengths|further|inner|single CLASS ...

The second keeps what was measured and tries objects, empty lists, lists within lists, entries that are no texts,
switches in the place of other values and exact lengths; `lengths` tries the numbers of entries only, `further` empty
lists, switches, numbers in the place of null, and the kinds of entries of lists, `inner` the kinds of entries of lists
within lists, `single` numbers and texts in the place of lists.
Each class with records is built without weights, as `from_pretrained` builds it, with one value of its config changed.
What is refused counts where several records of the class refuse it, so that it does not depend on other keys. For each
class:

    null, zero, negative, float, text   keys that may not be null, 0, below 0, a float or a text
    single, lone, blank   keys of lists that may not be a number, a text, or "", which some classes read as a list
    list, number, empty   keys that may not be a list (of any length up to 4), a number in the place of a text, []
    on, off   keys of other values than switches that may not be true, false
    minus, noughts, fractions, spelled   keys of lists of integers with an entry below 0, 0, a float or a text
    object    keys that may not be an object
    nested    keys of lists that may not have a list among their entries
    unnamed   keys of lists of texts that may not have a number among their entries
    switched, keyed   keys of lists that may have neither true nor false, and no object, among their entries
    inner_...   the same kinds of entries for the lists within a list
    truthy, falsy   keys of switches that may be nothing that is read as true, or as false
    numbers   keys that may not be a number where the class has null
    true, false, given   keys that may not be true, false, or anything but null
    required  keys without a default
    outside   keys that may be no number but one from 0 to 1
    gaps      keys of lists that may not have null among their entries
    only      key -> the numbers that the class knows, where it refuses nearly all
    multiples   key -> the number of which each number in its list must be a multiple
    sums      key -> what the numbers in its list must add up to, as an expression of other keys
    least     key -> how many entries its list must have
    exact     the same where it may not have more either
    divides   key -> the keys of the widths of which it must be a divisor
    shorter, longer   key -> the other keys of which the lists must be as long, with +1 or -1 one longer or shorter
    words   key -> the words that the class knows, where it refuses one that it does not know; those that other keys
            decide on are among them
    caseless   those of these keys of which the words may have letters of any case
    items   the same as words for the entries of lists
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import io
import json
import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from inspector.architectures.diffusers_values import CONDITIONS, WITHIN
from tests.judged import diffusers_classes, diffusers_records
from tests.oracle.diffusers_classes import class_of

OUTSIDE = (-1, 2, -0.0001, 1.0001, -1000003.0, 1000003.0)
"""Numbers that are not from 0 to 1."""
TABLE = Path(__file__).parents[2] / "inspector" / "architectures" / "diffusers_values.json"
OTHERS = 3
"""How many more records of a class must refuse a value."""
SWITCHES = 12
"""Most records with another switch that must refuse it as well."""
NO_WORD = "no_such_word"
OBJECTS = ("object", "nested", "unnamed", "exact", "empty", "on", "off")
"""Kinds of values that may be tried alone."""
FURTHER = (
    "empty", "on", "off", "truthy", "falsy", "numbers", "outside", "text", "list", "gaps", "minus", "noughts",
    "fractions", "spelled", "switched", "keyed",
)  # fmt: skip
"""Kinds of values that `further` tries."""
SINGLE = ("single", "lone", "blank")
"""Kinds of values in the place of a list, which `single` tries."""
INNER = tuple(kind for kind in CONDITIONS if kind.startswith(WITHIN))
"""Kinds of entries of lists within lists, which `inner` tries."""
TRUTHY: Sequence[Any] = (1, 1.5, [1, 2], "big")
FALSY: Sequence[Any] = (0, [], "")
"""Values that are read as true and false where a class does not compare them."""
LENGTHS = ("exact", "least")
"""Kinds of numbers of entries that may be tried alone."""
FAR_BELOW = -1000003
SHARED = (
    "activations", "attention", "embeddings", "normalization", "downsampling", "resnet", "upsampling",
    "autoencoders.vae", "unets.unet_1d_blocks", "unets.unet_2d_blocks", "unets.unet_3d_blocks",
    "unets.unet_motion_model",
)  # fmt: skip
"""Modules of `diffusers.models` whose words are tried for every class."""
GROUPS = re.compile(r"(\w+_)?(norm_num_groups|num_groups)")
"""Keys for groups of channels."""
TRIED_GROUPS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32)
ANY: Sequence[Any] = (1, 8, [8], [8, 8], True, 1.5, NO_WORD)
"""Values for a key that may take nothing but null."""
LARGEST = 64
"""Largest number by which lists of numbers are tried to grow."""
TRIED_NUMBERS = (*range(1, 33), *(2**power for power in range(6, 13)))
"""A search for the numbers that a class knows."""
FEW = 4
"""Most numbers that a class knows for a key of which it refuses all others."""
LONGEST = 40
OLD_PREFIX = "UNetRes"
"""What the names of blocks may begin with, as old configs have it."""


class Probe:
    """A class, the configs of its records and its own defaults."""

    def __init__(self, name: str) -> None:
        self.kind = class_of(name)
        listed = [one["config"] for one in diffusers_records(name) if self.error(one["config"]) == ""]
        self.base: Mapping[str, Any] = listed[0]
        step = max(1, (len(listed) - 1) // OTHERS)
        switched = [one for one in listed[1:] if any(_differ(one.get(key), its) for key, its in self.base.items())]
        self.others: Sequence[Mapping[str, Any]] = [*listed[1::step][:OTHERS], *switched[:SWITCHES]]
        parameters = inspect.signature(self.kind.__init__).parameters.values()
        named = {
            one.name: one.default for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        }
        named.pop("self")
        self.values = {key: self.base.get(key, default) for key, default in named.items()}
        self.defaults = {key: default for key, default in named.items() if default is not inspect.Parameter.empty}
        self.texts = {one.name for one in parameters if "str" in str(one.annotation)}
        self.all = listed

    def error(self, config: Mapping[str, Any]) -> str:
        """What the class says of a config; "" where it is built."""
        built = self.built(config)
        return built if isinstance(built, str) else ""

    def built(self, config: Mapping[str, Any]) -> Any:
        """The model by a config, or what the class says of it."""
        quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
        empty = importlib.import_module("accelerate").init_empty_weights  # as `from_pretrained` builds its class
        try:
            with empty(), quiet[0], quiet[1]:
                return self.kind.from_config(dict(config))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def refuses(self, key: str, value: Any) -> bool:
        """Whether all records refuse a value."""
        return all(self.error({**one, key: value}) for one in (self.base, *self.others))

    def refuses_all(self, key: str, values: Iterable[Any]) -> bool:
        """Whether all records refuse each of some values."""
        return all(self.refuses(key, one) for one in values)

    def kinds(self) -> Iterator[tuple[str, str]]:
        """(kind of value, key) of what is refused."""
        for key, value in self.values.items():
            if value is not inspect.Parameter.empty and self.refuses(key, None):
                yield "null", key
            if isinstance(value, bool) and self.refuses(key, not value):
                yield str(not value).casefold(), key
            if type(value) is int and value > 0:
                changed = {"zero": 0, "negative": -value, "float": float(value), "text": str(value)}
                yield from ((kind, key) for kind, new in changed.items() if self.refuses(key, new))
            elif type(value) is float and self.refuses_all(key, OUTSIDE):
                yield "outside", key
            yield from self.others_of(key, value)
        yield from self.single()
        yield from self.objects()

    def single(self) -> Iterator[tuple[str, str]]:
        """(kind of value, key) of numbers and texts that are refused in the place of a list."""
        tried: dict[str, Sequence[Any]] = {"single": (1, 8, 1.5), "lone": (NO_WORD, "1"), "blank": ("",)}
        for key in [key for key, value in self.values.items() if isinstance(value, list | tuple) and value]:
            yield from ((kind, key) for kind, values in tried.items() if self.refuses_all(key, values))

    def others_of(self, key: str, value: Any) -> Iterator[tuple[str, str]]:
        """(kind of value, key) of values of another type that are refused."""
        if value is None and self.refuses_all(key, (-1, FAR_BELOW)):
            yield "negative", key
        if isinstance(value, str | dict) and self.refuses_all(key, ([value], [value, value])):
            yield "list", key
        if isinstance(value, list | tuple) and value and all(type(one) is int for one in value):
            kinds = {"minus": -1, "noughts": 0, "fractions": float(value[0]), "spelled": NO_WORD}
            yield from ((kind, key) for kind, entry in kinds.items() if self.refuses_entry(key, entry))
        number = (type(value) in (int, float) and value > 0) or value is None
        if number and type(value) is not int and key not in self.texts and self.refuses_all(key, (NO_WORD, "1")):
            yield "text", key
        if number and self.refuses_all(key, ([value or 1] * length for length in range(1, 5))):
            yield "list", key
        if value is None and self.refuses_all(key, ANY) and not self.known_word(key):
            yield "given", key
        elif (isinstance(value, str) or (value is None and key in self.texts)) and self.refuses(key, 1):
            yield "number", key
        if isinstance(value, list | tuple) and value and self.refuses_of_own(key, lambda its: [None, *its[1:]]):
            yield "gaps", key

    def objects(self) -> Iterator[tuple[str, str]]:
        """(kind of value, key) of an object, a list within a list, an empty list, and true or false in the place of
        another value, that are refused.
        """
        for key, value in self.values.items():
            if self.refuses(key, []):
                yield "empty", key
            switches = () if isinstance(value, bool) else (("on", True), ("off", False))
            yield from ((kind, key) for kind, switch in switches if self.refuses(key, switch))
            if not isinstance(value, dict) and self.refuses(key, {}):
                yield "object", key
            if isinstance(value, list | tuple) and value and self.refuses_all(key, ([list(value)], [[], *value[1:]])):
                yield "nested", key
            if isinstance(value, list | tuple) and value and isinstance(value[0], str) and self.refuses_entry(key, 1):
                yield "unnamed", key

    def further(self) -> Iterator[tuple[str, str]]:
        """(kind of value, key) of the kinds in `FURTHER` that are refused."""
        for key, value in self.values.items():
            if self.refuses(key, []):
                yield "empty", key
            if isinstance(value, bool):
                if self.refuses_all(key, (True, *TRUTHY)):
                    yield "truthy", key
                if self.refuses_all(key, (False, *FALSY)):
                    yield "falsy", key
                continue
            yield from ((kind, key) for kind, switch in (("on", True), ("off", False)) if self.refuses(key, switch))
            if value is None and self.refuses_all(key, (1, 8, 1.5)):
                yield "numbers", key
            if type(value) is float and self.refuses_all(key, OUTSIDE):
                yield "outside", key
            if type(value) is float and key not in self.texts:
                changed: dict[str, Sequence[Any]] = {"text": (NO_WORD, "1"), "list": [[1.0] * one for one in (1, 2, 4)]}
                yield from ((kind, key) for kind, tried in changed.items() if self.refuses_all(key, tried))
            if isinstance(value, list | tuple) and value:
                yield from self.entries(key, value)

    def entries(self, key: str, value: Sequence[Any]) -> Iterator[tuple[str, str]]:
        """(kind of value, key) of the kinds of entries that a list may not have."""
        tried: dict[str, Sequence[Any]] = {"gaps": (None,), "switched": (True, False), "keyed": ({}, {"a": 1})}
        if all(type(one) is int for one in value):
            tried |= {"minus": (-1,), "noughts": (0,), "fractions": (float(value[0]), 1.5), "spelled": (NO_WORD, "")}
        yield from ((kind, key) for kind, found in tried.items() if all(self.refuses_entry(key, one) for one in found))

    def inner(self) -> Iterator[tuple[str, str]]:
        """(kind of value, key) of the kinds of entries that the lists within a list may not have."""
        for key in self.values:
            lists = [one[key] for one in self.all if _has_lists(one.get(key))]
            if not lists:
                continue
            numbers = all(type(one) is int for listed in lists for its in listed for one in its)
            tried: dict[str, Sequence[Any]] = {
                "gaps": (None,), "switched": (True, False), "keyed": ({}, {"a": 1}), "nested": ([], [1]),
            }  # fmt: skip
            if numbers:
                tried |= {"minus": (-1, FAR_BELOW), "noughts": (0,), "fractions": (1.5, 2.0), "spelled": (NO_WORD, "1")}
            elif all(isinstance(one, str) for listed in lists for its in listed for one in its):
                tried |= {"unnamed": (1, 1.5)}
            for kind, entries in tried.items():
                if all(self.refuses_inner(key, one) for one in entries):
                    yield f"{WITHIN}{kind}", key

    def refuses_inner(self, key: str, entry: Any) -> bool:
        """Whether all records with lists within a list refuse an entry in the first of them, and in the last."""
        found = [one for one in self.all if _has_lists(one.get(key))]
        return all(
            self.error({**one, key: changed})
            for one in found
            for listed in [list(map(list, one[key]))]
            for at in (0, len(listed) - 1)
            for where in (0, -1)
            for changed in [[[*its] if number != at else _with(its, where, entry) for number, its in enumerate(listed)]]
        )

    def refuses_entry(self, key: str, entry: Any) -> bool:
        """Whether all records refuse an entry, be it the first of a list or the last."""
        first, last = (lambda its: [entry, *its[1:]]), (lambda its: [*its[:-1], entry])
        return self.refuses_of_own(key, first) and self.refuses_of_own(key, last)

    def known_word(self, key: str) -> bool:
        """Whether a class knows any text for a key."""
        return key in self.texts and bool(self.known(key, lambda word: word))

    def divides(self) -> Iterator[tuple[str, str]]:
        """(key, keys of widths): what groups of channels must divide, tried with several numbers."""
        lists = [key for key, value in self.values.items() if _is_widths(value)]
        for key in [key for key, value in self.values.items() if GROUPS.fullmatch(key) and type(value) is int]:
            found = [widths for widths in lists if self.divides_all(key, [widths])]
            if not found and len(lists) > 1 and self.divides_all(key, lists):
                found = lists
            found = [widths for widths in found if self.error(self.odd(widths))]
            if found:
                yield key, " ".join(found)

    def odd(self, widths: str) -> Mapping[str, Any]:
        """The base's config with numbers of a list of which the number of groups is no divisor."""
        return {**self.base, widths: [int(one) + 1 for one in self.values[widths]]}

    def divides_all(self, key: str, lists: Sequence[str]) -> bool:
        """Whether a class is built where a number divides all numbers of some lists, and only there."""
        numbers = [int(one) for widths in lists for one in self.values[widths]]
        tried = [number for number in TRIED_GROUPS if number <= 2 * max(numbers)]
        divides = [all(one % number == 0 for one in numbers) for number in tried]
        return [not self.error({**self.base, key: number}) for number in tried] == divides

    def multiples(self) -> Iterator[tuple[str, int]]:
        """(key, number): of which each number in a list must be a multiple."""
        for key, value in self.values.items():
            numbers = list(value) if isinstance(value, list | tuple) else []
            if not numbers or any(type(one) is not int or one < 1 for one in numbers):
                continue
            step = self.step(key, numbers)
            if step is not None and not any(key in listed.split() for listed in dict(self.divides()).values()):
                yield key, step

    def step(self, key: str, numbers: Sequence[int]) -> int | None:
        """The number by which all numbers of a list may grow, and of which all are multiples; None without one."""
        grown = ({**self.base, key: [one + more for one in numbers]} for more in range(1, LARGEST + 1))
        fitting = [more for more, config in enumerate(grown, 1) if not self.error(config)]
        step = fitting[0] if fitting else 1
        regular = fitting == list(range(step, LARGEST + 1, step)) and not any(one % step for one in numbers)
        return step if regular and step > 1 else None

    def only(self) -> Iterator[tuple[str, list[int]]]:
        """(key, the numbers that a class knows), where these are few."""
        added = " ".join(expression for _, expression in self.sums()).split()
        for key, value in self.values.items():
            if type(value) is not int or value < 2 or key in added or GROUPS.fullmatch(key):
                continue
            if self.refuses_all(key, (value + 1, value + 2, value * 2, value * 3)):
                known = [number for number in TRIED_NUMBERS if not self.refuses(key, number)]
                seen = [one[key] for one in (*self.all, self.defaults) if type(one.get(key)) is int]
                if known and len(known) <= FEW and all(number in known for number in seen):
                    yield key, known

    def sums(self) -> Iterator[tuple[str, str]]:
        """(key, expression): what the numbers of a list must add up to."""
        for key, value in self.values.items():
            numbers = isinstance(value, list | tuple) and len(value) > 1 and all(type(one) is int for one in value)
            if not numbers or self.error({**self.base, key: [value[0] + 2, *value[1:]]}) == "":
                continue
            if self.error({**self.base, key: [value[0] + 2, value[1] - 2, *value[2:]]}):
                continue
            fitting = [one for one in self.widths() if all(_sum_is(one, {**self.values, **of}, key) for of in self.all)]
            for expression in fitting:
                width = expression.partition(" // ")[0]
                larger = {width: 2 * self.values[width], key: [2 * one for one in value]}
                if not self.error({**self.base, **larger}) and self.error({**self.base, width: larger[width]}):
                    yield key, expression
                    break

    def widths(self) -> Iterator[str]:
        """Expressions of one or two keys, which may be the width of a head."""
        numbers = [key for key, value in self.values.items() if type(value) is int and value > 1]
        yield from numbers
        yield from (f"{one} // {other}" for one in numbers for other in numbers if one != other)

    def least(self) -> Iterator[tuple[str, int]]:
        """(key, number): how many entries a list must have, whatever the length of the other lists."""
        yield from ((key, number) for key, number, is_exact in self.numbers_of_entries() if not is_exact)

    def exact(self) -> Iterator[tuple[str, int]]:
        """(key, number): the same where the class refuses more entries as well."""
        yield from ((key, number) for key, number, is_exact in self.numbers_of_entries() if is_exact)

    def numbers_of_entries(self) -> Iterator[tuple[str, int, bool]]:
        """(key, number, whether it is the only one) of `least` and `exact`."""
        others = {key for _, key, _ in self.lengths()}
        for key, value in self.values.items():
            if isinstance(value, list | tuple) and len(value) > 1 and key not in others:
                shorter = [list(value[:length]) for length in range(len(value))]
                longer = [*value, value[-1]]
                if len({len(one.get(key, value)) for one in self.all if one.get(key, value)}) > 1:
                    continue
                is_exact = self.fails(key, longer)
                if all(self.fails(key, one) for one in shorter) and (
                    is_exact or self.error({**self.base, key: longer}) == ""
                ):
                    alone = all(
                        self.error({**self.base, key: value[:-1], other: its[:-1]})
                        for other, its in self.values.items()
                        if isinstance(its, list | tuple) and len(its) > 1 and other != key
                    )
                    if alone or self.has_other_dims(self.base, key, value[:-1]):
                        yield key, len(value), is_exact

    def fails(self, key: str, value: Any) -> bool:
        """Whether all records refuse a value or, as where it is the kernel of a convolution, have tensors with another
        number of dims by it.
        """
        return all(
            self.error({**one, key: value}) or self.has_other_dims(one, key, value) for one in (self.base, *self.others)
        )

    def has_other_dims(self, config: Mapping[str, Any], key: str, value: Any) -> bool:
        """Whether a tensor has another number of dims by a value."""
        before, after = self.dims(config), self.dims({**config, key: value})
        return any(after.get(name, number) != number for name, number in before.items())

    def dims(self, config: Mapping[str, Any]) -> dict[str, int]:
        """The numbers of dims of the tensors by a config; empty where it is refused."""
        built = self.built(config)
        return {} if isinstance(built, str) else {name: one.dim() for name, one in built.state_dict().items()}

    def lengths(self) -> Iterator[tuple[str, str, str]]:
        """("shorter" or "longer", key, the other keys): lists that are refused with another length than the others'.

        A list that must be one longer or shorter than another has +1 or -1 behind the key of that one.
        """
        lists = {key: list(value) for key, value in self.values.items() if isinstance(value, list | tuple) and value}
        lists.update(self.widened({len(one) for one in lists.values()}))
        for key, value in lists.items():
            changes: dict[str, Callable[[list[Any]], list[Any]]] = {
                "shorter": _shorter,
                "longer": lambda its: [*its, its[-1]],
            }
            for kind, changed in changes.items():
                if not self.refuses_of_own(key, changed) or not self.error({**self.base, key: changed(value)}):
                    continue
                for more in (0, 1, -1):
                    alike = [other for other, its in lists.items() if other != key and len(its) + more == len(value)]
                    others = self.read_with(key, {other: changed(lists[other]) for other in (key, *alike)})
                    if others:
                        yield kind, key, " ".join(f"{other}{more:+}" if more else other for other in others)
                        break

    def widened(self, lengths: Iterable[int]) -> Iterator[tuple[str, list[Any]]]:
        """(key, list) of the keys that take a list in the place of a number, if it is not too short."""
        for key, value in self.values.items():
            for length in sorted(lengths) if type(value) is int else ():
                listed = [value] * length
                taken = length > 1 and not self.error({**self.base, key: listed})
                if taken and self.error({**self.base, key: listed[:-1]}):
                    yield key, listed
                    break

    def read_with(self, key: str, together: Mapping[str, list[Any]]) -> Sequence[str]:
        """The lists that must change with that of a key: one that is enough, or all; none where that does not do."""
        others = [other for other in together if other != key]
        for chosen in (*([other] for other in others), others):
            changes = {one: together[one] for one in (key, *chosen)}
            if chosen and all(changes.values()) and not self.error({**self.base, **changes}):
                return chosen
        return ()

    def refuses_of_own(self, key: str, changed: Any) -> bool:
        """Whether all records refuse their own value of a key after a change."""
        configs = [one for one in (self.base, *self.others) if isinstance(one.get(key, self.values[key]), list | tuple)]
        return all(self.error({**one, key: changed(list(one.get(key, self.values[key])))}) for one in configs)

    def words(self) -> Iterator[tuple[str, str, list[str]]]:
        """("words" or "items", key, the words that it knows)."""
        for key, value in self.values.items():
            if isinstance(value, str) or (value is None and key in self.texts):
                known = self.known(key, lambda word: word)
                if known:
                    yield "words", key, known
            elif isinstance(value, list | tuple) and value and isinstance(value[0], str):
                known = self.known(key, lambda word, rest=tuple(value[1:]): [word, *rest])
                if known:
                    yield "items", key, known
            elif _has_lists(value) and isinstance(value[0][0], str):
                known = self.known(key, lambda word, its=value: [[word, *its[0][1:]], *its[1:]])
                if known:
                    yield "items", key, known

    def is_caseless(self, key: str, known: str) -> bool:
        """Whether a class takes one of its words in capitals as well."""
        words = known.split()
        config = next((one for one in self.all if one.get(key) in words), {**self.base, key: words[0]})
        return not self.error({**config, key: config[key].swapcase()})

    def known(self, key: str, changed: Any) -> list[str]:
        """The words of which the class does not say what it says of one that does not exist; none where any will do."""
        if not self.refuses(key, changed(NO_WORD)):
            return []
        for config in (self.base, *(one for one in self.all if isinstance(one.get(key), str))):
            said = self.error({**config, key: changed(NO_WORD)}).casefold()
            found = [
                word
                for word in candidates(self.kind.__module__)
                if self.error({**config, key: changed(word)}).casefold() not in _refusals(said, word)
            ]
            if found:
                return found
        return []


def _has_lists(value: Any) -> bool:
    """Whether a value is a list of lists, none of them empty."""
    return (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(one, list | tuple) and one for one in value)
    )


def _with(listed: Sequence[Any], where: int, entry: Any) -> list[Any]:
    """A list with another first or last entry."""
    return [entry, *listed[1:]] if where == 0 else [*listed[:-1], entry]


def _differ(value: Any, its: Any) -> bool:
    """Whether a switch is another one."""
    return isinstance(its, bool) and isinstance(value, bool) and value is not its


def _shorter(values: list[Any]) -> list[Any]:
    """A list with an entry less, whose numbers add up to the same."""
    whole = len(values) > 1 and all(type(one) is int for one in values)
    return [*values[:-2], values[-2] + values[-1]] if whole and values[0] != values[-1] else values[:-1]


def _sum_is(expression: str, values: Mapping[str, Any], key: str) -> bool:
    """Whether the numbers of a list add up to the value of an expression; a config without the list says nothing."""
    if values[key] is None:
        return True
    one, _, other = expression.partition(" // ")
    wanted = values[one] // values[other] if other and values[other] else values[one]
    return isinstance(values[key], list | tuple) and sum(values[key]) == wanted


def _refusals(said: str, word: str) -> tuple[str, ...]:
    """What the class says of an unknown word, which it may name without its old beginning."""
    return tuple(said.replace(NO_WORD, one.casefold()) for one in (word, word.removeprefix(OLD_PREFIX)))


def _is_widths(value: Any) -> bool:
    """Whether a value is a list of channels."""
    return isinstance(value, list | tuple) and bool(value) and all(type(one) is int and one > 3 for one in value)


@cache
def candidates(module: str, shared: Sequence[str] = SHARED) -> tuple[str, ...]:
    """The texts in a module and in the parts that all classes share."""
    names = [module, *(f"diffusers.models.{one}" for one in shared)]
    found: set[str] = set()
    for name in names:
        with contextlib.suppress(ImportError):
            tree = ast.parse(Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8"))
            texts = (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant))
            classes = (one.name for one in ast.walk(tree) if isinstance(one, ast.ClassDef))
            found.update(one for one in (*texts, *classes) if isinstance(one, str))
    found.update([f"{OLD_PREFIX}{one}" for one in found if "Block" in one])
    return tuple(sorted(one for one in found if len(one) <= LONGEST and re.fullmatch(r"[A-Za-z][\w.+-]*", one)))


def main() -> None:
    """Writes the table."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    named = sys.argv[1:]
    alone = {"objects": OBJECTS, "lengths": LENGTHS, "further": FURTHER, "inner": INNER, "single": SINGLE}.get(
        next(iter(named), ""), ()
    )
    named = named[1:] if alone else named
    table: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8")) if named else {}
    for name in named or diffusers_classes():
        probe, entry = Probe(name), dict[str, Any]()
        if alone == FURTHER:
            found = [*_stated(table.get(name, {}), FURTHER), *probe.further()]
        elif alone in (INNER, SINGLE):
            found = [*(probe.inner() if alone == INNER else probe.single())]
        else:
            found = [] if alone == LENGTHS else [*(probe.objects() if alone else probe.kinds())]
        if not alone:
            found.extend((*probe.further(), *probe.inner()))
        for kind, key in dict.fromkeys(found):
            if not any(CONDITIONS[kind].applies(one[key]) for one in probe.all if key in one):
                entry.setdefault(kind, []).append(key)
        if alone == LENGTHS:
            entry["exact"], entry["least"] = dict(probe.exact()), dict(probe.least())
        elif alone == OBJECTS:
            entry["exact"] = dict(probe.exact())
        elif not alone:
            add_rules(probe, entry)
        joined = {kind: " ".join(found) if isinstance(found, list) else found for kind, found in entry.items()}
        kept = {kind: found for kind, found in table.get(name, {}).items() if alone and kind not in alone}
        table[name] = {**kept, **{kind: found for kind, found in joined.items() if found}}
        print(name, {kind: len(found) for kind, found in entry.items()}, flush=True)
        if alone:  # of another process
            table = {**json.loads(TABLE.read_text(encoding="utf-8")), name: table[name]}
        lines = [f"{json.dumps(one)}: {json.dumps(entry)}" for one, entry in sorted(table.items())]
        TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")  # what is done is not lost


def _stated(entry: Mapping[str, Any], kinds: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(kind of value, key) of what the table has of some kinds."""
    yield from ((kind, key) for kind in kinds for key in entry.get(kind, "").split())


def add_rules(probe: Probe, entry: dict[str, Any]) -> None:
    """Adds what is no kind of values: required keys, numbers, lengths and words."""
    entry["required"] = [key for key in probe.values if key not in probe.defaults]
    for kind in ("divides", "multiples", "only", "sums", "least", "exact"):
        entry[kind] = dict(getattr(probe, kind)())
    for kind, key, others in probe.lengths():
        entry.setdefault(kind, {})[key] = others
    for kind, key, known in probe.words():
        recorded = {one[key] for one in probe.all if isinstance(one.get(key), str)}
        entry.setdefault(kind, {})[key] = " ".join(sorted({*known, *recorded}))
    entry["caseless"] = [key for key, known in entry.get("words", {}).items() if probe.is_caseless(key, known)]


if __name__ == "__main__":
    main()
