"""Distinguishes model types with the same tensor names by the keys of a config."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from inspector.architectures.defaults import defaults_of, general_keys
from inspector.loading.tables import NEWEST, names_of

MOST_ALIKE: Final = 4
"""Most types that are distinguished by their keys: among many Llama-like types, one may have the keys of another by
chance.
"""


def told_apart(types: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """The types with all of their own config keys present in `values`, without keys that only other types have. One
    type for each model class.
    """
    if len(types) < 2 or len(types) > MOST_ALIKE:
        return list(types)
    keys = {name: _keys(name) for name in types}
    telling = frozenset().union(*keys.values()) - frozenset.intersection(*keys.values())
    stated = telling & values.keys()
    found = [name for name in types if keys[name] & telling == stated]
    bases = names_of(NEWEST).bases
    return list({bases.get(name, name): name for name in reversed(found)}.values())


def _keys(model_type: str) -> frozenset[str]:
    """The keys of a type's config, without keys that all types have and keys that only one version writes."""
    defaults = defaults_of(model_type)
    if defaults is None:
        return frozenset()
    own = defaults.values.keys() - general_keys()
    return frozenset(key for key in own if len(defaults.differs.get(key, "45")) > 1)
