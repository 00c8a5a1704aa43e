"""Audits a component of Stable Diffusion with a config of diffusers and names of latent-diffusion or its authors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from inspector.auditing.pipeline.left_names import left_names
from inspector.auditing.result import Audit
from inspector.dialects import t2i_adapter
from inspector.dialects.language import Dialect
from inspector.dialects.ldm import LDM, LDM_3D, LDM_STAGES, LDM_UNET, STAGE_ATTENTION
from inspector.dialects.lone_signs import T2I_ADAPTER, VAE_3D_SIGN
from inspector.dialects.single_file import ComponentTensors, parts_of
from inspector.findings.finding import Finding
from inspector.findings.names.architecture import NamesInDialect
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.families import families_of
from inspector.matcher.reading import SUPPORTED

COMPONENTS: Final = {"UNet2DConditionModel": "unet", "ControlNetModel": "controlnet", "AutoencoderKL": "vae",
                     "AutoencoderKLHunyuanVideo": "vae", t2i_adapter.CLASS: T2I_ADAPTER}  # fmt: skip
"""Class of diffusers -> its component in a single file."""


def audit_under_ldm_names(checkpoint: Checkpoint, audit_as: Callable[[Checkpoint], Audit]) -> Audit | None:
    """The audit of the tensors under diffusers' names; None if they are not exactly the tensors of the
    config's class.
    """
    values = checkpoint.config.values if checkpoint.config is not None else {}
    found = parts_of(checkpoint.tensors)
    if len(found.components) != 1 or found.others or found.ema:
        return None
    component = found.components[0]
    if COMPONENTS.get(str(values.get("_class_name"))) != component.name:
        return None
    if component.tensors.keys() >= checkpoint.tensors.keys():
        return None  # diffusers' own names
    audited = audit_as(_renamed(checkpoint, component))
    if audited.case is None or audited.case.reading.by_names or audited.case.reading.coverage < SUPPORTED:
        return None
    example = next((stored for own, stored in component.names.items() if own != stored), "")
    named = NamesInDialect(writer=_program(component).writer, example=example)
    return audited.with_findings(
        [*(_as_stored(one, component) for one in audited.findings), *left_names(checkpoint.tensors), named],
        checkpoint=replace(checkpoint, names_in_file=component.names),
        stored=families_of(checkpoint.tensors),
    )


def _program(component: ComponentTensors) -> Dialect:
    """The program that the names are from, by the parts that diffusers converts."""
    if component.name == T2I_ADAPTER:
        return t2i_adapter.TENCENT
    if VAE_3D_SIGN in component.names.values():
        return LDM_3D
    if component.name == "vae" and any(map(STAGE_ATTENTION.fullmatch, component.names.values())):
        return LDM_STAGES
    return LDM if component.prefix or component.name != "unet" else LDM_UNET


def _renamed(checkpoint: Checkpoint, component: ComponentTensors) -> Checkpoint:
    names = component.names
    return replace(
        checkpoint,
        tensors=component.tensors,
        file_of={own: checkpoint.file_of[names[own]] for own in component.tensors if names[own] in checkpoint.file_of},
        cut=tuple(own for own in component.tensors if names[own] in checkpoint.cut) if checkpoint.cut else (),
    )


def _as_stored(finding: Finding, component: ComponentTensors) -> Finding:
    """A finding with the tensor's name in the file."""
    name = finding.place.tensor
    return finding if name is None else replace(finding, place=replace(finding.place, tensor=component.stored(name)))
