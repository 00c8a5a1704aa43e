"""Finds errors in an adapter's tensors by comparing them with its config and, if known, its base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.adapters.absent import absent_of, biases_missing, halves_missing, is_bias, targets_missing
from inspector.adapters.base import Base, other_widths
from inspector.adapters.expected import ExpectedAdapter
from inspector.adapters.matched import Matched, module_of, number_of_tensors
from inspector.adapters.names import is_remade
from inspector.adapters.one_slice import Factor, processes_of_slice
from inspector.adapters.targets import Boxes
from inspector.algebra.boxes import outer
from inspector.algebra.names import axes_of
from inspector.findings.adapters.labels import AdapterLabels
from inspector.findings.adapters.made_otherwise import AdapterFactorsExchanged, AdapterSliced
from inspector.findings.adapters.tensors import (
    AdapterRankDiffers,
    AdapterShapeDiffers,
    AdapterVocabularyDiffers,
)
from inspector.findings.adapters.tools import AdapterTransposed
from inspector.findings.adapters.whole import (
    AdapterBaseDiffers,
    ShapeExample,
)
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.reconciler import ledger
from inspector.reconciler.wording import place_of

CLASSIFIER: Final = "head.class"
"""The role of a classifier's last matrix, and the beginning of the role of its bias."""
MATRIX_DIMS: Final = 2


def findings_with_base(
    plan: ExpectedAdapter, matched: Sequence[Matched], base: Base | None, *, whole: bool, named: bool
) -> Iterator[Finding]:
    """All findings on the tensors. whole: absent tensors are missing. named: the base has all the modules."""
    differing = [one for one in matched if one.misfits and 0 not in one.shape]  # emptied tensors are reported as such
    absent = [one for one in absent_of(plan, matched) if not is_remade(one[0].key)] if whole else []
    ranks = [one for one in differing if one.differs_at(one.wanted.rank_axis)]
    words = [one for one in differing if one not in ranks and one.differs_at(one.wanted.vocabulary)]
    shapes = [one for one in differing if one not in ranks and one not in words]
    if base is None:  # the kind of a module, and with it the number of its dims, is then a guess
        shapes = [one for one in shapes if len(one.shape) == len(one.wanted.shape) or _is_flat(one)]
    turned = _turned(differing, matched)
    if turned is not None:
        yield turned
        return
    if (sliced := _one_slice(differing, matched)) is not None:
        yield sliced
        return
    if base is not None and _is_of_another(matched, shapes):
        yield _another_base(base, shapes, matched)
        return
    yield from _ranks(ranks, matched)
    yield from _vocabulary(words)
    yield from _shapes(shapes, "" if base is None else base.name)
    biases = [one for one in absent if is_bias(one[0], plan)]
    yield from biases_missing(biases, plan)
    absent = [one for one in absent if one not in biases]
    yield from halves_missing(absent, matched)
    if named:
        yield from targets_missing(absent, matched, base)


def _is_flat(one: Matched) -> bool:
    """True for a vector where each kind of module has a matrix with the rank, as a sharded training run saves it."""
    return one.wanted.rank_axis is not None and len(one.shape) < MATRIX_DIMS <= len(one.wanted.shape)


def _shapes(shapes: Sequence[Matched], base: str) -> Iterator[Finding]:
    """Findings on tensors of another shape, one for each module."""
    modules: dict[tuple[str, Boxes], list[Matched]] = {}
    for one in shapes:
        module = one.wanted.module
        places = outer(one.boxes, axes_of(module)) if module else one.boxes
        modules.setdefault((module or one.key, places), []).append(one)
    for members in modules.values():
        first = members[0]
        yield AdapterShapeDiffers(
            place=place_of(first.key, first.boxes),
            stored=first.shape,
            expected=first.wanted.shape,
            tensors=number_of_tensors(members),
            module=first.wanted.module,
            base=base,
            others=tuple(str(place_of(one.key, one.boxes).tensor or one.key) for one in members[1:NAMES_SHOWN]),
            labels=_labels(members) if base else None,
        )


def _labels(members: Sequence[Matched]) -> int | None:
    """The number of classes for which a classifier was trained, if nothing else differs."""
    rows = {one.shape[0] for one in members if one.shape}
    alike = all(one.wanted.role.startswith(CLASSIFIER) and one.differs_at(0) for one in members)
    return rows.pop() if alike and len(rows) == 1 else None


def of_labels(matched: Sequence[Matched]) -> Iterator[Finding]:
    """The note on a classifier of the adapter's task, trained for other labels; the class of the base
    does not have it.
    """
    heads = [one for one in matched if one.expected is not None and one.wanted.role.startswith(CLASSIFIER)]
    heads = [one for one in heads if not one.wanted.checked and not one.wanted.fits(one.shape)]
    labels, of_base = _labels(heads), {one.wanted.shape[0] for one in heads if one.wanted.shape}
    if labels is not None and len(of_base) == 1 and (stated := of_base.pop()) is not None:
        yield AdapterLabels(labels=labels, of_base=stated)


def _is_of_another(matched: Sequence[Matched], shapes: Sequence[Matched]) -> bool:
    """True if so few tensors fit that the base is not the adapter's: one cause for all differences.

    A matrix with the residual width fits by chance if only heads or layers differ: so either more tensors mismatch than
    fit, or some mismatch in every module.
    """
    paired = [one for one in matched if one.expected is not None and one.expected.kind == ledger.PARAMETER]
    if len({one.key for one in shapes}) < 2:
        return False
    most = 2 * number_of_tensors(shapes) > number_of_tensors(paired) or _places(shapes) == _places(paired)
    return most or _of_other_widths(shapes, paired)


