"""Recognises weights of a sentence encoder's module in place of those of its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.auditing.sentence_listing import MODULES, Listed, config_of, folder_of, listed_modules
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.sentence_modules import MODELS, is_known, tensors_of

if TYPE_CHECKING:
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected
    from inspector.findings.sentence_modules import ModuleMissing


def module_at_root(checkpoint: Checkpoint) -> ModuleMissing | None:
    """The finding if the tensors in the folder of the model are exactly those of a module whose own folder has none."""
    if MODULES not in checkpoint.siblings or checkpoint.alone or checkpoint.reach is None:
        return None
    listed = listed_modules(checkpoint)
    if isinstance(listed, Finding) or not any(one.kind in MODELS and not one.path for one in listed):
        return None
    stored = {name: one.shape for name, one in checkpoint.tensors.items()}
    for one in listed:
        if not (one.path and is_known(one.kind)):
            continue
        part = folder_of(checkpoint, one.path)
        if part is None or part.readable or tensors_of(one.kind, config_of(part, one.kind)) != stored:
            continue
        from inspector.findings.sentence_modules import ModuleMissing

        name = checkpoint.set_name
        problem = f"its weights are in {name}, where those of the model belong"
        return ModuleMissing(place=Place(file=MODULES), folder=one.path, problem=problem, at_root=name)
    return None


def with_modules_named(findings: Sequence[Finding], checkpoint: Checkpoint) -> list[Finding]:
    """The findings on unexpected tensors, with the number of the listed module that has one of this name and shape."""
    if MODULES not in checkpoint.siblings or all(one.severity == "note" for one in findings):
        return list(findings)
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected

    unexpected = [one for one in findings if isinstance(one, TensorUnexpected | PartUnexpected)]
    listed = listed_modules(checkpoint) if unexpected else ()
    if isinstance(listed, Finding) or not listed:
        return list(findings)
    return [
        replace(one, module=number) if one in unexpected and (number := _module_of(one, listed, checkpoint)) else one
        for one in findings
    ]


def _module_of(finding: TensorUnexpected | PartUnexpected, listed: Sequence[Listed], checkpoint: Checkpoint) -> str:
    number, _, name = finding.names[0].partition(".")
    if not number.isdecimal() or int(number) >= len(listed):
        return ""
    module = listed[int(number)]
    part = folder_of(checkpoint, module.path) if module.path and is_known(module.kind) else None
    expected = tensors_of(module.kind, config_of(part, module.kind)) if part is not None else None
    return number if (expected or {}).get(name) == tuple(finding.shape) else ""
