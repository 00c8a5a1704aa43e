"""The modules changed by an adapter of another tool than PEFT, each with its parts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Final

from msgspec import Struct

from inspector.adapters.targets import Boxes, union
from inspector.adapters.tools import OLDER_GLORA, PIECES, ToolTensor
from inspector.matcher.families import Families, Family

GLORA_FIRST: Final = frozenset({"a1", "b1"})
"""The parts of GLoRA that are the first of a pair, with fewer rows than columns in the older layout."""
GLORA_SECOND: Final = frozenset({"a2", "b2"})
"""The parts that are the second of a pair."""


class ChangedModule(Struct, frozen=True, dict=True):
    """A changed module, or the same module in several layers. parts: part -> its key and tensors.

    shared: parts that another method of the same module may have written.
    """

    component: str
    name: str
    method: str
    parts: Mapping[str, tuple[str, Family]]
    shared: frozenset[str] = frozenset()

    def boxes(self, part: str) -> Boxes:
        """The indices at which a part is stored."""
        stored = self.parts[part][1].boxes if part in self.parts else ()
        return union(box[:-1] for box in stored) if part == PIECES else union(stored)

    @cached_property
    def everywhere(self) -> Boxes:
        """The indices at which any of the parts is stored."""
        return union(box for part in self.parts if part not in self.shared for box in self.boxes(part))


def like(name: str) -> str:
    """A module's name without its numbers, which is the same in all blocks."""
    return re.sub(r"\d+", "#", name)


def modules_of(families: Families, found: Mapping[str, ToolTensor]) -> tuple[ChangedModule, ...]:
    """The modules that an adapter changes, each with the parts of one method."""
    parts: dict[tuple[str, str], dict[str, dict[str, tuple[str, Family]]]] = {}
    stacks = {(one.component, one.module) for key, one in found.items() if _is_stack(one, families[key])}
    for key, tensor in found.items():
        at = tensor.component, tensor.module
        method = "lora, stacked" if at in stacks and tensor.method == "lora, transposed" else tensor.method
        parts.setdefault(at, {}).setdefault(method, {})[tensor.part] = (key, families[key])
    return tuple(
        ChangedModule(component, name, _as_shaped(method, own), {**own, **every}, _besides(component, every, methods))
        for (component, name), by_method in parts.items()
        for every, methods in [(by_method.get("", {}), {one: own for one, own in by_method.items() if one})]
        for method, own in (methods or by_method).items()
    )


def _besides(component: str, every: Iterable[str], methods: Collection[str]) -> frozenset[str]:
    """Parts that do not show that a method changes a module: parts of several methods, or biases of a ControlNet."""
    return frozenset(every) if len(methods) > 1 or (methods and component == "controlnet") else frozenset()


def _as_shaped(method: str, parts: Mapping[str, tuple[str, Family]]) -> str:
    """The method with the layout of its matrices: before LyCORIS 2, GLoRA multiplied its pairs in the other order.

    Source: `comfy/weight_adapter/glora.py`, which distinguishes the two by the ranks. The rank is the smaller dim.
    """
    if method != "glora":
        return method
    shapes = {part: family.stored[0].layout.shape for part, (_, family) in parts.items() if family.stored}
    matrices = {part: shape for part, shape in shapes.items() if len(shape) > 1}
    more = [shape[1] - shape[0] for part, shape in matrices.items() if part in GLORA_FIRST]
    more += [shape[0] - shape[1] for part, shape in matrices.items() if part in GLORA_SECOND]
    return OLDER_GLORA if any(more) and all(one >= 0 for one in more) else method


def _is_stack(tensor: ToolTensor, family: Family) -> bool:
    """True if a matrix of MLX contains all experts: such matrices are stacked, and not transposed."""
    return tensor.method == "lora, transposed" and any(len(part.layout.shape) == 3 for part in family.stored)
