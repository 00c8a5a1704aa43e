"""GGUF files that are not models: importance matrices, control vectors and adapters.

They are recognised by their metadata and the names of their tensors. Sources: llama.cpp's tools/imatrix and
tools/quantize ("mismatched sums and counts"), `common_control_vector_load_one` in its common.cpp; measured on adapters
with each of these faults with llama.cpp of October 2026, in xllamacpp 2026.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout

if TYPE_CHECKING:
    from inspector.findings.names.gguf_kinds import GgufAdapterRefused

KIND: Final = "general.type"
CONTROL: Final = "controlvector"
"""The architecture that a control vector states."""
DIRECTION: Final = "direction"
DIGITS: Final = re.compile("[0-9]{1,9}")
HALVES: Final = (".in_sum2", ".counts")
PAIR: Final = (".lora_a", ".lora_b")
IGNORED: Final = "_norm.weight"
"""Ending of the names of adapter tensors that llama.cpp silently ignores."""


def kind_findings(metadata: Config, tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The findings on a file that is not a model; none for a model."""
    kind = metadata.values.get(KIND)
    if kind == "imatrix":
        yield from _of_matrix(metadata, tensors)
    elif metadata.values.get("general.architecture") == CONTROL and tensors:
        yield _of_directions(metadata, tensors)
    elif kind == "adapter" or _are_pairs(tensors):
        refused = _refused(metadata, tensors)
        if refused is not None:
            yield refused


def _of_directions(metadata: Config, tensors: Mapping[str, Layout]) -> Finding:
    """The finding on a control vector, or on its first tensor for which llama.cpp refuses it."""
    from inspector.findings.names.gguf_kinds import ControlVector, ControlVectorRefused

    layers, width = [], 0
    for name, layout in tensors.items():
        before, _, number = name.partition(".")
        layer = int(number) if before == DIRECTION and DIGITS.fullmatch(number) else -1
        because = _wrong_direction(layer, layout, width)
        if because:
            place = Place(file=metadata.file, tensor=name)
            return ControlVectorRefused(place=place, stored=layout.shape, dtype=layout.dtype, because=because)
        layers.append(layer)
        width = layout.elements
    place = Place(file=metadata.file)
    return ControlVector(place=place, layers=len(layers), first=min(layers), last=max(layers), width=width)


def _wrong_direction(layer: int, layout: Layout, width: int) -> str:
    """llama.cpp's message on a direction; "" if it reads the direction. width: of the previous ones, 0
    for the first.
    """
    if layer < 1:
        return f"invalid{' (zero)' if layer == 0 else '/unparsable'} direction tensor layer index"
    if layout.dtype != "F32":
        return "invalid (non-F32) direction tensor type"
    if sum(dim > 1 for dim in layout.shape[:-1]):
        return "invalid (non-1D) direction tensor shape"
    return "direction tensor does not match previous dimensions" if width and layout.elements != width else ""


def _are_pairs(tensors: Mapping[str, Layout]) -> bool:
    """True if all tensors are those of an adapter."""
    return any(name.endswith(PAIR) for name in tensors) and all(name.endswith((*PAIR, IGNORED)) for name in tensors)


def _of_matrix(metadata: Config, tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The findings on an importance matrix, and on matrices with only one of the two tensors."""
    from inspector.findings.names.gguf_kinds import ImportanceMatrix, ImportanceMatrixIncomplete

    found = {end: {name.removesuffix(end) for name in tensors if name.endswith(end)} for end in HALVES}
    sums, counts = (found[end] for end in HALVES)
    missing = [f"{name}{HALVES[1]}" for name in sums - counts] + [f"{name}{HALVES[0]}" for name in counts - sums]
    place = Place(file=metadata.file)
    if missing:
        yield ImportanceMatrixIncomplete(
            place=place,
            missing=tuple(sorted(missing)[:NAMES_SHOWN]),
            lacking=len(missing),
            matrices=len(sums | counts),
        )
    yield ImportanceMatrix(place=place, matrices=len(sums | counts))


def _refused(metadata: Config, tensors: Mapping[str, Layout]) -> GgufAdapterRefused | None:
    """The first reason for which llama.cpp refuses an adapter with any base."""
    from inspector.findings.names.gguf_kinds import GgufAdapterRefused

    values, place = metadata.values, Place(file=metadata.file)
    for key, wanted in ((KIND, "adapter"), ("adapter.type", "lora")):
        stated = values.get(key)
        if stated != wanted:
            said = stated if isinstance(stated, str) else ""
            because = f"expect {key} to be '{wanted}', but got: {said}"
            return GgufAdapterRefused(
                place=place, problem=key, stated=said or "nothing", wanted=wanted, because=because
            )
    others = [name for name in tensors if not name.endswith((*PAIR, IGNORED))]
    if not others:
        return None
    return GgufAdapterRefused(
        place=Place(tensor=others[0]) if len(others) == 1 else place,
        problem="tensors that are not part of a pair",
        stated="",
        wanted="",
        because=f"LoRA tensor '{others[0]}' has unexpected suffix",
        names=tuple(others[:NAMES_SHOWN]),
    )


def refused_by_base(metadata: Config, base: Config | None, beyond: tuple[str, ...]) -> GgufAdapterRefused | None:
    """The reason for which llama.cpp refuses an adapter with a base; None if it accepts it.

    base: the key-values of the base if it is a GGUF file. beyond: modules in layers that the base lacks.
    """
    from inspector.findings.names.gguf_kinds import GgufAdapterRefused

    stated, place = metadata.values.get("general.architecture"), Place(file=metadata.file)
    own = base.values.get("general.architecture") if base is not None else None
    if isinstance(stated, str) and isinstance(own, str) and stated != own:
        return GgufAdapterRefused(
            place=place,
            problem="general.architecture",
            stated=stated,
            wanted=own,
            because="model arch and LoRA arch mismatch",
            of_base=True,
        )
    if beyond:
        return GgufAdapterRefused(
            place=place,
            problem="layers that the base does not have",
            stated="",
            wanted="",
            because=f"LoRA tensor '{beyond[0]}.weight' does not exist in base model",
            names=beyond[:NAMES_SHOWN],
            of_base=True,
        )
    return None
