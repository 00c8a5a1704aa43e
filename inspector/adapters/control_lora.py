"""Finds tensors missing in a Control-LoRA: a ControlNet with large weights stored as low-rank pairs relative to its
UNet.

Source: ComfyUI (`comfy/controlnet.py`): the marker tensor identifies such a file; absent weights are taken from the
UNet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from inspector.adapters.targets import Boxes, union
from inspector.adapters.tools import MARKER, ToolTensor
from inspector.algebra.boxes import Box, count, minus
from inspector.findings.adapters.tools import AdapterPartMissing
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

METHOD: Final = "control-lora"
WITHOUT_BIAS: Final = (".to_q", ".to_k", ".to_v")
WEIGHTS: Final = ("set_weight", "down", "up")
BIAS: Final = "set_bias"


def lost_of_control(families: Families, found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """Findings on the missing marker, weights of stored biases, and biases of stored weights."""
    if MARKER not in found:
        first = next(iter(found))
        yield AdapterPartMissing(method=METHOD, part=MARKER, modules=1, of=1, names=(MARKER,), present=first)
    places: dict[str, dict[str, list[Box]]] = {}
    for key, tensor in found.items():
        if key != MARKER:
            places.setdefault(tensor.module, {}).setdefault(tensor.part, []).extend(families[key].boxes)
    yield from _absent(places, "weight", (BIAS,), WEIGHTS)
    biased = {module: parts for module, parts in places.items() if not module.endswith(WITHOUT_BIAS)}
    yield from _absent(biased, "bias", WEIGHTS, (BIAS,))


def _absent(
    places: Mapping[str, Mapping[str, list[Box]]], part: str, stored: Iterable[str], needed: Iterable[str]
) -> Iterator[Finding]:
    """One finding on modules that have some parts and lack others that belong to them."""
    lost: list[str] = []
    total = of = 0
    for module, parts in places.items():
        there, own = _boxes(parts, stored), _boxes(parts, needed)
        left = minus(there, own)
        of, total = of + count(there), total + count(left)
        lost.extend(names_in(module, left, NAMES_SHOWN) if left else ())
    if lost:
        names = tuple(lost[:NAMES_SHOWN])
        present = f"{names[0]}.{'bias' if part == 'weight' else 'weight'}"
        yield AdapterPartMissing(method=METHOD, part=part, modules=total, of=of, names=names, present=present)


def _boxes(parts: Mapping[str, list[Box]], wanted: Iterable[str]) -> Boxes:
    return union(box for part in wanted for box in parts.get(part, ()))
