"""Published models by their number of parameters.

`published.json` is made by `tests/oracle/make_sizes.py` from `fixtures/published.toml`, of which every total is proven
by transformers itself.
"""

from __future__ import annotations

import json
from functools import cache

from inspector.architectures.catalog import data_file


def published_as(model_type: str, parameters: int) -> tuple[str, ...]:
    """The published models of a type with exactly this number of parameters."""
    return tuple(_sizes().get(model_type, {}).get(str(parameters), ()))


@cache
def _sizes() -> dict[str, dict[str, list[str]]]:
    sizes: dict[str, dict[str, list[str]]] = json.loads(data_file("published.json"))
    return sizes
