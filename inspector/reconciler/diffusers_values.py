"""Findings on config values with which classes of diffusers cannot be built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeGuard

from msgspec import UNSET

from inspector.architectures.defaults import class_defaults
from inspector.architectures.diffusers_values import RefusedByClass, refused_by_class
from inspector.findings.finding import Finding, Place
from inspector.matcher.spelling import keys_of_definition
from inspector.notation.scope import Scope

if TYPE_CHECKING:
    from inspector.findings.single_causes import ConfigOfAnotherSize


def with_refused_values(
    values: Mapping[str, Any], scope: Scope, reported: Sequence[Finding]
) -> tuple[list[Finding], list[Finding]]:
    """(the findings on names and shapes of a component that remain, those on such values).

    A config that differs from the weights in one value, which is refused, is only reported for this value.
    """
    solved = {one.keys[0].key: one.keys[0].solved for one in reported if _is_of_one_key(one)}
    rest = [one for one in reported if not _is_of_one_key(one)]
    refused = list(refused_values(values, scope, rest, solved))
    keys = {one.place.key for one in refused}
    return [one for one in reported if not (_is_of_one_key(one) and one.place.key in keys)], refused


def _is_of_one_key(finding: Finding) -> TypeGuard[ConfigOfAnotherSize]:
    from inspector.findings.single_causes import ConfigOfAnotherSize

    return isinstance(finding, ConfigOfAnotherSize) and len(finding.keys) == 1


def refused_values(
    values: Mapping[str, Any],
    scope: Scope,
    reported: Sequence[Finding],
    solved: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[Finding]:
    """The findings on such values of a component of diffusers. reported: findings on its names and shapes.

    solved: key -> the value of the weights, where it is known.
    """
    seen = {one.place.key for one in reported}
    refused = list(refused_by_class(values))
    if refused and reported:
        from inspector.findings.names.architecture import NamesOfAnotherArchitecture

        if any(isinstance(one, NamesOfAnotherArchitecture) for one in reported):
            # lists that contradict each other; the config belongs to another class
            refused = [one for one in refused if not one.beside]
    for one in refused:
        if not seen.isdisjoint((one.key, *one.beside)):
            continue
        seen.add(one.key)
        from inspector.findings.config import ConfigImpossible

        yield ConfigImpossible(
            place=Place(key=one.key),
            expression=one.key,
            detail=one.detail,
            keys=tuple(dict.fromkeys((one.key, *one.beside))),
            kind="type",
            stated=values.get(one.key, UNSET),
            meant=solved.get(one.key) or _meant(one, values, scope),
        )


def _meant(one: RefusedByClass, values: Mapping[str, Any], scope: Scope) -> Any:
    """The value to set. A null is removed only if the default of its class changes no shape."""
    if one.meant is not None:
        return one.meant
    default = class_defaults(str(values["_class_name"]))[0].get(one.key)
    return UNSET if default is None or one.key in keys_of_definition(scope) else None
