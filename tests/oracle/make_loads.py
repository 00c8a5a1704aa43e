"""Make `fixtures/loads/*.json.gz`: how real loaders load damaged checkpoints.

Needs torch, transformers, diffusers and peft; run once in an environment of each major version of transformers:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0 diffusers==0.42.1 peft==0.21.2
    python -m venv four && four/bin/pip install torch==2.13.0 transformers==4.57.6 accelerate
    five/bin/python -m tests.oracle.make_loads [MODEL_TYPE ...]
    four/bin/python -m tests.oracle.make_loads [MODEL_TYPE ...]

Each case of `tests/loads/cases.py` is an undamaged record of `fixtures/oracle` with a damage; its tensors are filled
with random numbers and loaded by the class that config.json names, after AutoConfig. A file is gzip (mtime 0) of one
JSON list of records: type, class, writer, name, damage, and the result:

    outcome   complete, random (missing tensors, or some left without storage), altered (numbers other than those
              of the first set of files), refuses
    counts    [missing, unexpected, mismatched] of the loading info; absent where it refuses
    altered   the first tensor that has other numbers
    error     the type and the beginning of the message of a refusal
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import io
import json
import logging
import os
import signal
import sys
import tempfile
import warnings
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy

from tests.judged import records, spec_of
from tests.loads.cases import cases
from tests.loads.damage import Folder, damaged, healthy, write

LOADS = Path(__file__).parents[2] / "fixtures" / "loads"
SECONDS = 60
"""Limit of CPU seconds for a load."""
KINDS: Mapping[str, str] = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""Dtypes of which the numbers are compared, and their kinds in NumPy."""


def fill(name: str, dtype: str, shape: tuple[int, ...]) -> bytes:
    """Random data of a tensor, the same for the same name."""
    made = numpy.random.default_rng(zlib.crc32(name.encode()))
    if dtype in ("F32", "F64", "F16"):
        return made.normal(size=shape).astype(f"<f{int(dtype[1:]) // 8}").tobytes()
    if dtype == "BF16":
        return (made.normal(size=shape).astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    if dtype in ("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"):
        return made.integers(0, 2, size=shape).astype("u1").tobytes()
    return made.integers(0, 2, size=shape).astype(f"<i{int(dtype[1:]) // 8}").tobytes()


def folder_of(case: Mapping[str, Any]) -> Folder:
    """The damaged folder of a case."""
    record = next(
        one
        for one in records(case["type"])
        if (one["class"], one["writer"], one["variant"]) == (case["class"], case["writer"], "")
    )
    return damaged(healthy(spec_of(record), record["config"]), case["damage"])


def load(folder: Folder, class_name: str | None) -> dict[str, Any]:
    """Load the folder "0" with a class, by default that of config.json or AutoModel, and return the result."""
    transformers = importlib.import_module("transformers")
    transformers.logging.set_verbosity_error()
    if class_name is None:
        transformers.AutoConfig.from_pretrained("0")  # refuses some configs; 4.57 omits the class of Qwen2-VL
        class_name = (json.loads(Path("0/config.json").read_bytes()).get("architectures") or [""])[0]
    kind = getattr(transformers, class_name, None) or transformers.AutoModel
    model, info = kind.from_pretrained("0", output_loading_info=True)
    counts = [len(info[f"{key}_keys"]) for key in ("missing", "unexpected", "mismatched")]
    empty = [name for name, tensor in model.state_dict().items() if tensor.is_meta]
    if counts[0] or counts[2] or empty:
        return {"outcome": "random", "counts": counts, **({"meta": len(empty)} if empty else {})}
    changed = _altered(model, folder)
    if changed:
        return {"outcome": "altered", "counts": counts, "altered": changed[0]}
    return {"outcome": "complete", "counts": counts}


def _altered(model: Any, folder: Folder) -> list[str]:
    """Tensors in memory that have other numbers than the first set of files gives the same name."""
    torch = importlib.import_module("torch")
    first = next(iter(folder.weights.values()))
    inside = model.state_dict()
    found: list[str] = []
    for one in folder.weights.values():
        if one.seed != first.seed:
            continue
        for name, (dtype, shape) in one.spec.items():
            held = inside.get(name)
            if held is None or tuple(held.shape) != tuple(shape) or dtype not in KINDS or not held.numel():
                continue
            raw = numpy.frombuffer(fill(f"{one.seed} {name}", dtype, shape), KINDS[dtype]).reshape(shape)
            stored = torch.from_numpy((raw.astype("<u4") << 16).view("<f4") if dtype == "BF16" else raw.copy())
            changed = (held.float() != stored.float()).reshape(len(held) if held.dim() else 1, -1).any(1)
            if changed.sum() > _zeroed(held, changed):
                found.append(name)
    return found


def _zeroed(held: Any, changed: Any) -> int:
    """1 where the only changed row of a matrix is zero: that of the padding, which is zero in saved models as well."""
    return int(held.dim() == 2 and len(held) > 1 and changed.sum() == 1 and not held[changed].any())


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Stop a load that takes too long."""

    def late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def loaded(folder: Folder, class_name: str | None = None) -> dict[str, Any]:
    """The result of loading a folder."""
    with tempfile.TemporaryDirectory() as outer, limited(), contextlib.redirect_stderr(io.StringIO()):
        place = os.path.join(outer, "0")  # AutoConfig takes a type from the letters of a path without a config
        os.mkdir(place)
        os.chdir(outer)
        write(folder, Path(place), fill)
        try:
            return load(folder, class_name)
        except Exception as error:
            text = " ".join(str(error).split()).replace(place, "")
            return {"outcome": "refuses", "error": f"{type(error).__name__}: {text[:120]}"}


def main() -> None:
    """Record every case of the given types, or of all."""
    torch, transformers = (importlib.import_module(name) for name in ("torch", "transformers"))
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    types = sys.argv[1:]
    path = LOADS / f"transformers-{transformers.__version__.partition('.')[0]}.json.gz"
    path.parent.mkdir(exist_ok=True)
    kept = json.loads(gzip.decompress(path.read_bytes())) if path.exists() and types else []
    found = [one for one in kept if one["type"] not in types]
    for case in cases(types):
        found.append({**case, **loaded(folder_of(case))})
        print(case["type"], case["class"], case["name"], *list(found[-1].items())[5:], flush=True)
    raw = json.dumps(found, separators=(",", ":")).encode()
    path.write_bytes(gzip.compress(raw, 9, mtime=0))


if __name__ == "__main__":
    main()
