"""Shards that the index lists under another name than the folder has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.findings.finding import NAMES_SHOWN, Finding, Place, ordered
from inspector.findings.header.gguf import GgufPartRenamed
from inspector.findings.shards.files import ShardMissing
from inspector.findings.shards.names import ShardRenamed
from inspector.findings.shards.sets import OtherWeights
from inspector.loader.agreement import shards_missing
from inspector.loader.checkpoint import Checkpoint, load_other_set
from inspector.loader.other_files import OtherSet
from inspector.loader.weight_sets import shard_number

LAYER: Final = re.compile(r"\.[0-9]+\.")
MOST_READ: Final = 16
"""Most files outside the audited set that are read: a folder has few copies of shards."""


def with_renamed_shards(audited: Audit) -> Audit:
    """Reports a missing shard as renamed if another file contains exactly its tensors."""
    checkpoint = audited.checkpoint
    if checkpoint.is_gguf:
        return _with_renamed_parts(audited)
    missing = [one for one in audited.findings if isinstance(one, ShardMissing) and one.index and not one.link]
    if len(missing) != 1 or checkpoint.index is None:
        return audited
    files = [missing[0].place.file] if missing[0].place.file else missing[0].lost_files()[1]
    absent = {file: checkpoint.lost[file] for file in files if checkpoint.lost.get(file)}
    renamed = dict(_renamed(checkpoint, absent))
    if not renamed:
        return audited
    listed = tuple(sorted(renamed))
    found: list[Finding] = [
        ShardRenamed(
            place=Place(file=listed[0] if len(listed) == 1 else None),
            listed=listed,
            stored=tuple(renamed[wanted].files[0] for wanted in listed),
            tensors=sum(len(absent[wanted]) for wanted in listed),
        )
    ]
    left = {file: names for file, names in checkpoint.lost.items() if file in absent and file not in renamed}
    if left:
        found.append(shards_missing(left, checkpoint.index.file, missing[0].of or len(checkpoint.index.files)))
    kept = [one for one in audited.findings if one is not missing[0]]
    return audited.with_findings([*found, *without_sets(kept, {stored.name for stored in renamed.values()})])


def _with_renamed_parts(audited: Audit) -> Audit:
    """Reports the missing part of a GGUF model as renamed if another file states that it is this part."""
    own = next((one for one in audited.findings if isinstance(one, GgufPartRenamed) and not one.beside), None)
    if own is not None:
        return _with_all_renamed(audited, own)
    missing = [one for one in audited.findings if isinstance(one, ShardMissing) and one.place.file]
    wanted = str(missing[0].place.file) if len(missing) == 1 else ""
    number = shard_number(wanted)
    if number is None:
        return audited
    single = [one for one in audited.checkpoint.other_sets if one.kind == "gguf" and len(one.files) == 1]
    for one in single[:MOST_READ]:
        other = load_other_set(audited.checkpoint, one.name)
        found = None if other is None else _part_in(audited.checkpoint, other)
        if found is not None and (found.part, found.of) == number:
            renamed = replace(found, wanted=wanted)
            kept = [finding for finding in audited.findings if finding is not missing[0]]
            return replace(audited, findings=tuple(ordered([renamed, *without_sets(kept, {one.name})])))
    return audited


def _part_in(checkpoint: Checkpoint, other: Checkpoint) -> GgufPartRenamed | None:
    """The finding on a part that has not the name of a part, or that of another model's though it is this model's."""
    for one in other.findings:
        if isinstance(one, GgufPartRenamed):
            return one
    file = other.files[0].name if len(other.files) == 1 else ""
    number = shard_number(file)
    if number is None or not _completes(checkpoint, other, number):
        return None
    beside = tuple(sorted(one.name for one in checkpoint.files)[:NAMES_SHOWN])
    return GgufPartRenamed(place=Place(file=file), part=number[0], of=number[1], wanted=file, beside=beside)


def _completes(checkpoint: Checkpoint, other: Checkpoint, number: tuple[int, int]) -> bool:
    """True if a part states this number, and has exactly the tensors that the parts of a model lack: as many as they
    state in total, under other names, with the dims and dtypes that the same tensors of other layers have.
    """
    values = {} if other.metadata is None else other.metadata.values
    own, more = checkpoint.tensors, other.tensors
    if (values.get("split.no"), values.get("split.count")) != (number[0] - 1, number[1]):
        return False
    if values.get("split.tensors.count") != len(own) + len(more) or not own.keys().isdisjoint(more):
        return False
    stored = {(LAYER.sub(".", name), one.shape, one.dtype) for name, one in own.items()}
    families = {name for name, _, _ in stored}
    return all(
        (family, one.shape, one.dtype) in stored
        for name, one in more.items()
        if (family := LAYER.sub(".", name)) in families
    )


def _with_all_renamed(audited: Audit, own: GgufPartRenamed) -> Audit:
    """Reports all parts as renamed if no part has the name of a part: their new names differ only in the number."""
    files = {own.part: str(own.place.file)}
    single = [one for one in audited.checkpoint.other_sets if one.kind == "gguf" and len(one.files) == 1]
    for one in single[:MOST_READ]:
        other = load_other_set(audited.checkpoint, one.name)
        for part in () if other is None else other.findings:
            if isinstance(part, GgufPartRenamed) and part.of == own.of and not part.beside:
                files.setdefault(part.part, one.name)
    if len(files) < 2:
        return audited
    stem = _shared_beginning(list(files.values())) or files[min(files)].removesuffix(".gguf")
    renames = tuple((files[number], f"{stem}-{number:05d}-of-{own.of:05d}.gguf") for number in sorted(files))
    whole = replace(own, renames=renames, wanted=dict(renames)[str(own.place.file)])
    kept = [whole if one is own else one for one in audited.findings]
    return replace(audited, findings=tuple(without_sets(kept, set(files.values()))))


def _shared_beginning(names: list[str]) -> str:
    """The common beginning of names, without the separator before a number."""
    first, last = min(names), max(names)
    shared = next((number for number, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:shared].rstrip(" -_.(")


def _renamed(checkpoint: Checkpoint, absent: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, OtherSet]]:
    """(name in the index, set of one file) of each missing shard that is stored under another name."""
    wanted = {frozenset(names): file for file, names in absent.items()}
    single = [one for one in checkpoint.other_sets if one.kind == "safetensors" and len(one.files) == 1]
    for one in single[:MOST_READ]:
        other = load_other_set(checkpoint, one.name)
        file = wanted.pop(frozenset(other.tensors), None) if other is not None and other.readable else None
        if file is not None:
            yield file, one


def without_sets(findings: list[Finding], names: set[str]) -> Iterator[Finding]:
    """Removes these sets from the note on other sets of weights."""
    for one in findings:
        if not isinstance(one, OtherWeights):
            yield one
            continue
        sets = tuple(stored for stored in one.sets if stored.name not in names)
        gone = [stored for stored in one.sets if stored.name in names]
        if one.count > len(gone):
            size = sum(stored.bytes for stored in gone)
            yield replace(one, sets=sets, count=one.count - len(gone), bytes=one.bytes - size)
