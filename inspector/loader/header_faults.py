"""Validates faulty safetensors headers entry by entry, so that each fault is reported with its tensor. Pure.

Imported only for faulty headers.
"""

from __future__ import annotations

from typing import Any, Final

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.header.entries import (
    DtypeEntry,
    DtypeUnknown,
    EntryMalformed,
    FieldDoubled,
    FieldUnknown,
    KeyDoubled,
    KeysEntry,
    PartOfByte,
    ProblemEntry,
    ShapeEntry,
    ShapeOverflows,
    SizeDiffers,
    SizeEntry,
)
from inspector.findings.header.metadata import MetadataKeyDoubled, MetadataMalformed
from inspector.findings.header.offsets import OffsetsAbsolute, OffsetsHole, OffsetsOverlap
from inspector.findings.header.start import (
    HeaderLarge,
    HeaderLength,
    HeaderNotJson,
    HeaderStartsBlank,
    HeaderTruncated,
    TooManyTensors,
)
from inspector.findings.reading.content import NotACheckpoint
from inspector.loader.dtype import BITS, TORCH_NAMES
from inspector.loader.entry_problems import EntryProblems
from inspector.loader.extents import cut_short, longer, tiling
from inspector.loader.header_record import (
    HEADER_LARGE,
    HEADER_LIMIT,
    TENSOR_LIMIT,
    Header,
    Layouts,
    layout_of,
    shared,
    unreadable,
)
from inspector.loader.layout import WORD, Layout
from inspector.loader.signature import REENCODED, is_reencoded, recognise
from inspector.loader.strict_json import DuplicateKeys, JsonFault, OddNumber


