"""Several wrong keys at once, where the definition says in which names and shapes its keys can be seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from inspector.matcher.families import Families
from inspector.matcher.showing import shown_values
from inspector.notation.scope import Scope
from inspector.notation.shown import NEUTRAL
from inspector.reconciler.inverse.differences import Differences

Rebind = Callable[[Scope], Differences]
"""What differs in another scope."""


class Seen(msgspec.Struct, frozen=True, eq=False):
    """Keys that are wrong together. without: for each, what differs where it alone is left as it is."""

    values: Mapping[str, Any]
    without: Mapping[str, Differences]
    after: Differences


def seen_together(differences: Differences, families: Families, rebind: Rebind) -> Seen | None:
    """The keys that are needed to explain the most; None where fewer than two are, or none explain anything."""
    scope = differences.plan.scope
    values = _values(scope, families)
    if len(values) < 2:
        return None

    def bound(changes: Mapping[str, Any]) -> Differences:
        changed = scope
        for key, value in changes.items():
            changed = changed.with_value((key,), value)
        return rebind(changed)

    after = bound(values)
    if after.total >= differences.total:
        return None
    without: dict[str, Differences] = {}
    for key in list(values):
        rest = {other: value for other, value in values.items() if other != key}
        found = bound(rest)
        if found.total <= after.total:
            values, after = rest, found
        else:
            without[key] = found
    return Seen(values, without, after) if len(values) > 1 else None


def _values(scope: Scope, families: Families) -> dict[str, Any]:
    """Keys with what is seen of them, where the config has something else."""
    if not scope.definition.shows:
        return {}
    seen = shown_values(scope.definition, families)
    reported = {key: value for key, value in seen.items() if scope.definition.shows[key].how != NEUTRAL}
    return {key: value for key, value in reported.items() if scope.settings.read((key,))[0] != value}
