"""The scheme of modules that lack a part, by other modules of the checkpoint that have the same tensors."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.quantization.catalog import PLAIN
from inspector.quantization.module import FLOATS, Scheme
from inspector.quantization.modules import COMMON
from inspector.quantization.work import Known, ModuleGroup, Work


def like_siblings(piece: ModuleGroup, known: Known) -> Scheme | None:
    """For a group that lacks a helper: the scheme of most modules of the family with similar values."""
    found: dict[int, Scheme] = {}
    for other, scheme in known:
        values, like = piece.layouts.get(scheme.values), other.read[scheme.values]
        if values is None or values.dtype != like.dtype or len(values.shape) != len(like.shape):
            continue
        if values.dtype in FLOATS and values.shape[-1] != like.shape[-1]:
            continue  # values that are stored in a float dtype form a column
        found.setdefault(other.modules, scheme)
    return found[max(found)] if found else None


def like_others(work: Work, piece: ModuleGroup) -> Scheme | None:
    """For a group with values of another shape: the scheme of other modules with the same complete helpers."""
    for scheme in work.used:
        values = piece.layouts.get(scheme.values)
        if (
            values is not None
            and values.dtype not in FLOATS
            and scheme.needs
            and not {*scheme.needs} - {*piece.layouts}
        ):
            return scheme
    return None


def with_all_helpers(work: Work, piece: ModuleGroup) -> Scheme | None:
    """The scheme of other modules that needs exactly the helpers of a module without values."""
    helpers = piece.layouts.keys()
    if PLAIN in helpers or piece.setting.skipped is not None:
        return None
    own = ((scheme, {*scheme.needs, *scheme.may} - COMMON) for scheme in work.used)
    fitting = (
        scheme
        for scheme, named in own
        if helpers >= {*scheme.needs} and COMMON | named >= helpers and not named.isdisjoint(helpers)
    )
    return next(fitting, None)


def with_helpers(work: Work, piece: ModuleGroup, helpers: Sequence[str]) -> Scheme | None:
    """The scheme of other modules that has all these helpers, for a module without values."""
    return next(
        (
            scheme
            for scheme in work.used
            if piece.setting.skipped is None
            and COMMON.union(scheme.needs, scheme.may).issuperset(helpers)
            and not COMMON.issuperset(set(scheme.needs).intersection(helpers))
        ),
        None,
    )
