"""Stacked matrices of experts and other single parameters that a LoRA changes through `target_parameters`.

Source: `ParamWrapper` of PEFT's `tuners/lora/layer.py` and `_inject_parameters` of `tuners_utils.py`: each parameter of
a module wraps the previous one, and a name may begin at any segment, so that it may be that of one layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.base import Base, BaseTensor
from inspector.adapters.expected import Expected
from inspector.adapters.methods import AdapterTensor, Shape, Target, pieces_of
from inspector.adapters.names import BASE_LAYER, PREFIX
from inspector.adapters.targets import MODULES, Boxes, Targets, Unclear
from inspector.algebra.boxes import boxes_of, common, count, minus, tuples, within
from inspector.algebra.names import Index
from inspector.budget import spend
from inspector.matcher.families import Families
from inspector.reconciler import ledger

MOST_STACKED: Final = 4
"""Most parameters of one module that wrap each other."""
Wrapped = tuple[BaseTensor, tuple[AdapterTensor, ...]]


class ChangedParameters(Struct, frozen=True):
    """The tensors required for the changed parameters, their modules, and the problems that prevented their
    computation.

    depths: the number of wrappers around the module of each target.
    """

    expected: tuple[Expected, ...]
    targets: tuple[tuple[str, Boxes], ...]
    unclear: tuple[str, ...]
    depths: tuple[int, ...]


def changed_parameters(base: Base, settings: Targets, families: Families) -> ChangedParameters:
    """Groups modules by their changed parameters, which may differ by layer."""
    expected: list[Expected] = []
    targets: list[tuple[str, Boxes]] = []
    unclear: list[str] = []
    depths: list[int] = []
    for module, boxes, tensors in _changed(base, settings):
        if len(tensors) > MOST_STACKED:
            unclear.append("how many parameters of one module are wrapped")
            continue
        targets.append((module, boxes))
        depths.append(len(tensors))
        ranked = [_ranked(tensor, boxes, settings, unclear) for tensor in tensors]
        orders = [list(order) for order in permutations(ranked)]
        best = max(orders, key=lambda order: _fitting(module, boxes, order, families))
        for depth, (tensor, pieces) in enumerate(best):
            expected.extend(
                Expected(_key(module, depth, piece), boxes, piece.shape, ledger.PARAMETER, tensor.module,
                         required=tensor.required, rank_axis=piece.rank_axis, others=piece.others, role=tensor.role)
                for piece in pieces
            )  # fmt: skip
    return ChangedParameters(tuple(expected), tuple(targets), tuple(unclear), tuple(depths))


def moved_inside(expected: Sequence[Expected], found: ChangedParameters) -> list[Expected]:
    """The expected tensors; those inside a module with changed parameters are moved below its wrappers."""
    for (module, boxes), depth in zip(found.targets, found.depths, strict=True):
        before, wrapped = f"{PREFIX}{module}.", f"{PREFIX}{module}{BASE_LAYER * depth}."
        expected = [part for one in expected for part in _moved(one, before, wrapped, boxes)]
    return list(expected)


def _moved(one: Expected, before: str, wrapped: str, boxes: Boxes) -> Iterator[Expected]:
    """A tensor, in two parts if only some of its indices are inside the wrappers."""
    if not one.key.startswith(before) or not one.module.startswith(before.removeprefix(PREFIX)):
        yield one
        return
    inside: Boxes = tuple(
        (*part, *box[len(part) :])
        for box in one.boxes
        for outer in boxes
        if (part := common(box[: len(outer)], outer)) is not None
    )
    if inside:
        yield replace(one, key=wrapped + one.key.removeprefix(before), boxes=inside)
    if outside := minus(one.boxes, inside):
        yield replace(one, boxes=outside)


def _changed(base: Base, settings: Targets) -> list[tuple[str, Boxes, list[BaseTensor]]]:
    """(module, indices, its changed parameters)."""
    by_module: dict[str, dict[Index, list[BaseTensor]]] = {}
    for tensor in base.tensors if settings.parameters else ():
        for box in settings.changed(tensor.key, tensor.axes):
            spend(count([box]), MODULES)
            for index in tuples(box):
                by_module.setdefault(tensor.module, {}).setdefault(index, []).append(tensor)
    found: list[tuple[str, Boxes, list[BaseTensor]]] = []
    for module, changed in by_module.items():
        alike: dict[tuple[int, ...], list[Index]] = {}
        for index, tensors in changed.items():
            alike.setdefault(tuple(map(id, tensors)), []).append(index)
        found.extend((module, boxes_of(indices), changed[indices[0]]) for indices in alike.values())
    return found


def _ranked(tensor: BaseTensor, boxes: Boxes, settings: Targets, unclear: list[str]) -> Wrapped:
    """A parameter with the tensors stored for it. unclear: collects the reason if its rank or widths are unknown."""
    widths, rank = _stack_widths(tensor), None
    try:
        ranks = settings.ranks(tensor.key, boxes)
        rank = ranks[0][1] if len(ranks) == 1 else None
    except Unclear as reason:
        unclear.append(str(reason))
    if rank is None or widths is None:
        unclear.append(f"the rank of {tensor.key}")
    inputs, outputs, experts = widths or (None, None, 1)
    return tensor, pieces_of("lora", Target("experts", inputs, outputs, (), rank, experts), {}) or ()


def _fitting(module: str, boxes: Boxes, order: Sequence[Wrapped], families: Families) -> int:
    """The number of tensors that have the stored shapes in a given order of wrappers, the innermost first."""
    fitting = 0
    for depth, (_, pieces) in enumerate(order):
        for piece in pieces:
            family = families.get(_key(module, depth, piece))
            turned = tuple(_any_rank(piece, shape) for shape in piece.others)
            one = Expected("", (), _any_rank(piece, piece.shape), "", "", others=turned)
            fitting += family is not None and all(
                one.fits(part.layout.shape)
                for part in family.stored
                if any(within(part.boxes, box) for box in boxes if len(box) == len(part.boxes[0]))
            )
    return fitting


def _key(module: str, depth: int, piece: AdapterTensor) -> str:
    return PREFIX + module + BASE_LAYER * depth + piece.ending


def _any_rank(piece: AdapterTensor, shape: Shape) -> Shape:
    return tuple(None if at == piece.rank_axis else dim for at, dim in enumerate(shape))


def _stack_widths(tensor: BaseTensor) -> tuple[int, int, int] | None:
    """(inputs, outputs, matrices) of a parameter with two or three dims."""
    if None in tensor.shape or len(tensor.shape) not in (2, 3):
        return None
    sizes = [dim for dim in tensor.shape if dim is not None]
    experts = sizes[0] if len(sizes) == 3 else 1
    inputs, outputs = sizes[-1], sizes[-2]
    return (outputs, inputs, experts) if tensor.kind == "linear_io" else (inputs, outputs, experts)
