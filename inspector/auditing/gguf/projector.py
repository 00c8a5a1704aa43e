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
from inspector.dialects.gguf_projector_kinds import keys_lacking, other_kind
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
from inspector.findings.shapes import ShapeDiffers
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


def faults_of_projector(families: Families, values: Mapping[str, Any], file: str) -> Iterator[Finding]:
    """All findings on the tensors of an mmproj file."""
    yield from projector_findings(families, values)
    yield from needed_findings(families, values)
    if lacking := keys_lacking(values.get(KIND), values):
        from inspector.findings.types.gguf_heads import GgufKeysMissing

        yield GgufKeysMissing(place=Place(file=file), keys=lacking)
    if (other := other_kind(values.get(KIND), families)) is not None:
        from inspector.findings.names.gguf_projector import ProjectorOfOtherKind

        stored, absent = map(family_name, other[:2])
        kind = str(values[KIND])
        yield ProjectorOfOtherKind(place=Place(file=file), kind=kind, shown=other[2], stored=stored, absent=absent)
    yield from shape_findings(families, values, file)


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


NORM: Final = "ln1.weight"
"""The norm of a block, as wide as the tower."""
WIDTH_KEY: Final = "embedding_length"


def shape_findings(families: Families, values: Mapping[str, Any], file: str) -> Iterator[Finding]:
    """Findings on a stated width that no norm of a tower has, and on tensors of other shapes than in the other blocks.

    `clip.cpp` loads both, as it compares no shapes, and fails at the first image, where it splits the width into heads.
    """
    from inspector.findings.types.gguf_heads import GgufSizeDisagrees

    for prefix, depth_key in TOWERS.items():
        key = f"{depth_key.rpartition('.')[0]}.{WIDTH_KEY}"
        norm, stated = families.get(f"{prefix}{NORM}"), values.get(key)
        if values.get(KIND) in WITHOUT_BLOCKS or norm is None or type(stated) is not int:
            continue
        shapes = {part.layout.shape for part in norm.stored}
        if shapes == {norm.usual.shape} and len(norm.usual.shape) == 1 and norm.usual.shape != (stated,):
            yield GgufSizeDisagrees(
                place=Place(file=file, key=key), key=key, stated=stated, shown=norm.usual.shape[0],
                tensors=norm.tensors, family=family_name(norm.key),
            )  # fmt: skip
        width = norm.usual.shape[0] if norm.usual.shape else 0
        for name, family in families.items():
            if name.startswith(prefix) and axes_of(name) == 1:
                yield from _other_shapes(family, width, key, file)


def _other_shapes(family: Family, width: int, key: str, file: str) -> Iterator[Finding]:
    """Findings on the tensors of a few blocks that have another shape than those of most blocks."""
    usual = family.usual.shape
    odd = [part for part in family.stored if part.layout.shape != usual]
    others = family.tensors - sum(part.tensors for part in odd)
    if others <= family.tensors - others:
        return
    for part in odd:
        yield ShapeDiffers(
            place=place_of(family.key, tuple(part.boxes)), stored=part.layout.shape, dtype=part.layout.dtype,
            expected=usual, dims=tuple("d" if dim == width else str(dim) for dim in usual),
            because=(f"d = {key} = {width}",) if width in usual else (), tensors=part.tensors, others=others,
            role="unexplained", others_where="", names=tuple(names_in(family.key, tuple(part.boxes), NAMES_SHOWN)),
            files=(file,),
        )  # fmt: skip


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
