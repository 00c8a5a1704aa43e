"""Parts that are missing in exactly the layers that a key of the config lists: a program's own code leaves them out.

Such keys are those of methods that drop the attention or the MLP of some layers, and keep the numbers of the layers.
transformers does not read them, and builds these parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.reconciler.place import Gap
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import indices_in_words

FEWEST: Final = 2
"""Fewest layers of a list that is compared: a list of one number may be anything."""


def with_listed_layers(case: Reconciled, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with one for all parts that are missing in the layers of such a list."""
    found = list(findings)
    lists = _lists(case)
    if not lists:
        return found
    from inspector.findings.names.layers import LayersMissing
    from inspector.findings.names.tensors import TensorMissing

    for key, layers in lists.items():
        where = next((text for gap in case.placement.missing if (text := _where(gap, layers))), "")
        parts = [one for one in found if isinstance(one, LayersMissing | TensorMissing) and one.place.indices == where]
        first = next((one for one in parts if isinstance(one, LayersMissing) and one.part is not None), None)
        if not where or first is None:
            continue
        others = tuple(str(one.place.family) for one in parts if one is not first)
        whole = replace(
            first, listed_in=key, also=others, tensors=sum(one.tensors for one in parts),
            parameters=sum(one.parameters for one in parts),
        )  # fmt: skip
        found = [whole if one is first else one for one in found if one is first or one not in parts]
    return found


def _lists(case: Reconciled) -> dict[str, frozenset[int]]:
    """Keys of the config with a list of different numbers that the definition does not read."""
    values = case.claim.settings.values
    lists = {
        key: frozenset(value)
        for key, value in values.items()
        if isinstance(value, list) and len(value) >= FEWEST and all(type(one) is int for one in value)
    }
    if not lists:
        return {}
    from inspector.matcher.spelling import keys_of_definition

    known = keys_of_definition(case.plan.scope)
    return {key: one for key, one in lists.items() if key not in known and len(one) == len(values[key])}


def _where(gap: Gap, layers: frozenset[int]) -> str:
    """The layers in words if a tensor is missing in exactly these; "" otherwise."""
    if any(len(box) != 1 for box in gap.boxes):
        return ""
    missing = {number for box in gap.boxes for number in box[0]}
    return indices_in_words(gap.block.key, gap.boxes) if missing == layers else ""
