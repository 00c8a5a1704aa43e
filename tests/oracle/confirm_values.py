"""Confirm measurements of `tests/oracle/measure_values.py` with other switches, classes and words.

Run after it in the same environments; a type that has a result is skipped:

    five/bin/python -m tests.oracle.confirm_values FOLDER [PART OF]

A kind of value counts as refused at a place where every change of this kind is refused.
FOLDER/MAJOR/TYPE.confirmed.json is a list of [path, kinds, stage, classes, words, beside]:

    kinds     the letters of `tests/oracle/value_cases.py` that are refused
    stage     "config" where the config class refuses them, "model" where the class is not built
    classes   those that refuse them; null where all classes of the type do, those without a record too
    beside    of `p` and `q` the keys of the lists, or of the number, that must change with the list; null for others
    words     of `w` and `x` the words that the class knows

Excluded are values that the types of the config classes or other rules of `value_rules.json` cover, that the model of a
record with another switch accepts, or that may fail because a library, memory or a network is missing.
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
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.architectures.value_rules import refused_values
from inspector.reconciler.config_keys import mistyped
from tests.judged import oracle_types, records
from tests.oracle.measure_values import Builder, Refusal, classes_of
from tests.oracle.value_cases import NO_WORD, changed, changes, decoded, places
from tests.oracle.value_cases import Path as Place

REFUSED = ("config", "model", "finish")
OF_THE_PLACE = re.compile(r"ImportError|ModuleNotFoundError|OSError|ConnectionError|MemoryError|allocate memory")
ABSTRACT = re.compile(r"Pre[tT]rained\w*Model$|^PretrainedBart")
"""Names of abstract classes."""
SWITCHES = 6
WORD = re.compile(r"[a-z0-9_+-]{1,32}")
LONGER = range(2, 7)
"""Lengths of lists that may be accepted instead of a single value."""
WORDS, LENGTHS = "wx", "pq"
Pair = tuple[Place, str]


def refused_pairs(
    rows: Iterable[list[Any]], configs: Mapping[str, Mapping[str, Any]], types: Collection[str]
) -> dict[Pair, dict[str, str]]:
    """(path, kind) -> class -> stage, where every change of the kind is refused. types: measured by themselves."""
    seen: dict[tuple[str, Place, str], list[str]] = {}
    of_config: dict[Pair, list[str]] = {}
    for name, path, kind, _, outcome, message in rows:
        if path and outcome in REFUSED and not OF_THE_PLACE.search(message):
            seen.setdefault((name, tuple(path), kind), []).append(outcome)
            if outcome == "config":
                of_config.setdefault((tuple(path), kind), []).append(outcome)
    found: dict[Pair, dict[str, str]] = {}
    for name, config in configs.items():
        for path, value in places(config, known=types):
            for kind, number in Counter(kind for kind, _ in changes(value)).items():
                of_class = seen.get((name, path, kind), [])
                stages = [one for one in of_class if one != "config"] + of_config.get((path, kind), [])
                if len(stages) >= number:
                    found.setdefault((path, kind), {})[name] = "config" if set(stages) == {"config"} else "model"
    return found


class Confirmation:
    """The configs and classes of one model type."""

    def __init__(self, builder: Builder, model_type: str) -> None:
        self.builder, self.model_type = builder, model_type
        self.kinds = {name: (kind, config) for name, kind, config in classes_of(model_type, builder.transformers)}

    def error(self, kind: Any, config: Mapping[str, Any]) -> str:
        """The error of a class for a config; "" where it builds a model or the reason is not the config."""
        try:
            self.builder.shapes(kind, self.builder.config(kind, config))
        except Refusal as error:
            return "" if error.args[0] == "late" or OF_THE_PLACE.search(error.args[1]) else str(error.args[1])
        return ""

    def builds(self, kind: Any, config: Mapping[str, Any]) -> bool:
        """Whether a class builds a model from a config."""
        return not self.error(kind, config)

    def others(self) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
        """The classes of the type without a measurement that are built from its config."""
        kind, config = next(iter(self.kinds.values()))
        module = inspect.getmodule(kind)
        for name, one in sorted(vars(module).items()) if module is not None else ():
            public = inspect.isclass(one) and hasattr(self.builder.transformers, name) and not ABSTRACT.search(name)
            fits = public and getattr(one, "config_class", None) is kind.config_class and name not in self.kinds
            if fits and hasattr(one, "from_pretrained") and self.builds(one, config):
                yield name, one, config
        yield from ((name, one, config) for name, (one, config) in self.kinds.items())

    def switched(self, class_name: str) -> list[Mapping[str, Any]]:
        """Configs of a class with other switches, and one with another size."""
        major = self.builder.major
        found = [
            one for one in records(self.model_type)
            if one["class"] == class_name and one["variant"] and one["writer"].startswith(f"transformers {major}.")
        ]  # fmt: skip
        words = [one for one in found if not one["variant"].rpartition("-")[2].isdigit()]
        sizes = [one for one in found if one not in words]
        step = max(1, len(words) // SWITCHES)
        return [
            {**decoded(one["config"]), "model_type": self.model_type} for one in (*words[::step][:SWITCHES], *sizes[:1])
        ]

    def holds_at(self, kind: Any, config: Mapping[str, Any], path: Place, letter: str) -> bool:
        """Whether a class refuses a kind of value at a place of another config, where that has the place."""
        value = next((one for place, one in places(config) if place == path), ...)
        if value is ...:
            return True
        others = [new for of, new in changes(value) if of == letter]
        if letter == "l" and not isinstance(value, dict | None):
            others.extend([value] * length for length in LONGER)  # a list with an entry for each layer
        return not any(self.builds(kind, changed(config, path, new)) for new in others)

    def is_known(self, config: Mapping[str, Any], path: Place, letter: str) -> bool:
        """Whether another rule covers every change of a kind at a place."""
        major = self.builder.major
        value = next((one for place, one in places(config) if place == path), ...)
        for of, new in changes(value):
            if of == letter:
                other = changed(config, path, new)
                known = [*refused_values(other, major), *(mistyped(other) if major == "5" else ())]
                if path not in [one.path for one in known]:
                    return False
        return True

    def words(self, kind: Any, config: Mapping[str, Any], path: Place, letter: str) -> list[str]:
        """The words for which a class raises another error than for a word that does not exist, or none."""
        value = next(one for place, one in places(config) if place == path)
        found: list[str] = []
        for word in sorted({NO_WORD, *self.candidates(kind, config, path)}, key=lambda one: (one != NO_WORD, one)):
            new = word if letter == "w" else [word, *value[1:]]
            error = self.error(kind, changed(config, path, new))
            if word == NO_WORD:
                unknown_error = error
            elif error != unknown_error.replace(NO_WORD, word):
                found.append(word)
        return found

    def beside(self, kind: Any, config: Mapping[str, Any], path: Place, letter: str) -> list[str] | None:
        """The keys that must change with the length of a list; none where no choice is accepted."""
        inside: Any = config
        for key in path[:-1]:
            inside = inside[key]
        length = len(inside[path[-1]])
        alike = [key for key, one in inside.items() if _length(one) == length and key != path[-1]]

        def builds(keys: Iterable[str]) -> bool:
            changes = {key: _resized(inside[key], letter) for key in (path[-1], *keys)}
            other = {**inside, **changes}
            return self.builds(kind, other if len(path) == 1 else changed(config, path[:-1], other))

        if not alike or not builds(alike):
            return None
        kept = list(alike)
        for key in alike:
            if builds([one for one in kept if one != key]):
                kept.remove(key)
        return kept

    def candidates(self, kind: Any, config: Mapping[str, Any], path: Place) -> set[str]:
        """All texts in the code of a class, of its config and of the configs within it, and values of records."""
        inside: Any = config
        types = [self.model_type]
        for key in path[:-1]:
            inside = inside[key]
            types.append(inside.get("model_type", ""))
        sources: set[str] = set()
        mapping = importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
        classes = [kind, kind.config_class]
        classes.extend(mapping[one] for one in types if one in mapping)
        for one in classes:
            folder = Path(inspect.getfile(one)).parent
            sources.update(map(str, folder.glob("*.py")))
        found = {word for source in sources for word in texts_of(source)}
        found |= set(importlib.import_module("transformers.activations").ACT2FN)
        for record in records(self.model_type):
            held: Any = record["config"]
            for key in path:
                held = held.get(key) if isinstance(held, dict) else None
            found |= {one for one in (held if isinstance(held, list) else [held]) if isinstance(one, str)}
        return found


def _length(value: Any) -> int | None:
    """The length of a list, or a number that states the length of other lists."""
    return len(value) if isinstance(value, list) else value if type(value) is int else None


def _resized(value: Any, letter: str) -> Any:
    """A list with one entry removed or added, or a number changed by one."""
    if isinstance(value, list):
        return value[:-1] if letter == "p" else [*value, value[-1]]
    return value - 1 if letter == "p" else value + 1


_TEXTS: dict[str, frozenset[str]] = {}


def texts_of(source: str) -> frozenset[str]:
    """The single words among the text literals of a file."""
    if source not in _TEXTS:
        tree = ast.parse(Path(source).read_text(encoding="utf-8"))
        texts = (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str))
        _TEXTS[source] = frozenset(text for text in texts if WORD.fullmatch(text))
    return _TEXTS[source]


def confirmed(builder: Builder, model_type: str, rows: list[list[Any]]) -> Iterator[list[Any]]:
    """[path, kinds, stage, classes, words, beside] of a type."""
    case = Confirmation(builder, model_type)
    healthy = [row[0] for row in rows if not row[1] and row[4] == "loads"]
    configs = {name: config for name, (_, config) in case.kinds.items() if name in healthy}
    if not configs:
        return
    others = list(case.others())
    grouped: dict[tuple[Any, ...], str] = {}
    for (path, letter), by_class in refused_pairs(rows, configs, builder.types).items():
        first = next(iter(by_class))
        kind, config = case.kinds[first]
        if case.is_known(config, path, letter) or not all(
            case.holds_at(kind, one, path, letter) for one in (config, *case.switched(first))
        ):
            continue
        stage = "config" if set(by_class.values()) == {"config"} else "model"
        classes: tuple[str, ...] | None = None
        if stage == "model":
            further = [one for one in others if one[0] not in (by_class if len(path) > 1 else configs)]
            more = [name for name, one, other in further if case.holds_at(one, other, path, letter)]
            whole = (len(path) > 1 or set(by_class) == set(configs)) and len(more) == len(further)
            classes = None if whole else tuple(sorted((*by_class, *more)))
        words: tuple[str, ...] | None = None
        value = next(one for place, one in places(config) if place == path)
        if letter in WORDS and isinstance(value[0] if isinstance(value, list) else value, str):
            words = tuple(case.words(kind, config, path, letter))
        beside = case.beside(kind, config, path, letter) if letter in LENGTHS else None
        place = (path, stage, classes, words, None if beside is None else tuple(beside))
        grouped[place] = grouped.get(place, "") + letter
    for (path, stage, *rest), letters in grouped.items():
        yield [list(path), letters, stage, *(one if one is None else list(one) for one in rest)]


def main() -> None:
    """Confirm every type that is measured and not confirmed, in a part of the types."""
    folder, part, parts = Path(sys.argv[1]), *map(int, sys.argv[2:4] or (0, 1))
    builder = Builder()
    builder.torch.set_num_threads(1)
    builder.transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    for number, model_type in enumerate(oracle_types()):
        measured = folder / builder.major / f"{model_type}.json"
        result = measured.with_suffix(".confirmed.json")
        if number % parts != part or result.exists() or not measured.exists():
            continue
        rows = json.loads(measured.read_text(encoding="utf-8"))
        if not any(row[4] == "loads" for row in rows):
            continue  # no class of the type is built here
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            found = list(confirmed(builder, model_type, rows))
        result.write_text(json.dumps(found, separators=(",", ":")), encoding="utf-8")
        print(number, model_type, len(found), flush=True)


if __name__ == "__main__":
    main()
