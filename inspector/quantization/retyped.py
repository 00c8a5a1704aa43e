"""Recognises quantized values stored in another dtype than those of modules with the same tensors and settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from inspector.quantization.catalog import BY_VALUES, PLAIN, scheme_of
from inspector.quantization.module import Tensors
from inspector.quantization.modules import COMMON
from inspector.quantization.pieces import faults_of
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.work import ModuleGroup

Likeness = tuple[frozenset[str], ModuleSettings]
"""The common traits of modules that a tool quantizes alike: the suffixes of their tensors, and their settings."""
OPTIONAL: Final = COMMON | {"bias"}


def likeness(piece: ModuleGroup) -> Likeness:
    """The traits that a group shares with modules that are quantized alike."""
    return frozenset(piece.layouts) - OPTIONAL, piece.setting


def usual_dtypes(pieces: Iterable[ModuleGroup]) -> dict[Likeness, str]:
    """Traits -> the dtype of the values of most modules with them."""
    found: dict[Likeness, Counter[str]] = {}
    for piece in pieces:
        if piece.scheme is not None and len(piece.layouts) > 1:
            counted = found.setdefault(likeness(piece), Counter())
            counted[piece.layouts[piece.scheme.values].dtype] += piece.modules
    return {like: counted.most_common(1)[0][0] for like, counted in found.items()}


def as_it_should_be(piece: ModuleGroup, usual: Mapping[Likeness, str]) -> ModuleGroup:
    """The group with its values in the dtype that they should have; unchanged if nothing indicates another dtype."""
    if not piece.setting.sized and piece.scheme is not None:
        return piece  # nothing shows that modules with such tensors are quantized alike
    for suffix, dtype in _candidates(piece, usual):
        stored = piece.layouts[suffix]
        if dtype == stored.dtype:
            return piece
        recast = {suffix: replace(stored, dtype=dtype)}
        scheme = scheme_of({**piece.layouts, **recast}, piece.setting)
        if scheme is not None and scheme.values == suffix and _fits(scheme.needs, piece.layouts):
            read = {**piece.layouts, **recast}
            if not faults_of(scheme, read, piece.setting):
                return replace(piece, scheme=scheme, turned={}, recast=recast)
    return piece


def _candidates(piece: ModuleGroup, usual: Mapping[Likeness, str]) -> Iterator[tuple[str, str]]:
    """(suffix of the values, possible dtype): the dtype of modules alike; if none is known, any."""
    values = [suffix for suffix in piece.layouts if suffix in BY_VALUES]
    dtype = usual.get(likeness(piece))
    if dtype is not None:
        yield from ((suffix, dtype) for suffix in values)
    elif piece.scheme is None:
        for suffix in values:
            if suffix != PLAIN or piece.layouts[suffix].dtype == "BOOL":
                yield from ((suffix, other) for row in BY_VALUES[suffix] for other in sorted(row[3]))


def _fits(needs: tuple[str, ...], tensors: Tensors) -> bool:
    return all(name in tensors for name in needs)
