"""Completes the step for a wrong key with a key that no shape shows, and without which transformers refuses the right
value: `head_dim` of Mamba-2, which is `hidden_size * expand / num_heads`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from inspector.findings.config import ConfigDisagrees, Rival
from inspector.findings.finding import Finding
from inspector.loading.config_rules import accepted_value, refused_config
from inspector.notation.binding import Plan, bind


def with_unshaped_keys(findings: Sequence[Finding], values: Mapping[str, Any], corrected: Plan) -> Sequence[Finding]:
    """The findings, one of them with the key that has to change with the wrong ones. values: the config.

    corrected: the expected tensors under the right values.
    """
    wrong = [one for one in findings if isinstance(one, ConfigDisagrees) and type(one.solved) is int]
    by_config: dict[tuple[str, ...], list[ConfigDisagrees]] = {}
    for one in wrong:
        by_config.setdefault(tuple(one.key.split(".")[:-1]), []).append(one)
    completed = list(findings)
    for outer, group in by_config.items():
        if not any(map(_is_completed, group)) and (found := _needed(outer, group, values, corrected)) is not None:
            wrong_key, other = found
            completed = [replace(wrong_key, beside=other) if one is wrong_key else one for one in completed]
    return completed


def _needed(
    outer: tuple[str, ...], wrong: Sequence[ConfigDisagrees], values: Mapping[str, Any], corrected: Plan
) -> tuple[ConfigDisagrees, Rival] | None:
    """The wrong key because of which another one has to change, and the other one with its value."""
    stated: Any = values
    for key in outer:
        stated = stated.get(key) if isinstance(stated, Mapping) else None
    if not isinstance(stated, Mapping):
        return None
    before = {"model_type": values.get("model_type"), **stated}
    solved = {one.key.split(".")[-1]: one for one in wrong}
    changed = {**before, **{key: one.solved for key, one in solved.items()}}
    refused = refused_config(changed)
    was_refused = refused_config(before)
    if refused is None or (was_refused is not None and was_refused.keys != refused.keys):
        return None
    because = next((one for key, one in solved.items() if key in refused.keys), None)
    for key in refused.keys if because is not None else ():
        value = accepted_value(changed, key) if key not in solved else None
        if because is not None and value is not None and not _changes_shapes(corrected, (*outer, key), value):
            return because, Rival(key, value)
    return None


def _is_completed(finding: ConfigDisagrees) -> bool:
    """True if the remedy is a choice, or has further keys already."""
    return bool(finding.rivals or finding.lost or finding.layer_lists or finding.interval or finding.beside)


def _changes_shapes(plan: Plan, key: tuple[str, ...], value: int) -> bool:
    """True if any expected tensor depends on the value of the key."""
    other = bind(plan.scope.with_value(key, value), plan.head, plan.spelling)
    return [(one.key, one.shape, one.axes) for one in other.blocks] != [
        (one.key, one.shape, one.axes) for one in plan.blocks
    ]
