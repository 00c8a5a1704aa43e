"""How an adapter's tensors differ from those that its config adds to its base, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from inspector.adapters.base import Base, BaseTensor
from inspector.adapters.expected import ExpectedAdapter
from inspector.adapters.names import BASE_LAYER, PREFIX, tuner_name
from inspector.adapters.targets import Boxes, union
from inspector.adapters.with_base import Matched, absent_of
from inspector.algebra.boxes import Box, count, within
from inspector.notation.binding import fits
from inspector.reconciler.wording import names_in

HALF: Final = "_topk_indices"
"""Ending of the first of two tensors that VB-LoRA joins while it loads."""


class AdapterDifference(Struct, frozen=True):
    """Numbers of tensors that are unexpected and mismatched, and what is missing.

    absent: the first missing tensor of each family, and how many are. strange: keys of unexpected tensors. tuned:
    whether the config changes any module of the base. modules: how many it changes. apart: as in `Base`, where no name
    is one of the model.
    """

    unexpected: int
    mismatched: int
    absent: tuple[tuple[str, int], ...]
    strange: frozenset[str]
    first_mismatched: str
    tuned: bool
    modules: int
    apart: bool = False


def difference_of(
    plan: ExpectedAdapter, matched: Sequence[Matched], base: Base, prefix: str = PREFIX
) -> AdapterDifference:
    """The differences of all tensors of an adapter.

    A tensor of the base takes its place in the model, unless its module is wrapped and has it one level further down.
    prefix: of the base in the model that PEFT makes.
    """
    if base.apart:
        return _without_match(plan, matched)
    absent = [one for one in absent_of(plan, matched) if not one[0].key.endswith(HALF)]
    mismatched = [one for one in matched if one.misfits]
    wrapped = _wrapped(plan)
    tensors: dict[str, list[BaseTensor]] = {}
    for tensor in base.tensors:
        tensors.setdefault(prefix + tensor.key, []).append(tensor)
    unexpected = 0
    misshaped: list[Matched] = []
    for one in matched:
        if not _is_of_base(one):
            unexpected += count(one.boxes) if one.expected is None and not one.key.endswith(HALF) else 0
            continue
        taken = 0
        for tensor in tensors.get(one.key.replace(f"{BASE_LAYER}.", "."), ()):
            here = within(one.boxes, tensor.axes) if len(tensor.axes) == len(one.boxes[0]) else ()
            inside = [part for box in wrapped.get(tensor.module, ()) for part in within(here, box)]
            there = count(inside) if f"{BASE_LAYER}." in one.key else count(here) - count(inside)
            taken += there
            if there and not fits(tensor.shape, one.shape):
                misshaped.append(one)
        unexpected += count(one.boxes) - taken
    mismatched = [one for one in mismatched if not _is_of_base(one)] + misshaped
    return AdapterDifference(
        unexpected=unexpected,
        mismatched=sum(count(one.boxes) for one in mismatched),
        absent=tuple((names_in(one.key, boxes, 1)[0], count(boxes)) for one, boxes in absent),
        strange=frozenset(one.key for one in matched if one.expected is None),
        first_mismatched=names_in(mismatched[0].key, mismatched[0].boxes, 1)[0] if mismatched else "",
        tuned=_tunes(plan),
        modules=sum(count(boxes) for boxes in wrapped.values()),
    )


def _without_match(plan: ExpectedAdapter, matched: Sequence[Matched]) -> AdapterDifference:
    """The differences where none of the names is one of the model."""
    absent = tuple((names_in(one.key, one.boxes, 1)[0], count(one.boxes)) for one in plan.expected if one.required)
    strange = frozenset(one.key for one in matched)
    unexpected = sum(count(one.boxes) for one in matched)
    return AdapterDifference(unexpected, 0, absent, strange, "", _tunes(plan), 0, True)


def _tunes(plan: ExpectedAdapter) -> bool:
    """Whether a config changes any module of the base."""
    return bool(plan.targets) or any(one.module and _changes(one.key) for one in plan.expected)


def _changes(key: str) -> bool:
    """Whether a tensor is what a method adds to a module; what wraps single words of a table is not a target."""
    return tuner_name(key) is not None and ".token_adapter." not in key


def _wrapped(plan: ExpectedAdapter) -> dict[str, Boxes]:
    """The modules around which a method puts its own."""
    found: dict[str, list[Box]] = {}
    for one in plan.expected:
        if one.module and tuner_name(one.key) is not None and "#" not in one.key.rpartition(one.module)[2]:
            found.setdefault(one.module, []).extend(one.boxes)
    return {module: union(boxes) for module, boxes in found.items()}


def _is_of_base(one: Matched) -> bool:
    """Whether a stored tensor is one of the base that nothing trains whole."""
    if tuner_name(one.key) is not None:
        return False
    return one.expected is None or one.expected.component == "base"
