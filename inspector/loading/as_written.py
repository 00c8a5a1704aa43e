"""Recognises files that hold what their library writes, whose loading needs no further comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.architectures.defaults import defaults_of
from inspector.loading.tables import OLDER, ClassRules
from inspector.notation.binding import Plan
from inspector.reconciler.reconcile import Reconciled


def is_as_written(case: Reconciled, rules: ClassRules, values: Mapping[str, Any], model_type: str, major: str) -> bool:
    """Whether a version has exactly the tensors that are stored, under the names that it writes.

    False where that takes a comparison: anything is missing, left over, optional, tied and stored all the same, spelled
    otherwise, or depends on defaults that differ between versions.
    """
    reading, plan, placement = case.reading, case.plan, case.placement
    if rules.dialect or rules.newer or rules.altered or rules.unfilled or rules.refuses or not rules.exact:
        return False
    if placement.differences or case.causes or reading.prefix or reading.writer or reading.by_names:
        return False
    spelling = plan.spelling
    if spelling.dialect or any(spelling.submodels.values()) or spelling.root != plan.head.root:
        return False
    if rules.untied and any(block.tie is not None for block in plan.blocks):
        return False
    placed = {one.block.key for one in placement.placed}
    for one in placement.placed:
        block = one.block
        if (
            id(block.slot) in case.beyond
            or block.slot.extra
            or block.tie is not None
            or not (block.required or block.key in rules.stored)
        ):
            return False
    if not placed.issuperset(rules.stored) or any(block.slot.group for block in plan.blocks if block.key not in placed):
        return False
    if major == OLDER and rules.prefix and rules.within != any(key.startswith(rules.prefix) for key in placed):
        return False
    return _same_defaults(values, model_type)


def plan_as_audited(case: Reconciled, rules: ClassRules, values: Mapping[str, Any], model_type: str) -> Plan | None:
    """The plan of an audit without differences, where a version binds the same: its own names, and defaults of all."""
    spelling, reading = case.plan.spelling, case.reading
    own_names = not (spelling.dialect or any(spelling.submodels.values())) and spelling.root == case.plan.head.root
    other = rules.dialect or case.causes or reading.prefix or reading.writer or reading.by_names
    return case.plan if own_names and not other and _same_defaults(values, model_type) else None


def _same_defaults(values: Mapping[str, Any], model_type: str) -> bool:
    """Whether a config means the same to all versions: it states every key of which they have other defaults."""
    known = defaults_of(model_type)
    if known is None:
        return False
    for key, sides in known.differs.items():
        inside: Any = values
        for segment in key.split("."):
            if not isinstance(inside, Mapping) or segment not in inside:
                if len(sides) > 1:
                    return False
                break
            inside = inside[segment]
    parts = [value for value in values.values() if isinstance(value, Mapping) and "model_type" in value]
    return all(_same_defaults(part, part["model_type"]) for part in parts if isinstance(part["model_type"], str))
