"""Tensors that modules share in memory and that PEFT saves for each of these modules.

Source: `_post_injection_hook` of PEFT's `tuners/lily/model.py`: modules with the same target and widths, in their
order, share the matrix A in runs of `stride_A`, and all of them share the matrix B.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.adapters.expected import Expected, ExpectedAdapter
from inspector.adapters.methods import Shape
from inspector.adapters.targets import ALL_LINEAR, MODULES, Boxes, Targets, texts
from inspector.algebra.boxes import boxes_of, common, count, tuples
from inspector.algebra.names import Index, name_of
from inspector.budget import spend
from inspector.matcher.families import Families
from inspector.reconciler import ledger

RUNS: Final[Mapping[str, Mapping[str, str]]] = {"lily": {".lily_A.weight": "stride_A", ".lily_B.weight": ""}}
"""Method -> ending of a shared tensor -> the key for the number of modules that share it; "" if all
modules share it.
"""
ROWS: Final = "trainable_tokens"
"""The method with rows that are saved again under the name of a head or table that is tied to the target."""
UNCLEAR: Final = "which modules share their matrices: several entries of target_modules name the same module"
Member = tuple[Index, str]
"""A module: its indices and its key."""


def with_copies(plan: ExpectedAdapter, method: str, values: Mapping[str, Any], families: Families) -> ExpectedAdapter:
    """The plan in which every shared tensor is counted once."""
    if method == ROWS:
        return replace(plan, expected=tuple(_tied(plan.expected, values, families)))
    runs = RUNS.get(method)
    if runs is None:
        return plan
    shared = [one for one in plan.expected if _ending(one, runs)]
    groups: dict[tuple[str, ...], list[Member]] = {}
    for member, widths in _widths(shared, families).items():
        names = _targets(name_of(member[1], member[0]), values.get("target_modules"))
        if len(names) > 1:
            return replace(plan, unclear=(*plan.unclear, UNCLEAR))
        groups.setdefault((*names, *map(str, widths)), []).append(member)
    first: dict[str, set[Member]] = {ending: set() for ending in runs}
    for members in groups.values():
        members.sort()
        for ending, key in runs.items():
            length = values.get(key, 1) if key else len(members)
            if type(length) is not int or length < 1:
                return plan  # PEFT refuses the config
            first[ending].update(members[::length])
    divided = [part for one in plan.expected for part in _divided(one, first.get(_ending(one, runs)))]
    return replace(plan, expected=tuple(divided))


def _tied(expected: Sequence[Expected], values: Mapping[str, Any], families: Families) -> Iterator[Expected]:
    """Marks rows of modules that the config does not name as copies of the rows of a module that it names."""
    settings = Targets(values)
    named = isinstance(values.get("target_modules"), list)
    chosen = [one for one in expected if named and any(settings.chosen(one.module, box) for box in one.boxes)]
    shapes = {shape for one in chosen if one.key in families for shape in families[one.key].shapes}
    for one in expected:
        alike = one.key in families and shapes.issuperset(families[one.key].shapes)
        yield replace(one, kind=ledger.COPY) if chosen and one not in chosen and alike else one


def _ending(one: Expected, runs: Mapping[str, str]) -> str:
    return next((ending for ending in runs if one.module and one.key.endswith(ending)), "")


def _targets(name: str, listed: object) -> list[str]:
    """The entries of target_modules by which PEFT joins a module with others; empty if it joins the module with all."""
    if isinstance(listed, str):
        return [ALL_LINEAR]
    return list(dict.fromkeys(one for one in texts(listed) if name.endswith(one)))


def _widths(shared: Sequence[Expected], families: Families) -> dict[Member, tuple[object, ...]]:
    """Each module with the widths of its matrices: as expected, or as stored if the expected ones are unknown."""
    found: dict[Member, tuple[object, ...]] = {}
    for one in sorted(shared, key=lambda one: one.key):
        stored = families[one.key].stored if one.key in families and None in one.shape else ()
        parts: list[tuple[Shape, Boxes]] = [(part.layout.shape[-1:], part.boxes) for part in stored]
        for width, boxes in parts or [(one.shape[-1:], one.boxes)]:
            for box in (hit for want in one.boxes for box in boxes if (hit := common(box, want)) is not None):
                spend(count([box]), MODULES)
                for index in tuples(box):
                    member = index, one.module
                    found[member] = (*found.get(member, ()), *width)
    return found


def _divided(one: Expected, first: set[Member] | None) -> Iterator[Expected]:
    """Divides an expectation into parameters of the first modules and copies for the other modules."""
    if first is None:
        yield one
        return
    owners = [(index, one.module) for box in one.boxes for index in tuples(box)]
    own = [index for index, module in owners if (index, module) in first]
    others = [index for index, module in owners if (index, module) not in first]
    for indices, kind in ((own, ledger.PARAMETER), (others, ledger.COPY)):
        if indices:
            yield replace(one, boxes=boxes_of(indices), kind=kind)
