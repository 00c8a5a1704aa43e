"""Measure what is said of components of diffusers whose config has a list with another number of entries.

Draw where diffusers is installed (`tests/oracle/make_diffusers_values.py` has the versions), then judge in the
environment of the project:

    five/bin/python -m tests.oracle.measure_lists draw FILE [CLASS ...]
    python -m tests.oracle.measure_lists judge FILE

`draw` builds each class on the meta device with the config of each of its records, once for each list in it, also those
within lists, without the last entry of the list or with it twice, and writes a line of JSON for each: class, number of
the record, path of the list, its entries, and what loading the tensors of the record comes to: "refuses", "random" or
"complete", with the counts. `judge` prints each case of which the audit says something else, and the number of each
kind.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import json
import logging
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector import audit
from inspector.auditing.result import Audit
from tests.judged import Spec, diffusers_classes, diffusers_records, spec_of
from tests.loads.component_cases import WEIGHTS
from tests.loads.damage import healthy, write
from tests.oracle.diffusers_classes import class_of
from tests.oracle.make_loads import fill

Where = tuple[str | int, ...]
EACH = 2
"""Most records of a class in which one list is changed in the same way."""


def lists_of(value: Any, at: Where = ()) -> Iterator[tuple[Where, list[Any]]]:
    """(path, list) of each list with entries in a config."""
    if isinstance(value, list) and value:
        yield at, value
    inner = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from lists_of(one, (*at, key))


def with_list(config: Mapping[str, Any], at: Where, entries: Sequence[Any]) -> dict[str, Any]:
    """A config with other entries in a list."""
    changed: Any = copy.deepcopy(dict(config))
    held = changed
    for key in at[:-1]:
        held = held[key]
    held[at[-1]] = list(entries)
    return dict(changed)


def built(name: str, config: Mapping[str, Any]) -> dict[str, tuple[int, ...]] | str:
    """The shapes of the tensors that a class has by a config, or its error."""
    torch = importlib.import_module("torch")
    quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    try:
        with torch.device("meta"), quiet[0], quiet[1]:
            model = class_of(name).from_config(dict(config))
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:160]
    return {key: tuple(tensor.shape) for key, tensor in model.state_dict().items()}


def draw(path: Path, names: Sequence[str]) -> None:
    """Writes the cases of some classes, or of all."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    importlib.import_module("torch").set_num_threads(1)
    with path.open("w", encoding="utf-8") as file:
        for name in names or diffusers_classes():
            seen: Counter[str] = Counter()
            for number, record in enumerate(diffusers_records(name)):
                config = record["config"]
                whole = built(name, config) if config.get("_class_name") == name else ""
                if isinstance(whole, str):
                    continue
                for at, entries in lists_of({key: one for key, one in config.items() if not key.startswith("_")}):
                    for changed in (entries[:-1], [*entries, entries[-1]]):
                        seen[same := json.dumps([at, changed])] += 1
                        if seen[same] > EACH:
                            continue
                        case = {"class": name, "record": number, "at": at, "entries": changed}
                        case.update(_result(whole, built(name, with_list(config, at, changed))))
                        file.write(f"{json.dumps(case)}\n")
            file.flush()


def _result(whole: Mapping[str, Any], other: Mapping[str, Any] | str) -> dict[str, Any]:
    if isinstance(other, str):
        return {"result": "refuses", "error": other}
    mismatched = [key for key, shape in whole.items() if other.get(key, shape) != shape]
    if mismatched:
        return {"result": "refuses", "error": f"{len(mismatched)} of another shape, such as {mismatched[0]}"}
    counts = [len(other.keys() - whole.keys()), len(whole.keys() - other.keys()), 0]
    return {"result": "random" if counts[0] else "complete", "counts": counts}


def _audited(spec: Spec, config: Mapping[str, Any]) -> Audit:
    """The audit of a component's folder."""
    folder = healthy(dict(spec), dict(config), WEIGHTS)
    with tempfile.TemporaryDirectory() as outer:
        write(folder, Path(outer), fill)
        return audit(outer)


def judge(path: Path) -> None:
    """Prints the cases of which the audit says something else, and the number of each kind."""
    counts: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        record = diffusers_records(case["class"])[case["record"]]
        audited = _audited(spec_of(record), with_list(record["config"], tuple(case["at"]), case["entries"]))
        load = next((one for one in audited.loads if one.loader == "diffusers"), None)
        said = "no load" if load is None else load.outcome
        counted = [] if load is None else [load.missing, load.unexpected, load.mismatched]
        wrong = any(one.severity == "error" for one in audited.findings)
        right = said == case["result"] and counted == case.get("counts", counted)
        right = right and wrong is (case["result"] != "complete" or bool(case["counts"][1]))
        kind = "right" if right else f"{case['result']}, {audited.verdict}, {said}"
        counts[kind] += 1
        if not right:
            print(kind, case, counted, [one.code for one in audited.findings], flush=True)
    print(dict(counts))


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(Path(sys.argv[2]), sys.argv[3:])
    else:
        judge(Path(sys.argv[2]))
