"""Recognises matrices stored in the parts of weight norm or spectral norm although the class has none,
and the reverse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from inspector.findings.finding import Place
from inspector.reconciler.place import Gap, Placement, Unexpected
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.findings.names.reparametrized import Kind, WeightsReparametrized
    from inspector.reconciler.reconcile import Reconciled


class _Form(Struct, frozen=True):
    """A way in which torch stores a matrix in parts. main: the part with its shape. others: the other parts."""

    kind: Kind
    main: str
    others: tuple[str, ...]


FORMS: Final = (
    _Form("weight norm", "parametrizations.weight.original1", ("parametrizations.weight.original0",)),
    _Form("weight norm", "weight_v", ("weight_g",)),
    _Form("spectral norm", "weight_orig", ("weight_u", "weight_v")),
    _Form("spectral norm", "weight_orig", ("weight_u",)),
    _Form("spectral norm", "parametrizations.weight.original",
          ("parametrizations.weight.0._u", "parametrizations.weight.0._v")),
)  # fmt: skip
"""torch's nn/utils/weight_norm.py, spectral_norm.py and parametrizations.py."""
WHOLE: Final = "weight"


class _Split(Struct, frozen=True):
    """A matrix on one side and its parts on the other side."""

    form: _Form
    gaps: tuple[Gap, ...]
    extras: tuple[Unexpected, ...]


def reparametrized(case: Reconciled) -> tuple[WeightsReparametrized, Placement] | None:
    """The finding, and the differences that it does not explain; None if no matrix has the other form."""
    placement = case.as_configured
    if not placement.missing or not placement.unexpected:
        return None
    parts = [match for gap in placement.missing if (match := _stored_in_parts(gap, placement)) is not None]
    found = parts or [match for extra in placement.unexpected if (match := _stored_whole(extra, placement)) is not None]
    kinds = {match.form.kind for match in found}
    if len(kinds) != 1:
        return None
    from inspector.findings.names.reparametrized import WeightsReparametrized

    gaps = {id(gap) for match in found for gap in match.gaps}
    extras = {id(extra) for match in found for extra in match.extras}
    first = found[0]
    whole = sum(one.tensors for match in found for one in (match.gaps if parts else match.extras))
    finding = WeightsReparametrized(
        place=Place(family=family_name(first.extras[0].key)),
        kind=kinds.pop(),
        parts=bool(parts),
        stored=tuple(family_name(extra.key) for extra in first.extras),
        expected=tuple(family_name(gap.block.key) for gap in first.gaps),
        modules=whole,
        more=len({_keys(match) for match in found}) - 1,
    )
    missing = tuple(gap for gap in placement.missing if id(gap) not in gaps)
    unexpected = tuple(extra for extra in placement.unexpected if id(extra) not in extras)
    return finding, Placement(placement.placed, missing, unexpected)


def _keys(match: _Split) -> tuple[str, ...]:
    return tuple(one.key for one in match.extras)


def _stored_in_parts(gap: Gap, placement: Placement) -> _Split | None:
    """The parts of a missing matrix, if all of them are unexpected tensors."""
    module, dot, last = gap.block.key.rpartition(".")
    if last != WHOLE or len(gap.block.shape) < 2:
        return None
    for form in FORMS:
        keys = [f"{module}{dot}{one}" for one in (form.main, *form.others)]
        extras = [[one for one in placement.unexpected if one.key == key and one.boxes == gap.boxes] for key in keys]
        main = [one for one in extras[0] if one.layout.shape == gap.block.shape]
        if main and all(extras):
            return _Split(form, (gap,), (main[0], *(one[0] for one in extras[1:])))
    return None


def _stored_whole(extra: Unexpected, placement: Placement) -> _Split | None:
    """The missing parts of an unexpected matrix."""
    module, dot, last = extra.key.rpartition(".")
    if last != WHOLE or len(extra.layout.shape) < 2:
        return None
    for form in FORMS:
        keys = [f"{module}{dot}{one}" for one in (form.main, *form.others)]
        gaps = [[one for one in placement.missing if one.block.key == key and one.boxes == extra.boxes] for key in keys]
        main = [one for one in gaps[0] if one.block.shape == extra.layout.shape]
        if main and all(gaps):
            return _Split(form, (main[0], *(one[0] for one in gaps[1:])), (extra,))
    return None
