"""Settings that scale rotary embeddings without the type that says how: transformers 5 takes the default, which does
not scale (`standardize_rope_params`), and 4.57 refuses them (`rope_config_validation`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.architectures.config_types import layer_types
from inspector.architectures.defaults import NEWEST
from inspector.architectures.rotary_rules import KINDS, reads_type
from inspector.architectures.value_rules import configs_within
from inspector.loading.unmeasured import ROTARY

FACTOR: Final = "factor"
KEYS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "longrope": ("short_factor", "long_factor"),
    "llama3": ("low_freq_factor", "high_freq_factor"),
    "yarn": ("beta_fast", "beta_slow"),
}
"""Type -> settings that only this type reads."""
USUAL: Final = ("linear", "dynamic")
"""The types that read nothing but a factor."""


class UntypedSettings(Struct, frozen=True):
    """Settings without a type. path: of the object that has them. keys: those that scale. kinds: the types that read
    them.
    """

    path: tuple[str, ...]
    keys: tuple[str, ...]
    kinds: tuple[str, ...]


def untyped_settings(values: Mapping[str, Any]) -> Iterator[UntypedSettings]:
    """The settings of rotary embeddings, in a config and its parts, that scale and name no type."""
    for path, inner, model_type in configs_within(values, values.get("model_type")):
        key = next((one for one in reversed(ROTARY) if inner.get(one)), "")
        stated = inner.get(key)
        if not isinstance(stated, Mapping) or not isinstance(model_type, str):
            continue
        by_layer = {name: one for name, one in stated.items() if name in layer_types()}
        for name, settings in (by_layer or {"": stated}).items():
            if isinstance(settings, Mapping) and (keys := _scaling(settings)):
                special = tuple(one for one, needed in KEYS_OF.items() if settings.keys() & set(needed))
                kinds = tuple(one for one in special or USUAL if reads_type(model_type, key, one, NEWEST))
                if kinds:
                    yield UntypedSettings((*path, key, *([name] if name else [])), keys, kinds)


def _scaling(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that change the angles, if no type says how: a factor other than 1, and what one type reads."""
    if not settings.keys().isdisjoint(KINDS):
        return ()
    special = [key for needed in KEYS_OF.values() for key in needed if key in settings]
    factor = settings.get(FACTOR)
    scales = type(factor) in (int, float) and factor != 1
    return tuple([FACTOR] * scales + special) if scales or special else ()
