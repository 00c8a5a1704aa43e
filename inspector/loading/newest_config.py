"""A config as transformers 5 reads it: what config classes set whatever the config says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from inspector.architectures.defaults import NEWEST, class_defaults
from inspector.architectures.value_rules import configs_within
from inspector.notation.trace import with_leaf

LAYERS, FULL = "layer_types", "full_attention"
FULL_AT_LAST: Final = frozenset({"diffusion_gemma_text", "embedding_gemma2_text", "gemma4_text", "gemma4_unified_text"})
"""Model types of which the last layer always has full attention (`__post_init__` of their config classes, 5.23)."""

KEY_NAMES: Final = os.path.join(os.path.dirname(__file__), "key_names.json")
"""The table: model type -> other names of keys that do not decide where a config states both, or only in one order;
`tests/oracle/make_key_names.py` measures them.
"""


@cache
def _of_their_own_name() -> Mapping[str, Sequence[str]]:
    with open(KEY_NAMES, "rb") as file:
        found: dict[str, list[str]] = json.loads(file.read())
    return found


def as_newest_reads(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config with the layer types that its classes set, and the values of other names of keys under the keys."""
    found: Mapping[str, Any] = values
    for path, inner, kind in configs_within(values, values.get("model_type")):
        for other, key in other_names_that_decide(inner, kind):
            found = with_leaf(found, {}, (*path, key), inner[other])
        listed = inner.get(LAYERS)
        sets = isinstance(kind, str) and kind in FULL_AT_LAST
        if sets and isinstance(listed, list) and listed and listed[-1] != FULL:
            found = with_leaf(found, {}, (*path, LAYERS), [*listed[:-1], FULL])
    return found


def other_names_that_decide(values: Mapping[str, Any], model_type: object) -> Iterator[tuple[str, str]]:
    """Other names of keys under which a config states another whole number than under the keys, which transformers 5
    reads in place of theirs, and these keys.
    """
    defaults, aliases = class_defaults(model_type, NEWEST) if isinstance(model_type, str) else ({}, {})
    for other, key in aliases.items():
        numbers = all(type(one) is int for one in (values.get(other), values.get(key), defaults.get(key)))
        if numbers and values[other] != values[key] and other not in _of_their_own_name().get(str(model_type), ()):
            yield other, key
