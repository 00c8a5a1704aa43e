"""PEFT's `layer_replication`: ranges of the base's layers in sequence, each layer with its own adapter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from inspector.adapters.base import Base, BaseTensor
from inspector.adapters.targets import MODULES
from inspector.algebra.span import Span
from inspector.budget import spend

LAYERED: Final = ("model.layers.#", "bert.encoder.layer.#", "layers.#", "encoder.layer.#", "h.#")
"""Prefixes of the layers that PEFT's `layer_replication` repeats."""


def replicated(base: Base, values: Mapping[str, Any]) -> Base:
    """The base after `layer_replication`: ranges of layers in sequence, with new numbers."""
    ranges = values.get("layer_replication")
    if not isinstance(ranges, list) or not ranges:
        return base
    depth, sources = max((one.axes[0].last + 1 for one in base.tensors if repeats(one)), default=0), list[int]()
    for one in ranges:
        start, stop = one if isinstance(one, list) and len(one) == 2 else (None, None)
        if type(start) is not int or type(stop) is not int or not 0 <= start < stop <= depth:
            return base  # PEFT refuses it
        sources.extend(range(start, stop))
        spend(len(base.tensors) + stop - start, MODULES)
    tensors: list[BaseTensor] = []
    for tensor in base.tensors:
        if repeats(tensor):
            layers = Span.of(number for number, source in enumerate(sources) if source in tensor.axes[0])
            spend(len(sources), MODULES)
            if layers:
                tensors.append(replace(tensor, axes=(layers, *tensor.axes[1:])))
        else:
            tensors.append(tensor)
    return replace(base, tensors=tuple(tensors))


def repeats(tensor: BaseTensor) -> bool:
    """True if a tensor is in a layer that can be repeated."""
    return tensor.module.startswith(LAYERED) and bool(tensor.axes)
