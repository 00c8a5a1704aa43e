"""Finds the bytes of a PyTorch file's tensors, and which of them are missing. Source: torch/serialization.py and
caffe2/serialize/inline_container.cc of torch 2.13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from typing import Final

from msgspec import Struct

from inspector.budget import spend
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.dtype import BITS
from inspector.loader.entry_problems import EntryProblems
from inspector.loader.extents import longer
from inspector.loader.formats.incremental import Read
from inspector.loader.formats.pickle_values import Persistent
from inspector.loader.formats.torch_tensors import OBJECTS, PickledTensor, Storage, storages_of
from inspector.loader.formats.zip_directory import Member, why_unreadable
from inspector.loader.layer_words import layers_of
from inspector.loader.layout import WORD

Judged = tuple[tuple[str, ...], list[str], list[Finding]]
"""Names of tensors with a missing or incomplete storage, reasons why torch refuses the storages, and other findings."""
NamesOf = Mapping[str | int, list[str]]
"""Key of a storage -> the tensors of the weights that are views of it."""


_VALUES, _VALUES_OLDER = 5, 6
"""Number of values of a persistent id in an archive, and in an older file, which adds the view."""
_LENGTH: Final = 8
"""Bytes before a storage of an older file that state its number of elements."""


class ArchivedStorages(Struct, frozen=True):
    """Storages as members of an archive. read: reads the file; None if each range is a network request."""

    prefix: str
    members: Mapping[str, Member]
    size: int
    read: Read | None

    def judge(self, persistent: Sequence[Persistent], names_of: NamesOf, place: Place) -> Judged:
        """Checks for storages that are absent or have another number of bytes than described."""
        storages, problems = _described(persistent, _VALUES)
        missing: dict[str | int, str] = {}
        for key, storage in storages.items():
            spend(1, OBJECTS)
            name = f"{self.prefix}data/{key}"
            member = self.members.get(name)
            if member is None:
                missing[key] = f"{name[:200]} is missing"
            elif member.size < storage.bytes or (member.plain and member.stored < storage.bytes):
                has = min(member.size, member.stored) if member.plain else member.size
                missing[key] = f"{name[:200]} has {has:,} of {storage.bytes:,} bytes"
            elif member.size > storage.bytes:
                problems.append(f"{name[:200]} has {member.size:,} bytes, {storage.bytes:,} are described")
            elif member.stored and (problem := why_unreadable(self.read, member, self.size)):
                problems.append(problem)
        problems += [problem for key, problem in missing.items() if key not in names_of]
        names = tuple(name for key in missing for name in names_of.get(key, ()))
        if not names:
            return (), problems, []
        from inspector.findings.header.torch import StorageMissing

        found = StorageMissing(
            place=place,
            storages=sum(key in names_of for key in missing),
            members=tuple(problem for key, problem in missing.items() if key in names_of)[:NAMES_SHOWN],
            tensors=len(names),
            names=names[:NAMES_SHOWN],
            layers=layers_of(names),
        )
        return names, problems, [found]


class TrailingStorages(Struct, frozen=True):
    """Storages one after the other, after the pickles of an older file, in the order of `keys`. start: their first
    byte. size: bytes of the file. read: reads the file; None if each range is a network request.
    """

    start: int
    keys: Sequence[object]
    size: int
    read: Read | None

    def judge(self, persistent: Sequence[Persistent], names_of: NamesOf, place: Place) -> Judged:
        """Checks for storages beyond the end of the file: each has its length in 8 bytes, then its elements."""
        storages, problems = _described(persistent, _VALUES_OLDER)
        at = self.start
        missing: list[str | int] = []
        listed: dict[str | int, Storage] = {}
        for key in self.keys:
            spend(1, OBJECTS)
            storage = storages.get(key) if isinstance(key, str | int) else None
            if storage is None:
                problems.append(f"storage {shown(key)} is in the list of storages and not in the state dict")
                break
            listed[storage.key] = storage
            problems += self._other_length(at, storage)
            at += _LENGTH + storage.bytes
            if at > self.size:
                missing.append(storage.key)
        absent = [] if problems else [key for key in storages if key not in listed]
        at_least = self.start + sum(_LENGTH + storage.bytes for storage in storages.values())
        if missing or at_least > self.size:
            lost = max(at, at_least) - self.size
            names = tuple(name for key in missing or storages for name in names_of.get(key, ()))
            from inspector.findings.shards.files import ShardCut

            cut = ShardCut(
                place=place,
                declared=min(self.size + lost, WORD),
                stored=self.size,
                lost_bytes=min(lost, WORD),
                tensors=len(names),
                names=(),
                layers="",
            )
            return names, problems, [cut]
        if absent:
            from inspector.findings.header.pickle import PickleMalformed

            problem = f"describes {len(absent):,} storages without values, the first is {shown(absent[0])}"
            return (), problems, [PickleMalformed(place=place, problem=problem, position=0)]
        return (), problems, [longer(place, at, self.size)] if at < self.size and not problems else []

    def _other_length(self, at: int, storage: Storage) -> list[str]:
        """The problem with the stated length of a storage that is within the file."""
        if self.read is None or at + _LENGTH > self.size:
            return []
        stated = int.from_bytes(self.read(at, _LENGTH), "little", signed=True)
        if stated == storage.elements:
            return []
        return [f"storage {shown(storage.key)} has {stated:,} elements, {storage.elements:,} are described"]


def refused(problems: Sequence[str], place: Place) -> list[Finding]:
    """The finding that torch refuses a file for these problems; empty if there are none."""
    if not problems:
        return []
    from inspector.findings.header.torch_archive import ArchiveRefused

    return [ArchiveRefused(place=place, problems=tuple(problems[:NAMES_SHOWN]), count=len(problems))]


def _described(persistent: Sequence[Persistent], values: int) -> tuple[Mapping[str | int, Storage], list[str]]:
    """(the storages that the pickle requests, reasons why torch refuses some of its persistent ids).

    values: number of values that such an id must have.
    """
    storages, odd = storages_of(persistent)
    other = [storage for storage in storages.values() if storage.values != values]
    problems = [
        f"storage {shown(one.key)} is named by {one.values} values, not {values}" for one in other[:NAMES_SHOWN]
    ]
    return storages, [*problems, *([f"{len(odd):,} persistent ids name no storage"] if odd else [])]


def shown(key: object) -> str:
    """The key of a storage in words."""
    return str(key)[:200] if isinstance(key, str | int) else f"<{type(key).__name__}>"


def judge_view(name: str, made: PickledTensor, elements: int, problems: EntryProblems) -> None:
    """Adds the problems of a tensor of `elements` elements as a view of its storage."""
    if made.storage is None or not elements:
        return
    used = [(dim, stride) for dim, stride in zip(made.shape, made.strides, strict=True) if dim > 1]
    beyond_first = sum((dim - 1) * stride for dim, stride in used)
    reach = made.offset + 1 + beyond_first
    distinct = 1 + beyond_first // (gcd(*(stride for _, stride in used)) or 1)
    shape = made.shape[:NAMES_SHOWN]
    if elements > distinct:  # more elements than positions that its strides lead to
        from inspector.findings.header.torch import MemoryRepeated, RepeatEntry

        repeat = RepeatEntry(tensor=name, dtype=made.dtype, shape=shape, elements=min(distinct, WORD))
        problems.add(MemoryRepeated, repeat)
    has = made.storage.bytes * 8 // BITS[made.dtype]
    if reach > has:
        from inspector.findings.header.torch import TensorBeyondStorage, ViewEntry

        view = ViewEntry(tensor=name, dtype=made.dtype, shape=shape, reach=min(reach, WORD), elements=has)
        problems.add(TensorBeyondStorage, view)
