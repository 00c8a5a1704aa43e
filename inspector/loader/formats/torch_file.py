"""PyTorch's files: zip archives (since 1.6) and the older rows of pickles. Tensors by name, nothing run.

The state dict's pickle is read as code (`pickle_code`); of what it would import, only what a state dict
needs is understood, the rest is named. Storages are looked up in the archive, or added up behind the
pickles of an old file, so that a cut file is seen. Source: torch/serialization.py, torch/_utils.py,
torch/_weights_only_unpickler.py of torch 2.13.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.findings.finding import Finding, Place
from inspector.loader.dtype import BITS
from inspector.loader.entry_problems import EntryProblems
from inspector.loader.extents import longer
from inspector.loader.formats import zip_directory
from inspector.loader.formats.incremental import EndOfFile, Read
from inspector.loader.formats.pickle_code import read_pickle
from inspector.loader.formats.pickle_values import BadPickle, Pickle
from inspector.loader.formats.torch_imports import purpose
from inspector.loader.formats.torch_tensors import ODD, PickledTensor, Storage, Tensors, summary_of, weights_in
from inspector.loader.formats.zip_directory import BadArchive, Member
from inspector.loader.header_record import NAMES_SHOWN, Header, Layouts
from inspector.loader.layer_words import layers_of
from inspector.loader.layout import WORD, Layout, lay_out
from inspector.loader.signature import SNIFF_BYTES, recognise

PICKLE_LIMIT: Final = 32_000_000
"""Bytes of pickled structure; a hundred thousand tensors take about twenty million."""
_MAGIC: Final = 0x1950A86A20F9469CFC6C


class TorchFile(Struct, frozen=True):
    """What a PyTorch file holds.

    header: tensors by name. form: "zip", "torchscript", "legacy", "pickle", or "" where it could not be read.
    ties: names that are one and the same view of one storage. views: names that share a storage otherwise.
    inside: key below which the weights were found, "" at the top. beside: other keys there -> number of tensors below.
    lies: tensor -> (member of the archive, first element in it, strides in elements), of an archive.
    """

    header: Header
    form: str = ""
    ties: tuple[tuple[str, ...], ...] = ()
    views: tuple[tuple[str, ...], ...] = ()
    inside: str = ""
    beside: Mapping[str, int] = {}
    lies: Mapping[str, tuple[str, int, tuple[int, ...]]] = {}


def begins(read: Read, size: int, file: str) -> Mapping[str, tuple[int, int, tuple[int, ...]]]:
    """Tensor -> (byte at which its storage begins, first element in it, strides), where the archive keeps it plain."""
    try:
        members = zip_directory.read_directory(read, size)
    except BadArchive:
        return {}
    starts: dict[str, int] = {}
    found: dict[str, tuple[int, int, tuple[int, ...]]] = {}
    for name, (key, first, strides) in read_torch(read, size, file).lies.items():
        member = members.get(key)
        if member is None or not member.plain:
            continue
        if key not in starts:
            try:
                starts[key] = zip_directory.data_offset(read, member)
            except BadArchive:
                starts[key] = -1
        if starts[key] >= 0:
            found[name] = (starts[key], first, strides)
    return found


def read_torch(read: Read, size: int, file: str, layouts: Layouts | None = None) -> TorchFile:
    """Reads what a PyTorch file of `size` bytes declares. Any bytes give a reading or evidence of what is wrong."""
    reading = _TorchReading(read, size, file, Layouts() if layouts is None else layouts)
    first = read(0, min(size, SNIFF_BYTES))
    what = recognise(first, size)
    pickled = what == "pickle" or (what in ("unknown", "text") and first[:1] in (b"(", b"}", b"c", b"]", b"\x80"))
    place = Place(file=file)
    found: Finding
    try:
        if what == "zip":
            return reading.archive()
        if pickled:
            return reading.row()
        from inspector.findings.reading.content import NotACheckpoint

        found = NotACheckpoint(place=place, what=what, bytes=size)
    except BadPickle as bad:
        from inspector.findings.header.torch import PickleMalformed

        found = PickleMalformed(place=place, problem=bad.problem, position=bad.position)
    except BadArchive as bad:
        from inspector.findings.header.torch import ArchiveMalformed

        found = ArchiveMalformed(place=place, problem=bad.problem, cut=bad.cut, stored=size)
    return reading.unreadable(found)


class _TorchReading:
    def __init__(self, read: Read, size: int, file: str, known: Layouts) -> None:
        self.read, self.size, self.file, self.known = read, size, file, known
        self.findings: list[Finding] = []
        self.problems = EntryProblems()
        self.place = Place(file=file)
        self.odd: list[str] = []

    def unreadable(self, *found: Finding) -> TorchFile:
        return TorchFile(Header(self.file, {}, {}, (*self.findings, *found), readable=False))

    # the two forms

    def archive(self) -> TorchFile:
        """A zip archive: one folder with data.pkl and data/0, data/1, ..."""
        members = zip_directory.read_directory(self.read, self.size)
        names = [name for name in members if name == "data.pkl" or name.endswith("/data.pkl")]
        if not names:
            raise BadArchive("the archive contains no data.pkl")
        main = members[min(names, key=len)]
        if main.size > PICKLE_LIMIT:
            raise BadPickle(f"has {main.size:,} bytes, the limit is {PICKLE_LIMIT:,}")
        data = zip_directory.beginning(self.read, main, PICKLE_LIMIT)
        try:
            found = read_pickle(data)
        except EndOfFile:
            raise BadPickle("stops before its end", len(data)) from None
        prefix = main.name.removesuffix("data.pkl")
        form = "torchscript" if any(name.startswith(f"{prefix}code/") for name in members) else "zip"
        return self._concluded(found.value, [found], form, _Archived(prefix, members))

    def row(self) -> TorchFile:
        """An older file: magic number, protocol, system, state dict and keys as pickles in a row; then the storages."""
        size = 1 << 16
        while True:
            data = self.read(0, min(size, self.size, PICKLE_LIMIT))
            try:
                return self._row(data)
            except EndOfFile:
                if size >= self.size:
                    raise BadPickle("stops before its end", len(data)) from None
                if size >= PICKLE_LIMIT:
                    raise BadPickle(f"has more than {PICKLE_LIMIT:,} bytes", len(data)) from None
            size <<= 3

    def _row(self, data: bytes) -> TorchFile:
        pickles = [read_pickle(data)]
        value = pickles[0].value
        if value != _MAGIC or type(value) is not int:
            return self._concluded(value, pickles, "pickle", None)
        for _ in range(4):  # protocol version, system, the object, the keys of its storages
            pickles.append(read_pickle(data, pickles[-1].end))
        keys = pickles[4].value
        behind = _TrailingStorages(pickles[4].end, keys if isinstance(keys, list) else [])
        return self._concluded(pickles[3].value, pickles, "legacy", behind)

    # from the pickled value to tensors

    def _concluded(
        self, value: object, pickles: list[Pickle], form: str, place: _Archived | _TrailingStorages | None
    ) -> TorchFile:
        self._imports(pickles, form)
        inside, weights, beside = weights_in(value)
        tensors: dict[str, Layout] = {}
        lies: dict[str, tuple[str, int, tuple[int, ...]]] = {}
        faulty: list[str] = []
        views: dict[str, dict[tuple[Any, ...], list[str]]] = {}
        of_storage: dict[str, list[str]] = {}
        storages: dict[str, Storage] = {}
        found = Tensors()
        for name, made in found.below(weights, ""):
            layout = self._layout(name, made)
            if layout is None:
                faulty.append(name)
                continue
            tensors[name] = layout
            storage = made.storage
            if storage is not None:
                storages[storage.key] = storage
                if isinstance(place, _Archived):
                    lies[name] = (f"{place.prefix}data/{storage.key}", made.offset, made.strides)
                of_storage.setdefault(storage.key, []).append(name)
                if layout.elements:
                    view = (made.offset, made.shape, made.strides, made.dtype)
                    views.setdefault(storage.key, {}).setdefault(view, []).append(name)
        self._judge_tensors(found.complete)
        if not tensors and not faulty and not (isinstance(value, dict) and not value):
            from inspector.findings.header.torch import NoTensors

            self.findings.append(NoTensors(place=self.place, what=summary_of(value)))
            return self.unreadable()
        if isinstance(value, dict) and value.keys() >= {"state", "param_groups"}:
            from inspector.findings.reading.training import OptimizerNotWeights

            self.findings.append(OptimizerNotWeights(place=self.place, tensors=len(tensors)))
        if inside or beside:
            from inspector.findings.header.torch import OtherKey, WeightsInside

            self.findings.append(
                WeightsInside(
                    place=self.place,
                    inside=inside,
                    beside=tuple(OtherKey(key, count) for key, count in list(beside.items())[:NAMES_SHOWN]),
                    count=len(beside),
                )
            )
        ties, slices = self._shared(views)
        declared = sum(storage.bytes for storage in storages.values())
        cut = () if place is None else self._cut(place, storages, of_storage)
        header = Header(
            self.file, tensors, {"format": "pt"}, tuple(self.findings), max(0, self.size - 8 - declared), declared,
            tuple(faulty), cut,
        )  # fmt: skip
        return TorchFile(header, form, ties, slices, inside, beside, lies)

    def _judge_tensors(self, complete: bool) -> None:
        """What is wrong with the tensors that the pickle describes."""
        from inspector.findings.header.torch import PickleMalformed

        self.findings.extend(self.problems.findings(self.file))
        if self.odd:
            problem = f"describes impossible tensors: {len(self.odd):,}, the first is {self.odd[0][:200]}"
            self.findings.append(PickleMalformed(place=self.place, problem=problem, position=0))
        if not complete:
            problem = "contains more than a state dict can"
            self.findings.append(PickleMalformed(place=self.place, problem=problem, position=0))

    def _imports(self, pickles: list[Pickle], form: str) -> None:
        runs: list[str] = []
        objects: list[str] = []
        for pickle in pickles:
            for name in pickle.names:
                kind = purpose(name)
                if kind == "object" and form == "torchscript" and name.module.startswith("__torch__"):
                    continue
                if kind:
                    (runs if kind == "runs" else objects).append(str(name)[:200])
        from inspector.findings.header.torch import PickleHoldsObjects, PickleRunsCode

        for finding, names in ((PickleRunsCode, runs), (PickleHoldsObjects, objects)):
            distinct = tuple(dict.fromkeys(names))
            if distinct:
                self.findings.append(finding(place=self.place, names=distinct[:NAMES_SHOWN], count=len(distinct)))

    def _layout(self, name: str, made: PickledTensor) -> Layout | None:
        if made is ODD:
            self.odd.append(name)
            return None
        if made.dtype not in BITS:
            from inspector.findings.header.entries import DtypeEntry, DtypeUnknown

            self.problems.add(DtypeUnknown, DtypeEntry(tensor=name, dtype=made.dtype[:40], meant=None))
            return None
        key = (made.dtype, *made.shape)
        layout = self.known.get(key)
        if layout is None:
            found = lay_out(made.dtype, made.shape)
            if isinstance(found, str):
                from inspector.findings.header.entries import PartOfByte, ShapeEntry, ShapeOverflows

                kind = ShapeOverflows if found == "overflow" else PartOfByte
                self.problems.add(kind, ShapeEntry(tensor=name, dtype=made.dtype, shape=made.shape[:NAMES_SHOWN]))
                return None
            layout = found
            if max(made.shape, default=0) < 1 << 60:
                layout = self.known.setdefault(key, found)
        if made.storage is not None and layout.elements:
            pairs = zip(made.shape, made.strides, strict=True)
            reach = made.offset + 1 + sum((dim - 1) * stride for dim, stride in pairs)
            has = made.storage.bytes * 8 // BITS[made.dtype]
            if reach > has:
                from inspector.findings.header.torch import TensorBeyondStorage, ViewEntry

                self.problems.add(
                    TensorBeyondStorage,
                    ViewEntry(
                        tensor=name,
                        dtype=made.dtype,
                        shape=made.shape[:NAMES_SHOWN],
                        reach=min(reach, WORD),
                        elements=has,
                    ),
                )
        return layout

    def _shared(
        self, views: Mapping[str, Mapping[tuple[Any, ...], list[str]]]
    ) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
        """(names of the same view of a storage, names of different views of one)."""
        ties: list[tuple[str, ...]] = []
        slices: list[tuple[str, ...]] = []
        for by_view in views.values():
            ties.extend(tuple(names) for names in by_view.values() if len(names) > 1)
            if len(by_view) > 1:
                slices.append(tuple(names[0] for names in by_view.values()))
        if ties or slices:
            from inspector.findings.header.torch import StorageShared

            self.findings.append(
                StorageShared(
                    place=self.place,
                    ties=tuple(names[:4] for names in ties[:NAMES_SHOWN]),
                    tied=len(ties),
                    storages=len(slices),
                    views=sum(map(len, slices)),
                    names=tuple(name for names in slices[:4] for name in names[:4]),
                )
            )
        return tuple(ties), tuple(slices)

    def _cut(
        self, place: _Archived | _TrailingStorages, storages: Mapping[str, Storage], of_storage: Mapping[str, list[str]]
    ) -> tuple[str, ...]:
        """Names of tensors with a missing or incomplete storage."""
        gone = place.gone(storages) if isinstance(place, _Archived) else self._behind(place, storages)
        names = [name for key in gone for name in of_storage.get(key, ())]
        if names and isinstance(place, _Archived):
            from inspector.findings.header.torch import StorageMissing

            self.findings.append(
                StorageMissing(
                    place=self.place,
                    storages=len(gone),
                    members=tuple(list(gone.values())[:NAMES_SHOWN]),
                    tensors=len(names),
                    names=tuple(names[:NAMES_SHOWN]),
                    layers=layers_of(names),
                )
            )
        return tuple(names)

    def _behind(self, place: _TrailingStorages, storages: Mapping[str, Storage]) -> dict[str, str]:
        """Storages of an old file that reach beyond its end: each is its length in 8 bytes, then its elements."""
        at = place.start
        gone: dict[str, str] = {}
        for key in dict.fromkeys(str(key) for key in place.keys if isinstance(key, str | int)):
            storage = storages.get(key)
            if storage is None:
                return gone  # storages of what is no tensor of the weights: the sum cannot go on
            at += 8 + storage.bytes
            if at > self.size:
                gone[key] = key
        at_least = place.start + sum(8 + storage.bytes for storage in storages.values())
        if gone or at_least > self.size:
            if not gone:
                gone = dict.fromkeys(storages, "")
            lost = max(at, at_least) - self.size
            from inspector.findings.shards.files import ShardCut

            self.findings.append(
                ShardCut(
                    place=self.place,
                    declared=min(self.size + lost, WORD),
                    stored=self.size,
                    lost_bytes=min(lost, WORD),
                    tensors=len(gone),
                    names=(),
                    layers="",
                )
            )
        elif len(storages) == len(place.keys) and at < self.size:
            self.findings.append(longer(self.place, at, self.size))
        return gone


class _Archived(Struct, frozen=True):
    """Storages as members of an archive."""

    prefix: str
    members: Mapping[str, Member]

    def gone(self, storages: Mapping[str, Storage]) -> dict[str, str]:
        """Storages that are absent or too short -> what is wrong with them."""
        gone: dict[str, str] = {}
        for key, storage in storages.items():
            name = f"{self.prefix}data/{key}"
            member = self.members.get(name)
            if member is None:
                gone[key] = f"{name} is missing"
            elif member.size < storage.bytes or (member.plain and member.stored < storage.bytes):
                has = min(member.size, member.stored) if member.plain else member.size
                gone[key] = f"{name} has {has:,} of {storage.bytes:,} bytes"
        return gone


class _TrailingStorages(Struct, frozen=True):
    """Storages in a row behind the pickles, in the order of `keys`."""

    start: int
    keys: list[object]
