"""Measure predictions for diffusers and PEFT on random damages and config edits that no fixture has.

Draw where both libraries are installed (`tests/oracle/make_library_loads.py` has the versions), then judge in the
environment of the project:

    five/bin/python -m tests.oracle.measure_libraries draw diffusers|peft SEED NUMBER FILE
    python -m tests.oracle.measure_libraries judge FILE

`draw` takes components of `fixtures/diffusers` or adapters of `fixtures/adapters` that load completely, changes the
tensors, a value of the config or, of an adapter, one of its base, loads the result, and writes a line of JSON for each:
library, kind, weights, texts, change, result. `judge` prints each case in which the audit disagrees with the library,
and the shares.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import json
import logging
import math
import os
import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.adapters.records import records as adapters
from tests.judged import diffusers_classes, diffusers_records, spec_of
from tests.loads import adapter_cases, component_cases
from tests.loads.damage import CONFIG, Folder, healthy, write
from tests.oracle.diffusers_classes import class_of
from tests.oracle.make_library_loads import _adapter_loaded
from tests.oracle.make_loads import _altered, fill, limited
from tests.oracle.measure_loads import MOST_ELEMENTS, MOST_TENSORS, edited, with_damage

DIFFUSERS, PEFT = "diffusers", "peft"
WEIGHTS = {DIFFUSERS: component_cases.WEIGHTS, PEFT: adapter_cases.WEIGHTS}
DROPPED = "dropped"
"""Key of a result: stored tensors whose values are nowhere in memory."""


def drawn(library: str, chance: random.Random) -> tuple[str, Folder]:
    """An undamaged component or adapter: its class or name, and its folder."""
    if library == PEFT:
        name = chance.choice(list(adapters()))
        return name, adapter_cases.folder_of({"adapter": name, "damage": []})
    name = chance.choice(diffusers_classes())
    record = chance.choice([one for one in diffusers_records(name) if one["config"].get("_class_name") == name])
    return name, healthy(spec_of(record), record["config"], component_cases.WEIGHTS)


def changed(library: str, folder: Folder, chance: random.Random) -> list[Any]:
    """Change the tensors or a config of a folder; return a description of the change."""
    weights = folder.weights[WEIGHTS[library]]
    if chance.random() < 0.5:
        weights.spec, change = with_damage(weights.spec, chance)
        return change
    texts = [adapter_cases.CONFIG, adapter_cases.CONFIG, adapter_cases.BASE] if library == PEFT else [CONFIG]
    text = chance.choice(texts)
    folder.texts[text], change = edited(folder.texts[text], chance)
    return [text, *change]


def loaded(library: str, kind: str, folder: Folder) -> dict[str, Any]:
    """The load of a folder by the library; a component is loaded with its class, whatever its config names."""
    with tempfile.TemporaryDirectory() as outer, limited(), contextlib.redirect_stderr(io.StringIO()):
        os.chdir(outer)
        write(folder, Path("0"), fill)
        try:
            return _of_adapter(folder) if library == PEFT else _of_component(kind, folder)
        except Exception as error:
            text = " ".join(str(error).split())
            return {"outcome": "refuses", "error": f"{type(error).__name__}: {text[:160]}"}


def _of_component(kind: str, folder: Folder) -> dict[str, Any]:
    model, info = class_of(kind).from_pretrained("0", output_loading_info=True)
    counts = [len(info[f"{key}_keys"]) for key in ("missing", "unexpected", "mismatched")]
    empty = [name for name, tensor in model.state_dict().items() if tensor.is_meta]
    outcome = "random" if counts[0] or counts[2] or empty else "altered" if _altered(model, folder) else "complete"
    return {"outcome": outcome, "counts": counts}


def _of_adapter(folder: Folder) -> dict[str, Any]:
    torch = importlib.import_module("torch")
    first, second = (_adapter_loaded(seed) for seed in (1, 2))
    differing = [name for name, one in first[1].items() if not one.nan_to_num().equal(second[1][name].nan_to_num())]
    memory = [one.float().flatten() for one in first[1].values()]
    known = {(len(one), one.sum().item()) for one in memory}
    file = importlib.import_module("safetensors.torch").load_file(f"0/{adapter_cases.WEIGHTS}")
    dropped = [
        name
        for name, one in file.items()
        if (one.numel(), one.float().flatten().sum().item()) not in known
        and not any(len(held) >= one.numel() and torch.isin(one.float(), held).all() for held in memory)
    ]
    return {
        "outcome": "random" if first[2] or differing else "complete",
        "counts": first[0],
        DROPPED: len(dropped),
        "first": [*differing, *dropped][:1],
    }


def is_small(folder: Folder) -> bool:
    """Whether a folder is small enough to load quickly."""
    specs = [one.spec for one in folder.weights.values()]
    elements = sum(math.prod(shape) for spec in specs for _, shape in spec.values())
    return sum(map(len, specs)) <= MOST_TENSORS and elements <= MOST_ELEMENTS


def draw(library: str, seed: int, number: int, path: Path) -> None:
    """Write cases and their loads by the library."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    importlib.import_module("torch").set_num_threads(1)
    importlib.import_module("diffusers").logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    chance = random.Random(seed)
    with path.absolute().open("w", encoding="utf-8") as file:
        while number:
            kind, folder = drawn(library, chance)
            before = copy.deepcopy(folder)
            change = changed(library, folder, chance)
            if not is_small(before) or not is_small(folder):
                continue
            whole = loaded(library, kind, before)
            if whole["outcome"] != "complete" or whole.get(DROPPED):
                print(f"healthy {kind}: {whole}", flush=True)
                continue
            case = {"library": library, "kind": kind, "texts": folder.texts, "change": change}
            weights = {name: one.spec for name, one in folder.weights.items()}
            line = json.dumps({**case, "weights": weights, "result": loaded(library, kind, folder)})
            file.write(f"{line}\n")
            file.flush()
            number -= 1


