"""Measure which of two names of a config key decides where a config states both with different values.

Needs transformers 5; run in an environment of it (`tests/oracle/make_loads.py` has it):

    five/bin/python -m tests.oracle.make_key_names

Writes `inspector/loading/key_names.json`: model type -> other names of keys (`attribute_map`) that do not decide in
both orders of the two in the file. The values are whole numbers: twice the default under the key, and under the other
name four times the default, or the default itself where the class refuses this.
"""

from __future__ import annotations

import importlib
import json
import logging
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.loading.newest_config import KEY_NAMES


def decides(config_class: Any, other: str, key: str) -> bool:
    """True if a config has the value of the other name of a key, whichever comes first."""
    usual = getattr(config_class(), key, None)
    if type(usual) is not int:
        return True  # other values than whole numbers are not read by this table
    try:
        return _reads(config_class, other, key, usual * 4, usual * 2)
    except Exception:  # each class raises its own, here where other keys must fit the value
        pass
    try:
        return _reads(config_class, other, key, usual, usual * 2)
    except Exception:
        return False


def _reads(config_class: Any, other: str, key: str, value: int, under_key: int) -> bool:
    """True if both orders of two names make a config with the value under the other name."""
    orders = ({key: under_key, other: value}, {other: value, key: under_key})
    return all(getattr(config_class.from_dict(dict(stated)), key) == value for stated in orders)


def measured() -> Mapping[str, list[str]]:
    """Model type -> the other names that do not decide."""
    known = importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
    found: dict[str, list[str]] = {}
    for model_type in sorted(known):
        try:
            config_class = known[model_type]
            config_class()
        except Exception:  # a class that needs another package, or has no defaults
            continue
        names = getattr(config_class, "attribute_map", None) or {}
        pairs = [(other, key) for other, key in names.items() if isinstance(key, str)]
        own = sorted(other for other, key in pairs if not decides(config_class, other, key))
        if own:
            found[model_type] = own
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    Path(KEY_NAMES).write_text(json.dumps(measured(), indent=1) + "\n", encoding="utf-8")
