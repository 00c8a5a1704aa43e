"""Finds entries of a list of unquantized modules that are names of these modules in another version of transformers.

llm-compressor writes the names in memory of the version that quantized the model; transformers 5.16 gave the layers of
SigLIP towers others (measured with 5.23 and compressed-tensors 0.20: it builds them quantized, "'Linear' object has no
attribute 'weight'").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from inspector.algebra.names import key_of

PATTERN: Final = "re:"
WEIGHT: Final = ".weight"
ALIKE: Final = 2
"""Words at the end of two names of one module."""


def stale_entries(
    stated: Sequence[str], plain: Iterable[str], families: Iterable[str], namer: Callable[[str], str] | None
) -> tuple[str, ...]:
    """The entries that are no name of a module, and end like one of the plain modules that no entry covers.

    plain: the families of these modules. namer: the name of a family in the model.
    """
    known = {name for family in families for name in (family, family if namer is None else namer(family))}
    ends = {_end(family.removesuffix(WEIGHT)) for family in plain}
    whole = ((entry, key_of(entry)[0]) for entry in stated if not entry.startswith(PATTERN))
    return tuple(entry for entry, key in whole if f"{key}{WEIGHT}" not in known and _end(key) in ends)


def _end(name: str) -> tuple[str, ...]:
    return tuple(name.split(".")[-ALIKE:])
