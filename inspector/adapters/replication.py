"""PEFT's `layer_replication`: ranges of the base's layers in sequence, each layer with its own adapter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from inspector.adapters.base import Base, BaseTensor
from inspector.adapters.targets import MODULES
from inspector.algebra.span import Span
from inspector.algebra.values import shown
from inspector.budget import spend

LAYERED: Final = ("model.layers.#", "bert.encoder.layer.#", "layers.#", "encoder.layer.#", "h.#")
"""Prefixes of the layers that PEFT's `layer_replication` repeats."""


def replicated(base: Base, values: Mapping[str, Any]) -> Base:
    """The base after `layer_replication`: ranges of layers in sequence, with new numbers."""
    ranges = values.get("layer_replication")
    if not isinstance(ranges, list) or not ranges or refused_replication(base, values):
        return base
    depth, sources = _depth(base), list[int]()
    for start, stop in ranges:
        sources.extend(number % depth for number in range(start, stop))
        spend(len(base.tensors) + max(stop - start, 0), MODULES)
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


def refused_replication(base: Base, values: Mapping[str, Any]) -> str:
    """The reason for which PEFT cannot build the ranges of layers; "" if it can, or if the config states none.

    A negative number counts from the last layer, as in Python, and a range without numbers adds no layer.
    """
    ranges = values.get("layer_replication")
    if not ranges:
        return ""
    depth = _depth(base)
    if not depth:
        return "layer_replication: it does not find the layers of this base"
    for one in ranges if isinstance(ranges, list) else [ranges]:
        if not isinstance(one, list) or len(one) != 2 or not all(isinstance(number, int) for number in one):
            return f"layer_replication: {shown(one)} is not the first layer of a range and the layer behind its last"
        if one[0] < one[1] and not (-depth <= one[0] and one[1] <= depth):
            return f"layer_replication: {shown(one)} has layers that the base does not have"
    return ""


def _depth(base: Base) -> int:
    """The number of layers that can be repeated."""
    return max((one.axes[0].last + 1 for one in base.tensors if repeats(one)), default=0)


def repeats(tensor: BaseTensor) -> bool:
    """True if a tensor is in a layer that can be repeated."""
    return tensor.module.startswith(LAYERED) and bool(tensor.axes)
