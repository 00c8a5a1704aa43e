"""A config as transformers 5 reads it: what config classes set whatever the config says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.architectures.defaults import NEWEST
from inspector.architectures.value_rules import configs_within
from inspector.loading.key_names import as_decided
from inspector.notation.trace import with_leaf

LAYERS, FULL = "layer_types", "full_attention"
FULL_AT_LAST: Final = frozenset({"diffusion_gemma_text", "embedding_gemma2_text", "gemma4_text", "gemma4_unified_text"})
"""Model types of which the last layer always has full attention (`__post_init__` of their config classes, 5.23)."""


def as_newest_reads(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config with the layer types that its classes set, and one value under both names of a key."""
    found = as_decided(values, NEWEST)
    for path, inner, kind in configs_within(values, values.get("model_type")):
        listed = inner.get(LAYERS)
        sets = isinstance(kind, str) and kind in FULL_AT_LAST
        if sets and isinstance(listed, list) and listed and listed[-1] != FULL:
            found = with_leaf(found, {}, (*path, LAYERS), [*listed[:-1], FULL])
    return found
