"""Make `fixtures/diffusers/*.json.gz`: names and shapes of diffusers' own models, tiny and at their defaults.

Needs torch and diffusers; nothing is allocated; takes a minute:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0 diffusers==0.42.1
    five/bin/python -m tests.oracle.make_diffusers_records [CLASS ...]

A file is gzip (mtime 0) of one JSON object:

    {"class": ..., "records": [...], "unmoved": ["key-value", ...]}

A record has
    variant         "" for the base, "defaults" for the class without an argument, the name of a published component at
                    its size, "key-value,key-value" for others
    writer          "diffusers 0.42.1"
    given           the arguments of the class: a sparse config, other keys have their default
    config          config.json as written
    num_parameters  sum over model.parameters(): ties once, no buffers
    tensors         name in state_dict() to shape; [dtype, shape] where it is not float32

In addition to `VARIANTS` every key of a class is changed by itself: switches are flipped, numbers increased by one and
doubled. `unmoved` lists changes that affect no tensor; values that a class refuses are omitted.
"""

from __future__ import annotations

import contextlib
import gzip
import inspect
import io
import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.oracle.diffusers_bases import BASES, PUBLISHED, VARIANTS
from tests.oracle.diffusers_classes import class_of

FIXTURES = Path(__file__).parents[2] / "fixtures" / "diffusers"
LARGEST = 2_000_000_000
"""Parameters of a class at its defaults; the names of larger ones repeat those of tiny ones."""

Arguments = Mapping[str, Any]


def built(name: str, arguments: Arguments) -> Any:
    """A model that was never allocated."""
    import torch  # type: ignore[import-not-found]

    with torch.device("meta"), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return class_of(name)(**arguments)


def plain(value: Any) -> Any:
    """A value as in JSON."""
    return json.loads(json.dumps(value, default=list))


def tensors_of(model: Any) -> dict[str, Any]:
    """Names and shapes, the dtype where it is not float32."""
    found: dict[str, Any] = {}
    for key, tensor in model.state_dict().items():
        shape = list(tensor.shape)
        kind = str(tensor.dtype).removeprefix("torch.")
        found[key] = shape if kind == "float32" else [DTYPES[kind], shape]
    return found


DTYPES = {"int64": "I64", "int32": "I32", "float64": "F64", "bool": "BOOL", "bfloat16": "BF16", "float16": "F16"}


def record(name: str, variant: str, arguments: Arguments) -> dict[str, Any]:
    """The record of a class with these arguments."""
    import diffusers  # type: ignore[import-not-found]

    model = built(name, arguments)
    unique = {id(parameter): parameter.numel() for parameter in model.parameters()}
    return {
        "variant": variant,
        "writer": f"diffusers {diffusers.__version__}",
        "given": {"_class_name": name, **plain(arguments)},
        "config": json.loads(model.to_json_string()),
        "num_parameters": sum(unique.values()),
        "tensors": tensors_of(model),
    }


def label(changes: Arguments) -> str:
    """The name of a variant."""
    texts = (json.dumps(value, separators=(",", ":"), default=list).replace('"', "") for value in changes.values())
    return ",".join(f"{key}-{text}" for key, text in zip(changes, texts, strict=True))


def switches(name: str, base: Arguments) -> Iterator[dict[str, Any]]:
    """Single changes: every key of a class with the other values to try."""
    for key, parameter in inspect.signature(class_of(name).__init__).parameters.items():
        value = base.get(key, parameter.default)
        if isinstance(value, bool):
            yield {key: not value}
        elif isinstance(value, int):
            yield {key: value + 1}
            yield {key: value * 2}
        elif isinstance(value, float):
            yield {key: value * 2}
        elif value is None:
            yield {key: 2}


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two records hold the same tensors."""
    return bool(one["tensors"] == other["tensors"])


def records_of(name: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The records of a class, and the changes that affect no tensor."""
    base = BASES[name]
    found = [record(name, "", base)]
    with contextlib.suppress(Exception):
        default = record(name, "defaults", {})
        if default["num_parameters"] < LARGEST:
            found.append(default)
    found.extend(record(name, title, arguments) for title, arguments in PUBLISHED.get(name, {}).items())
    for changes in VARIANTS.get(name, ()):
        try:
            found.append(record(name, label(changes), {**base, **changes}))
        except Exception as error:
            print(f"{name} refuses {label(changes)}: {str(error)[:200]}")
    unmoved: list[str] = []
    for changes in switches(name, base):
        with contextlib.suppress(Exception):
            made = record(name, label(changes), {**base, **changes})
            if same(made, found[0]):
                unmoved.append(made["variant"])
            elif not any(made["given"] == before["given"] for before in found):
                found.append(made)
    return found, unmoved


def write(name: str, records: list[dict[str, Any]], unmoved: list[str]) -> None:
    """The file of a class."""
    text = json.dumps({"class": name, "records": records, "unmoved": unmoved}, separators=(",", ":"))
    FIXTURES.mkdir(exist_ok=True)
    (FIXTURES / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    for name in names or BASES:
        records, unmoved = records_of(name)
        write(name, records, unmoved)
        print(f"{name}: {len(records)} records, {len(unmoved)} switches moved nothing", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
