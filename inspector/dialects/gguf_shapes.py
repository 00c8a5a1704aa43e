"""The original shapes of tensors of image and video models in GGUF files.

Source: ComfyUI-GGUF. Its converter stores convolutions as matrices, since blocks of numbers are along rows and ggml
allows at most four dims. Its loader gives a tensor the shape that a key of the file states.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Final

from msgspec.structs import replace

from inspector.loader.layout import Layout

ORIGINAL: Final = "comfy.gguf.orig_shape."
"""Prefix of the key with the shape of the tensor of that name."""


def in_original_shapes(values: Mapping[str, object], tensors: Mapping[str, Layout]) -> Mapping[str, Layout]:
    """The tensors, with their stated shapes if any. values: the key-values of the file."""
    stated = {key.removeprefix(ORIGINAL): shape for key, shape in values.items() if key.startswith(ORIGINAL)}
    made: dict[str, Layout] = {}
    for name, shape in stated.items():
        layout = tensors.get(name)
        if layout is None or not isinstance(shape, list) or not all(type(dim) is int and dim >= 0 for dim in shape):
            continue
        if prod(shape) == layout.elements:  # any other shape is not this tensor's
            made[name] = replace(layout, shape=tuple(shape))
    return {**tensors, **made} if made else tensors
