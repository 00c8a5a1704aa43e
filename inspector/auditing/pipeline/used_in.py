"""Compares one network, such as a ControlNet or a VAE, with the pipeline that the user names as its base."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from inspector.auditing.pipeline.widths import of_other_widths
from inspector.auditing.result import Audit
from inspector.findings.finding import Place
from inspector.findings.names.pipelines import ComponentWidthDiffers
from inspector.loader.config_file import Config

SLOTS: Final = (
    ("ControlNet", "controlnet"), ("Autoencoder", "vae"), ("UNet", "unet"), ("MotionAdapter", "motion_adapter"),
    ("Transformer", "transformer"),
)  # fmt: skip
"""(part of the name of a class of diffusers, component that a network of this class is in a pipeline)."""


def network_of(audited: Audit) -> tuple[Audit, str] | None:
    """The only network of a source and the component that it is in a pipeline; None for anything else."""
    part = next(iter(audited.components.values()), audited) if len(audited.components) < 2 else None
    kind = "" if part is None or part.architecture is None else part.architecture.name
    slot = next((slot for word, slot in SLOTS if word in kind), None)
    return None if part is None or slot is None else (part, slot)


def used_in(audited: Audit, base: Audit) -> Audit | None:
    """The audit of a network with the findings on what does not fit the pipeline; None if it is no component of one, or
    if the base is no pipeline of diffusers.
    """
    index, network = base.checkpoint.pipeline, network_of(audited)
    if index is None or network is None:
        return None
    part, slot = network
    class_name = index.values.get("_class_name")
    before = list(of_other_widths(class_name, base.components))
    found = of_other_widths(class_name, {**base.components, slot: _with_values(part)})
    added = [_of(one, slot, audited) for one in found if one not in before]
    return audited.with_findings([*audited.findings, *added])


def _with_values(part: Audit) -> Audit:
    """A network with the config that its weights show, if it has none."""
    answers = part.answers
    if part.checkpoint.config is not None or answers is None:
        return part
    kind = "" if part.architecture is None else part.architecture.name
    values = {"_class_name": kind, **answers.determined}
    return replace(part, checkpoint=replace(part.checkpoint, config=Config(part.checkpoint.set_name, values, "config")))


def _of(one: ComponentWidthDiffers, slot: str, audited: Audit) -> ComponentWidthDiffers:
    place = Place(file=audited.checkpoint.set_name or audited.title, key=one.place.key)
    return replace(one, used_as=slot, place=place)
