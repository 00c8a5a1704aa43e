"""Finds the prefix of torch's data parallel wrappers before names that no definition has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

PARALLEL: Final = "module."
FEWEST: Final = 2
"""Fewest families of a part that show a wrapper, and no module of this name."""


def parallel_prefix(families: Families) -> Iterator[Finding]:
    """The finding on the prefix of all names, or on that of each part of which all names have it."""
    if not families:
        return
    if all(key.startswith(PARALLEL) for key in families):
        yield _finding(families, "")
        return
    below: dict[str, list[str]] = {}
    for key in families:
        part, _, rest = key.partition(".")
        below.setdefault(part, []).append(rest)
    for part, names in below.items():
        inner = {name.removeprefix(PARALLEL).partition(".")[0] for name in names}
        if len(inner) >= FEWEST and all(name.startswith(PARALLEL) for name in names):
            yield _finding({f"{part}.{name}": families[f"{part}.{name}"] for name in names}, f"{part}.")


def _finding(families: Families, part: str) -> Finding:
    from inspector.findings.names.parallel import PrefixOfParallel

    key = next(iter(families))
    return PrefixOfParallel(
        prefix=PARALLEL,
        part=part,
        tensors=sum(family.tensors for family in families.values()),
        such_as=names_in(key, families[key].boxes, 1)[0],
    )
