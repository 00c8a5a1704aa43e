"""Measure lists of another length, and objects in place of other values, for each class by itself.

Run in the environments of `tests/oracle/measure_values.py`; a type that has a result is skipped:

    five/bin/python -m tests.oracle.measure_further FOLDER [PART OF]
    python -m tests.oracle.make_refused_kinds FOLDER

FOLDER/MAJOR/TYPE.further.json is a list of rows as those of `tests/oracle/confirm_values.py`, which
`tests/oracle/make_refused_kinds.py` adds to the table. The classes of a row are those with a record that refuse the
value, null where all do and there are several. Of a list the row has the keys of the lists, or of the number, that must
change with it, or the length that it always has: that of every record whose class is built.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.architectures.config_types import types_of
from inspector.architectures.defaults import NEWEST
from inspector.architectures.refused_kinds import KindOfValue, kinds_refused
from inspector.architectures.value_rules import refused_values
from inspector.reconciler.config_keys import mistyped
from tests.judged import oracle_types, records
from tests.oracle.confirm_values import OF_THE_PLACE
from tests.oracle.measure_values import Builder, Refusal
from tests.oracle.value_cases import Path as Place
from tests.oracle.value_cases import changed, decoded, places

LISTED = ("layer_types", "out_features", "out_indices", "stage_names")
"""Ends of the names of lists that other rules compare."""
SHORTER, LONGER, OBJECT = "p", "q", "d"


class Case:
    """A class and the config of its record."""

    def __init__(self, builder: Builder, model_type: str, record: Mapping[str, Any], major: str) -> None:
        self.builder, self.major = builder, major
        self.kind = getattr(builder.transformers, record["class"], None)
        named = {"architectures": [record["class"]], "model_type": model_type}
        self.config = {**decoded(record["config"]), **named}
        self.name = record["class"]
        self.usable = getattr(self.kind, "config_class", None) is not None and self.accepts(self.config)

    def accepts(self, config: Mapping[str, Any]) -> bool:
        """Whether a model is built, or fails for another reason than its config."""
        try:
            self.builder.shapes(self.kind, self.builder.config(self.kind, config))
        except Refusal as error:
            return error.args[0] == "late" or bool(OF_THE_PLACE.search(error.args[1]))
        return True

    def is_known(self, config: Mapping[str, Any], path: Place) -> bool:
        """Whether a rule says already that a value is refused."""
        said: list[KindOfValue | Any] = [*refused_values(config, self.major), *kinds_refused(config, self.major)]
        said.extend(mistyped(config) if self.major == NEWEST else ())
        return path in [one.path for one in said]

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
        if isinstance(value, list) and len(value) > 1 and not path[-1].endswith(LISTED):
            for letter in (one for one in (SHORTER, LONGER) if one in letters):
                refusing = [one for one in holders if one.refuses(path, _resized(value, letter))]
                beside = _beside(refusing[0], path, value, letter) if refusing else []
                if beside:
                    yield [list(path), letter, "model", _named(refusing, cases), None, beside]


def _named(refusing: Sequence[Case], cases: Sequence[Case]) -> list[str] | None:
    return None if len(refusing) == len(cases) > 1 else [one.name for one in refusing]


def _at(config: Mapping[str, Any], path: Place) -> Any:
    inside: Any = config
    for key in path:
        inside = inside.get(key) if isinstance(inside, dict) else None
    return inside


def _resized(value: Any, letter: str) -> Any:
    if isinstance(value, list):
        return value[:-1] if letter == SHORTER else [*value, value[-1]]
    return value - 1 if letter == SHORTER else value + 1


def _beside(case: Case, path: Place, value: list[Any], letter: str) -> list[str]:
    """The keys that must change with a list, or its length where nothing else can change with it."""
    inside = _at(case.config, path[:-1])
    lengths = {key: len(one) if isinstance(one, list) else one for key, one in inside.items()}
    alike = [key for key, one in lengths.items() if type(one) is int and one == len(value) and key != path[-1]]

    def builds(keys: Sequence[str]) -> bool:
        other = {**inside, **{key: _resized(inside[key], letter) for key in (path[-1], *keys)}}
        return case.accepts(other if len(path) == 1 else changed(case.config, path[:-1], other))

    if alike and builds(alike):
        kept = list(alike)
        for key in alike:
            if builds([one for one in kept if one != key]):
                kept.remove(key)
        return kept
    single = next((key for key in alike if builds([key])), None)
    if alike or single is not None:  # what else must change with them is not known
        return [] if single is None else [single]
    near = [key for key, one in inside.items() if isinstance(one, list) and abs(len(one) - len(value)) == 1]
    held = [_at(decoded(one["config"]), path) for one in records(case.config["model_type"]) if one["config"]]
    fixed = all(not isinstance(one, list) or len(one) == len(value) for one in held)
    return [str(len(value))] if fixed and not (near and builds(near)) and not _follows(case, inside, value) else []


def _follows(case: Case, inside: Mapping[str, Any], value: list[Any]) -> bool:
    """Whether the length may be the number of layers or the like, which was not changed alone."""
    types = types_of(case.config["model_type"])
    defaults = [one for key, one in inside.items() if key.startswith("num_") or key.endswith("layers")]
    return types is None or len(value) in defaults


def main() -> None:
    """Measures every type that has no result, of a part of the types."""
    folder, part, parts = Path(sys.argv[1]), *map(int, sys.argv[2:4] or (0, 1))
    builder = Builder()
    builder.torch.set_num_threads(1)
    builder.transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    place = folder / builder.major
    place.mkdir(parents=True, exist_ok=True)
    letters = SHORTER + LONGER + OBJECT
    for number, model_type in enumerate(oracle_types()):
        result = place / f"{model_type}.further.json"
        if number % parts != part or result.exists() or model_type not in builder.types:
            continue
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            found = list(rows(cases_of(builder, model_type), builder.types, letters))
        result.write_text(json.dumps(found, separators=(",", ":")), encoding="utf-8")
        print(number, model_type, len(found), flush=True)


if __name__ == "__main__":
    main()
