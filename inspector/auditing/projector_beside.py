"""mmproj files beside a GGUF model: whether they are projectors, and of the width that the model's embeddings have.

Source: llama.cpp's `mtmd.cpp`, which compares both widths and refuses a pair in which they differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.projector import KIND, is_projector
from inspector.auditing.result import Audit
from inspector.dialects.llama_cpp import width_of_projector
from inspector.findings.finding import Finding, Place, ordered
from inspector.loader.checkpoint import Checkpoint, load_other_set
from inspector.loader.weight_sets import PROJECTOR

MOST_READ: Final = 16
"""Most files outside of the audited set of which the headers are read."""
WIDTH: Final = ".embedding_length"


def with_projectors_beside(audited: Audit) -> Audit:
    """The audit of a GGUF model with findings on projectors in its folder that fit none of its models, or are none."""
    if audited.checkpoint.alone or _width_of(audited.checkpoint) is None:
        return audited
    others = [one.name for one in audited.checkpoint.other_sets if one.kind == "gguf"][:MOST_READ]
    read = [one for name in others if (one := load_other_set(audited.checkpoint, name)) is not None]
    projectors = [one for one in read if one.metadata is not None and is_projector(one.metadata.values)]
    models = [one for one in (audited.checkpoint, *read) if one not in projectors]
    found = [*_misfits(projectors, models), *_misnamed(read)]
    return audited.with_findings(ordered((*audited.findings, *found))) if found else audited


def _misnamed(others: list[Checkpoint]) -> Iterator[Finding]:
    """The finding on each file with the name of a projector that is a model."""
    for one in others:
        values = {} if one.metadata is None else one.metadata.values
        stated = values.get("general.architecture")
        if PROJECTOR in one.set_name.casefold() and isinstance(stated, str) and _width_of(one) is not None:
            from inspector.findings.names.gguf_projector import NoProjector

            yield NoProjector(place=Place(file=one.set_name), stated=stated)


def _width_of(checkpoint: Checkpoint) -> tuple[str, int] | None:
    """The key of a model's width, and the width; None where the file states none."""
    values = {} if checkpoint.metadata is None else checkpoint.metadata.values
    key = f"{values.get('general.architecture')}{WIDTH}"
    width = values.get(key)
    return (key, width) if type(width) is int else None


def _misfits(projectors: list[Checkpoint], models: list[Checkpoint]) -> Iterator[Finding]:
    """The finding on each projector of another width than all models have."""
    widths = [found for one in models if (found := _width_of(one)) is not None]
    for one in projectors:
        values = {} if one.metadata is None else one.metadata.values
        given = width_of_projector(values.get(KIND), {name: layout.shape for name, layout in one.tensors.items()})
        if given is None or any(width == given[1] for _, width in widths):
            continue
        from inspector.findings.names.gguf_projector import ProjectorOfOtherWidth

        yield ProjectorOfOtherWidth(
            place=Place(file=one.set_name), tensor=given[0], width=given[1], key=widths[0][0], wanted=widths[0][1]
        )