def _of_other_widths(shapes: Sequence[Matched], paired: Sequence[Matched]) -> bool:
    """True if widths of the base differ everywhere: several modules have the same other width, and none has the base's.

    The width of the MLP in another size of the same model is an example, while all other tensors fit.
    """
    pairs = (pair for one in shapes for pair in zip(one.shape, one.wanted.shape, strict=False))
    widths = {(own, wanted) for own, wanted in pairs if wanted not in (own, None)}
    of_base = {wanted for _, wanted in widths}
    if len(of_base) < len(widths) or len({one.wanted.module for one in shapes}) < 2:
        return False
    differing = {id(one) for one in shapes}
    return not any(of_base.intersection(one.shape) for one in paired if id(one) not in differing)


def _places(matched: Sequence[Matched]) -> set[tuple[str, Boxes]]:
    return {(one.wanted.module, one.boxes) for one in matched}


def _turned(differing: Sequence[Matched], matched: Sequence[Matched]) -> Finding | None:
    """The finding if all differing tensors are transposed, or stored under the name of the other factor."""
    transposed = len(differing) > 1 and all(
        len(one.shape) == 2 and one.wanted.fits(one.shape[::-1]) for one in differing
    )
    names = _exchanged(differing)
    if not transposed and names is None:
        return None
    first, tensors, of = differing[0], number_of_tensors(differing), number_of_tensors(matched)
    place, stored, expected = place_of(first.key, first.boxes), first.shape, first.wanted.shape
    if not transposed and names is not None:
        return AdapterFactorsExchanged(
            place=place, tensors=tensors, of=of, stored=stored, expected=expected, names=names
        )
    return AdapterTransposed(
        place=place, tensors=tensors, of=of, stored=stored, expected=expected, exchanged=names or ("", "")
    )


def _one_slice(differing: Sequence[Matched], matched: Sequence[Matched]) -> Finding | None:
    """The finding if all pairs are the parts of one process in a training run."""
    ranked = [(one, axis) for one in matched if one.expected is not None and (axis := one.wanted.rank_axis) is not None]
    processes = processes_of_slice([Factor(one.shape, one.wanted.shape, axis) for one, axis in ranked if one.shape])
    if not processes:
        return None
    first = differing[0]
    return AdapterSliced(
        place=place_of(first.key, first.boxes),
        processes=processes[0] if len(processes) == 1 else None,
        tensors=number_of_tensors([one for one, _ in ranked]),
        stored=first.shape,
        expected=first.wanted.shape,
    )


FACTORS: Final = {"lora_A": "lora_B", "lora_embedding_A": "lora_embedding_B"}
"""First factor -> second factor of a product, for factors that their shapes distinguish."""


def _exchanged(differing: Sequence[Matched]) -> tuple[str, str] | None:
    """(names of two factors), if each differing tensor has the shape of the other factor in its module."""
    others = {**FACTORS, **{second: first for first, second in FACTORS.items()}}
    by_key: dict[tuple[str, Boxes], Matched] = {(one.key, one.boxes): one for one in differing}
    names = dict[str, None]()
    for one in differing:
        name = next((part for part in one.key.split(".") if part in others), "")
        partner = by_key.get((one.key.replace(f".{name}", f".{others.get(name, '')}"), one.boxes))
        if not name or partner is None or not partner.wanted.fits(one.shape):
            return None
        names[name] = None
    pairs = [pair for pair in FACTORS.items() if names.keys() == set(pair)]
    return pairs[0] if pairs else None


def _another_base(base: Base, shapes: Sequence[Matched], matched: Sequence[Matched]) -> Finding:
    first = shapes[0]
    place = place_of(first.key, first.boxes)
    example = ShapeExample(place.tensor or place.family, first.shape, first.wanted.shape)
    widths = other_widths((one.shape, one.wanted.shape) for one in shapes)
    return AdapterBaseDiffers(
        base=base.name,
        source=base.source,
        tensors=number_of_tensors(shapes),
        of=number_of_tensors(matched),
        example=example,
        widths=widths,
    )


def _ranks(differing: Sequence[Matched], matched: Sequence[Matched]) -> Iterator[Finding]:
    """Findings on ranks that differ from the config: one if all modules share the rank, else one for each module."""
    ranked = [one for one in matched if one.expected is not None and one.expected.rank_axis is not None]
    modules: dict[tuple[str, Boxes, tuple[int | None, int]], list[Matched]] = {}
    for one in differing:
        axis = one.wanted.rank_axis or 0
        pair = (one.wanted.shape[axis], one.shape[axis])
        modules.setdefault((module_of(one.key), one.boxes, pair), []).append(one)
    alike = len({pair for _, _, pair in modules}) == 1 and number_of_tensors(differing) == number_of_tensors(ranked)
    for (module, boxes, (wanted, stored)), members in modules.items():
        keys = {one.key for one in members}
        by_module = len(members) > 1 and axes_of(module) == len(boxes[0])
        named = place_of(module if by_module else members[0].key, boxes)
        yield AdapterRankDiffers(
            place=Place(file="adapter_config.json", key="r") if alike else named,
            expected=wanted,
            stored=stored,
            tensors=number_of_tensors(differing if alike else members),
            of=number_of_tensors(ranked if alike else [other for other in ranked if other.key in keys]),
            key="r" if alike else None,
        )
        if alike:
            return


def _vocabulary(differing: Sequence[Matched]) -> Iterator[Finding]:
    if differing:
        first = differing[0]
        yield AdapterVocabularyDiffers(
            place=place_of(first.key, first.boxes),
            stored=tuple(sorted({one.shape[one.wanted.vocabulary or 0] for one in differing})),
            expected=first.wanted.shape[first.wanted.vocabulary or 0],
            tensors=number_of_tensors(differing),
        )
