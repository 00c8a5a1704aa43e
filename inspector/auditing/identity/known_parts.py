"""Recognises parts of a model of unknown code: below some prefixes the names are those of a known model or library."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from inspector.architectures.catalog import preference
from inspector.dialects.libraries import library_of, wrapper_of
from inspector.matcher.dialect_reading import read_whole_in_dialect
from inspector.matcher.families import Families, rekeyed
from inspector.matcher.reading import read_by_names

if TYPE_CHECKING:
    from inspector.findings.names.of_library import PartsByNames

FEWEST: Final = 8
"""Fewest families of a part: a smaller module may have the names of several models."""
MOST_TRIED: Final = 40
"""Most definitions that are tried for one prefix."""
DEEPEST: Final = 5
"""Most segments of a prefix."""
MOST_FAMILIES: Final = 2_000
"""Most families in which parts are searched."""
OF_LIBRARY: Final = frozenset({"deepseek_vl_v2_vision"})
"""Types that are a model of timm under its names: without more of the model, the library is named."""
MOST_PREFIXES: Final = 24
"""Most prefixes that are tried."""


def parts_by_names(families: Families) -> PartsByNames | None:
    """The note on the known parts of weights whose names as a whole no definition has; None if no part is known."""
    if len(families) > MOST_FAMILIES:
        return None
    found = list(_parts(families, "", iter(range(MOST_PREFIXES))))
    if not found:
        return None
    from inspector.findings.names.of_library import PartsByNames

    prefixes = tuple(prefix for prefix, _, _ in found)
    outside = (key.split(".", 1)[0] for key in families if not key.startswith(prefixes))
    return PartsByNames(
        prefixes=prefixes,
        models=tuple(name for _, name, _ in found),
        tensors=tuple(tensors for _, _, tensors in found),
        outside=tuple(dict.fromkeys(outside)),
    )


def _parts(families: Families, prefix: str, tries: Iterator[int]) -> Iterator[tuple[str, str, int]]:
    """(prefix, the model or library whose names are below it, number of tensors), in the order of the names."""
    groups: dict[str, list[str]] = {}
    for key in families:
        first, dot, _ = key.partition(".")
        if dot:
            groups.setdefault(first + dot, []).append(key)
    for first, keys in groups.items():
        if len(keys) < FEWEST or next(tries, None) is None:
            continue
        inner = rekeyed({key: families[key] for key in keys}, partial(_without, len(first)))
        name = _model_of(inner)
        if name is not None:
            yield prefix + first, name, sum(family.tensors for family in inner.values())
        elif prefix.count(".") + 1 < DEEPEST:
            yield from _parts(inner, prefix + first, tries)


def _without(length: int, key: str) -> str:
    """A key without its first characters."""
    return key[length:]


def _model_of(families: Families) -> str | None:
    """The type whose definition knows all these names, with few of its own missing, or their library."""
    readings = read_by_names(families, {}, share=1.0, most=MOST_TRIED, prefixes=False)[0]
    names = [name for reading in readings if reading.coverage == 1 for name in reading.definition.names]
    name = min(names, key=preference, default=None)
    if name is not None and name not in OF_LIBRARY:
        return name
    if name is None and (whole := [one for one in read_whole_in_dialect(families) if not one.match.missing]):
        return whole[0].name
    wrapper = wrapper_of(families)
    return library_of(families) if all(key.startswith(wrapper) for key in families) else name