class EntryByEntry:
    """Validates each entry separately; problems are collected by kind."""

    def __init__(self, values: dict[str, Any], raw: bytes, data_bytes: int | None, file: str, known: Layouts) -> None:
        self.values, self.raw, self.data_bytes, self.file, self.known = values, raw, data_bytes, file, known
        self.findings: list[Finding] = []
        self.tensors: dict[str, Layout] = {}
        self.spans: list[tuple[int, int, str]] = []
        self.problems = EntryProblems()
        self.place = Place(file=file)
        self.faulty: list[str] = []
        self.whole = True  # every entry has offsets, so that gaps can be interpreted

    def verdict(self) -> Header:
        if self.raw[:1] in (b" ", b"\t", b"\r", b"\n"):
            blanks = len(self.raw) - len(self.raw.lstrip(b" \t\r\n"))
            self.findings.append(HeaderStartsBlank(place=self.place, bytes=blanks))
        doubled = self.values.keys_twice if isinstance(self.values, DuplicateKeys) else ()
        if doubled:
            self.findings.append(
                KeyDoubled(place=self.place, where="header", keys=tuple(doubled[:NAMES_SHOWN]), tensors=len(doubled))
            )
        metadata = self._metadata()
        if len(self.values) > TENSOR_LIMIT:
            self.findings.append(TooManyTensors(place=self.place, tensors=len(self.values), limit=TENSOR_LIMIT))
            return unreadable(self.file, *self.findings)
        for name, entry in self.values.items():
            self._entry(name, entry)
        self.findings.extend(self.problems.findings(self.file))
        declared, cut = self._data()
        if len(self.raw) > HEADER_LARGE:
            self.findings.append(HeaderLarge(place=self.place, bytes=len(self.raw), limit=HEADER_LARGE))
        return Header(
            self.file,
            self.tensors,
            metadata,
            tuple(self.findings),
            len(self.raw),
            declared,
            tuple(self.faulty),
            cut,
        )

    def _malformed(self, name: str, problem: str) -> None:
        self.problems.add_once(EntryMalformed, ProblemEntry(tensor=name, problem=problem))

    def _metadata(self) -> dict[str, str]:
        if "__metadata__" not in self.values:
            return {}
        found = self.values.pop("__metadata__")
        if found is None:
            return {}
        if not isinstance(found, dict):
            self.findings.append(MetadataMalformed(place=self.place, problem=f"is {_kind(found)}", keys=(), count=1))
            return {}
        if isinstance(found, DuplicateKeys):
            keys = found.keys_twice
            self.findings.append(MetadataKeyDoubled(place=self.place, keys=tuple(keys[:NAMES_SHOWN]), count=len(keys)))
        bad = [key for key, text in found.items() if type(text) is not str]
        if bad:
            problem = f"holds {_kind(found[bad[0]])} instead of a string"
            self.findings.append(
                MetadataMalformed(place=self.place, problem=problem, keys=tuple(bad[:NAMES_SHOWN]), count=len(bad))
            )
        return {key: text for key, text in found.items() if type(text) is str}

    def _entry(self, name: str, entry: object) -> None:
        if not isinstance(entry, dict):
            self.whole = False
            self.faulty.append(name)
            self._malformed(name, f"the entry is {_kind(entry)}")
            return
        if isinstance(entry, DuplicateKeys):
            self.problems.add_once(FieldDoubled, KeysEntry(tensor=name, keys=tuple(entry.keys_twice[:NAMES_SHOWN])))
        extra = [key for key in entry if key not in ("dtype", "shape", "data_offsets")]
        if extra:
            self.problems.add_once(FieldUnknown, KeysEntry(tensor=name, keys=tuple(extra[:NAMES_SHOWN])))
        offsets = self._offsets(name, entry)
        layout = self._layout(name, entry)
        if offsets is None:
            self.whole = False
        else:
            self.spans.append((*offsets, name))
        if layout is None:
            self.faulty.append(name)
            return
        self.tensors[name] = layout
        if offsets is not None and offsets[1] - offsets[0] != layout.bytes:
            self.problems.add_once(
                SizeDiffers,
                SizeEntry(
                    tensor=name,
                    dtype=layout.dtype,
                    shape=tuple(layout.shape),
                    expected=layout.bytes,
                    stored=offsets[1] - offsets[0],
                ),
            )

    def _offsets(self, name: str, entry: dict[str, Any]) -> tuple[int, int] | None:
        if "data_offsets" not in entry:
            self._malformed(name, "data_offsets is missing")
            return None
        found = entry["data_offsets"]
        if type(found) is not list or len(found) != 2:
            what = _kind(found) if type(found) is not list else f"a list of {len(found)}"
            self._malformed(name, f"data_offsets is {what}, not [begin, end]")
            return None
        for number in found:
            if type(number) is not int or not 0 <= number < WORD:
                self._malformed(name, f"data_offsets holds {_number(number)}")
                return None
        start, stop = found
        if start > stop:
            self._malformed(name, f"data_offsets are reversed, {start} to {stop}")
            return None
        return start, stop

    def _layout(self, name: str, entry: dict[str, Any]) -> Layout | None:
        missing = [key for key in ("dtype", "shape") if key not in entry]
        if missing:
            self._malformed(name, f"{' and '.join(missing)} missing")
            return None
        dtype, dims = entry["dtype"], entry["shape"]
        if type(dims) is not list:
            self._malformed(name, f"shape is {_kind(dims)}, not a list")
            return None
        if type(dtype) is not str:
            self._malformed(name, f"dtype is {_kind(dtype)}, not a string")
            return None
        made = layout_of(dtype, dims)
        if isinstance(made, Layout):
            return shared(made, self.known)
        if made == "shape":
            wrong = next(dim for dim in dims if type(dim) is not int or not 0 <= dim < WORD)
            self._malformed(name, f"shape holds {_number(wrong)}")
        elif made == "dtype-unknown":
            empty = not dtype and _is_empty(entry.get("data_offsets"))
            self.problems.add_once(DtypeUnknown, DtypeEntry(tensor=name, dtype=dtype, meant=_near(dtype), empty=empty))
        else:
            kind = ShapeOverflows if made == "overflow" else PartOfByte
            self.problems.add_once(kind, ShapeEntry(tensor=name, dtype=dtype, shape=tuple(dims[:NAMES_SHOWN])))
        return None

    def _data(self) -> tuple[int, tuple[str, ...]]:
        """Checks how the spans cover the data; returns the declared length and the truncated tensors."""
        self.spans.sort()
        if self._absolute():
            self.findings.append(OffsetsAbsolute(place=self.place, begin=self.spans[0][0], tensors=len(self.spans)))
            return 0, ()
        tiled = tiling(self.spans)
        end, behind, overlapping = tiled.end, tiled.behind, tiled.overlapping
        if behind and self.whole:
            self.findings.append(
                OffsetsHole(place=self.place, holes=len(behind), bytes=tiled.gap_bytes, names=behind[:NAMES_SHOWN])
            )
        if overlapping:
            self.findings.append(
                OffsetsOverlap(place=self.place, tensors=len(overlapping), names=overlapping[:NAMES_SHOWN])
            )
        if self.data_bytes is None or end == self.data_bytes:
            return end, ()
        if end < self.data_bytes:
            if self.whole:
                self.findings.append(longer(self.place, end, self.data_bytes))
            return end, ()
        cut = tuple(name for _, stop, name in self.spans if stop > self.data_bytes)
        before = 8 + len(self.raw)
        self.findings.append(cut_short(self.place, before + end, before + self.data_bytes, end - self.data_bytes, cut))
        return end, cut

    def _absolute(self) -> bool:
        """True if the offsets cover the data when counted from the start of the file, as some writers do."""
        if not self.spans or self.spans[0][0] != 8 + len(self.raw):
            return False
        end = self.spans[0][0]
        for start, stop, _ in self.spans:
            if start != end:
                return False
            end = stop
        return self.data_bytes is None or end == 8 + len(self.raw) + self.data_bytes


