"""Handles block scales of experts that are stored stacked although the weights are stored separately.

transformers 5 saves fine-grained fp8 in this way: `experts.0.w1.weight` ... with `experts.gate_up_proj_scale_inv` [E,
...] and `experts.down_proj_scale_inv` (`FP8Experts`; without gates `up_proj_scale_inv`), and reads it (measured with
5.23 and 5.24: complete, with the same scales).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from inspector.algebra.boxes import Box, common, count, minus
from inspector.findings.types.packed import PackingHelperDiffers, PackingHelperMissing
from inspector.findings.types.packing_helpers import ExpertScalesStacked, PackingHelperOrphaned
from inspector.matcher.families import Families, Family
from inspector.quantization.module import FLOAT8, FLOATS, SCALE_DTYPES, ceil_div
from inspector.quantization.unpacked import ModuleProblem

SCHEME: Final = "fp8-block"
ENDING: Final = "_scale_inv"
DOWN: Final = "down_proj_scale_inv"
UP: Final = {3: "gate_up_proj_scale_inv", 2: "up_proj_scale_inv"}
"""Number of matrices of an expert -> the scales of all but the down projection."""
UNSCALED: Final = PackingHelperMissing(helper=f"weight{ENDING}", expected=())
Boxes = tuple[Box, ...]


def with_stacked(
    cases: Sequence[ModuleProblem], lost: Families, families: Families, block: tuple[int, int] | None
) -> list[ModuleProblem]:
    """The cases, without missing scales of single experts that are stored stacked.

    lost: families in files that could not be read. families: all that are stored. block: rows and columns that share
    a scale; None if they are unknown, so that no shape is compared.
    """
    keys = [case.key for case in cases if _is_stacked(case)]
    keys += [key for key in lost if key.endswith((DOWN, *UP.values()))]
    for path in dict.fromkeys(key.rpartition(".")[0] for key in keys):
        cases = list(_of_experts(path, cases, lost, families))
    stacked = [case for case in cases if isinstance(case.finding, ExpertScalesStacked)]
    for path in dict.fromkeys(case.key.rpartition(".")[0] for case in stacked):
        cases = [*cases, *_misshaped(path, families, lost, block)]
    return list(cases)


def _is_stacked(case: ModuleProblem) -> bool:
    orphaned = isinstance(case.finding, PackingHelperOrphaned) and not case.finding.beside
    return orphaned and case.key.endswith(ENDING)


def _float8_below(path: str, families: Families) -> Iterator[tuple[str, Boxes]]:
    """The families of separately stored expert weights that are 8-bit floats without their own scales."""
    for key, family in families.items():
        scaled = f"{key}{ENDING}" in families or f"{key}_scale" in families
        if key.startswith(f"{path}.#.") and key.endswith(".weight") and not scaled:
            for part in family.stored:
                if part.layout.dtype in FLOAT8:
                    yield key, part.boxes


def _of_experts(
    path: str, cases: Sequence[ModuleProblem], lost: Families, families: Families
) -> Iterator[ModuleProblem]:
    """The cases, with those of the experts below one path resolved."""
    lacking = [case for case in cases if _lacks_scale(case, path)]
    stacked = [case for case in cases if _is_stacked(case) and case.key.rpartition(".")[0] == path]
    if not lacking:  # without settings no scale counts as missing
        lacking = [ModuleProblem(UNSCALED, key, boxes) for key, boxes in _float8_below(path, families)]
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
    """Stacked scales that are missing although others of the same experts are stored."""
    for ending in sorted(needed):
        others = tuple(box for other, boxes in stored.items() if other != ending for box in boxes)
        if absent := minus(others, stored.get(ending, ())):
            finding = PackingHelperMissing(helper=ending, expected=())
            yield replace(like, finding=finding, key=f"{path}.{ending}", boxes=absent, scheme=SCHEME)


def _lacks_scale(case: ModuleProblem, path: str) -> bool:
    missing = case.finding
    scale = isinstance(missing, PackingHelperMissing) and missing.helper == f"weight{ENDING}"
    return scale and case.key.startswith(f"{path}.#.")


def _without(case: ModuleProblem, layers: Boxes) -> Boxes:
    """The boxes of single experts that are outside these layers."""
    within = (
        (*part, *box[len(part) :])
        for box in case.boxes
        for outer in layers
        if (part := common(box[: len(outer)], outer)) is not None
    )
    return minus(case.boxes, tuple(within))


def _misshaped(path: str, families: Families, lost: Families, block: tuple[int, int] | None) -> Iterator[ModuleProblem]:
    """Stacked scales with a shape that does not fit the weights, or a dtype that scales do not have."""
    single = [one for key, one in families.items() if key.startswith(f"{path}.#.") and key.endswith(".weight")]
    unread = any(key.startswith(f"{path}.#.") for key in lost)
    wanted = {} if unread or block is None else _shapes(single, block)
    for ending in (DOWN, *UP.values()):
        family = families.get(f"{path}.{ending}")
        for part in () if family is None else family.stored:
            shape = wanted.get(ending, part.layout.shape)
            if part.layout.shape == shape and part.layout.dtype in SCALE_DTYPES:
                continue
            finding = PackingHelperDiffers(
                helper=ending, stored=part.layout.shape, dtype=part.layout.dtype, expected=(shape,),
                dtypes=tuple(sorted(FLOATS)) if part.layout.dtype not in SCALE_DTYPES else (),
                because="" if block is None else f"one for each block of {block[0]} × {block[1]}",
            )  # fmt: skip
            yield ModuleProblem(finding, f"{path}.{ending}", part.boxes, SCHEME)


def _shapes(single: Sequence[Family], block: tuple[int, int]) -> dict[str, tuple[int, ...]]:
    """The shapes of the stacked scales of equal experts with a gate; {} for other experts.

    single: the separately stored weights of the three projections.
    """
    found = Counter(shape for family in single for shape in set(family.shapes))
    experts = {box[-1].size for family in single for box in family.boxes}
    if len(single) != 3 or found.total() != 3 or len(experts) != 1 or any(len(shape) != 2 for shape in found):
        return {}
    ((rows, columns), _), (down, _) = (*found.most_common(2), *found.most_common(1))[:2]
    number = experts.pop()
    return {
        UP[3]: (number, ceil_div(2 * rows, block[0]), ceil_div(columns, block[1])),
        DOWN: (number, ceil_div(down[0], block[0]), ceil_div(down[1], block[1])),
    }
