"""Confirm which classes build the submodels of their nested configs; the last step of the measurement.

Run after `tests/oracle/make_refused_kinds.py` has the types of the parts, in the same environments, and run that again:

    five/bin/python -m tests.oracle.confirm_parts FOLDER [PART OF]

FOLDER/MAJOR/parts-PART.json has for each model type the paths of the configs within its config, with their types, for
which its classes refuse some values that models of these types refuse by themselves; after a path the class that
builds them, where not all do.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.architectures.refused_kinds_table import model_kinds
from tests.judged import oracle_types, records
from tests.oracle.confirm_values import Confirmation
from tests.oracle.measure_values import Builder
from tests.oracle.value_cases import Path as Place
from tests.oracle.value_cases import changes, decoded
from tests.oracle.value_cases import parts as parts_of

TRIED = 4
"""Maximum number of values to try."""
LETTERS = "wmzlnt"
OF_LENGTH = "pq"
"""Tried where there is nothing else: how long a list must be may depend on the class."""


def tried(kind: str, major: str, values: Mapping[str, Any], kinds: str = LETTERS) -> Iterator[tuple[str, str]]:
    """(key, letter) of what no class of a type is built with; values: of the config that has the keys."""
    for key, letters in model_kinds(kind, major).items():
        there = {letter for letter, _ in changes(values[key])} if key in values else set()
        found = next((one for one in kinds if one in letters and one in there), "")
        if found:
            yield key, found


class Classes:
    """The classes of a model type that are built from a record, and those of its module that are built from another."""

    def __init__(self, builder: Builder, model_type: str) -> None:
        self.case = Confirmation(builder, model_type)
        found: dict[str, tuple[Any, Mapping[str, Any]]] = {}
        for record in records(model_type):
            kind = getattr(builder.transformers, record["class"], None)
            of_version = record["writer"].startswith(f"transformers {builder.major}.")
            if record["config"] and not record["variant"] and getattr(kind, "config_class", None) is not None:
                config = {**decoded(record["config"]), "model_type": model_type}
                if (of_version or record["class"] not in found) and self.case.builds(kind, config):
                    found[record["class"]] = (kind, config)
        self.classes = found

    def further(self) -> None:
        """Add the classes without a record."""
        if self.case.kinds:
            more = {name: (kind, config) for name, kind, config in self.case.others()}
            self.classes = {**more, **self.classes}

    def builds(self, name: str, path: Place, kind: str, major: str) -> bool | None:
        """Whether a class builds a model of a nested config; None where nothing can be tried."""
        one, config = self.classes[name]
        inside: Any = config
        for key in path:
            inside = inside.get(key) if isinstance(inside, dict) else None
        if not isinstance(inside, dict):
            return None
        pairs = list(tried(kind, major, inside))[:TRIED] or list(tried(kind, major, inside, OF_LENGTH))[:TRIED]
        if not pairs:
            return None
        return all(self.case.holds_at(one, config, (*path, key), letter) for key, letter in pairs)


def built(builder: Builder, model_type: str) -> dict[str, str]:
    """Path, or path and class -> type of the parts that all classes of a type, or this one, build."""
    case = Classes(builder, model_type)
    listed: dict[tuple[Place, str], None] = {}
    for _, config in case.classes.values():
        listed |= dict.fromkeys(one for one in parts_of(config) if one[1] in builder.types)
    if listed:
        case.further()
    found: dict[str, str] = {}
    for path, kind in listed:
        answers = {name: case.builds(name, path, kind, builder.major) for name in sorted(case.classes)}
        building = [name for name, answer in answers.items() if answer]
        if building and False not in answers.values():
            found[".".join(path)] = kind
        else:
            found |= {f"{'.'.join(path)} {name}": kind for name in building}
    return found


def main() -> None:
    """Write the parts of all types."""
    builder = Builder()
    builder.torch.set_num_threads(1)
    builder.transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    folder, part, parts = Path(sys.argv[1]) / builder.major, *map(int, sys.argv[2:4] or (0, 1))
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / f"parts-{part}.json"
    found: dict[str, dict[str, str]] = json.loads(result.read_text(encoding="utf-8")) if result.exists() else {}
    types = [one for one in oracle_types() if one in builder.types and _has_parts(one)]
    for model_type in types[part::parts]:
        if model_type in found:
            continue
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            found[model_type] = built(builder, model_type)
        result.write_text(json.dumps(found, indent=1), encoding="utf-8")
        print(model_type, len(found[model_type]), flush=True)
    print(sum(map(bool, found.values())), "types with parts")


def _has_parts(model_type: str) -> bool:
    return any(any(parts_of(one["config"])) for one in records(model_type) if one["config"])


if __name__ == "__main__":
    main()
