"""Finds the model types under which a config gives the name and the shape of every stored tensor."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of, likely_definitions
from inspector.architectures.defaults import defaults_of
from inspector.loader.config_file import Config
from inspector.loading.tables import NEWEST, class_ending_with, has_type
from inspector.matcher.claim import Claim, claim_of
from inspector.matcher.families import Families
from inspector.matcher.reading import read_claimed
from inspector.reconciler.reconcile import Again

MOST_TRIED: Final = 40
"""Most types with all names that are tried."""


def fitting_types(
    config: Claim,
    file: Config,
    families: Families,
    again: Again,
    lacking: frozenset[str] = frozenset(),
    keys: Collection[str] | None = None,
) -> dict[str, Claim]:
    """Type -> the claim of the config with it, for all types other than the config's that fit.

    lacking: as in `fitting`. keys: those by which the types are looked for, if not all stored families.
    """
    found: dict[str, Claim] = {}
    for name, definition in likely_definitions(list(families if keys is None else keys), 1.0, MOST_TRIED):
        for model_type in types_named(name, file) if definition is not config.definition else ():
            claim = fitting(model_type, config, file, families, again, lacking)
            if claim is not None:
                found.setdefault(model_type, claim)
    return found


def fitting(
    model_type: str,
    config: Claim,
    file: Config,
    families: Families,
    again: Again,
    lacking: frozenset[str] = frozenset(),
) -> Claim | None:
    """The claim of a config with another type, if it gives the name and the shape of every stored tensor.

    lacking: families that the type must not have, not even as optional ones.
    """
    claim = _claim(model_type, config, file)
    reading = None if claim is None else read_claimed(claim, families)
    if claim is None or reading is None or reading.coverage < 1 or reading.prefix:
        return None
    case = again(claim, reading, solve=False)
    if case.as_configured.differences or case.plan.scope.faults:
        return None
    return claim if lacking.isdisjoint(one.key for one in case.plan.blocks) else None


def types_named(names: str, file: Config) -> Iterator[str]:
    """The types with the definition of `names`, without types that have additional config keys that
    this config lacks.
    """
    definition = definition_of(names)
    every = dict.fromkeys((names, *(() if definition is None else definition.names)))
    known = {name: defaults for name in every if has_type(name, NEWEST) and (defaults := defaults_of(name)) is not None}
    usual = next(iter(known), None)
    for other, defaults in known.items():
        beyond = defaults.values.keys() - known[usual].values.keys() if usual else ()
        if other == usual or (beyond and beyond <= file.values.keys()):
            yield other


def _claim(model_type: str, config: Claim, file: Config) -> Claim | None:
    """The claim of a config with another type and with the class of that type that has the same head."""
    values: dict[str, Any] = {**file.values, "model_type": model_type}
    if config.class_name is not None:
        heads = () if config.head is None else config.head.names
        own = [name for name in heads if name and config.class_name.endswith(name)]
        named = class_ending_with(model_type, (*own, *heads))
        if named is None:
            return None
        values["architectures"] = [named]
    return claim_of(replace(file, values=values))
