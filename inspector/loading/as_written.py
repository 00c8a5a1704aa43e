"""Recognises files that are exactly as their library writes them, so that their loading needs no further comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.architectures.defaults import defaults_of
from inspector.loading.integers import INTEGERS, counts, is_of_integers
from inspector.loading.tables import OLDER, ClassRules
from inspector.loading.ties import settings_of_tie
from inspector.notation.binding import Plan
from inspector.notation.spelling import Spelling
from inspector.notation.trace import SYMBOL
from inspector.reconciler.reconcile import Reconciled


def is_as_written(case: Reconciled, rules: ClassRules, values: Mapping[str, Any], model_type: str, major: str) -> bool:
    """True if a version has exactly the stored tensors, under names that it writes or is known to read.

    False if a comparison is needed: any tensor is missing, superfluous, optional, tied but stored, named differently,
    of a shape that the config leaves open, or dependent on defaults that differ between versions.
    """
    reading, plan, placement = case.reading, case.plan, case.placement
    if rules.sides or rules.altered or rules.unfilled or rules.refuses or not rules.exact:
        return False
    if rules.also or ((rules.by_version or _is_tied_by_version(plan)) and not _is_of(values, major)):
        return False
    if placement.differences or case.causes or reading.prefix or reading.writer or reading.by_names:
        return False
    if plan.spelling.root != plan.head.root or not _is_read(plan, rules):
        return False
    if _is_otherwise(case) or _is_solved(plan) or _is_open(plan):
        return False
    ties, off = any(block.tie is not None for block in plan.blocks), _is_off(plan, rules)
    if ties and (rules.untied or (rules.tie_of and (rules.reads or off)) or (off and rules.ties)):
        return False
    placed = {one.block.key for one in placement.placed}
    if major == OLDER and any(placed.isdisjoint(pair[1:]) and pair[0] in placed for pair in rules.always):
        return False
    for one in placement.placed:
        block = one.block
        if (
            id(block.slot) in case.beyond
            or block.slot.extra
            or block.tie is not None
            or block.key in rules.lacks
            or (one.layout.dtype not in INTEGERS and is_of_integers(block.key, (block.key,)))
            or not (block.slot.built or block.key in rules.stored or counts(block.slot))
        ):
            return False
    untied = rules.ties and off
    kept = (one for one in plan.blocks if one.key in rules.stored or counts(one.slot))
    stored = {(one.key, one.axes) for one in kept if untied or one.tie is None}
    there = {(one.block.key, one.block.axes) for one in placement.placed}
    if not there.issuperset(stored) or any(block.slot.group for block in plan.blocks if block.key not in placed):
        return False
    if major == OLDER and rules.prefix and rules.within != any(key.startswith(rules.prefix) for key in placed):
        return False
    return _same_defaults(values, model_type)


def _is_otherwise(case: Reconciled) -> bool:
    """True if tensors are stored in another way than the first that a definition has for them.

    transformers 5 reads many of these, but not single matrices that it has as a stack, nor stacks under MLX's names.
    """
    return any(side for one in case.placement.placed for _, side in one.block.slot.choices)


def _is_off(plan: Plan, rules: ClassRules) -> bool:
    """True if the config, or the sub-config that decides in a version, does not tie."""
    return settings_of_tie(plan.scope.settings, rules.tie_of).read(("tie_word_embeddings",))[0] is False


def _is_read(plan: Plan, rules: ClassRules) -> bool:
    """True if a version writes the names of a plan, or loads all of them."""
    spelling = plan.spelling
    if not (spelling.dialect or any(spelling.submodels.values()) or rules.dialect or rules.newer):
        return True
    return bool(rules.reads) and dialects_of(plan, spelling) in rules.reads


def dialects_of(plan: Plan, spelling: Spelling) -> str:
    """A spelling in the form of `ClassRules.reads`: "1 vision/clip_vision_model=1"."""
    found = [str(spelling.dialect)]
    for path, number in sorted(spelling.submodels.items()):
        if number:
            found.append(f"{'.'.join(path)}/{plan.scope.below(path).definition.names[0]}={number}")
    return " ".join(found)


def plan_as_audited(
    case: Reconciled, rules: ClassRules, values: Mapping[str, Any], model_type: str, major: str
) -> Plan | None:
    """The plan of an audit without differences, if a version binds the same: its own names, and defaults of all
    versions.
    """
    spelling, reading = case.plan.spelling, case.reading
    own_names = not (spelling.dialect or any(spelling.submodels.values())) and spelling.root == case.plan.head.root
    other = rules.dialect or rules.sides or case.causes or reading.prefix or reading.writer or reading.by_names
    by_version = rules.by_version or _is_tied_by_version(case.plan)
    other = other or _is_otherwise(case) or _is_solved(case.plan) or (by_version and not _is_of(values, major))
    return case.plan if own_names and not other and _same_defaults(values, model_type) else None


def _is_open(plan: Plan) -> bool:
    """True if the config leaves the shape of a tensor open that every model of the class has."""
    return any(None in shape for row in plan.rows if row.slot.built and not row.slot.extra for shape in row.shapes)


def _is_solved(plan: Plan) -> bool:
    """True if the weights gave a number that the config leaves open."""
    return any(leaf[0] == SYMBOL for row in plan.rows for leaf in row.reads)


def _is_tied_by_version(plan: Plan) -> bool:
    """True if the versions read from other places of a config whether a tensor is tied."""
    return "transformers_version" in plan.scope.definition.ties


def _is_of(values: Mapping[str, Any], major: str) -> bool:
    """True if a major version of transformers wrote the config."""
    return str(values.get("transformers_version")).startswith(f"{major}.")


def _same_defaults(values: Mapping[str, Any], model_type: str) -> bool:
    """True if a config means the same to all versions: it states every key with differing defaults."""
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
