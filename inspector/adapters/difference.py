"""Counts the differences between the tensors of an adapter and the tensors that its config adds to the base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from inspector.adapters.absent import absent_of
from inspector.adapters.base import Base, BaseTensor
from inspector.adapters.expected import Expected, ExpectedAdapter
from inspector.adapters.matched import Matched, overlap
from inspector.adapters.names import BASE_LAYER, OWN_PREFIX, PREFIX, PROMPT_TENSORS, tuner_name
from inspector.adapters.targets import Boxes, union
from inspector.algebra.boxes import Box, count, joined, minus, within
from inspector.matcher.families import Families, Stored
from inspector.notation.binding import fits
from inspector.reconciler import ledger
from inspector.reconciler.wording import names_in

HALF: Final = "_topk_indices"
"""Ending of the first of two tensors that VB-LoRA joins while loading."""
OTHER_HALF: Final = "_topk_weights"
WRAPPERS: Final = ("base_layer", "original_module", "modules_to_save")
"""Segments of names for wrappers that PEFT puts around a module of the base."""
FROD: Final = ".frod_"
"""Part of the names of all tensors of FRoD."""


class AdapterDifference(Struct, frozen=True):
    """The number of unexpected tensors, and the mismatched and missing tensors.

    mismatched: key, first name and number of tensors of each family. absent: the first missing tensor of each family,
    and the number of missing ones. strange: keys of unexpected tensors. tuned: the config changes a module of the base.
    modules: the number of modules that it changes. apart: as in `Base`. unchangeable: as in `ExpectedAdapter`.
    regenerated: the number of missing tensors that PEFT generates again with the same values. whole: keys of tensors of
    the base that are trained as a whole. ignored: tensors without a place, which no method adds.
    """

    unexpected: int
    mismatched: tuple[tuple[str, str, int], ...]
    absent: tuple[tuple[str, int], ...]
    strange: frozenset[str]
    tuned: bool
    modules: int
    apart: bool = False
    unchangeable: str = ""
    regenerated: int = 0
    whole: frozenset[str] = frozenset()
    ignored: tuple[Matched, ...] = ()


def difference_of(
    plan: ExpectedAdapter, matched: Sequence[Matched], base: Base, prefix: str = PREFIX
) -> AdapterDifference:
    """The differences of all tensors of an adapter.

    A tensor of the base takes its place in the model, unless its module is wrapped: then the tensor is one level
    further down. prefix: of the base in the model that PEFT builds.
    """
    absent = [one for one in absent_of(plan, matched) if not one[0].key.endswith(HALF)]
    mismatched = [one for one in matched if one.misfits]
    wrapped = _wrapped(plan)
    tensors: dict[str, list[BaseTensor]] = {}
    for tensor in base.tensors:
        tensors.setdefault(prefix + tensor.key, []).append(tensor)
    unexpected = 0
    misshaped: list[Matched] = []
    ignored: list[Matched] = []
    for one in matched:
        if not _is_of_base(one):
            unexpected += count(one.boxes) if one.expected is None and not _is_taken(one.key, plan) else 0
            continue
        taken = 0
        inner = (
            one.key.replace(f"{BASE_LAYER}.", ".")
            .replace(".original_module.", ".")
            .replace(".modules_to_save.default.", ".")
        )
        for tensor in tensors.get(inner, ()):
            here = within(one.boxes, tensor.axes) if len(tensor.axes) == len(one.boxes[0]) else ()
            inside = [part for box in wrapped.get(tensor.module, ()) for part in within(here, box)]
            there = count(inside) if f"{BASE_LAYER}." in one.key else count(here) - count(inside)
            taken += there
            if there and not fits(tensor.shape, one.shape):
                misshaped.append(one)
        unexpected += count(one.boxes) - taken
        if not taken and inner not in tensors and one.key not in PROMPT_TENSORS and not _is_copy(one.key):
            ignored.append(one)
    mismatched = [one for one in mismatched if not _is_of_base(one)] + misshaped
    return AdapterDifference(
        unexpected=unexpected,
        mismatched=tuple((one.key, names_in(one.key, one.boxes, 1)[0], count(one.boxes)) for one in mismatched),
        absent=tuple((names_in(one.key, boxes, 1)[0], count(boxes)) for one, boxes in absent),
        strange=frozenset(one.key for one in matched if one.expected is None),
        tuned=_tunes(plan),
        modules=sum(map(count, wrapped.values())),
        apart=base.apart,
        unchangeable=plan.unchangeable,
        regenerated=_regenerated(plan, matched),
        whole=frozenset(one.key for one in plan.expected if one.component != "base" and tuner_name(one.key) is None),
        ignored=tuple(ignored),
    )


def _regenerated(plan: ExpectedAdapter, matched: Sequence[Matched]) -> int:
    """The number of missing tensors that need not be saved: FRoD's positions of values."""
    stored = {one.key for one in matched}
    of_many = [one for one in plan.expected if not (one.required or one.module or one.key in stored)]
    return sum(count(one.boxes) for one in of_many if one.role == ledger.PROJECTION)


