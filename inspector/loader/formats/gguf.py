"""The header of one GGUF file: key-values and tensors, from bytes read in bounded pieces. Pure.

GGUF 2 and 3, of either byte order. Vocabularies (tens of megabytes of texts) are skipped and never kept.
Layouts have torch's order of dims, which is the reverse of the file's. Source: the GGUF specification in
ggml's docs/gguf.md and `gguf_init_from_file_impl` of llama.cpp's gguf.cpp.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.entry_problems import EntryProblems
from inspector.loader.extents import cut_short, tiling
from inspector.loader.formats.ggml_types import TYPES, lay_out_blocks, least_bytes, type_name
from inspector.loader.formats.gguf_values import GgufValues, Malformed
from inspector.loader.formats.incremental import EndOfFile, Read, Stretch, TooLong
from inspector.loader.header_record import Header, Layouts
from inspector.loader.layout import Layout
from inspector.loader.signature import REENCODED, is_reencoded, recognise

HEADER_LIMIT: Final = 100_000_000
"""Most bytes before the tensor data; the largest real vocabularies (a quarter of a million tokens) take some 30
million.
"""
TENSOR_LIMIT: Final = 262_144
"""Most tensors of one file. Experts are stacked in GGUF, so that real files have a few thousand."""
BEGINNING: Final = 4_096
"""Number of first bytes that are read to recognise a file that is damaged or not GGUF."""
KEY_LIMIT: Final = 65_536
"""Most key-values of one file."""
DIMS_LIMIT: Final = 16
DEFAULT_ALIGNMENT: Final = 32
MAGIC: Final = b"GGUF"


class Split(Struct, frozen=True):
    """The place of a file among the parts of a model: its number from 0, the number of parts, the
    tensors of all parts.
    """

    number: int
    count: int
    tensors: int | None


class GgufFile(Struct, frozen=True):
    """The content of the header of a GGUF file.

    header: tensors under the file's own names, with logical shapes in torch's order and bytes as stored. values: key ->
    number, bool, text, list of numbers, or `ArrayOf`. version 0 if it could not be read. begins: tensor -> the byte of
    the file at which it begins. types: key -> the type of its value, such as uint32 or [int32].
    """

    header: Header
    values: Mapping[str, object] = {}
    version: int = 0
    big_endian: bool = False
    alignment: int = DEFAULT_ALIGNMENT
    split: Split | None = None
    begins: Mapping[str, int] = {}
    types: Mapping[str, str] = {}


def read_gguf(read: Read, size: int, file: str, layouts: Layouts | None = None) -> GgufFile:
    """Reads the header of a GGUF file of `size` bytes. Any input gives a result; problems become findings.

    layouts: layouts already read in other files of the same checkpoint.
    """
    stretch = Stretch(read, size, HEADER_LIMIT)
    reading = _GgufReading(stretch, size, file, Layouts() if layouts is None else layouts)
    try:
        return reading.run()
    except (EndOfFile, TooLong, Malformed) as error:
        found = reading.failed(error)
    return GgufFile(Header(file, {}, {}, (*reading.findings, found), readable=False), reading.values, reading.version)


def judge_splits(files: Iterable[GgufFile], names: Iterable[str] = ()) -> tuple[Finding, ...]:
    """The findings on contradictions between the parts of one model. Missing parts are reported elsewhere, by their
    names.

    names: all files of the place, which may include other parts.
    """
    parts = [one for one in files if one.header.readable]
    findings: list[Finding] = [*_renamed_parts(parts, tuple(names))]
    totals = {one.split.tensors for one in parts if one.split is not None and one.split.tensors is not None}
    counts = {one.split.count for one in parts if one.split is not None}
    there = sum(len(one.header.tensors) + len(one.header.faulty) for one in parts)
    if len(counts) == 1 and len(parts) == next(iter(counts)) and totals and totals != {there}:
        from inspector.findings.header.gguf import GgufSplitDisagrees

        findings.append(
            GgufSplitDisagrees(
                place=Place(file=parts[0].header.file),
                problem=f"the parts contain {there:,} tensors together",
                stated=tuple(f"split.tensors.count = {total}" for total in sorted(totals)[:NAMES_SHOWN]),
            )
        )
    return tuple(findings)


def _renamed_parts(parts: Iterable[GgufFile], names: tuple[str, ...]) -> Iterator[Finding]:
    """The findings on parts without a part's name: llama.cpp finds parts only by their names."""
    for one in parts:
        file, split = one.header.file, one.split
        if split is None or split.count < 2 or _NUMBERED.search(file[-200:]) or _is_joined(one):
            continue
        place = f"{split.number + 1:05d}-of-{split.count:05d}.gguf"
        others = [name for name in names if (found := _NUMBERED.search(name[-200:])) and int(found[2]) == split.count]
        stems = {_NUMBERED.sub("", name) for name in others}
        stem = stems.pop() if len(stems) == 1 else file.removesuffix(".gguf")
        from inspector.findings.header.gguf import GgufPartRenamed

        if f"{stem}-{place}" not in names:
            yield GgufPartRenamed(
                place=Place(file=file), part=split.number + 1, of=split.count, wanted=f"{stem}-{place}",
                beside=tuple(sorted(others)[:NAMES_SHOWN]),
            )  # fmt: skip


