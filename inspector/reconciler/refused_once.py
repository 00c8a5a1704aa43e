"""Joins the findings on values that a config class refuses with those on sizes: one cause is one finding.

A refused config of a part (`text_config`: "x") makes every size in it wrong, and refused label names the number of
labels. An absent or empty config of a part is of another size; the keys that its class then lacks follow from that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from types import NoneType
from typing import Any

from msgspec.structs import replace

from inspector.findings.config import ConfigDisagrees, ConfigImpossible
from inspector.findings.finding import Finding
from inspector.findings.single_causes import ConfigKeysAbsent, ConfigOfAnotherSize
from inspector.notation.scope import Scope
from inspector.reconciler.config_keys import LABELS, scopes_below, value_at, wrong_types


def with_types(
    findings: Sequence[Finding], scope: Scope, values: Mapping[str, Any], loaded: bool
) -> tuple[list[Finding], list[Finding]]:
    """(the remaining findings, the findings on refused values). A refused value is reported only once: neither as a
    value that is not a size, nor as one of two alternatives of which the other one is refused.

    values: the config as stored. loaded: True for a folder that a loader opens; else only values that are not sizes
    count. Nothing is reported if the whole config has the wrong model type: it decides what is refused.
    """
    if any(one.of_another_type for one in findings):
        return list(findings), []
    untyped = [one for one in findings if isinstance(one, ConfigImpossible) and one.kind == "type"]
    rest = [one for one in findings if one not in untyped]
    typed = list(wrong_types(scope, values, {one.place.key for one in rest if one.place.key is not None}, loaded))
    typed, empty = _without_consequences(typed, rest, values)
    keys = {_key(one) for one in typed}
    parts = keys & {".".join(map(str, inner.prefix)) for inner in scopes_below(scope)}
    kept = [_as_stated(one, values) for one in rest if not (_is_rival(one, keys) or _follows(one, keys, parts, empty))]
    return [*(one for one in untyped if keys.isdisjoint(one.keys)), *kept], typed


def _key(finding: Finding) -> str:
    return finding.place.key or ""


def _without_consequences(
    typed: Sequence[Finding], rest: Sequence[Finding], values: Mapping[str, Any]
) -> tuple[list[Finding], Set[str]]:
    """(the findings on refused values that no other one explains, the parts with an absent or empty config).

    Explained are keys of a refused or empty part, and a null in place of a part with named sizes: without this key
    they would be the defaults.
    """
    sized = [one for one in rest if isinstance(one, ConfigOfAnotherSize | ConfigKeysAbsent)]
    named = [one.key for size in sized for one in size.keys]
    empty = {part for one in sized if isinstance(one, ConfigOfAnotherSize) for part in one.absent}
    kept = [
        one
        for one in typed
        if not (value_at(values, tuple(_key(one).split("."))) is None and _are_below(named, {_key(one)}))
    ]
    parts = {_key(one) for one in kept} | empty
    return [one for one in kept if not _are_below([_key(one)], parts)], empty


def _are_below(keys: Collection[str], parts: Collection[str]) -> bool:
    """True if there are keys, and each is within the config of one of these parts."""
    return bool(keys) and all(any(key.startswith(f"{part}.") for part in parts) for key in keys)


def _is_rival(finding: Finding, refused: Set[str]) -> bool:
    """True if a finding names two alternatives of which one is refused."""
    return isinstance(finding, ConfigDisagrees) and not refused.isdisjoint(rival.key for rival in finding.rivals)


def _follows(finding: Finding, refused: Set[str], parts: Set[str], empty: Set[str]) -> bool:
    """True if a finding is about sizes that follow from refused values.

    refused: the keys with refused values; parts: those that are the config of a part. empty: the parts with an absent
    or empty config, which another finding names.
    """
    if isinstance(finding, ConfigOfAnotherSize):
        return _are_below([one.key for one in finding.keys], refused) or (bool(parts) and not finding.keys)
    if isinstance(finding, ConfigKeysAbsent):
        return _are_below([one.key for one in finding.keys], refused)
    if not isinstance(finding, ConfigDisagrees | ConfigImpossible):
        return False
    of_labels = _key(finding) in LABELS and not LABELS.isdisjoint(refused)
    return of_labels or _are_below([_key(finding)], refused | empty)


def _as_stated(finding: Finding, values: Mapping[str, Any]) -> Finding:
    """The finding on a number with the value as written in the config: -1, "3", 3.0, "three", true or null."""
    if not isinstance(finding, ConfigDisagrees) or type(finding.stated) not in (int, NoneType):
        return finding
    stated = value_at(values, tuple(_key(finding).split(".")))
    if stated is None:
        return replace(finding, stated=None, null=True)
    numberless = finding.stated in (0, 1) and isinstance(stated, list | dict)
    read_otherwise = isinstance(stated, str | float | bool) or (type(stated) is int and stated < 0)
    return replace(finding, stated=stated) if numberless or read_otherwise else finding