def _is_taken(key: str, plan: ExpectedAdapter) -> bool:
    """True if PEFT loads a tensor that no plan contains: the first of two halves, or a tensor that FRoD shares among
    modules.
    """
    shared, _, category = key.rpartition(".")
    if shared.startswith(f"{OWN_PREFIX}frod_"):
        made = any(FROD in one.key for one in plan.expected)
        return made and any(f"_{module.replace('.', '_')}".endswith(f"_{category}") for module, _ in plan.targets)
    return key.endswith(HALF) and any(one.key.endswith(OTHER_HALF) for one in plan.expected)


def _tunes(plan: ExpectedAdapter) -> bool:
    """True if a config changes any module of the base."""
    return bool(plan.targets) or any(one.module and _changes(one.key) for one in plan.expected)


def _changes(key: str) -> bool:
    """True if a tensor was added to a module by a method; wrappers for single rows of a table do not count."""
    return tuner_name(key) is not None and ".token_adapter." not in key


def _wrapped(plan: ExpectedAdapter) -> dict[str, Boxes]:
    """The modules around which a method puts its own modules."""
    found: dict[str, list[Box]] = {}
    for one in plan.expected:
        if one.module and tuner_name(one.key) is not None and "#" not in one.key.rpartition(one.module)[2]:
            found.setdefault(one.module, []).extend(one.boxes)
    for module, boxes in plan.targets:
        found.setdefault(module, []).extend(boxes)
    return {module: union(boxes) for module, boxes in found.items()}


def _is_of_base(one: Matched) -> bool:
    """True if a stored tensor belongs to the base and is not trained as a whole."""
    if tuner_name(one.key) is not None:
        return False
    return one.expected is None or one.expected.component == "base"


def _is_copy(key: str) -> bool:
    """True if a tensor is stored a second time under the name of a wrapper, which PEFT writes and does not load."""
    return any(f".{segment}." in key for segment in WRAPPERS)


def matched_with(plan: ExpectedAdapter, families: Families) -> list[Matched]:
    """Each stored tensor with the expectation for its key in a plan."""
    expected: dict[str, list[Expected]] = {}
    for one in plan.expected:
        expected.setdefault(one.key, []).append(one)
    return [
        one
        for key, family in families.items()
        for part in family.stored
        for one in _meet(key, part, expected.get(key, ()))
    ]


def _meet(key: str, part: Stored, expected: Sequence[Expected]) -> Iterator[Matched]:
    left: Boxes = part.boxes
    for one in expected:
        hit = joined(matched for box in left for want in one.boxes if (matched := overlap(box, want)) is not None)
        if hit:
            yield Matched(key, part, hit, one)
            left = minus(left, hit)
    if left:
        yield Matched(key, part, left, None)
