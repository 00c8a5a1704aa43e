"""Make `inspector/adapters/peft_configs.json`: the keys of PEFT's config classes, their defaults, and what they refuse.

Needs torch, transformers and peft, as `make_library_loads.py`:

    five/bin/python -m tests.oracle.make_peft_configs

For each type: `keys`, the defaults of all keys (null for those that are no plain values); `refused`, the conditions of
`CONDITIONS` that its class refuses; `targets`, the number of an entry of the shared list for each model type whose
modules it changes where a config names none.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[2] / "inspector" / "adapters" / "peft_configs.json"
CONDITIONS: dict[str, dict[str, Any]] = {
    "layers_to_transform with an expression in target_modules": {"target_modules": "x", "layers_to_transform": [0]},
    "layers_pattern with an expression in target_modules": {"target_modules": "x", "layers_pattern": "h"},
    "layers_pattern without layers_to_transform": {"target_modules": ["x"], "layers_pattern": "h"},
    "lora_bias with use_dora": {"target_modules": ["x"], "lora_bias": True, "use_dora": True},
}


def plain(value: Any) -> Any:
    """A default as JSON has it; None where it is no plain value."""
    return value if isinstance(value, bool | int | float | str | list | dict) else None


def defaults_of(kind: Any) -> dict[str, Any]:
    """The keys of a config class with their defaults."""
    found: dict[str, Any] = {}
    parameters = inspect.signature(kind.__init__).parameters
    for field in dataclasses.fields(kind):
        if field.name in parameters and field.name != "peft_type":
            made = field.default_factory() if callable(field.default_factory) else field.default
            found[field.name] = plain(made)
    return found


def refused_by(kind: Any, keys: dict[str, Any]) -> list[str]:
    """The conditions that a class refuses, all keys of which it has."""
    found: list[str] = []
    for condition, values in CONDITIONS.items():
        if values.keys() <= keys.keys():
            try:
                kind(**values)
            except ValueError:
                found.append(condition)
            except ImportError:
                continue
    return found


def main() -> None:
    """Writes the table."""
    mapping = importlib.import_module("peft.mapping")
    targets: list[str] = []
    found: dict[str, Any] = {}
    for name, kind in sorted(mapping.PEFT_TYPE_TO_CONFIG_MAPPING.items(), key=lambda item: item[0].value):
        keys = defaults_of(kind)
        tuner = mapping.PEFT_TYPE_TO_TUNER_MAPPING.get(name)
        of_types = getattr(tuner, "target_module_mapping", None) or {}
        if name.value == "IA3":
            of_types = importlib.import_module("peft.utils.constants").TRANSFORMERS_MODELS_TO_IA3_TARGET_MODULES_MAPPING
        entry: dict[str, Any] = {"keys": keys, "refused": refused_by(kind, keys), "targets": {}}
        for model_type, modules in sorted(of_types.items()):
            text = modules if isinstance(modules, str) else " ".join(sorted(modules))
            if text not in targets:
                targets.append(text)
            entry["targets"][model_type] = targets.index(text)
        found[name.value] = entry
    lines = [f'"targets": {json.dumps(targets)}']
    lines += [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in found.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
