"""Finds a head and a base that the config of a PEFT adapter needs and that are not there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.adapters.base import OF_TASK as CLASSES
from inspector.adapters.base import Base
from inspector.adapters.peft_configs import OF_TASK
from inspector.architectures.catalog import definition_of
from inspector.findings.adapters.tensors import AdapterTargetMissing
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.families import Families
from inspector.notation.binding import bind
from inspector.notation.parts import head_for
from inspector.notation.scope import Scope
from inspector.notation.spelling import Spelling

BASE: Final = "base_model_name_or_path"
LONGEST: Final = 200
"""Characters of a path that are shown."""


def base_unnamed(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The note on a config of PEFT for a model of transformers that names no base, or a folder that is not here
    (measured: PEFT 0.21's `AutoPeftModel` and transformers 5.23 refuse the adapter).
    """
    config = checkpoint.adapter
    if config is None:
        return
    values, stated = config.values, config.values.get(BASE)
    if isinstance(stated, str) and _is_path(stated) and not os.path.isdir(stated):
        from inspector.findings.adapters.of_config import AdapterBaseElsewhere

        yield AdapterBaseElsewhere(path=stated[:LONGEST])
    if stated not in (None, ""):
        return
    if "peft_type" not in values or values.get("task_type") is None:  # around a module of one's own no name is read
        return
    from inspector.findings.adapters.of_config import AdapterBaseUnnamed

    stated = "absent" if BASE not in values else "null" if values[BASE] is None else "empty"
    yield AdapterBaseUnnamed(stated=stated)


def _is_path(name: str) -> bool:
    """True for a path; a repository has at most one slash in its name."""
    return name.startswith((".", "/", "~")) or "\\" in name or name.count("/") > 1


def with_head(
    findings: Sequence[Finding], values: Mapping[str, Any], base: Base | None, stored: Families
) -> Sequence[Finding]:
    """The findings, with what the adapter's task means for its head: that no tensor of it is stored, or why a base
    that has it lacks it.

    values: the adapter's config. stored: its tensors.
    """
    task = str(values.get("task_type"))
    heads = OF_TASK.get(task, ())
    if base is None or not heads or any(f".{one}." in key for key in stored for one in heads):
        return findings
    absent = [one for one in findings if isinstance(one, AdapterTargetMissing)]
    lost = [one for one in absent if _head_of(one.place.name, heads)]
    if lost:
        return [*(one for one in findings if one not in lost), *_as_heads(lost, heads, task)]
    there = tuple(one for one in _of_task(base, task) if one in heads)
    if not there or any(one.module in there and not one.foreign for one in base.tensors):
        return findings
    from inspector.findings.adapters.of_config import AdapterHeadAbsent

    return [*findings, AdapterHeadAbsent(task=task, heads=there, base=base.name)]


def _head_of(name: str, heads: Sequence[str]) -> str:
    """The head that a module is, or is a part of; "" for any other module."""
    return next((one for one in heads if name == one or name.startswith(f"{one}.")), "")


def _as_heads(lost: Sequence[AdapterTargetMissing], heads: Sequence[str], task: str) -> Iterator[AdapterTargetMissing]:
    """One finding for each head of which modules are lost: it is trained and saved as a whole."""
    by_head: dict[str, list[AdapterTargetMissing]] = {}
    for one in lost:
        by_head.setdefault(_head_of(one.place.name, heads), []).append(one)
    for head, (first, *more) in by_head.items():
        tensors = first.tensors + sum(one.tensors for one in more)
        yield replace(first, place=Place(family=head) if more else first.place, tensors=tensors, task=task)


def _of_task(base: Base, task: str) -> tuple[str, ...]:
    """The modules at the top of the class of the base for a task, the head's among them."""
    claim = base.claim
    head = None if claim is None or claim.definition is None else head_for(claim.definition, CLASSES[task])
    if claim is None or claim.definition is None or head is None:
        return ()
    plan = bind(Scope(claim.definition, claim.settings, definition_of), head, Spelling(head.root), lambda key: [])
    return tuple(dict.fromkeys(block.key.split(".")[0] for block in plan.blocks if not block.slot.body))
