"""Measure which of two names of a config key decides where a config states both with different values.

Needs torch and both versions of transformers, each in an environment (`tests/oracle/make_loads.py` has them); each run
writes the part of its version:

    five/bin/python -m tests.oracle.make_key_names
    four/bin/python -m tests.oracle.make_key_names

Writes `inspector/loading/key_names.json`: major version -> "key" and "open" -> model type -> other names of keys
(`attribute_map`, and what the classes of the other version have there). "key": the key itself decides, and a model of
each record of the type on the meta device is the same whatever the other name says. "open": neither of the two in both
orders in the file, or the model changes. All others decide in both orders. The values are whole numbers: twice the
default under the key, and under the other name four times the default, or the default itself where the class refuses
this.
"""

from __future__ import annotations

import copy
import importlib
import json
import logging
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.architectures.defaults import class_defaults
from inspector.loading.key_names import KEY_NAMES
from tests.judged import records

OTHER, KEY, OPEN = "other", "key", "open"


def which_decides(config_class: Any, other: str, key: str) -> str:
    """The name whose value a config has, whichever comes first in the file: `OTHER`, `KEY` or `OPEN`."""
    usual = getattr(config_class(), key, None)
    if type(usual) is not int:
        return OTHER  # other values than whole numbers are not read by this table
    for value in (usual * 4, usual):
        try:
            return _read(config_class, other, key, value, usual * 2)
        except Exception:  # each class raises its own, here where other keys must fit the value
            continue
    return OPEN


def _read(config_class: Any, other: str, key: str, value: int, under_key: int) -> str:
    """The name that decides in both orders, or `OPEN`. value: under the other name."""
    orders = ({key: under_key, other: value}, {other: value, key: under_key})
    configs = [config_class.from_dict(dict(stated)) for stated in orders]
    if all(getattr(one, key) == value == getattr(one, other, None) for one in configs):
        return OTHER
    return KEY if all(getattr(one, key) == under_key for one in configs) else OPEN


def is_unread(model_type: str, config_class: Any, other: str, key: str) -> bool:
    """True if no model of a record of the type changes with the value of the other name."""
    tried = False
    for record in _records(model_type):
        usual = record["config"].get(key)
        if type(usual) is not int:
            continue
        try:
            shapes = _shapes(record["class"], config_class, record["config"])
        except Exception:  # the class is not in this version, or needs another package
            continue
        for value in (usual * 2, usual + 1):
            try:
                tried = True
                if _shapes(record["class"], config_class, {**record["config"], other: value}) != shapes:
                    return False
            except Exception:  # the model reads it
                return False
    return tried


def _records(model_type: str) -> Iterator[Mapping[str, Any]]:
    try:
        found = records(model_type)
    except FileNotFoundError:  # the type has no definition
        return
    yield from (one for one in found if not one["variant"])


def _shapes(class_name: str, config_class: Any, config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    torch, transformers = (importlib.import_module(name) for name in ("torch", "transformers"))
    with torch.device("meta"):
        model = getattr(transformers, class_name)(config_class.from_dict(copy.deepcopy(dict(config))))
    return {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}


def measured(major: str) -> Mapping[str, Mapping[str, list[str]]]:
    """`KEY` and `OPEN` -> model type -> the other names of keys of this kind."""
    known = importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
    found: dict[str, dict[str, list[str]]] = {KEY: {}, OPEN: {}}
    for model_type in sorted(known):
        try:
            config_class = known[model_type]
            config_class()
        except Exception:  # a class that needs another package, or has no defaults
            continue
        for other, key in sorted(class_defaults(model_type, major)[1].items()):
            decides = which_decides(config_class, other, key) if other != key else OTHER
            if decides == KEY and not is_unread(model_type, config_class, other, key):
                decides = OPEN
            if decides != OTHER:
                found[decides].setdefault(model_type, []).append(other)
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    version = str(importlib.import_module("transformers").__version__).partition(".")[0]
    table = json.loads(Path(KEY_NAMES).read_text(encoding="utf-8"))
    table = {**{one: table[one] for one in ("4", "5") if one in table}, version: measured(version)}
    Path(KEY_NAMES).write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")
