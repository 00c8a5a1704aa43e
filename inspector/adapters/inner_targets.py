"""Targets that name PEFT's own wrapper: an adapter that was trained on a model which already had an adapter.

A search for the names of all linear layers then finds `base_layer` instead of `q_proj`. No plain base has such modules:
PEFT refuses the config ("Target modules {'base_layer'} not found"), and the tensors are named below the wrapper.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.adapters.base import Base
from inspector.adapters.names import tuner_name
from inspector.adapters.targets import texts
from inspector.matcher.families import Families

KEY: Final = "target_modules"
INNER: Final = "base_layer"


def with_inner_targets(values: Mapping[str, Any], families: Families, base: Base) -> Mapping[str, Any]:
    """The config with the names of the wrapped modules instead of the wrapper's; unchanged if the base has modules with
    this name (Phi-4-multimodal).
    """
    listed = values.get(KEY)
    if not isinstance(listed, list) or INNER not in listed:
        return values
    if any(one.module.rpartition(".")[2] == INNER for one in base.tensors):
        return values
    names = (tuner_name(key) for key in families)
    own = {one.module.rpartition(".")[2] for one in names if one is not None and one.depth}
    others = (one for one in texts(listed) if one != INNER)
    return {**values, KEY: sorted({*others, *own})} if own else values
