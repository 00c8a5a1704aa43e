"""Measure lists of another length, what may not be in an empty list or in its place, and objects in place of other
values, for each class separately.

Run in the environments of `tests/oracle/measure_values.py`; a type that has a result is skipped:

    five/bin/python -m tests.oracle.measure_further FOLDER [PART OF [LETTERS]]
    python -m tests.oracle.make_refused_kinds FOLDER

FOLDER/MAJOR/TYPE.further.json is a list of rows as those of `tests/oracle/confirm_values.py`, which
`tests/oracle/make_refused_kinds.py` adds to the table. The classes of a row are those with a record that refuse the
value, null where all do and there are several. c stands for an absent key of an object within the config, o for such an
object without any, where the key has no default. Of a list the row has the keys of the lists, or of the number, that
must change with it, or the length that it always has: that of every record whose class is built. Lists within lists of
one length in all records are measured too, and the entries of those that may be neither shorter nor longer; of others
the kinds of the whole list.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.architectures.config_types import types_of
from inspector.architectures.defaults import NEWEST
from inspector.architectures.nested_lists import WITHIN, Indices, inner_lists
from inspector.architectures.refused_kinds import KindOfValue, kinds_refused
from inspector.architectures.value_rules import refused_values
from inspector.reconciler.config_keys import mistyped
from tests.judged import records
from tests.oracle.confirm_values import OF_THE_PLACE
from tests.oracle.make_refused_kinds import BY_LIST, Scope, letters_of
from tests.oracle.measure_values import Builder, Refusal, measure_types
from tests.oracle.value_cases import NO_WORD, changed, changes, decoded, places
from tests.oracle.value_cases import Path as Place

LISTED = ("layer_types", "out_features", "out_indices", "stage_names")
"""Ends of the names of lists that other rules compare."""
SHORTER, LONGER, OBJECT, WORD, SINGLE = "p", "q", "d", "x", "r"
ABSENT, EMPTY = "c", "o"
LACKING = re.compile(r"^(KeyError|AttributeError)|missing \d+ required")
"""Messages on keys that are absent."""


class Case:
    """A class and the config of its record."""

    def __init__(self, builder: Builder, model_type: str, record: Mapping[str, Any], major: str) -> None:
        self.builder, self.major = builder, major
        self.kind = getattr(builder.transformers, record["class"], None)
        named = {"architectures": [record["class"]], "model_type": model_type}
        self.config = {**decoded(record["config"]), **named}
        self.name = record["class"]
        self.ranks: dict[str, int] = {}
        self.usable = getattr(self.kind, "config_class", None) is not None and self.accepts(self.config)

    def accepts(self, config: Mapping[str, Any]) -> bool:
        """Whether a model is built, or fails for another reason than its config.

        One whose tensors have more or fewer dimensions is not: no checkpoint fits it.
        """
        try:
            shapes = self.builder.shapes(self.kind, self.builder.config(self.kind, config))
        except Refusal as error:
            return error.args[0] == "late" or bool(OF_THE_PLACE.search(error.args[1]))
        ranks = {name: len(shape) for name, shape in shapes.items()}
        self.ranks = self.ranks or ranks
        return all(self.ranks.get(name, rank) == rank for name, rank in ranks.items())

    def is_known(self, config: Mapping[str, Any], path: Place) -> bool:
        """Whether a rule already covers a value."""
        known: list[KindOfValue | Any] = [*refused_values(config, self.major), *kinds_refused(config, self.major)]
        known.extend(mistyped(config) if self.major == NEWEST else ())
        return path in [one.path for one in known]

    def needs(self, path: Place, config: Mapping[str, Any]) -> bool:
        """Whether a config without a key fails because the key has no default."""
        if self.is_known(config, path):
            return False
        try:
            self.builder.shapes(self.kind, self.builder.config(self.kind, config))
        except Refusal as error:
            return bool(LACKING.search(error.args[1]))
        return False

    def refuses(self, path: Place, value: Any) -> bool:
        """Whether a value is refused that no rule refuses."""
        config = changed(self.config, path, value)
        return not self.is_known(config, path) and not self.accepts(config)


def cases_of(builder: Builder, model_type: str) -> list[Case]:
    """The classes of a type with a record of the version, or of another."""
    found: dict[str, dict[str, Any]] = {}
    for record in records(model_type):
        fits = record["writer"].startswith(f"transformers {builder.major}.")
        if not record["variant"] and record["config"] and (fits or record["class"] not in found):
            found[record["class"]] = record
    return [
        one for one in (Case(builder, model_type, record, builder.major) for record in found.values()) if one.usable
    ]


def rows(cases: Sequence[Case], known: frozenset[str], letters: str) -> Iterator[list[Any]]:
    """The rows of a type."""
    stated = {path: value for one in reversed(cases) for path, value in places(one.config, known=known)}
    for path, value in stated.items():
        holders = [one for one in cases if _at(one.config, path) == value]
        if OBJECT in letters and value is not None and not isinstance(value, dict):
            refusing = [one for one in holders if one.refuses(path, {})]
            if refusing:
                yield [list(path), OBJECT, "model", _named(refusing, cases), None, None]
        if value == [] and SINGLE in letters:
            yield from _of_empty(cases, holders, path)
        if isinstance(value, list) and len(value) > 1 and not path[-1].endswith(LISTED):
            for letter in (one for one in (SHORTER, LONGER) if one in letters):
                refusing = [one for one in holders if one.refuses(path, _resized(value, letter))]
                changing = _changing_with(refusing[0], path, value, letter) if refusing else []
                if changing:
                    yield [list(path), letter, "model", _named(refusing, cases), None, changing]


def _of_empty(cases: Sequence[Case], holders: Sequence[Case], path: Place) -> Iterator[list[Any]]:
    """The rows of a list without entries: a single value in its place, and words, of which it may know names of torch's
    modules.
    """
    single = [one for one in holders if one.refuses(path, 1)]
    if single:
        yield [list(path), SINGLE, "model", _named(single, cases), None, None]
    odd = [one for one in holders if one.refuses(path, [NO_WORD])]
    modules = dir(importlib.import_module("torch.nn")) if odd else ()
    known = [name for name in modules if name.isalnum() and not odd[0].refuses(path, [name])]
    if known:
        yield [list(path), WORD, "model", _named(odd, cases), known, None]


def _named(refusing: Sequence[Case], cases: Sequence[Case]) -> list[str] | None:
    return None if len(refusing) == len(cases) > 1 else [one.name for one in refusing]


def _at(config: Mapping[str, Any], path: Place) -> Any:
    inside: Any = config
    for key in path:
        inside = inside.get(key) if isinstance(inside, dict) else None
    return inside


def _with(case: Case, path: Place, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """A config with other values of the sibling keys of a path."""
    other = {**_at(case.config, path[:-1]), **values}
    return other if len(path) == 1 else changed(case.config, path[:-1], other)


def objects(cases: Sequence[Case], known: frozenset[str]) -> Iterator[list[Any]]:
    """The rows of the keys that objects within a config need, and of those that may not be empty."""
    stated = {path: value for one in reversed(cases) for path, value in places(one.config, known=known)}
    inner = {path for path in stated if path[:-1] in stated}
    for path, value in stated.items():
        holders = [one for one in cases if _at(one.config, path) == value]
        if any(one[:-1] == path for one in inner):
            needing = [one for one in holders if one.needs(path, changed(one.config, path, {}))]
            if needing:
                yield [list(path), EMPTY, "model", _named(needing, cases), None, None]
        if path in inner:
            needing = [one for one in holders if one.needs(path, _without(one.config, path))]
            if needing:
                yield [list(path), ABSENT, "model", _named(needing, cases), None, None]


def _without(config: Mapping[str, Any], path: Place) -> dict[str, Any]:
    """The config without a key of an object within it."""
    outer = _at(config, path[:-1])
    return changed(config, path[:-1], {key: one for key, one in outer.items() if key != path[-1]})


def nested(cases: Sequence[Case], known: frozenset[str]) -> Iterator[list[Any]]:
    """The rows of the lists within lists: those that always have one length, and the entries of these."""
    stated = {path: value for one in reversed(cases) for path, value in places(one.config, known=known)}
    for path, value in stated.items():
        holders = [one for one in cases if _at(one.config, path) == value]
        inner: dict[str, list[tuple[Indices, list[Any]]]] = {}
        for name, at, one in inner_lists(path[-1], value):
            inner.setdefault(name, []).append((at, one))
        for name, listed in inner.items():
            yield from _of_inner(cases, holders, path, (name, [listed[0], *listed[1:][-1:]]))


def _of_inner(
    cases: Sequence[Case], holders: Sequence[Case], path: Place, named: tuple[str, list[tuple[Indices, list[Any]]]]
) -> Iterator[list[Any]]:
    """The rows of a list within a list. named: its name, and the first and the last list of this name."""
    (name, listed), whole = named, _at(holders[0].config, path)
    held = (_at(decoded(one["config"]), path) for one in records(cases[0].config["model_type"]) if one["config"])
    lengths = {len(one) for value in held for found, _, one in inner_lists(path[-1], value) if found == name}

    def refusing(changes: Sequence[tuple[Indices, Any]]) -> list[Case]:
        return [case for case in holders if all(case.refuses(path, _set(whole, at, new)) for at, new in changes)]

    fixed = len(lengths) == 1
    for letter in SHORTER + LONGER if fixed and listed[0][1] else "":
        found = refusing([(at, _resized(one, letter)) for at, one in listed])
        fixed = fixed and bool(found)
        if found:
            yield [[*path[:-1], name], letter, "model", _named(found, cases), None, [str(len(listed[0][1]))]]
    entries: list[tuple[str, list[tuple[Indices, Any]]]] = []
    if fixed:
        indices = range(len(listed[0][1]))
        entries.extend((f"{name}.{index}", [((*at, index), one[index]) for at, one in listed]) for index in indices)
    else:
        entries.append((name, listed))
    for entry, values in entries:
        kinds: dict[str, list[tuple[Indices, Any]]] = {}
        for at, value in values:
            for letter, new in changes(value):
                kinds.setdefault(letter, []).append((at, new))
        numbers = not any(
            isinstance(one, str) for _, value in values for one in (value if isinstance(value, list) else ())
        )
        taken = set(kinds) - set(BY_LIST) | ({WORD} if numbers else set())
        by_letter = {letter: refusing(tried) for letter, tried in kinds.items() if letter in taken}
        scopes: dict[str, Scope] = {
            letter: ("model", None if (names := _named(found, cases)) is None else tuple(names))
            for letter, found in by_letter.items()
            if found
        }
        for letter, (stage, of) in letters_of(values[0][1], scopes).items():
            yield [[*path[:-1], entry], letter, stage, of and list(of), None, None]
        found = refusing([(at, {}) for at, _ in values])
        if found:
            yield [[*path[:-1], entry], OBJECT, "model", _named(found, cases), None, None]


def _set(value: Sequence[Any], at: Indices, new: Any) -> list[Any]:
    """A list with another value at a place within it."""
    first, *rest = at
    return [*value[:first], _set(value[first], tuple(rest), new) if rest else new, *value[first + 1 :]]


def _resized(value: Any, letter: str) -> Any:
    if isinstance(value, list):
        return value[:-1] if letter == SHORTER else [*value, value[-1]]
    return value - 1 if letter == SHORTER else value + 1


def _changing_with(case: Case, path: Place, value: list[Any], letter: str) -> list[str]:
    """The keys that must change with a list, or its length if no other key can change with it."""
    inside = _at(case.config, path[:-1])
    lengths = {key: len(one) if isinstance(one, list) else one for key, one in inside.items()}
    alike = [key for key, one in lengths.items() if type(one) is int and one == len(value) and key != path[-1]]

    def builds(keys: Sequence[str]) -> bool:
        return case.accepts(_with(case, path, {key: _resized(inside[key], letter) for key in (path[-1], *keys)}))

    if alike and builds(alike):
        kept = list(alike)
        for key in alike:
            if builds([one for one in kept if one != key]):
                kept.remove(key)
        return kept
    single = next((key for key in alike if builds([key])), None)
    if single is not None:
        return [single]
    lists = [key for key in alike if isinstance(inside[key], list)]
    if lists:  # which of them must change is not known: the list is as long as all of these, or it is refused
        types = types_of(case.config["model_type"])
        of_stages = types is not None and types.stages.split(" ")[-1] == path[-1]  # which other rules compare
        return [] if of_stages else [f"{key}{WITHIN}" for key in lists]
    if any(not case.accepts(_with(case, path, {key: inside[key] + 1})) for key in alike):
        return []  # a number of layers or similar, which was not changed by itself
    near = {key: len(value) - len(one) for key, one in inside.items() if isinstance(one, list) and one}
    near = {key: more for key, more in near.items() if abs(more) == 1}
    following = next((key for key in near if builds([key])), None)
    if following is not None:
        return [f"{following}{near[following]:+d}"]
    held = [_at(decoded(one["config"]), path) for one in records(case.config["model_type"]) if one["config"]]
    fixed = all(not isinstance(one, list) or len(one) == len(value) for one in held)
    return [str(len(value))] if fixed and not (near and builds(list(near))) else []


def main() -> None:
    """Measure every type that has no result, of a part of the types."""
    letters = sys.argv[4] if len(sys.argv) > 4 else SHORTER + LONGER + OBJECT + SINGLE

    def found(builder: Builder, model_type: str) -> list[Any]:
        cases = cases_of(builder, model_type)
        return [
            *rows(cases, builder.types, letters), *nested(cases, builder.types), *objects(cases, builder.types),
        ]  # fmt: skip

    measure_types(".further.json", found)


if __name__ == "__main__":
    main()
