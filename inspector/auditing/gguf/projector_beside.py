"""Checks mmproj files and adapters in the folder of a GGUF model: projectors must be complete and of the width of the
model's embeddings, and adapters must be of one of the models.

Source: llama.cpp's `mtmd.cpp`, which compares both widths and refuses a pair in which they differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from inspector.auditing.gguf.adapters_beside import adapters_of_other_models, is_adapter
from inspector.auditing.gguf.projector import KIND, faults_of_projector, is_projector
from inspector.auditing.result import Audit
from inspector.dialects.llama_cpp import width_of_projector
from inspector.findings.finding import Finding, Place, ordered
from inspector.loader.checkpoint import Checkpoint, load_other_set
from inspector.loader.weight_sets import PROJECTOR
from inspector.matcher.families import families_of

MOST_READ: Final = 16
"""Most files outside the audited set that are read."""
WIDTH: Final = ".embedding_length"
OF_LAYERS: Final = frozenset({"qwen3vl_merger"})
"""Kinds of projectors that llama.cpp counts once for the image and once for each deepstack layer
(`clip_n_mmproj_embd`); the text model counts its own (`llama_model_n_embd_inp`).
"""
MERGED: Final = "clip.vision.is_deepstack_layers"
TAKEN: Final = ".n_deepstack_layers"


def with_projectors_beside(audited: Audit) -> Audit:
    """Adds findings on projectors and adapters in the folder of a GGUF model that fit none of its models, or are not
    projectors.
    """
    if audited.checkpoint.alone or _width_of(audited.checkpoint) is None:
        return audited
    others = [one.name for one in audited.checkpoint.other_sets if one.kind == "gguf"][:MOST_READ]
    read = [one for name in others if (one := load_other_set(audited.checkpoint, name)) is not None]
    projectors = [one for one in read if one.metadata is not None and is_projector(one.metadata.values)]
    adapters = [one for one in read if is_adapter(one)]
    models = [one for one in (audited.checkpoint, *read) if one not in projectors and one not in adapters]
    found = [
        *_misfits(projectors, models), *_misnamed(read), *_damaged(projectors),
        *adapters_of_other_models(adapters, models),
    ]  # fmt: skip
    return audited.with_findings(ordered((*audited.findings, *found))) if found else audited


def _damaged(projectors: list[Checkpoint]) -> Iterator[Finding]:
    """The findings on the tensors of each projector, with its file."""
    for one in projectors:
        values = {} if one.metadata is None else one.metadata.values
        for finding in faults_of_projector(families_of(one.tensors), values, one.set_name):
            yield replace(finding, place=replace(finding.place, file=one.set_name))


def _misnamed(others: list[Checkpoint]) -> Iterator[Finding]:
    """A finding for each file that has the name of a projector and contains a model."""
    for one in others:
        values = {} if one.metadata is None else one.metadata.values
        stated = values.get("general.architecture")
        if PROJECTOR in one.set_name.casefold() and isinstance(stated, str) and _width_of(one) is not None:
            from inspector.findings.names.gguf_projector import NoProjector

            yield NoProjector(place=Place(file=one.set_name), stated=stated)


def _width_of(checkpoint: Checkpoint) -> tuple[str, int] | None:
    """(key of a model's width, the width); None if the file does not state it."""
    values = {} if checkpoint.metadata is None else checkpoint.metadata.values
    key = f"{values.get('general.architecture')}{WIDTH}"
    width = values.get(key)
    return (key, width) if type(width) is int else None


def _misfits(projectors: list[Checkpoint], models: list[Checkpoint]) -> Iterator[Finding]:
    """A finding for each projector with a width that no model has."""
    widths = [found for one in models if (found := _width_of(one)) is not None]
    for one in projectors:
        values = {} if one.metadata is None else one.metadata.values
        given = width_of_projector(values.get(KIND), {name: layout.shape for name, layout in one.tensors.items()})
        if given is None:
            continue
        fitting = [model for model in models if (of := _width_of(model)) is not None and of[1] == given[1]]
        if fitting:
            yield from _of_more_layers(one, given, fitting)
            continue
        from inspector.findings.names.gguf_projector import ProjectorOfOtherWidth

        yield ProjectorOfOtherWidth(
            place=Place(file=one.set_name), tensor=given[0], width=given[1], key=widths[0][0], wanted=widths[0][1]
        )


def _of_more_layers(projector: Checkpoint, given: tuple[str, int], models: list[Checkpoint]) -> Iterator[Finding]:
    """The finding on a projector of Qwen 3 VL with vectors for another number of layers than all models take."""
    values = {} if projector.metadata is None else projector.metadata.values
    merged = values.get(MERGED)
    if values.get(KIND) not in OF_LAYERS or not isinstance(merged, list):
        return
    keys = [(f"{stated['general.architecture']}{TAKEN}", stated) for one in models if (stated := _values(one))]
    taken = {key: stated.get(key, 0) for key, stated in keys}
    layers = sum(value is True for value in merged)
    if taken and layers not in taken.values():
        from inspector.findings.names.gguf_projector import ProjectorOfMoreLayers

        key, wanted = next(iter(taken.items()))
        yield ProjectorOfMoreLayers(
            place=Place(file=projector.set_name), tensor=given[0], width=given[1], layers=layers, key=key,
            wanted=wanted if isinstance(wanted, int) else 0,
        )  # fmt: skip


def _values(checkpoint: Checkpoint) -> Mapping[str, object]:
    return {} if checkpoint.metadata is None else checkpoint.metadata.values
