"""Block scales of experts that are stored stacked while their weights are stored one by one.

transformers 5 saves fine-grained fp8 so: `experts.0.w1.weight` ... with `experts.gate_up_proj_scale_inv` [E, ...] and
`experts.down_proj_scale_inv` (`FP8Experts`; without gates `up_proj_scale_inv`), and reads it (measured with 5.23 and
5.24: complete, with the same scales).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from inspector.algebra.boxes import Box, common, count, minus
from inspector.findings.types.packed import PackingHelperMissing
from inspector.findings.types.unpacked import ExpertScalesStacked, PackingHelperOrphaned
from inspector.matcher.families import Families
from inspector.quantization.unpacked import ModuleProblem

ENDING: Final = "_scale_inv"
DOWN: Final = "down_proj_scale_inv"
UP: Final = {3: "gate_up_proj_scale_inv", 2: "up_proj_scale_inv"}
"""Number of matrices of an expert -> the scales of all but the one that goes down."""
Boxes = tuple[Box, ...]


def with_stacked(cases: Sequence[ModuleProblem], lost: Families) -> list[ModuleProblem]:
    """The cases, without missing scales of single experts where they are stored stacked.

    lost: families in files that could not be read.
    """
    keys = [case.key for case in cases if _is_stacked(case)]
    keys += [key for key in lost if key.endswith((DOWN, *UP.values()))]
    for path in dict.fromkeys(key.rpartition(".")[0] for key in keys):
        cases = list(_of_experts(path, cases, lost))
    return list(cases)


def _is_stacked(case: ModuleProblem) -> bool:
    orphaned = isinstance(case.finding, PackingHelperOrphaned) and not case.finding.beside
    return orphaned and case.key.endswith(ENDING)


def _of_experts(path: str, cases: Sequence[ModuleProblem], lost: Families) -> Iterator[ModuleProblem]:
    """The cases with those of the experts of one path settled."""
    lacking = [case for case in cases if _lacks_scale(case, path)]
    stacked = [case for case in cases if _is_stacked(case) and case.key.rpartition(".")[0] == path]
    needed = {DOWN, UP.get(len({case.key for case in lacking}), "")}
    stored = {ending: lost[key].boxes for ending in needed if (key := f"{path}.{ending}") in lost}
    for case in stacked:
        ending = case.key.rpartition(".")[2]
        stored[ending] = stored.get(ending, ()) + case.boxes
    if not lacking or not needed.issuperset(stored):
        yield from cases
        return
    layers = tuple(box for boxes in stored.values() for box in boxes)
    served = sum(count(case.boxes) - count(_without(case, layers)) for case in lacking)
    for case in cases:
        if case in stacked:
            helper = case.key.rpartition(".")[2]
            yield replace(case, finding=ExpertScalesStacked(helpers=(helper,), beside=None, serves=served))
        elif case not in lacking:
            yield case
        elif rest := _without(case, layers):
            yield replace(case, boxes=rest)
    if stacked:
        yield from _missing(path, needed, stored, stacked[0])


def _missing(path: str, needed: set[str], stored: Mapping[str, Boxes], like: ModuleProblem) -> Iterator[ModuleProblem]:
    """Stacked scales that are missing where others of the same experts are stored."""
    for ending in sorted(needed):
        others = tuple(box for other, boxes in stored.items() if other != ending for box in boxes)
        if absent := minus(others, stored.get(ending, ())):
            finding = PackingHelperMissing(helper=ending, expected=())
            yield replace(like, finding=finding, key=f"{path}.{ending}", boxes=absent)


def _lacks_scale(case: ModuleProblem, path: str) -> bool:
    missing = case.finding
    scale = isinstance(missing, PackingHelperMissing) and missing.helper == f"weight{ENDING}"
    return scale and case.key.startswith(f"{path}.#.")


def _without(case: ModuleProblem, layers: Boxes) -> Boxes:
    """The boxes of single experts that are in none of these layers."""
    within = (
        (*part, *box[len(part) :])
        for box in case.boxes
        for outer in layers
        if (part := common(box[: len(outer)], outer)) is not None
    )
    return minus(case.boxes, tuple(within))
