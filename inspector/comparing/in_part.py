"""One finding for a side that holds a part of the model: one shard, or a file whose companions are elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.comparing.cases import Case
from inspector.comparing.pieces import Side
from inspector.findings.conversion.in_part import SideInPart
from inspector.findings.conversion.parameters import (
    LayersDropped,
    LayersInvented,
    OneSidedFinding,
    ParametersDropped,
    ParametersInvented,
)

SEVERAL = 3
"""Fewer causes are reported one by one: a converter that leaves out one part is more likely than half a model."""
LOST = (ParametersDropped, LayersDropped)
ADDED = (ParametersInvented, LayersInvented)
OneSided = ParametersDropped | ParametersInvented | LayersDropped | LayersInvented


def as_one(cases: Sequence[Case], before: Side, after: Side) -> list[Case]:
    """The cases; a single one if there are several and all say that the same side lacks tensors of the other.

    The borders of files cut through the layers. A converter that leaves out roles does so in all layers alike: these
    causes stay apart.
    """
    found = [case.finding for case in cases if isinstance(case.finding, OneSided)]
    alike = all(isinstance(one, OneSidedFinding) and one.whole for one in found)
    if alike or len(found) < max(SEVERAL, len(cases)):
        return list(cases)
    for kinds, name, holder in ((ADDED, "source", before), (LOST, "target", after)):
        if all(isinstance(one, kinds) for one in found):
            finding = SideInPart(
                side=name,
                stored=len(holder.audited.checkpoint.tensors),
                tensors=sum(one.tensors for one in found),
                parameters=sum(one.parameters for one in found),
                parts=tuple(one.headline() for one in found),
            )
            families = (
                frozenset[str]().union(*(getattr(case, side) for case in cases)) for side in ("source", "target")
            )
            return [Case(finding, *families)]
    return list(cases)
