"""Make `inspector/adapters/module_kinds.json`: modules of transformers that PEFT does not treat as matrices, by name.

Needs torch and transformers; builds the models of `fixtures/oracle` without weights:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0
    five/bin/python -m tests.oracle.make_module_kinds

`own`: for each model type the modules with a matrix as their `weight` whose class is not one of torch's, such as
routers of experts; `empty`: modules without parameters and without modules inside, such as activations. Both by the
last two words of their names, with `#` for a number. Types with the same words share an entry of `words`.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.judged import oracle_types, records
from tests.oracle.value_cases import decoded

TABLE = Path(__file__).parents[2] / "inspector" / "adapters" / "module_kinds.json"
WRITER = "transformers 5"


def models(model_type: str) -> Iterator[Any]:
    """A model of each class of a type."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    seen = set[str]()
    for one in records(model_type):
        kind = getattr(transformers, one["class"], None)
        if not one["writer"].startswith(WRITER) or not one.get("config") or kind is None or one["class"] in seen:
            continue
        seen.add(one["class"])
        try:
            with torch.device("meta"):
                yield kind(kind.config_class.from_dict(decoded(one["config"])))
        except Exception as problem:  # a class that cannot be built without weights is reported and skipped
            print(model_type, one["class"], type(problem).__name__, file=sys.stderr)


def names_of(model: Any) -> Iterator[tuple[str, str]]:
    """("own" or "empty", name) of each module other than torch's modules with a weight."""
    nn, conv1d = importlib.import_module("torch.nn"), importlib.import_module("transformers.pytorch_utils").Conv1D
    for name, module in model.named_modules():
        words = ["#" if word.isdecimal() else word for word in name.split(".")]
        weight = module._parameters.get("weight")
        if not name or words[-1] == "#":
            continue
        if not list(module.children()) and not list(module.parameters()):
            yield "empty", ".".join(words[-2:])
        elif weight is not None and weight.dim() == 2 and not isinstance(module, nn.Linear | nn.Embedding | conv1d):
            yield "own", ".".join(words[-2:])


def main() -> None:
    """Write the table."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    found: dict[str, dict[str, str]] = {"own": {}, "empty": {}}
    for model_type in oracle_types():
        named: dict[str, set[str]] = {"own": set(), "empty": set()}
        for model in models(model_type):
            for kind, name in names_of(model):
                named[kind].add(name)
        for kind, names in named.items():
            if names:
                found[kind][model_type] = " ".join(sorted(one for one in names if re.fullmatch(r"[\w.#]+", one)))
    words = sorted({text for entry in found.values() for text in entry.values()})
    table = {kind: {key: words.index(text) for key, text in entry.items()} for kind, entry in found.items()}
    lines = [f'"{key}": {json.dumps(entry)}' for key, entry in {"words": words, **table}.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
