"""Reads small tensors that store the shape of a packed weight: the only data that is read in addition to headers.

`weight_shape` of compressed-tensors contains two integers. They determine the number of inputs if neither the packed
width nor a definition does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from inspector.loader.checkpoint import Checkpoint
from inspector.loader.layout import Layout
from inspector.loader.offsets import begins
from inspector.loader.sources.source import Forewarned, Source

ENDINGS: Final = (".weight_shape",)
_WIDTHS: Final = {"I64": 8, "I32": 4}
_MOST_DIMS: Final = 8
_MOST_NEAR: Final = 100_000
_MOST_FAR: Final = 256
"""Most tensors that are read from a folder; and over a network, with one request for each."""


def with_kept_shapes(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with the values of such tensors in their layouts; `kept_shapes` is the number of tensors read."""
    source = checkpoint.reach() if checkpoint.reach is not None else None
    wanted: dict[str, list[str]] = {}
    for name, layout in checkpoint.tensors.items():
        if name.endswith(ENDINGS) and layout.dtype in _WIDTHS and layout.elements <= _MOST_DIMS:
            wanted.setdefault(checkpoint.file_of.get(name, ""), []).append(name)
    most = _MOST_FAR if isinstance(source, Forewarned) else _MOST_NEAR
    if source is None or sum(map(len, wanted.values())) > most:
        return replace(checkpoint, kept_shapes=0)
    tensors = dict(checkpoint.tensors)
    shared: dict[Layout, Layout] = {}
    for file, names in wanted.items():
        for name, values in _values(source, file, names, tensors):
            layout = replace(tensors[name], values=values)
            tensors[name] = shared.setdefault(layout, layout)
    return replace(checkpoint, tensors=tensors, kept_shapes=sum(1 for layout in tensors.values() if layout.values))


def _values(
    source: Source, file: str, names: list[str], tensors: Mapping[str, Layout]
) -> Iterator[tuple[str, tuple[int, ...]]]:
    places = begins(source, file)
    for name in names:
        layout = tensors[name]
        raw = source.read_part(file, places[name], layout.bytes) if name in places else None
        if isinstance(raw, bytes) and len(raw) == layout.bytes:
            width = _WIDTHS[layout.dtype]
            numbers = (raw[at : at + width] for at in range(0, len(raw), width))
            yield name, tuple(int.from_bytes(number, "little", signed=True) for number in numbers)
