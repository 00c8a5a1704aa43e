"""Make `inspector/architectures/unread_of_parts.json`: keys of a config within a config of which any value is taken.

A class may use the config of a model for a part of that model only: MaskFormer builds the decoder of DETR's config, and
neither its backbone nor its positions. Collect in the environments of `tests/oracle/measure_values.py`, then merge in
that of the project:

    five/bin/python -m tests.oracle.make_unread_of_parts collect FILE [TYPE ...]
    python -m tests.oracle.make_unread_of_parts merge FILE ...

`collect` skips types that FILE has. It builds the classes with a record on the meta device, with every kind of value
that models of the part's type refuse by themselves (`model` of `refused_kinds.jsonl`). Keys of which all kinds are
accepted are listed: version -> model type -> class -> path of the part -> keys. Types that are not collected keep what
they have.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.architectures import unread_keys
from inspector.architectures.defaults import class_defaults
from inspector.architectures.refused_kinds_table import model_kinds, rules_of_kinds
from tests.judged import oracle_types
from tests.oracle.confirm_parts import Classes
from tests.oracle.measure_values import Builder
from tests.oracle.value_cases import Path as Place
from tests.oracle.value_cases import changed, changes

TABLE = Path(unread_keys.__file__).with_name(unread_keys.TABLE)
Found = dict[str, dict[str, list[str]]]


def unread(case: Classes, name: str, path: Place, kind: str, major: str) -> list[str]:
    """The keys of a part of which a class takes all values that other models of its type refuse."""
    one, config = case.classes[name]
    inside: Any = config
    for key in path:
        inside = inside.get(key) if isinstance(inside, dict) else None
    if not isinstance(inside, dict) or not inside:
        return []
    stated = {**class_defaults(kind, major)[0], **inside}
    found = []
    for key, letters in model_kinds(kind, major).items():
        tried = [new for letter, new in changes(stated[key]) if letter in letters] if key in stated else []
        if tried and all(case.case.builds(one, changed(config, (*path, key), new)) for new in tried):
            found.append(key)
    return found


def of_type(builder: Builder, model_type: str) -> Found:
    """Class -> path of a part -> keys."""
    case, major = Classes(builder, model_type), builder.major
    found: Found = {}
    for name in sorted(case.classes):
        for listed, kind in rules_of_kinds(model_type, major).parts.items():
            path, _, only = listed.partition(" ")
            keys = unread(case, name, tuple(path.split(".")), kind, major) if only in ("", name) else []
            if keys:
                found.setdefault(name, {})[path] = keys
    return found


def collect(path: Path, types: list[str]) -> None:
    """Write what the installed version takes, by model type."""
    builder = Builder()
    builder.torch.set_num_threads(1)
    builder.transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {builder.major: {}}
    for model_type in types or oracle_types():
        if model_type in builder.types and model_type not in stored[builder.major] and _has_parts(model_type, builder):
            with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                stored[builder.major][model_type] = of_type(builder, model_type)
            path.write_text(json.dumps(stored), encoding="utf-8")
            print(model_type, stored[builder.major][model_type], flush=True)


def _has_parts(model_type: str, builder: Builder) -> bool:
    return bool(rules_of_kinds(model_type, builder.major).parts)


def merge(paths: list[Path]) -> None:
    """Write the table with what was collected."""
    table: dict[str, dict[str, Found]] = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    for path in paths:
        for major, types in json.loads(path.read_text(encoding="utf-8")).items():
            table[major] = {**table.get(major, {}), **types}
    blocks = ",\n".join(f'"{major}": {{\n{_lines(types)}\n}}' for major, types in sorted(table.items()))
    TABLE.write_text(f"{{{blocks}}}\n", encoding="utf-8")


def _lines(types: Mapping[str, Found]) -> str:
    return ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in sorted(types.items()) if found)


if __name__ == "__main__":
    if sys.argv[1] == "collect":
        collect(Path(sys.argv[2]), sys.argv[3:])
    else:
        merge([Path(one) for one in sys.argv[2:]])
