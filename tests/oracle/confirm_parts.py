"""Confirm which classes build the models of the configs within their config; the last step of the measurement.

Run after `tests/oracle/confirm_values.py` in the same environments:

    five/bin/python -m tests.oracle.confirm_parts FOLDER [PART OF]

FOLDER/MAJOR/parts-PART.json has for each model type the paths of the configs within its config, with their types, of
which all classes refuse some values that models of these types refuse by themselves.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from tests.oracle.confirm_values import Confirmation
from tests.oracle.measure_values import Builder
from tests.oracle.value_cases import parts as parts_of
from tests.oracle.value_cases import places

TRIED = 2
"""Most values that are tried."""
LETTERS = "mzw"


def refused_by(folder: Path, model_type: str) -> Iterator[tuple[str, str]]:
    """(key, letter) of what no class of a type is built with."""
    path = folder / f"{model_type}.confirmed.json"
    for place, letters, stage, classes, *_ in json.loads(path.read_text(encoding="utf-8")) if path.exists() else ():
        if len(place) == 1 and stage == "model" and classes is None:
            yield from ((place[0], letter) for letter in LETTERS if letter in letters)


def built(builder: Builder, folder: Path, model_type: str) -> dict[str, str]:
    """Path -> type of the parts that all classes of a type build."""
    case = Confirmation(builder, model_type)
    if not case.kinds:
        return {}
    config = next(iter(case.kinds.values()))[1]
    if not any(parts_of(config)):
        return {}
    there = {place for place, _ in places(config)}
    found: dict[str, str] = {}
    classes = None
    for path, kind in parts_of(config):
        if kind not in builder.types:
            continue
        tried = [(key, letter) for key, letter in refused_by(folder, kind) if (*path, key) in there][:TRIED]
        if not tried:
            continue
        classes = list(case.others()) if classes is None else classes
        if classes and all(
            case.stands(one, other, (*path, key), letter) for _, one, other in classes for key, letter in tried
        ):
            found[".".join(path)] = kind
    return found


def main() -> None:
    """Writes the parts of all types."""
    builder = Builder()
    builder.torch.set_num_threads(1)
    builder.transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    folder, part, parts = Path(sys.argv[1]) / builder.major, *map(int, sys.argv[2:4] or (0, 1))
    result = folder / f"parts-{part}.json"
    found: dict[str, dict[str, str]] = json.loads(result.read_text(encoding="utf-8")) if result.exists() else {}
    for path in sorted(folder.glob("*.confirmed.json"))[part::parts]:
        model_type = path.name.removesuffix(".confirmed.json")
        if model_type in found:
            continue
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            found[model_type] = built(builder, folder, model_type)
        result.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(sum(map(bool, found.values())), "types with parts")


if __name__ == "__main__":
    main()
