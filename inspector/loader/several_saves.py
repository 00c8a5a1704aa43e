"""Recognises shards of several saves in one folder. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set

from msgspec.structs import replace

from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.findings.shards.index import SavesMixed, ShardTotalsDiffer
from inspector.loader.copies import Copy
from inspector.loader.index import Index
from inspector.loader.weight_sets import shard_number


def totals_differ(files: Iterable[str]) -> list[ShardTotalsDiffer]:
    """The finding on shards with names that state different total numbers of shards."""
    first_of: dict[int, str] = {}
    for name in files:
        found = shard_number(name)
        if found is not None:
            first_of.setdefault(found[1], name)
    if len(first_of) < 2:
        return []
    totals, names = tuple(first_of)[:NAMES_SHOWN], tuple(first_of.values())[:NAMES_SHOWN]
    return [ShardTotalsDiffer(totals=totals, names=names)]


def mixed(files: Sequence[str], copies: Sequence[Copy]) -> list[Finding]:
    """The finding on shards of several totals with the same tensors, between which no index decides."""
    numbered = {name: found for name in files if (found := shard_number(name)) is not None}
    for one in totals_differ(numbered) if copies else ():
        totals = sorted({total for _, total in numbered.values()})
        complete = [total for total in totals if sum(found[1] == total for found in numbered.values()) == total]
        first = next(iter(numbered))
        stem, _, ending = first.rpartition(".")
        return [
            SavesMixed(
                totals=one.totals, names=one.names, complete=tuple(complete),
                tensors=sum(len(copy.same) + len(copy.other) for copy in copies),
                others=tuple(name for name, found in numbered.items() if found[1] not in complete),
                wanted=f"{re.sub(r'-[0-9]+-of-[0-9]+$', '', stem)}.{ending}.index.json",
            )
        ]  # fmt: skip
    return []


def complete_beside(
    index: Index, absent: Mapping[str, list[str]], unlisted: Set[str], copies: Sequence[Copy]
) -> Finding | None:
    """The finding on an index that lacks some of its shards, next to all shards of another save."""
    listed = sorted(set(index.promised) - absent.keys())
    if not absent or not listed:
        return None
    found = mixed([*listed, *sorted(unlisted)], copies)
    one = found[0] if found else None
    if (
        not isinstance(one, SavesMixed)
        or len(one.complete) != 1
        or any(_total(file) in one.complete for file in absent)
    ):
        return None
    return replace(one, wanted=index.file)


def _total(name: str) -> int:
    """The total number of shards that the name of a shard states; 0 if it states none."""
    return (shard_number(name) or (0, 0))[1]