def no_header(first: bytes, size: int | None, file: str) -> Finding:
    """The finding on an impossible header length."""
    what = recognise(first, size)
    place = Place(file=file)
    length = int.from_bytes(first[:8], "little")
    announced = len(first) >= 8 and 0 < length <= HEADER_LIMIT and first[8:9] in (b"{", b" ", b"\n", b"\t", b"")
    if what == "unknown" and is_reencoded(first):
        return NotACheckpoint(place=place, what=REENCODED, bytes=size)
    if what not in ("unknown", "text", "safetensors") and not announced:
        return NotACheckpoint(place=place, what=what, bytes=size)
    if (len(first) >= 8 and announced) or (len(first) < 8 and what == "unknown"):
        declared = 8 + length if len(first) >= 8 else None
        return HeaderTruncated(place=place, declared=declared, stored=size)
    if what == "text":
        return NotACheckpoint(place=place, what=what, bytes=size)
    big = int.from_bytes(first[:8], "big")
    swapped = size is not None and 0 < big <= min(size - 8, HEADER_LIMIT) and first[8:9] == b"{"
    return HeaderLength(
        place=place,
        announced=length,
        stored=size,
        limit=HEADER_LIMIT,
        big_endian=big if swapped else None,
        there=size is not None and HEADER_LIMIT < length <= size - 8 and first[8:10] == b'{"',
    )


LISTS_NONE: Final = b'{},"__metadata__":'
"""How early safetensors wrote the header of no tensors with metadata: one object behind another."""


def not_an_object(values: object, raw: bytes, data_bytes: int | None, file: str, first: bytes) -> Finding:
    """The finding on a header that is not a JSON object: another format, or invalid JSON."""
    place = Place(file=file)
    if isinstance(values, JsonFault):
        first = first if len(first) > 8 else len(raw).to_bytes(8, "little") + raw[:504]
        what = "" if raw[:1] == b"{" else recognise(first, 8 + len(raw) + (data_bytes or 0))
        if what and what not in ("unknown", "text", "empty"):
            size = None if data_bytes is None else 8 + len(raw) + data_bytes
            return NotACheckpoint(place=place, what=what, bytes=size)
        return HeaderNotJson(
            place=place, problem=values.reason, position=values.position, bytes=len(raw), hole=values.hole,
            lists_none=raw.startswith(LISTS_NONE) and not data_bytes,
        )  # fmt: skip
    return HeaderNotJson(place=place, problem=f"is {_kind(values)}, not an object", position=0, bytes=len(raw))


def _kind(value: object) -> str:
    """The type of a JSON value, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, OddNumber | int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


def _number(value: object) -> str:
    """Describes a value that should be an integer from 0 to 2^64 - 1."""
    if isinstance(value, OddNumber):
        return value.text
    if type(value) is int:
        return str(value) if -WORD < value < 100 * WORD else "a number beyond 64 bits"
    return _kind(value)


_OTHER_SPELLINGS: Final = {name.upper(): dtype for name, dtype in TORCH_NAMES.items()} | {
    "F8_E4M3FN": "F8_E4M3",
    "FP16": "F16",
    "FP32": "F32",
}


def _is_empty(offsets: object) -> bool:
    """True for the offsets of no data."""
    return isinstance(offsets, list) and len(offsets) == 2 and offsets[0] == offsets[1]


def _near(dtype: str) -> str | None:
    """The dtype that a misspelled dtype most likely means."""
    if len(dtype) > 40:
        return None
    upper = dtype.upper().removeprefix("TORCH.")
    return upper if upper in BITS else _OTHER_SPELLINGS.get(upper)
