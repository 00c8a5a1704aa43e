"""Tensors of a LoRA around the stacked matrices of experts, under a config that names no parameters.

PEFT changes such matrices with `target_parameters`: each wraps the module that the previous one has wrapped. Without
the key it ignores the tensors silently (measured with 0.21, Qwen3-MoE in transformers 5.23).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.adapters.base import Base
from inspector.adapters.matched import Matched, module_of
from inspector.adapters.names import tuner_name
from inspector.adapters.targets import Targets
from inspector.algebra.boxes import count
from inspector.findings.adapters.tensors import AdapterModuleUnexpected
from inspector.findings.finding import Finding
from inspector.reconciler.wording import place_of

STACKED: Final = {"gate_proj": "gate_up_proj", "up_proj": "gate_up_proj", "down_proj": "down_proj"}
"""Matrix of one expert -> the parameter of transformers 5 that holds it for all experts."""


def of_parameters(matched: Sequence[Matched], base: Base, settings: Targets) -> Iterator[Finding]:
    """The finding on tensors around the experts of a base, unless `target_modules` chooses the experts: PEFT then finds
    the parameters itself.
    """
    held: dict[str, set[str]] = {}
    stacked = [one for one in base.tensors if one.stacked]
    if settings.every_linear or any(settings.chosen(one.module, one.axes) for one in stacked):
        return
    for tensor in stacked:
        module, inside, matrix = tensor.module.rpartition(".#.")
        if inside:
            held.setdefault(module, set()).add(STACKED.get(matrix, ""))
    by_module: dict[str, list[Matched]] = {}
    for one in matched:
        if one.expected is None and tuner_name(one.key) is not None and module_of(one.key) in held:
            by_module.setdefault(module_of(one.key), []).append(one)
    for module, members in by_module.items():
        end = ".".join(module.split(".")[-2:])
        yield AdapterModuleUnexpected(
            place=place_of(module, members[0].boxes),
            module=module,
            tensors=sum(count(one.boxes) for one in members),
            elements=sum(one.part.layout.elements * count(one.boxes) for one in members),
            known=True,
            parameters=tuple(sorted(f"{end}.{name}" for name in held[module] if name)),
        )
