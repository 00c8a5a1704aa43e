"""Widths of projections that a tower's own class reads in another place than the joint class: CLIP, MetaCLIP 2.

modeling_clip.py: CLIPModel reads `projection_dim` at the top, CLIPVisionModelWithProjection that of `vision_config`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.notation.definition import Architecture, Head, Part
from inspector.notation.parts import submodels_of
from inspector.reconciler.reconcile import Reconciled

JOINT: Final = "Model"
"""The suffix of the joint class, which has the projections of both towers."""
PROJECTED: Final = "WithProjection"


def tower_projections(case: Reconciled, class_name: str | None) -> Iterator[Finding]:
    """The notes on widths of projections, for a config of which the joint class finds all weights."""
    if class_name is None or not class_name.endswith(JOINT) or case.placement.mismatched:
        return
    settings = case.plan.scope.settings
    placed = {one.block.slot.role: one for one in case.placement.placed if one.block.slot.tower == ""}
    for submodel in submodels_of(case.plan.scope.definition):
        for head, part, key in _projections(submodel.definition):
            joint, path = placed.get(part.role), (submodel.config, key)
            stated, default = settings.read(path)
            if joint is None or type(stated) is not int or not joint.layout.shape or joint.layout.shape[0] == stated:
                continue
            from inspector.findings.tower_projection import TowerProjection

            where = ".".join(path)
            tower = class_name.removesuffix(JOINT) + head.names[0]
            yield TowerProjection(
                place=Place(key=where), key=where, stated=stated, stored=joint.layout.shape[0], tower=tower,
                tensor=joint.block.key, default=default,
            )  # fmt: skip


def _projections(definition: Architecture | None) -> Iterator[tuple[Head, Part, str]]:
    """Heads of a tower alone with a projection, the projection, and the key of its width."""
    for head in () if definition is None else definition.heads:
        if head.names and head.names[0].endswith(PROJECTED):
            projections = (row for row in head.rows if isinstance(row, Part) and row.kind.flow is not None)
            yield from ((head, row, row.kind.flow[1]) for row in projections if row.kind.flow is not None)
