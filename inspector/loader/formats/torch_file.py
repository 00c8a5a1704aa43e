"""Reads PyTorch files: zip archives (since 1.6) and the older sequences of pickles. Gives tensors by name; runs no
code.

The state dict's pickle is read as code (`pickle_code`); of its imports, only those of a state dict are understood, and
all others are reported. Storages are looked up in the archive, or added up after the pickles of an old file, so that a
truncated file is detected. Source: torch/serialization.py, torch/_utils.py, torch/_weights_only_unpickler.py of torch
2.13.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.dtype import BITS
from inspector.loader.entry_problems import EntryProblems
from inspector.loader.formats import zip_directory
from inspector.loader.formats.hypernetwork import is_hypernetwork
from inspector.loader.formats.incremental import EndOfFile, Read
from inspector.loader.formats.pickle_code import read_pickle
from inspector.loader.formats.pickle_values import BadPickle, GlobalName, Pickle
from inspector.loader.formats.torch_imports import imported, refused_opcodes
from inspector.loader.formats.torch_members import is_big_endian, judge_case, judge_members, unread_archive
from inspector.loader.formats.torch_storages import ArchivedStorages, TrailingStorages, judge_view, refused
from inspector.loader.formats.torch_tensors import (
    ODD,
    PickledTensor,
    Storage,
    Tensors,
    begins_with_floats,
    top_keys,
    weights_in,
    without_weights,
)
from inspector.loader.formats.whisper_dims import other_sizes
from inspector.loader.formats.zip_directory import BadArchive, Member
from inspector.loader.header_record import Header, Layouts
from inspector.loader.layout import Layout, lay_out
from inspector.loader.signature import REENCODED, SNIFF_BYTES, is_reencoded, recognise

PICKLE_LIMIT: Final = 24_000_000
"""Most bytes of pickled structure; a hundred thousand tensors take about twenty million."""
LATER_LIMIT: Final = 1_000
"""Most pickles of one file that are read in addition to the pickle of the state dict."""
_MAGIC: Final = 0x1950A86A20F9469CFC6C
_PROTOCOL: Final = 1001
_UNTYPED: Final = GlobalName("torch.storage", "UntypedStorage")


class TorchFile(Struct, frozen=True):
    """The content of a PyTorch file.

    header: tensors by name. form: "zip", "torchscript", "legacy", "pickle", or "" if it could not be read. ties: names
    of the same view of one storage. views: names of different views of one storage. inside: key below which the weights
    were found, "" at the top. other_keys: other keys there -> number of tensors below them. positions: tensor ->
    (member of the archive, first element in it, strides in elements), of an archive.
    """

    header: Header
    form: str = ""
    ties: tuple[tuple[str, ...], ...] = ()
    views: tuple[tuple[str, ...], ...] = ()
    inside: str = ""
    other_keys: Mapping[str, int] = {}
    positions: Mapping[str, tuple[str, int, tuple[int, ...]]] = {}


def begins(read: Read, size: int, file: str) -> Mapping[str, tuple[int, int, tuple[int, ...]]]:
    """Tensor -> (first byte of its storage, first element in it, strides), if the archive stores it uncompressed."""
    try:
        members = zip_directory.read_directory(read, size)
    except BadArchive:
        return {}
    if any(name.endswith("byteorder") and is_big_endian(read, members, name[:-9]) for name in members):
        return {}  # its numbers would have to be byte-swapped
    starts: dict[str, int] = {}
    found: dict[str, tuple[int, int, tuple[int, ...]]] = {}
    for name, (key, first, strides) in read_torch(read, size, file).positions.items():
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


def read_torch(read: Read, size: int, file: str, layouts: Layouts | None = None, *, remote: bool = False) -> TorchFile:
    """Reads the structure of a PyTorch file of `size` bytes. Any input gives a result; problems become findings.

    remote: each range is a network request; the local records of storages are then not read.
    """
    reading = _TorchReading(read, size, file, Layouts() if layouts is None else layouts)
    reading.near = None if remote else read
    first = read(0, min(size, SNIFF_BYTES))
    what = recognise(first, size)
    what = REENCODED if what == "unknown" and is_reencoded(first) else what
    pickled = what == "pickle" or (what in ("unknown", "text") and first[:1] in (b"(", b"}", b"c", b"]", b"\x80"))
    place = Place(file=file)
    found: Finding
    try:
        if what in ("zip", "archive"):
            return reading.archive()
        if pickled:
            return reading.row()
        from inspector.findings.reading.content import NotACheckpoint

        found = NotACheckpoint(place=place, what=what, bytes=size)
    except BadPickle as bad:
        from inspector.findings.header.pickle import PickleMalformed

        found = PickleMalformed(place=place, problem=bad.problem, position=bad.position)
    except BadArchive as bad:
        found = unread_archive(place, bad, size, first)
    return reading.broken(found)


class _TorchReading:
    def __init__(self, read: Read, size: int, file: str, known: Layouts) -> None:
        self.read, self.size, self.file, self.known = read, size, file, known
        self.near: Read | None = read
        self.findings: list[Finding] = []
        self.problems = EntryProblems()
        self.place = Place(file=file)
        self.odd: list[str] = []
        self.names: dict[GlobalName, int] = {}  # imported by pickles that torch's own loader reads
        self.aside: dict[GlobalName, int] = {}  # imported by other pickles of the file
        self._later = LATER_LIMIT
        self._pickled: Pickle | None = None  # the pickle of the state dict, if torch's own loader would read it

    def broken(self, found: Finding) -> TorchFile:
        """The result for a file that cannot be read to its end, with what it would import before that."""
        return self.unreadable(*imported(self.names, self.place, self.aside), found)

    def unreadable(self, *found: Finding) -> TorchFile:
        return TorchFile(Header(self.file, {}, {}, (*self.findings, *found), readable=False))

    # the two formats

    def archive(self) -> TorchFile:
        """Reads a zip archive: one folder with data.pkl and data/0, data/1, ..."""
        members = zip_directory.read_directory(self.read, self.size)
        roots = [name.removesuffix("data.pkl") for name in members if name == "data.pkl" or name.endswith("/data.pkl")]
        if not roots:
            self._scan(members, "")
            raise BadArchive("the archive contains no data.pkl")
        folder, slash, _ = next(iter(members)).partition("/")
        first = folder + "/" if slash else ""
        root = first if first in roots else min(roots, key=len)
        self._scan(members, f"{root}data.pkl")
        judge_case(members, first)
        main = members[f"{root}data.pkl"]
        if main.size > PICKLE_LIMIT:
            raise BadPickle(f"has {main.size:,} bytes, the limit is {PICKLE_LIMIT:,}")
        data = zip_directory.beginning(self.read, main, PICKLE_LIMIT)
        try:
            found = read_pickle(data, 0, self.names)
        except EndOfFile:
            raise BadPickle("stops before its end", len(data)) from None
        self._scan_row(data[found.end :])
        self.findings.extend(judge_members(self.read, members, first, self.place))
        self._pickled = found
        form = "torchscript" if any(name.startswith(f"{root}code/") for name in members) else "zip"
        return self._concluded(found.value, form, ArchivedStorages(root, members, self.size, self.near))

    def _scan(self, members: Mapping[str, Member], main: str) -> None:
        """Adds what the other pickles of an archive would import, since programs other than torch may load these."""
        left = PICKLE_LIMIT
        for name, member in members.items():
            if name.lower().endswith(".pkl") and name != main:
                left -= member.size
                if left < 0 or not self._later:
                    self._not_scanned()
                    break
                with suppress(BadArchive):
                    self._scan_row(zip_directory.beginning(self.read, member, member.size))

    def _not_scanned(self) -> None:
        from inspector.findings.header.pickle import PickleMalformed

        problem = f"is accompanied by more than {LATER_LIMIT:,} others, or more than {PICKLE_LIMIT:,} bytes of them"
        self.findings.append(PickleMalformed(place=self.place, problem=problem, position=0))

    def row(self) -> TorchFile:
        """Reads an older file: pickles of magic number, protocol, system, state dict and storage keys; then the
        storages.
        """
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
        first = read_pickle(data, 0, self.names)
        if first.value != _MAGIC or type(first.value) is not int:
            self._scan_row(self.read(first.end, min(self.size - first.end, PICKLE_LIMIT)))
            return self._concluded(first.value, "pickle", None)
        pickles = [first]
        for _ in range(4):  # protocol version, system, the object, the keys of its storages
            pickles.append(read_pickle(data, pickles[-1].end, self.names))
        keys = pickles[4].value
        self._pickled = pickles[3]
        problems: list[str] = []
        if _UNTYPED in self.names:
            problems.append(f"{_UNTYPED} has no dtype, which this older form needs")
        if pickles[1].value != _PROTOCOL:
            problems.append(f"the version of its protocol is not {_PROTOCOL}")
        if not isinstance(keys, list | tuple):
            problems.append("the list of its storages is missing")
        self.findings.extend(refused(problems, self.place))
        behind = TrailingStorages(pickles[4].end, keys if isinstance(keys, list | tuple) else (), self.size, self.near)
        return self._concluded(pickles[3].value, "legacy", behind)

    def _scan_row(self, data: bytes) -> None:
        """Adds what the pickles after a pickle would import: `pickle.load` may be called again on an open file."""
        at = 0
        with suppress(BadPickle, EndOfFile):
            while at < len(data):
                if not self._later:
                    self._not_scanned()
                    break
                self._later -= 1
                at = read_pickle(data, at, self.aside).end

    # from the pickled value to tensors

    def _concluded(self, value: object, form: str, place: ArchivedStorages | TrailingStorages | None) -> TorchFile:
        self.findings.extend(imported(self.names, self.place, self.aside, script=form == "torchscript"))
        inside, weights, other_keys = weights_in(value)
        tensors: dict[str, Layout] = {}
        positions: dict[str, tuple[str, int, tuple[int, ...]]] = {}
        faulty: list[str] = []
        doubled: list[str] = []
        views: dict[str | int, dict[tuple[Any, ...], list[str]]] = {}
        names_of: dict[str | int, list[str]] = {}
        storages: dict[str | int, Storage] = {}
        found = Tensors()
        for name, made in found.below(weights, ""):
            layout = self._layout(name, made)
            if layout is None:
                faulty.append(name)
                continue
            if name in tensors:
                doubled.append(name)
            tensors[name] = layout
            storage = made.storage
            if storage is not None:
                storages[storage.key] = storage
                if isinstance(place, ArchivedStorages):
                    positions[name] = (f"{place.prefix}data/{storage.key}", made.offset, made.strides)
                names_of.setdefault(storage.key, []).append(name)
                if layout.elements:
                    view = (made.offset, made.shape, made.strides, made.dtype)
                    views.setdefault(storage.key, {}).setdefault(view, []).append(name)
        faulty += found.not_dense
        self._judge_tensors(found)
        self._judge_keys(found.odd_keys, doubled, value)
        absent = without_weights(value, self.place, inside, len(tensors) + len(faulty), other_keys)
        if absent is not None:
            self.findings.append(absent)
            return self.unreadable()
        self._judge_content(value, form, len(tensors), inside, other_keys)
        self.findings.extend(other_sizes(value, tensors, self.file))
        ties, slices = self._shared(views)
        declared = sum(storage.bytes for storage in storages.values())
        cut: tuple[str, ...] = ()
        if place is not None and self._pickled is not None:
            cut, problems, found_of_storages = place.judge(self._pickled.persistent, names_of, self.place)
            self.findings.extend(found_of_storages)
            if not faulty:  # unnamed tensors may have the other storages
                self.findings.extend(refused(problems, self.place))
        header = Header(
            self.file, tensors, {"format": "pt"}, tuple(self.findings), max(0, self.size - 8 - declared), declared,
            tuple(faulty), cut,
        )  # fmt: skip
        return TorchFile(header, form, ties, slices, inside, other_keys, positions)

    def _judge_content(
        self, value: object, form: str, tensors: int, inside: str, other_keys: Mapping[str, int]
    ) -> None:
        """Adds the findings on content other than a state dict, and on how it is pickled."""
        if self._pickled is not None:
            self.findings.extend(refused_opcodes(self._pickled, self.place))
        if form == "torchscript":
            from inspector.findings.header.pickle import TorchscriptProgram

            self.findings.append(TorchscriptProgram(place=self.place))
        if isinstance(value, dict) and value.keys() >= {"state", "param_groups"}:
            from inspector.findings.reading.training import OptimizerNotWeights

            self.findings.append(OptimizerNotWeights(place=self.place, tensors=tensors))
        if inside or other_keys:
            from inspector.findings.header.torch import OtherKey, WeightsInside

            self.findings.append(
                WeightsInside(
                    place=self.place,
                    inside=inside,
                    beside=tuple(OtherKey(key, count) for key, count in list(other_keys.items())[:NAMES_SHOWN]),
                    count=len(other_keys),
                    keys=top_keys(value),
                    floats_first=begins_with_floats(value),
                )
            )

    def _judge_tensors(self, found: Tensors) -> None:
        """Adds the findings on the tensors that the pickle describes."""
        from inspector.findings.header.pickle import PickleMalformed

        self.findings.extend(self.problems.findings(self.file))
        if self.odd:
            problem = f"describes impossible tensors: {len(self.odd):,}, the first is {self.odd[0][:200]}"
            self.findings.append(PickleMalformed(place=self.place, problem=problem, position=0))
        self.findings.extend(found.judged(self.place))
        if not found.complete:
            problem = "contains more than a state dict can"
            self.findings.append(PickleMalformed(place=self.place, problem=problem, position=0))

    def _judge_keys(self, odd: list[str], doubled: list[str], value: object) -> None:
        """Adds the findings on keys that are not texts, and on keys that are equal as texts. An optimizer has integer
        keys, and so has a hypernetwork.
        """
        if doubled:
            from inspector.findings.header.entries import KeyDoubled

            shown = tuple(one[:200] for one in doubled[:NAMES_SHOWN])
            self.findings.append(KeyDoubled(place=self.place, where="state dict", keys=shown, tensors=len(doubled)))
        of_optimizer = isinstance(value, dict) and value.keys() >= {"state", "param_groups"}
        if odd and not of_optimizer and not is_hypernetwork(value):
            from inspector.findings.header.torch import KeysNotStrings

            keys = tuple(one[:200] for one in odd[:NAMES_SHOWN])
            self.findings.append(KeysNotStrings(place=self.place, keys=keys, count=len(odd)))

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
        judge_view(name, made, layout.elements, self.problems)
        return layout

    def _shared(
        self, views: Mapping[str | int, Mapping[tuple[Any, ...], list[str]]]
    ) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
        """(names of the same view of a storage, names of different views of one storage)."""
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
