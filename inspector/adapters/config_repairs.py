"""The keys of an adapter's config for which PEFT refuses it, and values that it accepts instead.

A key is the cause if PEFT accepts the config with another value of it: the number that a text states, or the default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct

from inspector.adapters.peft_configs import WANTED, defaults_of, names_modules, refusal, refused_for
from inspector.architectures.refused_value import digits_in

TARGETS = "target_modules"


class ConfigRepair(Struct, frozen=True):
    """What to correct. meant: the value that the only key states, unset if it is not known. default: of its class."""

    keys: tuple[str, ...]
    meant: Any = UNSET
    default: Any = UNSET


def repair_of(values: Mapping[str, Any], base: Mapping[str, Any]) -> ConfigRepair | None:
    """The keys to correct in a config that PEFT refuses; None if it accepts it, or if no single key is the cause."""
    if not _is_refused(values, base):
        return None if names_modules(values) else ConfigRepair((TARGETS,))
    found = {key: one for key, default in defaults_of(values).items() if (one := _repair(values, base, key, default))}
    if not found:
        needed = WANTED.get(str(values.get("peft_type")))
        return ConfigRepair((needed,)) if needed is not None and not values.get(needed) else None
    stated = tuple(key for key in found if key in values) or tuple(found)
    return found[stated[0]] if len(stated) == 1 else ConfigRepair(stated)


def _repair(values: Mapping[str, Any], base: Mapping[str, Any], key: str, default: Any) -> ConfigRepair | None:
    """The correction of one key, if PEFT accepts the config with it."""
    value = values.get(key, UNSET)
    for one in _meant(value):
        if not _is_refused({**values, key: one}, base):
            return ConfigRepair((key,), one, default)
    accepted = default != value and not _is_refused({**values, key: default}, base)
    return ConfigRepair((key,), default=default) if accepted else None


def _meant(value: Any) -> Iterator[Any]:
    """Values that another one may mean: the number in a text, the only entry of a list, a number above 0."""
    if isinstance(value, str) and digits_in(value) is not UNSET:
        yield digits_in(value)
    if isinstance(value, list) and len(value) == 1:
        yield value[0]
    if type(value) is int and value < 0:
        yield -value
    if type(value) is float and value.is_integer():
        yield int(value)


def _is_refused(values: Mapping[str, Any], base: Mapping[str, Any]) -> bool:
    return bool(refusal(values, base.get("model_type")) or refused_for(values, base))
