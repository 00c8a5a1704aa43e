"""Settings of rotary embeddings that transformers 5 writes into `rope_parameters`, as transformers 4.57 takes them.

4.57 does not read this key. It reads keys of the config itself, or takes the defaults of its config class: models then
load completely and compute with other positions. `tests/oracle/make_older_rotary.py` measures keys and defaults.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct

from inspector.architectures.value_rules import configs_within
from inspector.loading.unmeasured import ROTARY

TABLE: Final = os.path.join(os.path.dirname(__file__), "older_rotary.json")
"""The table: model type -> key that 4.57 reads -> its default."""
NEWER, SCALING = ROTARY
THETA: Final = "rope_theta"
LOCAL: Final = "rope_local_base_freq"
PARTIAL: Final = "partial_rotary_factor"
KIND: Final = "rope_type"
UNSCALED: Final = "default"
GLOBAL_LAYERS: Final = "full_attention"
LOCAL_LAYERS: Final = "sliding_attention"
"""Keys of settings that differ by the kind of layer."""
SECTIONS: Final = "mrope_section"
"""The parts of a head for time, height and width; 4.57 fails without them when the model runs."""
OF_SECTIONS: Final = "mrope"
"""The kind under which 4.57 reads sections, as the default."""


class UnreadSetting(Struct, frozen=True):
    """A setting that 4.57 does not read. key: the one under which it would. path: of the config that lacks this key.
    stated: what transformers 5 reads. used: what 4.57 takes.
    """

    path: tuple[str, ...]
    key: str
    stated: Any
    used: Any


def unread_by_older(values: Mapping[str, Any]) -> Iterator[UnreadSetting]:
    """The settings of a config and of its parts for which 4.57 takes other values than transformers 5."""
    for path, inner, model_type in configs_within(values, values.get("model_type")):
        stated = inner.get(NEWER)
        if not isinstance(stated, Mapping) or not isinstance(model_type, str):
            continue
        defaults = _table().get(model_type, {})
        wanted = _as_older(stated, defaults)
        for key, value in wanted.items():
            used = inner.get(key, defaults[key])
            if _differs(key, value, used):
                yield UnreadSetting(path, key, value, used)


def _as_older(stated: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """The settings under the keys that 4.57 reads; empty if they differ by layer and it has no keys for that."""
    if any(isinstance(one, Mapping) for one in stated.values()):
        whole, local = stated.get(GLOBAL_LAYERS), stated.get(LOCAL_LAYERS)
        if LOCAL not in known or not isinstance(whole, Mapping) or not isinstance(local, Mapping):
            return {}
        return _of_one(whole, known) | ({LOCAL: local[THETA]} if _is_number(local.get(THETA)) else {})
    return _of_one(stated, known)


def _of_one(stated: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: stated[key] for key in (THETA, PARTIAL) if key in known and _is_number(stated.get(key))}
    if SCALING in known:
        scaling = {key: value for key, value in stated.items() if key not in (THETA, PARTIAL) and value is not None}
        found[SCALING] = scaling if _kind(scaling) != UNSCALED or SECTIONS in scaling else None
    return found


def _differs(key: str, stated: Any, used: Any) -> bool:
    """True if two values of a setting differ; of two scalings, if their kinds or values of the same key differ."""
    if key != SCALING:
        return bool(stated != used)
    one, other = (value if isinstance(value, Mapping) else {} for value in (stated, used))
    both = (one.keys() & other.keys()) - {KIND}
    return (
        _kind(one) != _kind(other)
        or one.get(SECTIONS) != other.get(SECTIONS)
        or any(one[key] != other[key] for key in both)
    )


def _kind(scaling: Mapping[str, Any]) -> object:
    kind = scaling.get(KIND, scaling.get("type", UNSCALED))
    return UNSCALED if kind == OF_SECTIONS else kind


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    with open(TABLE, "rb") as file:
        found: dict[str, dict[str, Any]] = json.loads(file.read())
    return found
