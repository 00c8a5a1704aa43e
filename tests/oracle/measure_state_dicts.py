"""Measure whether the names in memory and the saved names of every class of transformers 5 are judged as complete.

Collect where torch and transformers 5 are installed, then judge in the environment of the project:

    five/bin/python -m tests.oracle.measure_state_dicts collect FILE
    python -m tests.oracle.measure_state_dicts judge FILE

`collect` builds each class on the meta device from a recorded config of its type, and writes a line of JSON: model
type, class, config, number of parameters, and the tensors as `state_dict()` names them and as `save_pretrained` does.
`judge` prints each set of tensors that is not clean, has a finding other than notes or another number of parameters
than the model, and the shares.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import logging
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from tests.judged import codes, judged, oracle_types
from tests.oracle.confirm_parts import Classes
from tests.oracle.make_state_dicts import DTYPES
from tests.oracle.measure_values import Builder

NAMINGS = ("raw", "saved")


def made(kind: Any, values: dict[str, Any]) -> dict[str, Any]:
    """The tensors of a class under both namings."""
    torch = importlib.import_module("torch")
    saving = importlib.import_module("transformers.core_model_loading").revert_weight_conversion
    config = kind.config_class.from_dict(values)
    with torch.device("meta"):
        model = kind(config)
    raw = model.state_dict()
    tied = getattr(model, "all_tied_weights_keys", None) or {}
    saved = saving(model, {name: tensor for name, tensor in raw.items() if name not in tied})
    return {
        "config": {**config.to_diff_dict(), "architectures": [kind.__name__]},
        "num_parameters": sum(one.numel() for one in model.parameters()),
        **{
            naming: {name: [DTYPES[str(one.dtype)], list(one.shape)] for name, one in tensors.items()}
            for naming, tensors in zip(NAMINGS, (raw, saved), strict=True)
        },
    }


def collect(path: Path) -> None:
    """Write the tensors of all classes that the installed version builds."""
    builder = Builder()
    builder.torch.set_num_threads(1)
    builder.transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    with path.open("w", encoding="utf-8") as file:
        for model_type in oracle_types():
            if model_type not in builder.types:
                continue
            case = Classes(builder, model_type)
            case.further()
            for name, (kind, values) in sorted(case.classes.items()):
                try:
                    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                        found = made(kind, dict(values))
                except Exception as error:
                    print(f"not built: {name} {type(error).__name__} {str(error)[:100]}", flush=True)
                    continue
                found["config"]["model_type"] = model_type
                file.write(f"{json.dumps({'type': model_type, 'class': name, **found}, default=str)}\n")


def judge(path: Path) -> None:
    """Print what is not judged as complete, and the shares."""
    counts: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        for naming in NAMINGS:
            spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in case[naming].items()}
            audited = judged(spec, case["config"])
            numbers = audited.counts and (audited.counts.unique_parameters, audited.counts.expected_parameters)
            found = codes(audited)
            right = audited.verdict == "clean" and not found and numbers == (case["num_parameters"],) * 2
            counts[f"{naming} {'clean' if right else audited.verdict}"] += 1
            if not right:
                print(
                    f"{naming} {case['type']} {case['class']}: {audited.verdict} {sorted(found)}, {numbers}, "
                    f"not {case['num_parameters']} parameters"
                )
    print(dict(counts))


if __name__ == "__main__":
    collect(Path(sys.argv[2])) if sys.argv[1] == "collect" else judge(Path(sys.argv[2]))
