"""Make `inspector/comparing/setting_defaults.json`: defaults of settings on which no shape depends.

Needs torch and transformers, in an environment of each major version (as `make_defaults.py`):

    five/bin/python -m tests.oracle.make_setting_defaults collect five.json
    four/bin/python -m tests.oracle.make_setting_defaults collect four.json
    python -m tests.oracle.make_setting_defaults merge five.json four.json

`collect` writes the values of an instance of each configuration class for the keys that a comparison reads; `merge`
keeps the values on which both versions agree, and those of types that only one version has. `rope_theta` is kept only
for types with one rotary embedding without scaling.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.architectures.defaults import class_defaults
from inspector.comparing.settings import COMPUTING, OF_LENGTH, OLDER, PARTS, TABLE, UNSCALED, WITHIN

ROPE = ("rope_parameters", "rope_scaling")


def stated(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a config states, with those of its parts."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key.endswith(WITHIN) and isinstance(value, Mapping):
            found[key] = stated(value)
        elif key in COMPUTING - OF_LENGTH and not isinstance(value, list | dict):
            found[key] = value
    rotary: Mapping[str, Any] = next((values[name] for name in ROPE if isinstance(values.get(name), Mapping)), {})
    nested = any(isinstance(one, Mapping) for one in rotary.values())
    kind = rotary.get("rope_type", rotary.get("type", "default"))
    base = rotary.get("rope_theta", values.get("rope_theta"))
    found.pop("rope_theta", None)
    found.update({key: values[key] for key in PARTS if isinstance(values.get(key), float)})
    if not nested and OLDER.get(kind, kind) == UNSCALED and isinstance(base, int | float):
        found["rope_theta"] = base
    return found


def collect(path: Path) -> None:
    """Collect the values of the installed version."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    mapping = importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
    table: dict[str, Any] = {}
    for name in sorted(mapping.keys()):
        with contextlib.suppress(Exception):  # some classes need the config of a part
            table[name] = stated(mapping[name]().to_dict())
    path.write_text(json.dumps(table), encoding="utf-8")


def agreed(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The values that two versions have in common, and those of keys that only one has."""
    found: dict[str, Any] = {}
    for key in sorted(one.keys() | other.keys()):
        values = [side[key] for side in (one, other) if key in side]
        if isinstance(values[0], Mapping):
            found[key] = agreed(values[0], values[-1])
        elif values[0] == values[-1]:
            found[key] = values[0]
    return found


def merge(five: Path, four: Path) -> None:
    """Write the table, without keys that the defaults of shapes contain."""
    sides = [json.loads(path.read_text(encoding="utf-8")) for path in (five, four)]
    table: dict[str, Any] = {}
    for name in sorted(sides[0].keys() | sides[1].keys()):
        known = class_defaults(name)[0]
        listed = [side[name] for side in sides if name in side]
        values = {key: value for key, value in agreed(listed[0], listed[-1]).items() if known.get(key, known) != value}
        if values:
            table[name] = values
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in table.items())
    TABLE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    verb, first, *others = sys.argv[1:]
    if verb == "collect":
        collect(Path(first))
    else:
        merge(Path(first), Path(others[0]))
