"""Write the config keys without which mlx-lm does not build a model to `inspector/loading/mlx_keys.json`.

Needs an environment with `mlx-lm[cpu]` and msgspec:

    mlx/bin/python -m tests.oracle.make_mlx_keys

Model type -> the fields of its `ModelArgs` without a default value. Types that fill in such fields themselves
(`from_dict` of their own) are left out.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from pathlib import Path
from typing import Any

from tests.oracle.make_mlx_parts import types

FILE = Path(__file__).parents[2] / "inspector" / "loading" / "mlx_keys.json"


def required(model_type: str) -> list[str]:
    """The keys that a type requires; none for a type that cannot be imported or has its own way to read a config."""
    utils, base = importlib.import_module("mlx_lm.utils"), importlib.import_module("mlx_lm.models.base")
    try:
        module = importlib.import_module(f"mlx_lm.models.{utils.MODEL_REMAPPING.get(model_type, model_type)}")
    except (Exception, SystemExit):  # some need another library
        return []
    arguments: Any = module.ModelArgs
    if arguments.from_dict.__func__ is not base.BaseModelArgs.from_dict.__func__:
        return []
    missing = dataclasses.MISSING
    fields = (one for one in dataclasses.fields(arguments) if one.default is missing and one.default_factory is missing)
    return [one.name for one in fields if one.name != "model_type"]


def main() -> None:
    """Write the file."""
    found = {one: keys for one in sorted(types()) if (keys := required(one))}
    lines = (f" {json.dumps(one)}: {json.dumps(keys)}" for one, keys in found.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
