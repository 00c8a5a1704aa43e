"""Audits an mmproj file of llama.cpp without its text model: compares its blocks with the number in its own keys.

Source: llama.cpp's `clip.cpp`, which reads the tensors of `clip.vision.block_count` blocks `v.blk.N` and of
`clip.audio.block_count` blocks `a.blk.N`; its converter gives every block of a tower the same tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.algebra.boxes import Box, count, minus
from inspector.algebra.names import axes_of, key_of
from inspector.algebra.span import Span
from inspector.dialects.gguf_projector import ARCHITECTURE
from inspector.dialects.llama_cpp import (
    NEEDED_IN_BLOCKS,
    WITHOUT_BLOCKS,
    needed_by_projector,
    projector_kinds,
    source,
    width_of_projector,
)
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.names.tensors import TensorMissing
from inspector.loader.layout import Layout
from inspector.matcher.families import Families, Family
from inspector.reconciler.wording import family_name, names_in, place_of

KIND: Final = "clip.projector_type"
KINDS: Final = (KIND, "clip.vision.projector_type", "clip.audio.projector_type")
"""Keys that state the kind of the projector, or of the projector of each tower."""
IMAGES: Final = "v.blk.#."
TOWERS: Final[Mapping[str, str]] = {IMAGES: "clip.vision.block_count", "a.blk.#.": "clip.audio.block_count"}
"""Prefix of the names of a tower's blocks -> the key that states the number of blocks."""


def is_projector(values: Mapping[str, Any]) -> bool:
    """True if the keys of a file say that it is an mmproj file."""
    return values.get("general.architecture") == ARCHITECTURE


def projector_findings(families: Families, values: Mapping[str, Any]) -> Iterator[Finding]:
    """Findings on tensors that some blocks lack and most blocks have, and on weights that are lost although their bias
    is stored.
    """
    for key, family in families.items():
        stored = _boxes(family)
        prefix = next((one for one in TOWERS if key.startswith(one)), None)
        depth = values.get(TOWERS[prefix]) if prefix is not None else None
        if type(depth) is int and 0 < depth <= 2 * family.tensors and axes_of(key) == 1:
            absent = minus([(Span.range(0, depth),)], stored)
            if absent:
                yield _missing(key, absent, depth, family.usual.shape)
        elif prefix is None and key.endswith(".bias"):
            weight = f"{key.removesuffix('bias')}weight"
            beside = families.get(weight)
            absent = minus(stored, _boxes(beside) if beside is not None else ())
            if absent:
                yield _missing(weight, absent, family.tensors, (*family.usual.shape, None))


def needed_findings(families: Families, values: Mapping[str, Any]) -> Iterator[Finding]:
    """Findings on tensors without which llama.cpp does not load a projector of this kind, outside the blocks and in all
    blocks.
    """
    kind = values.get(KIND)
    depth = values.get(TOWERS[IMAGES]) if kind not in WITHOUT_BLOCKS and needed_by_projector(kind) else None
    if type(depth) is int and 0 < depth <= sum(one.tensors for key, one in families.items() if key.startswith(IMAGES)):
        for name in NEEDED_IN_BLOCKS:
            if f"{IMAGES}{name}" not in families:  # those that only some blocks lack are missed already
                yield _missing(f"{IMAGES}{name}", ((Span.range(0, depth),),), depth, ())
    for name in needed_by_projector(kind):
        key, index = key_of(name)
        bias = families.get(f"{key.removesuffix('weight')}bias") if key.endswith("weight") else None
        box = tuple(Span.range(number, number + 1) for number in index)
        with_bias = bias is not None and not minus([box], _boxes(bias))
        stored = _boxes(families[key]) if key in families else ()
        if minus([box], stored) and not with_bias:  # the weight of a stored bias is missed already
            yield _missing(key, (box,), 1, ())


LLAVA: Final = "clip.has_llava_projector"
"""A key of files written before there were several kinds of projector."""
OUTSIDE: Final = ("mm.", "resampler.", "adapter.")
"""Prefixes of the names of a projector's tensors."""


def projector_notes(tensors: Mapping[str, Layout], values: Mapping[str, Any], file: str) -> Iterator[Finding]:
    """The note that the file is an mmproj file, and the finding if it does not state its kind."""
    from inspector.findings.names.gguf_projector import ProjectorAlone, ProjectorKindMissing

    stated = next((values[key] for key in KINDS if values.get(key)), "")
    kind = stated if isinstance(stated, str) else ""
    if not kind and any(name.startswith(OUTSIDE) for name in tensors):
        yield ProjectorKindMissing(place=Place(file=file, key=KIND), kind="mlp" if values.get(LLAVA) else "")
    width = width_of_projector(kind, {name: layout.shape for name, layout in tensors.items()})
    yield ProjectorAlone(
        place=Place(file=file),
        kind=kind,
        width=0 if width is None else width[1],
        unknown_to=source() if kind and kind not in projector_kinds() else "",
    )


def _boxes(family: Family) -> tuple[Box, ...]:
    return family.boxes


def _missing(key: str, absent: Sequence[Box], of: int, shape: tuple[int | None, ...]) -> Finding:
    boxes, elements = tuple(absent), 1 if shape else 0
    for dim in shape:
        elements *= dim or 0
    return TensorMissing(
        place=place_of(key, boxes),
        names=tuple(names_in(key, boxes, NAMES_SHOWN)),
        families=(family_name(key),),
        tensors=count(boxes),
        parameters=count(boxes) * elements,
        shape=shape,
        role="unexplained",
        expected_tensors=of,
        counted=True,
    )
