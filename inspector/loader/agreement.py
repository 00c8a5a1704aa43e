"""Compares the index, the headers and the files with each other. Pure.

One cause, one finding: tensors of an absent file are reported with the file, tensors of a file that the index
does not list are reported with that file, and only the rest is reported as single tensors.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Final

import msgspec
from msgspec import Struct

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.shards.agreement import (
    ShardNameUnsafe,
    ShardOfAnotherSave,
    TensorAbsent,
    TensorContradicted,
    TensorDoubled,
    TensorInAnotherShard,
    TensorsOfFile,
    TensorUnlisted,
)
from inspector.findings.shards.files import ShardHoldsAnother, ShardMissing, ShardUnlisted
from inspector.findings.shards.index import (
    IndexMissing,
    IndexNamesNothing,
    IndexOfAnotherSave,
)
from inspector.loader.copies import Copy
from inspector.loader.index import Index
from inspector.loader.layer_words import layers_of
from inspector.loader.several_saves import complete_beside, totals_differ
from inspector.loader.sources.source import is_plain_name
from inspector.loader.weight_sets import WeightSet, numbered_like, shard_number

FILES_REPORTED: Final = 2
"""Most files with separate findings of one kind; more files share one finding."""


class Agreement(Struct):
    """The result of the comparison. same: True if index and headers agree on every name."""

    same: bool
    findings: list[Finding] = []
    lost: dict[str, tuple[str, ...]] = {}


def compare(
    index: Index,
    file_of: Mapping[str, str],
    copies: list[Copy],
    gone: Mapping[str, str],
    there: Set[str],
    unlisted: Set[str],
    faulty: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Agreement:
    """Compares the map of the index with the headers.

    file_of: tensor -> file, from the headers. gone: files without a readable header, with the reason. there: file names
    in the source. unlisted: files of the set that the index does not name. faulty: file -> tensors with an entry in its
    header that is reported.
    """
    promise = index.weight_map
    if promise == file_of and not copies and not unlisted:
        return Agreement(True)
    result = Agreement(False)
    found = _differing(promise, file_of, gone, there, {name for names in faulty.values() for name in names})
    absent, missing, unusable = found.absent, found.missing, found.unusable
    known = sum(map(len, (*absent.values(), *found.silent.values(), *missing.values())))
    extra = _not_promised(promise, file_of, known, unlisted)
    if (another := _holds_another(index, missing, copies)) is not None:
        result.findings.append(another)
        result.lost[str(another.place.file)] = tuple(missing.pop(str(another.place.file)))
        copies = [one for one in copies if one.unlisted]
    for file, names in (*absent.items(), *found.silent.items(), *unusable.items()):
        lost = [name for name in names if name not in file_of]
        result.lost[file] = tuple(dict.fromkeys((*lost, *faulty.get(file, ()))))
    reported = result.findings
    if absent and not missing and _is_of_another_save(promise, absent, file_of, unlisted, copies):
        result.lost.clear()
        reported.append(_of_another_save(index, absent, file_of))
        return result
    foreign = _names_nothing(index, file_of)
    if not foreign and (other := _of_another_shard(index, missing, extra, copies)) is not None:
        reported.append(other)
        file = str(other.place.file)
        missing.pop(file, None)
        extra.pop(file, None)
        copies = [one for one in copies if one.unlisted]
    if (mix := complete_beside(index, absent, unlisted, copies)) is not None:
        reported.append(mix)
        return result
    reported.extend(foreign)
    elsewhere = {re.split(r"[/\\]", file)[-1] for file in unusable}
    copies = [copy for copy in copies if not (copy.unlisted and copy.file in elsewhere)]
    reported.extend(_unsafe(unusable, index.file, here=bool(elsewhere) and elsewhere <= unlisted))
    reported.extend(_absent(absent, gone, index.file, len(set(promise.values()))))
    if not foreign:  # the entries of an index of other weights say nothing about these files
        reported.extend(_by_file(TensorAbsent, missing, index.file))
        reported.extend(_moved(found.moved, found.ways, index.file))
        if extra and all(_is_new(copy) for copy in copies if copy.unlisted):  # a single index that lacks entries
            _add_forgotten(extra, promise, file_of, {copy.file for copy in copies if copy.unlisted} & unlisted)
            unlisted = unlisted - extra.keys()
        reported.extend(_by_file(TensorUnlisted, extra, index.file))
        reported.extend(_unlisted(copies, unlisted, index.file))
    reported.extend(doubled([copy for copy in copies if not copy.unlisted]))
    return result


def _add_forgotten(
    extra: dict[str, list[str]], promise: Mapping[str, str], file_of: Mapping[str, str], forgotten: Set[str]
) -> None:
    """Adds the tensors of forgotten files that the index does not name to the unlisted ones."""
    for name, file in file_of.items() if forgotten else ():
        if file in forgotten and name not in promise:
            extra.setdefault(file, []).append(name)


class _Differing(Struct):
    """Tensors that the index assigns to a file and that the headers have in another file or nowhere, by file of the
    index.

    absent: the file does not exist. silent: the file has no readable header or entry. missing: no file contains the
    tensors. moved: other files, given in `ways`, contain the tensors. unusable: the index gives a path instead of a
    file name.
    """

    absent: dict[str, list[str]] = {}
    moved: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    unusable: dict[str, list[str]] = {}
    silent: dict[str, list[str]] = {}
    ways: dict[str, set[str]] = {}


def _differing(
    promise: Mapping[str, str], file_of: Mapping[str, str], gone: Mapping[str, str], there: Set[str], faulty: Set[str]
) -> _Differing:
    result = _Differing()
    plain = {file: is_plain_name(file) for file in set(promise.values())}
    for name, file in promise.items():
        found = file_of.get(name)
        if found == file:
            continue
        if not plain[file]:
            result.unusable.setdefault(file, []).append(name)
        elif file not in there or gone.get(file) in ("absent", "broken link"):
            result.absent.setdefault(file, []).append(name)
        elif file in gone or (found is None and name in faulty):
            result.silent.setdefault(file, []).append(name)
        elif found is None:
            result.missing.setdefault(file, []).append(name)
        else:
            result.moved.setdefault(file, []).append(name)
            result.ways.setdefault(file, set()).add(found)
    return result


def _unsafe(unusable: Mapping[str, list[str]], index: str, *, here: bool) -> Iterator[Finding]:
    """The finding on file names with a path. here: True if all these files are in the folder itself."""
    for one in _by_file(ShardNameUnsafe, unusable, index, most=1):
        yield msgspec.structs.replace(one, here=here)


def _holds_another(index: Index, missing: Mapping[str, list[str]], copies: Sequence[Copy]) -> Finding | None:
    """The finding on a shard that contains the tensors of another shard instead of its own."""
    listed = [one for one in copies if not one.unlisted]
    lost = [file for file, names in missing.items() if len(names) == len(index.promised.get(file, ()))]
    if len(listed) != 1 or len(lost) != 1:
        return None
    twice = (*listed[0].same, *listed[0].other)
    owners = {index.weight_map.get(name) for name in twice}
    owner = owners.pop() if len(owners) == 1 else None
    if owner is None or owner == lost[0] or listed[0].file not in (owner, lost[0]) or len(twice) < listed[0].tensors:
        return None
    names = missing[lost[0]]
    return ShardHoldsAnother(
        place=Place(file=lost[0]), holds=owner, tensors=len(names), names=tuple(names[:NAMES_SHOWN]),
        layers=layers_of(names) or None,
    )  # fmt: skip


def _of_another_shard(
    index: Index, missing: Mapping[str, list[str]], extra: Mapping[str, list[str]], copies: Sequence[Copy]
) -> ShardOfAnotherSave | None:
    """The finding on the only shard that contradicts the index, if in two ways: it lacks tensors of its own, repeats
    those of other shards in another shape, or has others, not only as many as it lacks, which may be renamed ones.
    """
    listed = [one for one in copies if not one.unlisted]
    files = {*missing, *extra, *(one.file for one in listed)}
    if len(files) != 1 or not files <= index.promised.keys():
        return None
    (file,) = files
    lost, others = missing.get(file, []), extra.get(file, [])
    same, other = (listed[0].same, listed[0].other) if listed else ((), ())
    if not (lost and (same or other)) and not (others and (other or (lost and len(lost) != len(others)))):
        return None
    return ShardOfAnotherSave(
        place=Place(file=file), tensors=len(lost), names=tuple(lost[:NAMES_SHOWN]), index=index.file,
        repeated=len(same) + len(other), unlisted=len(others),
    )  # fmt: skip


def _not_promised(
    promise: Mapping[str, str], file_of: Mapping[str, str], lost: int, unlisted: Set[str]
) -> dict[str, list[str]]:
    """File -> its tensors that the index does not name. lost: number of tensors that the index names and no file
    stores.
    """
    extra: dict[str, list[str]] = {}
    if len(file_of) + lost != len(promise) or not file_of.keys() <= promise.keys():
        for name in sorted(file_of.keys() - promise.keys()):
            if file_of[name] not in unlisted:
                extra.setdefault(file_of[name], []).append(name)
    return extra


def _names_nothing(index: Index, file_of: Mapping[str, str]) -> list[Finding]:
    if not file_of or not index.weight_map.keys().isdisjoint(file_of):
        return []
    names = len(index.weight_map)
    return [IndexNamesNothing(place=Place(file=index.file), promised=names, stored=len(file_of))]


def _is_of_another_save(
    promise: Mapping[str, str],
    absent: Mapping[str, list[str]],
    file_of: Mapping[str, str],
    unlisted: Set[str],
    copies: Sequence[Copy],
) -> bool:
    """True if the files contain every tensor of absent files, or if no listed file exists and they are one save."""
    if all(name in file_of for names in absent.values() for name in names):
        return True
    none_exists = bool(unlisted) and len(absent) == len(set(promise.values()))
    return none_exists and _is_complete_save(unlisted) and all(map(_is_new, copies))


def _is_complete_save(files: Collection[str]) -> bool:
    """True if the files are all shards of one save, by the numbers in their names."""
    numbers = [shard_number(file) for file in files]
    found = {one[0] for one in numbers if one is not None}
    totals = {0 if one is None else one[1] for one in numbers}
    return len(totals) == 1 and found == set(range(1, max(totals) + 1))


def _of_another_save(index: Index, absent: Mapping[str, list[str]], file_of: Mapping[str, str]) -> Finding:
    files = tuple(sorted(set(file_of.values())))
    return IndexOfAnotherSave(
        place=Place(file=index.file),
        files=len(absent),
        listed_files=tuple(sorted(absent)[:NAMES_SHOWN]),
        tensors=len(file_of),
        stored_files=files[:NAMES_SHOWN],
        stored_in=len(files),
        nowhere=sum(name not in file_of for names in absent.values() for name in names),
    )


def doubled(copies: Iterable[Copy]) -> list[Finding]:
    """The findings on tensors that are stored in two files of one set."""
    same = {copy.file: list(copy.same) for copy in copies if copy.same}
    other = {copy.file: list(copy.other) for copy in copies if copy.other}
    return [*_by_file(TensorDoubled, same, None), *_by_file(TensorContradicted, other, None)]


def unindexed(weights: WeightSet) -> list[Finding]:
    """The findings on numbered shards without a usable index: which numbers are missing."""
    if not weights.numbered:
        return []
    by_count: dict[int, set[int]] = {}
    for name in weights.files:
        found = shard_number(name)
        if found is not None:
            by_count.setdefault(found[1], set()).add(found[0])
    reported: list[Finding] = []
    indexed = weights.kind != "gguf"  # the parts of a GGUF model refer to each other without an index
    if weights.index is None and by_count and indexed:  # Meta's consolidated.00 is numbered and never has an index
        reported.append(IndexMissing(files=len(weights.files), names=tuple(weights.files[:NAMES_SHOWN])))
    reported.extend(totals_differ(weights.files))
    for count, present in by_count.items():
        first = 0 if 0 in present and count not in present else 1
        absent = count - len(present)
        if absent <= 0:
            continue
        like = next(name for name in weights.files if (shard_number(name) or (0, 0))[1] == count)
        span = range(first, first + min(count, len(present) + NAMES_SHOWN))
        names = [numbered_like(like, n) for n in span if n not in present][:NAMES_SHOWN]
        reported.append(
            ShardMissing(
                place=Place(file=names[0] if absent == 1 else None),
                files=absent,
                of=count,
                names=tuple(names),
                tensors=None,
            )
        )
    return reported


def _is_new(copy: Copy) -> bool:
    """True if no other file has any of its tensors."""
    return not (copy.same or copy.other)


def _unlisted(copies: list[Copy], unlisted: Set[str], index: str) -> list[Finding]:
    kinds: dict[str, list[Copy]] = {}
    for copy in sorted((copy for copy in copies if copy.unlisted and copy.file in unlisted), key=lambda one: one.file):
        repeated = len(copy.same) + len(copy.other)
        kind = "repeated" if repeated and repeated == copy.tensors else "single" if not repeated else "mixed"
        kinds.setdefault(kind, []).append(copy)
    return [
        _unlisted_files(some, index)
        for copies_of_kind in kinds.values()
        for some in ([copies_of_kind] if len(copies_of_kind) > FILES_REPORTED else [[one] for one in copies_of_kind])
    ]


def _unlisted_files(copies: list[Copy], index: str) -> Finding:
    one = copies[0]
    several = len(copies) > 1
    files = tuple(copy.file for copy in copies)
    return ShardUnlisted(
        place=Place(file=None if several else one.file),
        index=index,
        tensors=sum(copy.tensors for copy in copies),
        repeated=sum(len(copy.same) for copy in copies),
        contradicted=sum(len(copy.other) for copy in copies),
        names=tuple((*one.other, *one.same)[:NAMES_SHOWN]) if not several else (),
        files=len(copies) if several else None,
        file_names=files if several else (),
    )


def _by_file(
    kind: type[TensorsOfFile], groups: Mapping[str, list[str]], index: str | None, most: int = FILES_REPORTED
) -> list[Finding]:
    """One finding for each file; one for all of them if there are more than `most`."""
    if len(groups) > most:
        tensors = sum(len(names) for names in groups.values())
        return [kind(tensors=tensors, names=tuple(sorted(groups)[:NAMES_SHOWN]), index=index, files=len(groups))]
    return [
        kind(place=Place(file=file), tensors=len(names), names=tuple(names[:NAMES_SHOWN]), index=index)
        for file, names in groups.items()
    ]


def _moved(groups: Mapping[str, list[str]], found_in: Mapping[str, set[str]], index: str) -> list[Finding]:
    """The findings on tensors in another file than the index states, with the files that contain them."""
    return [
        finding
        if finding.place.file is None
        else msgspec.structs.replace(finding, found_in=tuple(sorted(found_in[finding.place.file])[:NAMES_SHOWN]))
        for finding in _by_file(TensorInAnotherShard, groups, index, most=1)
    ]


def _absent(groups: Mapping[str, list[str]], gone: Mapping[str, str], index: str, of: int) -> list[Finding]:
    """The findings on missing files with the layers that they contain: one for absent files, one for broken links."""
    links = {file: names for file, names in groups.items() if gone.get(file) == "broken link"}
    others = {file: names for file, names in groups.items() if file not in links}
    grouped = ((others, False), (links, True))
    return [shards_missing(files, index, of, link=link) for files, link in grouped if files]


def shards_missing(groups: Mapping[str, Sequence[str]], index: str, of: int, *, link: bool = False) -> Finding:
    """The finding on shards that the index lists. groups: file -> its tensors. of: how many shards it lists."""
    names = [name for listed in groups.values() for name in listed]
    several = len(groups) > 1
    return ShardMissing(
        place=Place(file=None if several else next(iter(groups))),
        tensors=len(names),
        names=tuple((sorted(groups) if several else names)[:NAMES_SHOWN]),
        index=index,
        layers=layers_of(names),
        link=link,
        files=len(groups) if several else None,
        of=of if several else None,
    )