def _is_joined(file: GgufFile) -> bool:
    """True if a finding says that other parts are appended to this one."""
    if not file.header.findings:
        return False
    from inspector.findings.header.gguf import GgufPartsJoined

    return any(isinstance(one, GgufPartsJoined) for one in file.header.findings)


ONE_ROW: Final = (1, 1)
"""Dims after the first of a matrix with one row that was written with an additional dim; llama.cpp reads it as well."""


class _GgufReading:
    def __init__(self, stretch: Stretch, size: int, file: str, known: Layouts) -> None:
        self.stretch, self.size, self.file, self.known = stretch, size, file, known
        self.findings: list[Finding] = []
        self.values: dict[str, object] = {}
        self.types: dict[str, str] = {}
        self.version = 0
        self.split: Split | None = None
        self.order = "<"
        self.tensors: dict[str, Layout] = {}
        self.counted = self.listed = self.listed_end = 0
        self.spans: list[tuple[int, int, str]] = []
        self.faulty: list[str] = []
        self.problems = EntryProblems()
        self.place = Place(file=file)
        self.take = GgufValues(stretch, self.order)

    def run(self) -> GgufFile:
        first = self._magic()
        if first is not None:
            self.findings.append(first)
            return GgufFile(Header(self.file, {}, {}, tuple(self.findings), readable=False), {}, self.version)
        tensors, keys = self.take.u64(), self.take.u64()
        if tensors > TENSOR_LIMIT:
            from inspector.findings.header.start import TooManyTensors

            self.findings.append(TooManyTensors(place=self.place, tensors=tensors, limit=TENSOR_LIMIT))
            return GgufFile(Header(self.file, {}, {}, tuple(self.findings), readable=False), {}, self.version)
        if keys > KEY_LIMIT:
            raise Malformed(f"{keys:,} key-value pairs, the limit is {KEY_LIMIT:,}")
        self._key_values(keys)
        alignment = self._alignment()
        self._tensors(tensors)
        start = -(-self.stretch.position // alignment) * alignment
        split = self.split = self._split()
        self.findings.extend(self.problems.findings(self.file))
        end, cut = self._data(start, alignment)
        header = Header(
            self.file, self.tensors, self._metadata(), tuple(self.findings), start - 8, end, tuple(self.faulty), cut
        )
        begins = {name: start + begin for begin, _, name in self.spans}
        big = self.order == ">"
        return GgufFile(header, self.values, self.version, big, alignment, split, begins, self.types)

    def failed(self, error: EndOfFile | TooLong | Malformed) -> Finding:
        """The finding on the fault that ended the reading."""
        if self.spans and self._ends_with_listed():
            return self.malformed(f"the header counts {self.counted:,} tensors and lists {self.listed:,}", True)
        if not isinstance(error, EndOfFile):
            return self.malformed(error.problem)
        from inspector.findings.header.start import HeaderTruncated

        return HeaderTruncated(place=self.place, declared=None, stored=self.size)

    def _ends_with_listed(self) -> bool:
        """True if the file ends with the tensors listed so far: it is whole, and its converter counted more of them."""
        alignment = self._alignment()
        stored = self.size + -self.listed_end // alignment * alignment
        return 0 <= stored - max(stop for _, stop, _ in self.spans) < alignment

    def malformed(self, problem: str, of_writer: bool = False) -> Finding:
        position = self.stretch.position
        if is_reencoded(self._sniffed()):
            from inspector.findings.reading.content import NotACheckpoint

            return NotACheckpoint(place=self.place, what=REENCODED, bytes=self.size)
        from inspector.findings.header.gguf import GgufMalformed

        return GgufMalformed(place=self.place, problem=problem, position=position, of_writer=of_writer)

    def _magic(self) -> Finding | None:
        """Reads magic and version, and determines the byte order."""
        first = self.stretch.take(min(self.size, 8))
        if first[:4] != MAGIC:
            what = recognise(first if self.size <= 8 else self._sniffed(), self.size)
            from inspector.findings.reading.content import NotACheckpoint

            return NotACheckpoint(place=self.place, what=what, bytes=self.size)
        if len(first) < 8:
            raise EndOfFile(self.size)
        little, big = int.from_bytes(first[4:], "little"), int.from_bytes(first[4:], "big")
        self.version = little
        if little & 0xFFFF == 0 and big in (2, 3):
            self.version, self.order = big, ">"
            self.take = GgufValues(self.stretch, self.order)
            from inspector.findings.header.gguf import GgufBigEndian

            self.findings.append(GgufBigEndian(place=self.place))
        if self.version not in (2, 3):
            from inspector.findings.header.gguf import GgufVersionUnknown

            return GgufVersionUnknown(place=self.place, version=min(little, big))
        return None

    def _sniffed(self) -> bytes:
        self.stretch.at = 0
        return self.stretch.take(min(self.size, BEGINNING))

    def _key_values(self, count: int) -> None:
        doubled: list[str] = []
        equal = True
        for _ in range(count):
            key = self.take.name("a key")
            kind = self.take.u32()
            value = self.take.value(kind)
            self.types[key] = self.take.type_of(kind)
            if key in self.values:
                doubled.append(key)
                equal = equal and self.values[key] == value
            self.values[key] = value
        self._add_doubled("key-values", doubled, equal)

    def _add_doubled(self, where: str, keys: list[str], alike: bool) -> None:
        if keys:
            from inspector.findings.header.entries import KeyDoubled

            shown, n = tuple(keys[:NAMES_SHOWN]), len(keys)
            found = KeyDoubled(place=self.place, where=where, keys=shown, tensors=n, converted=True, alike=alike)
            self.findings.append(found)

    def _alignment(self) -> int:
        found = self.values.get("general.alignment", DEFAULT_ALIGNMENT)
        if type(found) is not int or not 0 < found <= 1 << 20 or found & (found - 1):
            shown = found if isinstance(found, int | float | str | bool) else "an array"
            raise Malformed(f"general.alignment is {str(shown)[:40]}, not a power of two up to {1 << 20:,}")
        return found

    def _tensors(self, count: int) -> None:
        doubled: list[str] = []
        seen: dict[str, tuple[int, tuple[int, ...]]] = {}
        alike = True
        self.counted = count
        for self.listed in range(count):
            self.listed_end = self.stretch.position
            name = self.take.name("a tensor's name")
            rank = self.take.u32()
            if rank > DIMS_LIMIT:
                raise Malformed(f"a tensor of {rank:,} dims")
            dims = struct.Struct(f"{self.order}{rank}Q").unpack(self.stretch.take(8 * rank))
            kind = self.take.u32()
            offset = self.take.u64()
            if seen and not (name or rank or "" in seen):  # zeros that pad the header
                raise Malformed(f"the header counts {count:,} tensors and lists {len(seen) + len(doubled):,}")
            if name in seen:
                doubled.append(name)
                self.faulty.append(name)
                alike = alike and seen[name] == (kind, dims)
                continue
            seen[name] = (kind, dims)
            layout = self._layout(name, kind, (1, dims[0]) if dims[1:] == ONE_ROW else dims[::-1])
            if layout is None:
                self.faulty.append(name)
                if (least := least_bytes(kind, dims[::-1])) > 0:
                    self.spans.append((offset, offset + least, name))
                continue
            self.tensors[name] = layout
            self.spans.append((offset, offset + layout.bytes, name))
        self._add_doubled("header", doubled, alike)

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
        """The general texts, in the form of the metadata of a safetensors header."""
        texts = {key: text for key, text in self.values.items() if key.startswith("general.") and type(text) is str}
        return {"format": "gguf", **dict(list(texts.items())[:64])}

    def _data(self, start: int, alignment: int) -> tuple[int, tuple[str, ...]]:
        """Checks how the tensors cover the data; returns its declared length and the truncated tensors."""
        stored = max(0, self.size - start)
        unaligned = [name for begin, _, name in self.spans if begin % alignment]
        disordered = any(one[0] > other[0] for one, other in zip(self.spans, self.spans[1:], strict=False))
        spans = sorted(self.spans)
        tiled = tiling(spans, alignment)
        end, overlapping = tiled.end, tiled.overlapping
        behind = () if self.faulty else tiled.behind  # faulty entries may be in the gaps
        if unaligned or overlapping or behind or disordered:
            from inspector.findings.header.gguf import GgufOffsetsOdd

            self.findings.append(
                GgufOffsetsOdd(
                    place=self.place,
                    alignment=alignment,
                    unaligned=len(unaligned),
                    overlapping=len(overlapping),
                    holes=len(behind),
                    hole_bytes=tiled.gap_bytes if behind else 0,
                    disordered=disordered,
                    names=tuple(
                        list(dict.fromkeys([*unaligned[:8], *overlapping[:8], *tiled.behind[:8]]))[:NAMES_SHOWN]
                    ),
                )
            )
        cut = tuple(name for _, stop, name in spans if stop > stored)
        if cut:
            self.findings.append(cut_short(self.place, start + end, self.size, end - stored, cut))
        elif stored > -(-end // alignment) * alignment and not self.faulty:
            self.findings.append(self._joined(start, end, alignment) or self._longer(end, stored))
        return min(end, 1 << 62), cut

    def _longer(self, end: int, stored: int) -> Finding:
        """The finding on bytes after the last tensor, which llama.cpp ignores (measured with xllamacpp 2026.10)."""
        from inspector.findings.header.gguf import GgufBytesIgnored

        return GgufBytesIgnored(place=self.place, declared=end, stored=stored, bytes=stored - end)

    def _joined(self, start: int, end: int, alignment: int) -> Finding | None:
        """The finding on another part after the first one, as appended by `cat`; None if there is none."""
        split = self.split
        begin = start + -(-end // alignment) * alignment
        if split is None or split.number or split.count < 2 or self.stretch.elsewhere(begin, len(MAGIC)) != MAGIC:
            return None
        from inspector.findings.header.gguf import GgufPartsJoined

        return GgufPartsJoined(place=self.place, of=split.count, behind=self.size - begin)


_NUMBERED: Final = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.ASCII)
