"""The finding on tensors that PEFT ignores and no method added, for a base with known modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.adapters.base import Base
from inspector.adapters.matched import Matched, number_of_tensors
from inspector.adapters.names import base_name
from inspector.algebra.boxes import count
from inspector.findings.adapters.ignored import AdapterHeadIgnored, AdapterTensorsIgnored
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.reconciler.wording import family_name, names_in


def ignored(tensors: Sequence[Matched], base: Base, task: Any) -> Finding | None:
    """The finding on tensors without a place; None if the adapter's config does not determine the class of its base.

    task: the task stated in the adapter's config.
    """
    if not tensors or (base.tasks and not isinstance(task, str)):
        return None
    families = list(dict.fromkeys(one.key for one in tensors))
    first = names_in(families[0], tensors[0].boxes, 1)[0]
    stated: dict[str, Any] = {
        "base": base.name,
        "names": (first, *map(family_name, families[1:NAMES_SHOWN])),
        "families": len(families),
        "tensors": number_of_tensors(tensors),
        "elements": sum(one.part.layout.elements * count(one.boxes) for one in tensors),
    }
    if base.tasks and _of_head(families, base):
        return AdapterHeadIgnored(**stated, task=task, tasks=base.tasks)
    return AdapterTensorsIgnored(**stated)


def _of_head(families: Sequence[str], base: Base) -> bool:
    """True if all tensors belong to the head that the base's own class lacks."""
    names = {tensor.key for tensor in base.tensors}
    return all(base_name(key) in names for key in families)
