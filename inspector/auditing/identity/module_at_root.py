"""Recognises weights of a sentence encoder's module in place of those of its model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.auditing.sentence_listing import MODULES, config_of, folder_of, listed_modules
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.sentence_modules import MODELS, is_known, tensors_of

if TYPE_CHECKING:
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
