"""Measure the rules of loaders on random damages and config edits that no fixture has.

Draw in an environment of a version of transformers (`tests/oracle/make_loads.py` has them, and they need msgspec and
typer too), then judge in that of the project:

    five/bin/python -m tests.oracle.measure_loads draw SEED NUMBER FILE
    python -m tests.oracle.measure_loads judge FILE

`draw` takes records of `fixtures/oracle` that this version loads completely, changes one value of the config or the
tensors of each, loads the result, and writes a line of JSON for each: type, class, spec, config, change, result.
`judge` prints each case in which the audit, with samples of tied tensors, disagrees with the loader, and the shares.
"""

from __future__ import annotations

import copy
import importlib
import json
import logging
import math
import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.checkpoints import Spec
from tests.judged import oracle_types, records, spec_of
from tests.loads.damage import healthy, write
from tests.oracle.make_loads import fill, loaded

MOST_TENSORS = 700
MOST_ELEMENTS = 3_000_000
UNCHANGED = ("id2label", "label2id", "architectures", "transformers_version", "_name_or_path")
"""Keys whose changes do not test a rule."""
ODD: tuple[Any, ...] = ("big", True, False, 0, -1, 1.5, [], {}, {"a": 1}, [1, 2], "")
Place = tuple[Any, ...]


def places(values: Any, place: Place = ()) -> Iterator[Place]:
    """The places of all values of a config, those within others too."""
    for key, value in values.items() if isinstance(values, dict) else enumerate(values):
        if key not in UNCHANGED:
            yield (*place, key)
            if isinstance(value, dict | list):
                yield from places(value, (*place, key))


def edited(config: Mapping[str, Any], chance: random.Random) -> tuple[dict[str, Any], list[Any]]:
    """A config with another value, and what was changed: place, old value, new value ("absent" for a removed key)."""
    changed = copy.deepcopy(dict(config))
    place = chance.choice(list(places(changed)))
    outer: Any = changed
    for key in place[:-1]:
        outer = outer[key]
    old, how = outer[place[-1]], chance.choice(("absent", "null", "other", "other", "other", "odd"))
    if how == "absent":
        del outer[place[-1]]
        return changed, [place, old, how]
    new = None if how == "null" else chance.choice(ODD) if how == "odd" else other(old, chance)
    outer[place[-1]] = new
    return changed, [place, old, new]


def other(value: Any, chance: random.Random) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice((value + 1, value * 2, value // 2, max(value - 1, 0)))
    if isinstance(value, float):
        return chance.choice((value * 2, value + 1, 0.0))
    if isinstance(value, str):
        return chance.choice((f"{value}x", "relu", "default"))
    if isinstance(value, list):
        return chance.choice((value[:-1], value + value[-1:], value[::-1]))
    return chance.choice((1, True, "x", [1], {}))


def with_damage(spec: Spec, chance: random.Random) -> tuple[Spec, list[Any]]:
    """The tensors with one damage, and its description."""
    name = chance.choice(list(spec))
    dtype, shape = spec[name]
    how = chance.choice(("lost", "renamed", "misshaped", "a family lost", "prefixed", "added", "half as wide"))
    if how == "lost":
        return {one: entry for one, entry in spec.items() if one != name}, [how, name]
    if how == "renamed":
        return {f"{one}_x" if one == name else one: entry for one, entry in spec.items()}, [how, name]
    if how == "misshaped":
        return {**spec, name: (dtype, (shape[0] + 1, *shape[1:]) if shape else (1,))}, [how, name]
    if how == "a family lost":
        ending = name.split(".")[-2:]
        return {one: entry for one, entry in spec.items() if one.split(".")[-2:] != ending} or spec, [how, name]
    if how == "prefixed":
        return {f"module.{one}": entry for one, entry in spec.items()}, [how, "module."]
    if how == "added":
        return {**spec, "model.extra.weight": ("F32", (4, 4))}, [how, "model.extra.weight"]
    return {**spec, name: ("F16", shape)}, [how, name]


def draw(seed: int, number: int, path: Path) -> None:
    """Write cases and their loads by the installed version."""
    torch, transformers = (importlib.import_module(name) for name in ("torch", "transformers"))
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    chance, types = random.Random(seed), list(oracle_types())
    with path.open("w", encoding="utf-8") as file:
        while number:
            model_type = chance.choice(types)
            record = chance.choice(records(model_type))
            spec, config = spec_of(record), {**(record["config"] or {}), "architectures": [record["class"]]}
            small = len(spec) <= MOST_TENSORS and sum(math.prod(shape) for _, shape in spec.values()) <= MOST_ELEMENTS
            if not small or not hasattr(transformers, record["class"]):
                continue
            if loaded(healthy(spec, config))["outcome"] != "complete":
                continue
            if chance.random() < 0.5:
                spec, change = with_damage(spec, chance)
            else:
                config, change = edited(config, chance)
            case = {"type": model_type, "class": record["class"], "spec": spec, "config": config, "change": change}
            result = loaded(healthy(spec, config))
            file.write(f"{json.dumps({**case, 'version': transformers.__version__, 'result': result})}\n")
            file.flush()
            number -= 1


def judge(path: Path) -> None:
    """Print the cases in which the audit disagrees with the loader, and the shares."""
    from inspector.auditing.loads.one_loader import judged_for
    from inspector.auditing.samples import with_samples
    from inspector.auditing.start import audit
    from inspector.loading.outcome import UNKNOWN, Load

    counts: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        major, result = case["version"].partition(".")[0], case["result"]
        spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in case["spec"].items()}
        with tempfile.TemporaryDirectory() as outer:
            (folder := Path(outer) / "0").mkdir()
            audited = judged_for(
                with_samples(audit(str(write(healthy(spec, case["config"]), folder, fill)))), f"transformers@{major}"
            )
        unsaid = Load(loader="transformers", version=major, outcome=UNKNOWN)
        load = next((one for one in audited.loads if one.loader == "transformers"), unsaid)
        found = "refuses" if load.outcome == "unsupported" else load.outcome
        same = found == result["outcome"]
        if same and found != "refuses":
            same = [load.missing, load.unexpected, load.mismatched] == result["counts"]
        clean = audited.verdict == "clean" and result["outcome"] != "complete"
        kind = "clean though it fails" if clean else "same" if same else "unknown" if found == "unknown" else "other"
        counts[kind] += 1
        if kind != "same":
            said = [found, load.missing, load.unexpected, load.mismatched, load.because]
            codes = [one.code for one in audited.findings if one.severity == "error"]
            print(
                f"{kind}: {case['type']} {case['class']} {case['change']}\n  loader {result}\n  audit  {said} {codes}"
            )
    print(dict(counts))


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    else:
        judge(Path(sys.argv[2]))
