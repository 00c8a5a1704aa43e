"""Where the bytes of a PyTorch file's tensors are, and which of them are missing. Source: torch/serialization.py and
caffe2/serialize/inline_container.cc of torch 2.13.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.extents import longer
from inspector.loader.formats.torch_tensors import Storage
from inspector.loader.formats.zip_directory import Member
from inspector.loader.layer_words import layers_of
from inspector.loader.layout import WORD

Judged = tuple[tuple[str, ...], list[Finding]]
"""Names of tensors with a missing or incomplete storage, and what is to be reported of the storages."""


_VALUES, _VALUES_OLDER = 5, 6
"""Values of a persistent id in an archive, and in an older file, which adds those of a view."""


class ArchivedStorages(Struct, frozen=True):
    """Storages as members of an archive."""

    prefix: str
    members: Mapping[str, Member]

    def judge(self, storages: Mapping[str, Storage], of_storage: Mapping[str, list[str]], place: Place) -> Judged:
        """Storages that are absent, or have another number of bytes than is described."""
        missing: dict[str, str] = {}
        longer: list[str] = []
        for key, storage in storages.items():
            name = f"{self.prefix}data/{key}"
            member = self.members.get(name)
            if member is None:
                missing[key] = f"{name} is missing"
            elif member.size < storage.bytes or (member.plain and member.stored < storage.bytes):
                has = min(member.size, member.stored) if member.plain else member.size
                missing[key] = f"{name} has {has:,} of {storage.bytes:,} bytes"
            elif member.size > storage.bytes:
                longer.append(f"{name[:200]} has {member.size:,} bytes, {storage.bytes:,} are described")
        findings = _misnamed(storages, _VALUES, place)
        if longer:
            from inspector.findings.header.torch_archive import ArchiveRefused

            findings.append(ArchiveRefused(place=place, problems=tuple(longer[:NAMES_SHOWN]), count=len(longer)))
        names = tuple(name for key in missing for name in of_storage.get(key, ()))
        if names:
            from inspector.findings.header.torch import StorageMissing

            findings.append(
                StorageMissing(
                    place=place,
                    storages=len(missing),
                    members=tuple(list(missing.values())[:NAMES_SHOWN]),
                    tensors=len(names),
                    names=names[:NAMES_SHOWN],
                    layers=layers_of(names),
                )
            )
        return names, findings


class TrailingStorages(Struct, frozen=True):
    """Storages in a row behind the pickles of an older file, in the order of `keys`. start, size: bytes of the file."""

    start: int
    keys: list[object]
    size: int

    def judge(self, storages: Mapping[str, Storage], of_storage: Mapping[str, list[str]], place: Place) -> Judged:
        """Storages that reach beyond the end: each is its length in 8 bytes, then its elements."""
        at = self.start
        missing: list[str] = []
        for key in dict.fromkeys(str(key) for key in self.keys if isinstance(key, str | int)):
            storage = storages.get(key)
            if storage is None:  # of what is no tensor of the weights: the sum cannot go on
                return _names(missing, of_storage), []
            at += 8 + storage.bytes
            if at > self.size:
                missing.append(key)
        at_least = self.start + sum(8 + storage.bytes for storage in storages.values())
        misnamed = _misnamed(storages, _VALUES_OLDER, place)
        if missing or at_least > self.size:
            missing = missing or list(storages)
            lost = max(at, at_least) - self.size
            from inspector.findings.shards.files import ShardCut

            cut = ShardCut(
                place=place,
                declared=min(self.size + lost, WORD),
                stored=self.size,
                lost_bytes=min(lost, WORD),
                tensors=len(missing),
                names=(),
                layers="",
            )
            return _names(missing, of_storage), [cut, *misnamed]
        complete = len(storages) == len(self.keys) and at < self.size
        return (), [*([longer(place, at, self.size)] if complete else []), *misnamed]


def _names(keys: list[str], of_storage: Mapping[str, list[str]]) -> tuple[str, ...]:
    return tuple(name for key in keys for name in of_storage.get(key, ()))


def _misnamed(storages: Mapping[str, Storage], values: int, place: Place) -> list[Finding]:
    """Storages that are named by another number of values than torch unpacks."""
    odd = [storage for storage in storages.values() if storage.values != values]
    if not odd:
        return []
    from inspector.findings.header.torch_archive import ArchiveRefused

    problem = f"storage {odd[0].key[:200]} is named by {odd[0].values} values, not {values}"
    return [ArchiveRefused(place=place, problems=(problem,), count=len(odd))]
