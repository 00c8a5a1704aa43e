"""Tells by its keys of which of two model types a config is, where the tensors of one are among those of the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from inspector.architectures.config_types import ConfigTypes, types_of
from inspector.architectures.defaults import defaults_of


def is_rather_of(model_type: str, other: str, stated: Collection[str]) -> bool:
    """True if a config under a type is not that of another type: it states keys that only the first has, or none of
    those that only the other has. stated: the keys of the config.
    """
    own, theirs, defaults = types_of(model_type), types_of(other), defaults_of(other)
    if own is None or defaults is None:
        return False
    fields = frozenset(defaults.values if theirs is None else theirs.fields)
    beyond = frozenset() if theirs is None else fields.difference(own.fields)
    return not fields.issuperset(_own(own, stated)) or (bool(beyond) and beyond.isdisjoint(stated))


def states_own_keys(model_type: str, other: str, stated: Collection[str]) -> bool:
    """True if a config states keys that its type has and another type has in no version. stated: its keys."""
    own, theirs, defaults = types_of(model_type), types_of(other), defaults_of(other)
    if own is None or defaults is None:
        return False
    return not frozenset(defaults.values).union(theirs.fields if theirs else ()).issuperset(_own(own, stated))


def _own(own: ConfigTypes, stated: Collection[str]) -> Iterator[str]:
    return (key for key in stated if key in own.fields)
