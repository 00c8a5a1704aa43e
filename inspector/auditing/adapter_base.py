"""The base of an adapter of another tool than PEFT: a model, a pipeline, or Stable Diffusion in a single file."""

from __future__ import annotations

from inspector.adapters.base import base_tensors
from inspector.adapters.tool_base import BaseModules, Shape, shapes_of
from inspector.auditing.model import audit_model
from inspector.auditing.result import Audit
from inspector.dialects.catalog import is_single_file
from inspector.loader.checkpoint import Checkpoint, load_within
from inspector.matcher.claim import claim_of


def read_parts(checkpoint: Checkpoint) -> Audit | None:
    """The audit of a base with components, None for a base of one model."""
    if checkpoint.pipeline is not None:
        from inspector.auditing.pipeline import audit_pipeline

        return audit_pipeline(checkpoint, lambda name: load_within(checkpoint, name), audit_model)
    if checkpoint.readable and is_single_file(checkpoint.tensors) and claim_of(checkpoint.config).definition is None:
        from inspector.auditing.single_file import audit_single_file

        return audit_single_file(checkpoint, audit_model)
    return None


def modules_of_base(source: str, audited: Audit) -> BaseModules | None:
    """The modules of a base and its components; None where no definition reads any of it."""
    parts = audited.components or {"": audited}
    found = {name: shapes for name, part in parts.items() if (shapes := _shapes(source, part)) is not None}
    name = audited.class_name or (audited.architecture.name if audited.architecture is not None else "") or source
    return BaseModules(name, source, found) if found else None


def _shapes(source: str, part: Audit) -> dict[str, Shape] | None:
    claim = claim_of(part.checkpoint.config)
    base = base_tensors(source, claim, part.case, {}, {})
    inner = part.checkpoint.names_in_file or {}
    stored = {
        spelled.removeprefix("model.diffusion_model."): layout.shape
        for name, layout in part.checkpoint.tensors.items()
        for spelled in {name, inner.get(name, name)}
    }
    if base is None:
        return None
    layers = claim.settings.values.get("layers_per_block")
    return shapes_of(base.tensors, stored, layers)
