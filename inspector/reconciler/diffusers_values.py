"""The findings on values with which classes of diffusers cannot be built."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from msgspec import UNSET

from inspector.architectures.defaults import class_defaults
from inspector.architectures.diffusers_values import RefusedByClass, refused_by_class
from inspector.findings.finding import Finding, Place
from inspector.matcher.spelling import keys_of_definition
from inspector.notation.scope import Scope


def refused_values(values: Mapping[str, Any], scope: Scope, reported: Collection[str | None]) -> Iterator[Finding]:
    """The findings on values of a component of diffusers. reported: keys with another finding."""
    seen = {key for key in reported if key is not None}
    for one in refused_by_class(values):
        if one.key in seen:
            continue
        seen.add(one.key)
        from inspector.findings.config import ConfigImpossible

        yield ConfigImpossible(
            place=Place(key=one.key),
            expression=one.key,
            detail=one.detail,
            keys=(one.key,),
            kind="type",
            stated=values[one.key],
            meant=_meant(one, values, scope),
        )


def _meant(one: RefusedByClass, values: Mapping[str, Any], scope: Scope) -> Any:
    """The value to set; a null is removed only where the default of its class changes no shape."""
    if one.meant is not None:
        return one.meant
    default = class_defaults(str(values["_class_name"]))[0].get(one.key)
    return UNSET if default is None or one.key in keys_of_definition(scope) else None
