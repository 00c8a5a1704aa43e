"""The config keys without which mlx-lm does not build a model: it sets no defaults for them ("ModelArgs.__init__()
missing 1 required positional argument: 'rope_theta'"). transformers 5 writes some of them under other names.

`mlx_keys.json` lists them for each type of mlx-lm 0.32.2; `tests/oracle/make_mlx_keys.py` makes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Mapping
from functools import cache
from typing import Final

FILE: Final = os.path.join(os.path.dirname(__file__), "mlx_keys.json")


def keys_lacking(model_type: str | None, stated: Container[str]) -> list[str]:
    """The required keys that are not stated, in the order of the class. stated: the keys of config.json."""
    return [key for key in _required().get(model_type or "", ()) if key not in stated]


@cache
def _required() -> Mapping[str, tuple[str, ...]]:
    with open(FILE, "rb") as file:
        return {name: tuple(keys) for name, keys in json.loads(file.read()).items()}
