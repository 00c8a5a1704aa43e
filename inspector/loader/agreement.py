"""The index against the headers against the files, in both directions. Pure.

One cause, one finding: what an absent file takes along is told with the file, what a file that the index
does not list holds is told with that file, and only the rest is a matter of single tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Final

from inspector.evidence import Evidence, Fact, Place
from inspector.loader.index import Index
from inspector.loader.layer_words import layers_of
from inspector.loader.sources.source import is_plain_name
from inspector.loader.weight_sets import WeightSet, numbered_like, shard_number

NAMES_SHOWN: Final = 20
FILES_TOLD: Final = 20
"""Files with evidence of their own under one rule; further ones share one."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A file with tensors that an earlier one has too, or that no index lists.

    same, other: doubled names with the same layout, and with another one. tensors: of the whole file.
    """

    file: str
    same: tuple[str, ...]
    other: tuple[str, ...]
    tensors: int
    unlisted: bool


@dataclass(slots=True)
class Agreement:
    """What the comparison gives. same: index and headers agree to the last name."""

    same: bool
    evidence: list[Evidence] = field(default_factory=list)
    lost: dict[str, tuple[str, ...]] = field(default_factory=dict)


def compare(
    index: Index,
    file_of: Mapping[str, str],
    copies: list[Copy],
    gone: Mapping[str, str],
    there: Set[str],
    unlisted: Set[str],
) -> Agreement:
    """Sets the promise of the index against what the headers hold.

    file_of: tensor -> file, from the headers. gone: files that gave no header, and why. there: names in
    the source. unlisted: files of the set that the index does not name.
    """
    promise = index.weight_map
    if promise == file_of and not copies and not unlisted:
        return Agreement(True)
    result = Agreement(False)
    absent: dict[str, list[str]] = {}
    moved: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    unusable: dict[str, list[str]] = {}
    silent: dict[str, list[str]] = {}
    ways: dict[str, set[str]] = {}
    plain = {file: is_plain_name(file) for file in set(promise.values())}
    for name, file in promise.items():
        found = file_of.get(name)
        if found == file:
            continue
        if not plain[file]:
            unusable.setdefault(file, []).append(name)
        elif file not in there or gone.get(file) in ("absent", "broken link"):
            absent.setdefault(file, []).append(name)
        elif file in gone:
            silent.setdefault(file, []).append(name)
        elif found is None:
            missing.setdefault(file, []).append(name)
        else:
            moved.setdefault(file, []).append(name)
            ways.setdefault(file, set()).add(found)
    extra: dict[str, list[str]] = {}
    if len(file_of) + sum(map(len, (*absent.values(), *silent.values(), *missing.values()))) != len(promise) or not (
        file_of.keys() <= promise.keys()
    ):
        for name in file_of.keys() - promise.keys():
            if file_of[name] not in unlisted:
                extra.setdefault(file_of[name], []).append(name)
    for names in extra.values():
        names.sort()
    for file, names in (*absent.items(), *silent.items(), *unusable.items()):
        result.lost[file] = tuple(name for name in names if name not in file_of)
    told = result.evidence
    told.extend(_by_file("shard-name-unsafe", unusable, index.file))
    links: dict[str, dict[str, Fact]] = {
        file: {
            "layers": layers_of(absent[file]),
            **({"link": True} if gone.get(file) == "broken link" else {}),
        }
        for file in list(absent)[:FILES_TOLD]
    }
    told.extend(_by_file("shard-missing", absent, index.file, links))
    told.extend(_by_file("tensor-absent", missing, index.file))
    into = {file: {"in": sorted(found)[:NAMES_SHOWN]} for file, found in ways.items()}
    told.extend(_by_file("tensor-in-another-shard", moved, index.file, into))
    told.extend(_by_file("tensor-unlisted", extra, index.file))
    told.extend(_unlisted(copies, unlisted, gone, index.file))
    told.extend(doubled([copy for copy in copies if not copy.unlisted]))
    return result


def doubled(copies: Iterable[Copy]) -> list[Evidence]:
    """Tensors that lie in two files of one set."""
    same = {copy.file: list(copy.same) for copy in copies if copy.same}
    other = {copy.file: list(copy.other) for copy in copies if copy.other}
    return [*_by_file("tensor-doubled", same, None), *_by_file("tensor-contradicted", other, None)]


def unindexed(weights: WeightSet, gone: Mapping[str, str]) -> list[Evidence]:
    """Numbered shards without an index that can be used: which of their number are absent."""
    by_count: dict[int, set[int]] = {}
    for name in weights.files:
        found = shard_number(name)
        if found is not None:
            by_count.setdefault(found[1], set()).add(found[0])
    told: list[Evidence] = []
    if weights.index is None and by_count:  # Meta's consolidated.00 has numbers and never an index
        facts: dict[str, Fact] = {"files": len(weights.files), "names": list(weights.files[:NAMES_SHOWN])}
        told.append(Evidence("index-missing", Place(), facts))
    for count, present in by_count.items():
        first = 0 if 0 in present and count not in present else 1
        absent = count - len(present)
        if absent <= 0:
            continue
        like = next(name for name in weights.files if (shard_number(name) or (0, 0))[1] == count)
        span = range(first, first + min(count, len(present) + NAMES_SHOWN))
        names = [numbered_like(like, n) for n in span if n not in present][:NAMES_SHOWN]
        facts = {"files": absent, "of": count, "names": list(names), "tensors": None}
        told.append(Evidence("shard-missing", Place(file=names[0] if absent == 1 else None), facts))
    return told


def _unlisted(copies: list[Copy], unlisted: Set[str], gone: Mapping[str, str], index: str) -> list[Evidence]:
    told = []
    by_file = {copy.file: copy for copy in copies if copy.unlisted}
    for file in sorted(unlisted)[:FILES_TOLD]:
        copy = by_file.get(file)
        if copy is None:
            continue
        facts: dict[str, Fact] = {
            "index": index,
            "tensors": copy.tensors,
            "repeated": len(copy.same),
            "contradicted": len(copy.other),
            "names": list((*copy.other, *copy.same)[:NAMES_SHOWN]),
        }
        told.append(Evidence("shard-unlisted", Place(file=file), facts))
    if len(by_file) > FILES_TOLD:
        facts = {"index": index, "files": len(by_file) - FILES_TOLD, "tensors": None}
        told.append(Evidence("shard-unlisted", Place(), facts))
    return told


def _by_file(
    rule: str,
    groups: Mapping[str, list[str]],
    index: str | None,
    more: Mapping[str, Mapping[str, Fact]] | None = None,
) -> list[Evidence]:
    """One piece of evidence for each file, and one for all files beyond FILES_TOLD."""
    told: list[Evidence] = []
    files = list(groups)
    for file in files[:FILES_TOLD]:
        names = groups[file]
        facts: dict[str, Fact] = {"tensors": len(names), "names": names[:NAMES_SHOWN], "index": index}
        told.append(Evidence(rule, Place(file=file), {**facts, **(more or {}).get(file, {})}))
    rest = files[FILES_TOLD:]
    if rest:
        tensors = sum(len(groups[file]) for file in rest)
        facts = {"files": len(rest), "names": list(rest[:NAMES_SHOWN]), "tensors": tensors, "index": index}
        told.append(Evidence(rule, Place(), facts))
    return told