def differences(case: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Whether the audit of a case agrees with the library, and the prediction of the audit."""
    from inspector.auditing.start import audit

    result, library = case["result"], case["library"]
    (name, spec), *_ = case["weights"].items()
    folder = healthy({key: (dtype, tuple(shape)) for key, (dtype, shape) in spec.items()}, {}, name)
    folder.texts = case["texts"]
    with tempfile.TemporaryDirectory() as outer:
        (place := Path(outer) / "0").mkdir()
        write(folder, place, fill)
        audited = audit(str(place), base=str(place / adapter_cases.BASE) if library == PEFT else None)
    load = next((one for one in audited.loads if one.loader == library), None)
    if load is None:
        return "other", ["no load", [one.code for one in audited.findings], audited.verdict]
    counts = [load.missing, load.unexpected, load.mismatched]
    same = load.outcome == result["outcome"] and (load.outcome == "refuses" or counts == result["counts"])
    silent = audited.verdict == "clean" and (result["outcome"] != "complete" or result.get(DROPPED))
    kind = (
        "clean though it fails" if silent else "same" if same else "unknown" if load.outcome == "unknown" else "other"
    )
    codes = [f"{one.code} {one.severity}" for one in audited.findings if one.severity != "note"]
    fails, error = result["outcome"] != "complete", any(code.endswith("error") for code in codes)
    if kind == "same" and (fails is not error) and not (error and result["counts"][1]):
        kind = "other severity"
    return kind, [load.outcome, *counts, load.because, audited.verdict, codes]


def judge(path: Path) -> None:
    """Print the cases in which the audit disagrees with the library, and the shares."""
    counts: Counter[str] = Counter()
    for number, case in enumerate(cases(path)):
        kind, predicted = differences(case)
        counts[kind] += 1
        if kind != "same":
            print(f"{number} {kind}: {case['kind']} {case['change']}\n  loader {case['result']}\n  audit  {predicted}")
    print(dict(counts))


def cases(path: Path) -> Iterator[dict[str, Any]]:
    """The cases of a file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]))
    else:
        judge(Path(sys.argv[2]))
