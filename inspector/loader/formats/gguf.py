"""The header of one GGUF file: key-values and tensors, from bytes read in bounded pieces. Pure.

GGUF 2 and 3, of either byte order. Vocabularies (tens of megabytes of texts) are skipped and never kept.
Layouts have torch's order of dims, which is the reverse of the file's. Source: the GGUF specification in
ggml's docs/gguf.md and `gguf_init_from_file_impl` of llama.cpp's gguf.cpp.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from inspector.findings.finding import Finding, Place
from inspector.loader.entry_problems import EntryProblems
from inspector.loader.formats.ggml_types import TYPES, lay_out_blocks, type_name
from inspector.loader.formats.incremental import Ended, Read, Stretch, TooLong
from inspector.loader.header_record import NAMES_SHOWN, Header, Layouts
from inspector.loader.layer_words import layers_of
from inspector.loader.layout import Layout
from inspector.loader.signature import SNIFF_BYTES, recognise

HEADER_LIMIT: Final = 100_000_000
"""Bytes before the tensor data; the largest genuine ones (vocabularies of a quarter million) have some 30 million."""
TENSOR_LIMIT: Final = 262_144
"""Tensors of one file. Experts are stacked in GGUF, so that genuine files have a few thousand."""
KEY_LIMIT: Final = 65_536
"""Key-values of one file."""
ITEM_LIMIT: Final = 4_000_000
"""Texts in arrays, which are skipped one by one, in one file."""
INNER_LIMIT: Final = 65_536
"""Arrays within arrays."""
NAME_LIMIT: Final = 1_024
"""Bytes of one name; ggml itself keeps 63."""
NAMES_LIMIT: Final = 16_000_000
"""Bytes of all names together."""
TEXT_KEPT: Final = 4_096
KEPT_LIMIT: Final = 8_000_000
ARRAY_KEPT: Final = 4_096
"""Numbers of an array that is kept: one for each layer is the most that a config needs."""
DIMS_LIMIT: Final = 16
NEST_LIMIT: Final = 8
DEFAULT_ALIGNMENT: Final = 32

_TEXT, _ARRAY, _BOOL = 8, 9, 7
_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
_WORDS: Final = {
    0: "uint8", 1: "int8", 2: "uint16", 3: "int16", 4: "uint32", 5: "int32", 6: "float32", 7: "bool",
    8: "string", 9: "array", 10: "uint64", 11: "int64", 12: "float64",
}  # fmt: skip


class ArrayOf(Struct, frozen=True):
    """An array that was not kept: what it holds and how many."""

    type: str
    count: int


class Split(Struct, frozen=True):
    """Where a file is among the parts of a model: number from 0, parts, tensors of all parts."""

    number: int
    count: int
    tensors: int | None


class GgufFile(Struct, frozen=True):
    """What a GGUF file declares.

    header: tensors under the file's own names, with logical shapes in torch's order and bytes as stored.
    values: key -> number, bool, text, list of numbers, or `ArrayOf`. version 0 where it could not be read.
    begins: tensor -> the byte of the file at which it begins.
    """

    header: Header
    values: Mapping[str, object] = {}
    version: int = 0
    big_endian: bool = False
    alignment: int = DEFAULT_ALIGNMENT
    split: Split | None = None
    begins: Mapping[str, int] = {}


class _Malformed(Exception):
    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def read_gguf(read: Read, size: int, file: str, layouts: Layouts | None = None) -> GgufFile:
    """Reads the header of a GGUF file of `size` bytes. Any bytes give a reading or evidence of what is wrong.

    layouts: layouts already met in other files of the same checkpoint.
    """
    stretch = Stretch(read, size, HEADER_LIMIT)
    reading = _Reading(stretch, size, file, Layouts() if layouts is None else layouts)
    try:
        return reading.run()
    except Ended:
        from inspector.findings.header.start import HeaderTruncated

        found: Finding = HeaderTruncated(place=Place(file=file), declared=None, stored=size)
    except TooLong as error:
        found = reading.malformed(f"the header is longer than {error.limit:,} bytes")
    except _Malformed as error:
        found = reading.malformed(error.problem)
    return GgufFile(Header(file, {}, {}, (*reading.findings, found), readable=False), reading.values, reading.version)


def judge_splits(files: Iterable[GgufFile]) -> tuple[Finding, ...]:
    """What the parts of one model say of one another; their absence is reported by their names."""
    parts = [one for one in files if one.header.readable]
    findings: list[Finding] = []
    totals = {one.split.tensors for one in parts if one.split is not None and one.split.tensors is not None}
    counts = {one.split.count for one in parts if one.split is not None}
    there = sum(len(one.header.tensors) + len(one.header.faulty) for one in parts)
    if len(counts) == 1 and len(parts) == next(iter(counts)) and totals and totals != {there}:
        from inspector.findings.header.gguf import GgufSplitDisagrees

        findings.append(
            GgufSplitDisagrees(
                place=Place(file=parts[0].header.file),
                problem=f"the parts hold {there:,} tensors together",
                stated=tuple(f"split.tensors.count = {total}" for total in sorted(totals)[:NAMES_SHOWN]),
            )
        )
    return tuple(findings)


class _Reading:
    def __init__(self, stretch: Stretch, size: int, file: str, known: Layouts) -> None:
        self.stretch, self.size, self.file, self.known = stretch, size, file, known
        self.findings: list[Finding] = []
        self.values: dict[str, object] = {}
        self.version = 0
        self.order = "<"
        self.items = 0
        self.inner = 0
        self.kept = 0
        self.tensors: dict[str, Layout] = {}
        self.spans: list[tuple[int, int, str]] = []
        self.faulty: list[str] = []
        self.problems = EntryProblems()
        self.place = Place(file=file)
        self.u32, self.u64 = struct.Struct("<I"), struct.Struct("<Q")

    def run(self) -> GgufFile:
        first = self._magic()
        if first is not None:
            self.findings.append(first)
            return GgufFile(Header(self.file, {}, {}, tuple(self.findings), readable=False), {}, self.version)
        tensors, keys = self._u64(), self._u64()
        if tensors > TENSOR_LIMIT:
            from inspector.findings.header.start import TooManyTensors

            self.findings.append(TooManyTensors(place=self.place, tensors=tensors, limit=TENSOR_LIMIT))
            return GgufFile(Header(self.file, {}, {}, tuple(self.findings), readable=False), {}, self.version)
        if keys > KEY_LIMIT:
            raise _Malformed(f"{keys:,} key-values are announced, the limit is {KEY_LIMIT:,}")
        self._key_values(keys)
        alignment = self._alignment()
        self._tensors(tensors)
        start = -(-self.stretch.position // alignment) * alignment
        split = self._split()
        self.findings.extend(self.problems.findings(self.file))
        end, cut = self._data(start, alignment)
        header = Header(
            self.file, self.tensors, self._metadata(), tuple(self.findings), start - 8, end, tuple(self.faulty), cut
        )
        begins = {name: start + begin for begin, _, name in self.spans}
        return GgufFile(header, self.values, self.version, self.order == ">", alignment, split, begins)

    def malformed(self, problem: str) -> Finding:
        from inspector.findings.header.gguf import GgufMalformed

        return GgufMalformed(place=self.place, problem=problem, position=self.stretch.position)

    def _magic(self) -> Finding | None:
        """Reads magic and version, decides on the byte order."""
        first = self.stretch.take(min(self.size, 8))
        if first[:4] != b"GGUF":
            what = recognise(first if self.size <= 8 else self._sniffed(), self.size)
            from inspector.findings.reading.content import NotACheckpoint

            return NotACheckpoint(place=self.place, what=what, bytes=self.size)
        if len(first) < 8:
            raise Ended(self.size)
        little, big = int.from_bytes(first[4:], "little"), int.from_bytes(first[4:], "big")
        self.version = little
        if little & 0xFFFF == 0 and big in (2, 3):
            self.version, self.order = big, ">"
            self.u32, self.u64 = struct.Struct(">I"), struct.Struct(">Q")
        if self.version not in (2, 3):
            from inspector.findings.header.gguf import GgufVersionUnknown

            return GgufVersionUnknown(place=self.place, version=min(little, big))
        return None

    def _sniffed(self) -> bytes:
        self.stretch.at = 0
        return self.stretch.take(min(self.size, SNIFF_BYTES))

    def _u32(self) -> int:
        return int(self.u32.unpack(self.stretch.take(4))[0])

    def _u64(self) -> int:
        return int(self.u64.unpack(self.stretch.take(8))[0])

    def _name(self, what: str) -> str:
        length = self._u64()
        if length > NAME_LIMIT:
            raise _Malformed(f"{what} of {length:,} bytes, the limit is {NAME_LIMIT:,}")
        self.kept += length
        if self.kept > NAMES_LIMIT:
            raise TooLong(NAMES_LIMIT)
        return self.stretch.take(length).decode("utf-8", "backslashreplace")

    def _key_values(self, count: int) -> None:
        doubled: list[str] = []
        for _ in range(count):
            key = self._name("a key")
            kind = self._u32()
            value = self._value(kind, 0)
            if key in self.values:
                doubled.append(key)
            else:
                self.values[key] = value
        if doubled:
            from inspector.findings.header.metadata import MetadataKeyDoubled

            self.findings.append(
                MetadataKeyDoubled(place=self.place, keys=tuple(doubled[:NAMES_SHOWN]), count=len(doubled))
            )

    def _value(self, kind: int, depth: int) -> object:
        if kind in _SCALARS:
            layout = struct.Struct(self.order + _SCALARS[kind])
            value = layout.unpack(self.stretch.take(layout.size))[0]
            return bool(value) if kind == _BOOL else value
        if kind == _TEXT:
            return self._text()
        if kind == _ARRAY:
            return self._array(depth)
        raise _Malformed(f"a value of type {kind}")

    def _text(self) -> str:
        length = self._u64()
        kept = min(length, TEXT_KEPT)
        self.kept += kept
        if self.kept > KEPT_LIMIT + NAMES_LIMIT:
            raise TooLong(KEPT_LIMIT)
        text = self.stretch.take(kept).decode("utf-8", "replace")
        self.stretch.skip(length - kept)
        return text

    def _array(self, depth: int) -> object:
        if depth >= NEST_LIMIT:
            raise _Malformed(f"arrays within arrays, more than {NEST_LIMIT} deep")
        kind = self._u32()
        count = self._u64()
        if kind in _SCALARS:
            width = struct.Struct(self.order + _SCALARS[kind]).size
            if depth or count > ARRAY_KEPT:
                self.stretch.skip(count * width)
                return ArrayOf(_WORDS[kind], count)
            self.kept += count * 32
            if self.kept > KEPT_LIMIT + NAMES_LIMIT:
                raise TooLong(KEPT_LIMIT)
            raw = self.stretch.take(count * width)
            numbers = list(struct.Struct(f"{self.order}{count}{_SCALARS[kind]}").unpack(raw))
            return [bool(number) for number in numbers] if kind == _BOOL else numbers
        if kind not in (_TEXT, _ARRAY):
            raise _Malformed(f"an array of values of type {kind}")
        if kind == _TEXT:
            self.items += count
            if self.items > ITEM_LIMIT:
                raise _Malformed(f"arrays of {self.items:,} texts, the limit is {ITEM_LIMIT:,}")
            self._skip_texts(count)
        else:
            self.inner += count
            if self.inner > INNER_LIMIT:
                raise _Malformed(f"{self.inner:,} arrays within arrays, the limit is {INNER_LIMIT:,}")
            for _ in range(count):
                self._array(depth + 1)
        return ArrayOf(_WORDS[kind], count)

    def _skip_texts(self, count: int) -> None:
        """Goes past `count` texts; the inner loop is what a vocabulary costs."""
        stretch, unpack = self.stretch, self.u64.unpack_from
        while count:
            buffer, at = stretch.buffer, stretch.at
            end = len(buffer) - 8
            while count and at <= end:
                after: int = at + 8 + unpack(buffer, at)[0]
                if after > end + 8:
                    break
                at = after
                count -= 1
            stretch.at = at
            if count:
                stretch.skip(self._u64())
                count -= 1

    def _alignment(self) -> int:
        found = self.values.get("general.alignment", DEFAULT_ALIGNMENT)
        if type(found) is not int or not 0 < found <= 1 << 20 or found & (found - 1):
            shown = found if isinstance(found, int | float | str | bool) else "an array"
            raise _Malformed(f"general.alignment is {str(shown)[:40]}, not a power of two up to {1 << 20:,}")
        return found

    def _tensors(self, count: int) -> None:
        doubled: list[str] = []
        seen: set[str] = set()
        for _ in range(count):
            name = self._name("a tensor's name")
            rank = self._u32()
            if rank > DIMS_LIMIT:
                raise _Malformed(f"a tensor of {rank:,} dims")
            dims = struct.Struct(f"{self.order}{rank}Q").unpack(self.stretch.take(8 * rank))
            kind = self._u32()
            offset = self._u64()
            if name in seen:
                doubled.append(name)
                continue
            seen.add(name)
            layout = self._layout(name, kind, dims[::-1])
            if layout is None:
                self.faulty.append(name)
                continue
            self.tensors[name] = layout
            self.spans.append((offset, offset + layout.bytes, name))
        if doubled:
            from inspector.findings.header.entries import KeyDoubled

            self.findings.append(
                KeyDoubled(place=self.place, where="header", keys=tuple(doubled[:NAMES_SHOWN]), tensors=len(doubled))
            )

    def _layout(self, name: str, kind: int, shape: tuple[int, ...]) -> Layout | None:
        known = self.known.get((kind, *shape)) if max(shape, default=0) < 1 << 60 else None
        if known is not None:
            return known
        blocks = TYPES.get(kind)
        if blocks is None:
            from inspector.findings.header.entries import DtypeEntry, DtypeUnknown

            self.problems.add(DtypeUnknown, DtypeEntry(tensor=name, dtype=type_name(kind), meant=None))
            return None
        made = lay_out_blocks(blocks, shape)
        if isinstance(made, Layout):
            if max(shape, default=0) < 1 << 60:
                self.known[(kind, *shape)] = made
            return made
        if made == "overflow":
            from inspector.findings.header.entries import ShapeEntry, ShapeOverflows

            self.problems.add(ShapeOverflows, ShapeEntry(tensor=name, dtype=blocks.name, shape=shape[:NAMES_SHOWN]))
        else:
            from inspector.findings.header.gguf import BlockEntry, GgufPartOfBlock

            self.problems.add(
                GgufPartOfBlock,
                BlockEntry(tensor=name, dtype=blocks.name, shape=shape[:NAMES_SHOWN], block=blocks.elements),
            )
        return None

    def _split(self) -> Split | None:
        number, count, total = (self.values.get(f"split.{key}") for key in ("no", "count", "tensors.count"))
        named = _NUMBERED.search(self.file[-200:])
        by_name = (int(named[1]) - 1, int(named[2])) if named else None
        if not (type(number) is int and type(count) is int):
            return None
        if by_name is not None and by_name != (number, count):
            from inspector.findings.header.gguf import GgufSplitDisagrees

            self.findings.append(
                GgufSplitDisagrees(
                    place=self.place,
                    problem=f"the name says part {by_name[0] + 1} of {by_name[1]}",
                    stated=(f"split.no = {number}", f"split.count = {count}"),
                )
            )
        return Split(number, count, total if type(total) is int else None)

    def _metadata(self) -> dict[str, str]:
        """The general texts, as a safetensors header would hold them."""
        texts = {key: text for key, text in self.values.items() if key.startswith("general.") and type(text) is str}
        return {"format": "gguf", **dict(list(texts.items())[:64])}

    def _data(self, start: int, alignment: int) -> tuple[int, tuple[str, ...]]:
        """Judges how the tensors tile the data; returns its declared length and the names cut off."""
        stored = max(0, self.size - start)
        unaligned = [name for begin, _, name in self.spans if begin % alignment]
        disordered = any(one[0] > other[0] for one, other in zip(self.spans, self.spans[1:], strict=False))
        spans = sorted(self.spans)
        end, holes, hole_bytes = 0, 0, 0
        overlapping: list[str] = []
        behind: list[str] = []
        for begin, stop, name in spans:
            padded = -(-end // alignment) * alignment
            if begin < end:
                overlapping.append(name)
            elif begin > padded:
                holes += 1
                hole_bytes += begin - padded
                behind.append(name)
            end = max(end, stop)
        if unaligned or overlapping or (holes and not self.faulty) or disordered:
            from inspector.findings.header.gguf import GgufOffsetsOdd

            self.findings.append(
                GgufOffsetsOdd(
                    place=self.place,
                    alignment=alignment,
                    unaligned=len(unaligned),
                    overlapping=len(overlapping),
                    holes=0 if self.faulty else holes,
                    hole_bytes=0 if self.faulty else hole_bytes,
                    disordered=disordered,
                    names=tuple(list(dict.fromkeys([*unaligned[:8], *overlapping[:8], *behind[:8]]))[:NAMES_SHOWN]),
                )
            )
        cut = tuple(name for _, stop, name in spans if stop > stored)
        if cut:
            from inspector.findings.shards.files import ShardCut

            self.findings.append(
                ShardCut(
                    place=self.place,
                    declared=start + end,
                    stored=self.size,
                    lost_bytes=end - stored,
                    tensors=len(cut),
                    names=tuple(cut[:NAMES_SHOWN]),
                    layers=layers_of(name.replace("blk.", "layers.", 1) for name in cut),
                )
            )
        elif stored > -(-end // alignment) * alignment and not self.faulty:
            from inspector.findings.header.offsets import DataBehindEnd

            self.findings.append(DataBehindEnd(place=self.place, declared=end, stored=stored, bytes=stored - end))
        return min(end, 1 << 62), cut


_NUMBERED: Final = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.ASCII)
