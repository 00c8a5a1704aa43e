"""Measure what may stand in place of a null, empty values in place of numbers, negative deviations of drawn weights,
and keys that have no default.

Run in the environments of `tests/oracle/measure_values.py`; a type that has a result is skipped:

    five/bin/python -m tests.oracle.measure_odd FOLDER [PART OF]
    python -m tests.oracle.make_refused_kinds FOLDER

FOLDER/MAJOR/TYPE.odd.json is a list of rows as those of `tests/oracle/confirm_values.py`, which
`tests/oracle/make_refused_kinds.py` adds to the table. A row of the stage "undecided" has kinds of which some values
are refused and others are not or were not measured, or not by all classes; b stands for true or false there, and 0 for
an empty text, which may be accepted where other texts are refused. Keys that a class does not read while it is built
are not measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from inspector.architectures.refused_kinds_table import rules_of_kinds
from inspector.loading.config_rules import refused_config
from tests.oracle.confirm_values import OF_THE_PLACE
from tests.oracle.measure_further import Case, cases_of
from tests.oracle.measure_values import Builder, Refusal, measure_types
from tests.oracle.value_cases import SKIPPED, UNDECIDED, changed, places

IN_PLACE_OF_NULL: tuple[Any, ...] = (-1, -0.5, 0, 1.5, 3, "x", "", [], [1], {}, True, False)
EMPTY: tuple[Any, ...] = ([], {}, "")
BELOW: tuple[Any, ...] = (-1.0, -0.0001, -1000003.0)
DRAWN = ("init", "std", "_factor")
"""Parts of the names of keys with which weights are drawn."""
SHARES = ("dropout", "prob", "rate", "drop")
"""Parts of the names of keys with probabilities, of which any number above one is refused if two are."""
COMPUTED_WITH = frozenset("tl")
"""Kinds of which one is refused in place of a number that is computed with."""
OPEN_KINDS = frozenset("tld")
"""Kinds of which others than the measured values may be accepted in place of a null: known words, longer lists."""
REFUSES, BUILDS = "refuses", "builds"
NUMBERS = "mzhb"


class OddValue(Struct, frozen=True):
    """What a class does with a value. letters: the kinds that the table has refused at the place for this class."""

    class_name: str
    path: str
    usual: Any
    letters: str
    value: Any
    outcome: str


def letter_of(value: Any) -> str:
    """The letter of the kind of a value that is measured."""
    if isinstance(value, bool):
        return "b"
    if isinstance(value, int | float):
        return "m" if value < 0 else "z" if value == 0 else "h"
    if isinstance(value, str):
        return "t" if value else "0"
    return "d" if isinstance(value, dict) else "l" if value else "e"


def rows_of(found: Sequence[OddValue]) -> Iterator[list[Any]]:
    """The rows of a type."""
    by_path: dict[str, dict[str, list[OddValue]]] = {}
    for one in found:
        by_path.setdefault(one.path, {}).setdefault(one.class_name, []).append(one)
    for path, by_class in by_path.items():
        refused = {name: kinds_refused_by(path, listed) for name, listed in by_class.items()}
        every = {letter for whole, some in refused.values() for letter in whole + some}
        for letter in sorted(every):
            whole = [name for name, (all_of, _) in refused.items() if letter in all_of]
            if whole:
                is_alone = len(whole) == 1 or len(whole) < len(by_class)
                yield [path.split("."), letter, "model", whole if is_alone else None, None, None]
            if any(letter in some for _, some in refused.values()):
                yield [path.split("."), letter, UNDECIDED, None, None, None]


def _kind(one: OddValue) -> str:
    return "t" if one.value == "" and one.usual is None else letter_of(one.value)


def kinds_refused_by(path: str, found: Sequence[OddValue]) -> tuple[str, str]:
    """Letters of the kinds of which a class refuses all measured values, and of those of which it refuses some."""
    outcomes: dict[str, list[bool]] = {}
    for one in found:
        outcomes.setdefault(_kind(one), []).append(one.outcome == REFUSES)
    whole = {letter for letter, listed in outcomes.items() if all(listed)}
    some = {letter for letter, listed in outcomes.items() if any(listed)} - whole
    if "0" in outcomes:  # in place of a number of which other texts are refused
        some, whole = some | ({"0"} if "0" not in whole else set()), whole - {"0"}
    if found[0].usual is not None:
        return "".join(whole), "".join(some)
    is_share = any(part in path for part in SHARES) and "m" in whole
    if not is_share:
        whole, some = whole - OPEN_KINDS, some | whole & OPEN_KINDS
    if whole >= set(NUMBERS):
        return "".join({*whole - set(NUMBERS), "r"}), "".join(some)
    if not is_share:
        fraction = [one.outcome == REFUSES for one in found if type(one.value) is float]
        whole, some = whole - {"h", "b"}, (some | whole & {"b"}) - {"h"}
        if all(fraction) and not set(NUMBERS) & (whole | some) - {"b"}:
            whole |= {"f"}
    return "".join(whole), "".join(some)


class Watch:
    """Records which keys of configs are read. It replaces how attributes of all configs are read."""

    def __init__(self, builder: Builder) -> None:
        base = builder.transformers.PretrainedConfig
        self.read: set[str] = set()
        before = base.__getattribute__

        def noted(config: Any, key: str) -> Any:
            self.read.add(key)
            return before(config, key)

        base.__getattribute__ = noted

    def keys_of(self, case: Case) -> frozenset[str]:
        """The keys that a class reads while a model is built, also by their other names."""
        case.accepts(case.config)
        self.read.clear()
        case.accepts(case.config)
        names = getattr(getattr(case.kind, "config_class", None), "attribute_map", None) or {}
        return frozenset(self.read) | {key for key, name in names.items() if name in self.read}


def values_for(path: Sequence[str], value: Any, letters: str, read: bool) -> list[Any]:
    """The values to measure at a place."""
    found = list(EMPTY) if COMPUTED_WITH & set(letters) else []
    if value is None and read:
        found.extend(one for one in IN_PLACE_OF_NULL if one not in found or isinstance(one, bool))
    if type(value) is float and read and "m" not in letters and any(part in path[-1] for part in DRAWN):
        found.extend(BELOW)
    return found


def measured(cases: Sequence[Case], watch: Watch, known: frozenset[str]) -> Iterator[OddValue]:
    """What the classes of a type do with odd values. known: the types that are measured by themselves."""
    for case in cases:
        major, read = case.major, watch.keys_of(case)
        rules = rules_of_kinds(case.config["model_type"], major)
        for path, value in places(case.config, known=known):
            dotted = ".".join(path)
            letters = rules.all_of(dotted, case.name)
            for new in values_for(path, value, letters, path[-1] in read):
                config = changed(case.config, path, new)
                if new != "" and refused_config(config, major) is not None:
                    continue
                outcome = BUILDS if case.accepts(config) else REFUSES
                yield OddValue(case.name, dotted, value, letters, new, outcome)


def lacking(cases: Sequence[Case]) -> Iterator[list[Any]]:
    """A row for each key that has no default, and without which a class is not built."""
    needed: dict[str, list[str]] = {}
    for case in cases:
        config_class = getattr(case.kind, "config_class", dict)
        try:
            usual = frozenset(vars(config_class()))
        except (TypeError, ValueError, AttributeError, KeyError):  # a class of parts that have no defaults
            usual = frozenset()
        names = getattr(config_class, "attribute_map", None) or {}
        for key in case.config.keys() - SKIPPED:
            config = {name: value for name, value in case.config.items() if name != key}
            if names.get(key, key) not in usual and refused_config(config, case.major) is None and _fails(case, config):
                needed.setdefault(key, []).append(case.name)
    for key, classes in sorted(needed.items()):
        yield [[key], "c", "model", None if len(cases) == len(classes) > 1 else classes, None, None]


def _fails(case: Case, config: Mapping[str, Any]) -> bool:
    try:
        case.builder.shapes(case.kind, case.builder.config(case.kind, config))
    except Refusal as error:
        return error.args[0] != "late" and not OF_THE_PLACE.search(error.args[1])
    return False


@cache
def _watch(builder: Builder) -> Watch:
    """The only record of what configs of a builder read: it replaces how all of them are read."""
    return Watch(builder)


def found_odd(builder: Builder, model_type: str) -> list[Any]:
    """The rows of a type."""
    cases = cases_of(builder, model_type)
    return [*rows_of(list(measured(cases, _watch(builder), builder.types))), *lacking(cases)]


def main() -> None:
    """Measure every type that has no result, of a part of the types."""
    measure_types(".odd.json", found_odd)


if __name__ == "__main__":
    main()
