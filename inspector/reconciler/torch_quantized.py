"""Modules that torch quantized in memory: the state of `torch.ao.nn.quantized`, which no checkpoint loader builds.

A quantized Linear has `scale`, `zero_point`, `_packed_params.dtype` and, as a pair, `_packed_params._packed_params`:
weight and bias. Source: torch, `torch/ao/nn/quantized/modules/linear.py` (`LinearPackedParams`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.findings.names.leftovers import TorchQuantized
from inspector.matcher.families import Families, Family
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import names_in

MARK: Final = "._packed_params."
PAIR: Final = "._packed_params._packed_params."
BESIDE: Final = ("scale", "zero_point")
NAMELESS: Final = "its linear layers are quantized by torch, with names of their own"


def torch_quantized(stored: Families) -> tuple[dict[str, Family], Finding] | None:
    """The families of such modules, and the finding on them; None if there are none."""
    modules = dict.fromkeys(key.partition(MARK)[0] for key in stored if MARK in key)
    if not modules:
        return None
    found = {
        key: family
        for key, family in stored.items()
        if MARK in key or (key.rpartition(".")[0] in modules and key.rpartition(".")[2] in BESIDE)
    }
    weights = [family for key, family in found.items() if PAIR in key and key.endswith("#")]
    first = next(iter(found))
    finding = TorchQuantized(
        place=Place(family=first),
        tensors=sum(family.tensors for family in found.values()),
        elements=sum(family.elements for family in weights or found.values()),
        bytes=sum(family.bytes for family in found.values()),
        names=tuple(names_in(first, found[first].stored[0].boxes, 3)),
        prefix=None,
    )
    return found, finding


def lines_of(found: dict[str, Family]) -> Iterator[Line]:
    """The ledger lines of quantized modules: weights and biases count as parameters, scales do not."""
    for key, family in found.items():
        counted = PAIR in key
        for part in family.stored:
            yield Line(
                family=key,
                role="quantized by torch" if counted else "packing helper",
                kind=ledger.UNCHECKED if counted else ledger.HELPER,
                layout=part.layout,
                boxes=part.boxes,
                tensors=part.tensors,
                elements=part.elements,
                parameters=part.elements if counted else 0,
            )
