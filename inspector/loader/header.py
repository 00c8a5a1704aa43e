"""The header of one safetensors file: from its JSON to layouts and to what is wrong with it. Pure.

Genuine headers are read in bulk, or in one plain loop where their writer orders the fields otherwise. The
first oddity of any kind leaves these, and the header is judged again, slowly, entry by entry, so that each
fault can be named with its tensor.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, Final

from inspector.evidence import Evidence, Fact, Place
from inspector.loader import strict_json
from inspector.loader.compact_header import read_compact
from inspector.loader.dtype import BITS, TORCH_NAMES
from inspector.loader.layer_words import layers_of
from inspector.loader.layout import WORD, Layout, lay_out
from inspector.loader.signature import recognise
from inspector.loader.strict_json import Doubled, Fault, OddNumber

HEADER_LIMIT: Final = 100_000_000
"""Bytes of a header; the reference reader's own limit (`MAX_HEADER_SIZE` in `tensor.rs`)."""
HEADER_LARGE: Final = 25_000_000
"""Bytes of a header above which the Hub does not read it any more."""
TENSOR_LIMIT: Final = 2_000_000
NAMES_SHOWN: Final = 20
"""Names in the facts of one piece of evidence; the exact number stands beside them."""


class Layouts(dict[tuple[Any, ...], Layout]):
    """(dtype, *dims) -> the one shared layout of all such tensors of a checkpoint. texts: by the texts of headers."""

    __slots__ = ("texts",)

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, Layout] = {}


@dataclass(frozen=True, slots=True)
class Header:
    """What a header declares.

    faulty: tensors whose entry gives no layout. cut: tensors whose bytes lie, all or in part, behind the
    end of the file. declared_bytes: length of the data as the offsets say. readable: whether it was a
    header at all, with or without faults. uniform: it has the form of the reference writer; then no name
    holds a quotation mark, a backslash or a control character.
    """

    file: str
    tensors: dict[str, Layout]
    metadata: dict[str, str]
    evidence: tuple[Evidence, ...]
    header_bytes: int = 0
    declared_bytes: int = 0
    faulty: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    readable: bool = True
    uniform: bool = field(default=False, compare=False)


def wanted_length(first: bytes, size: int | None) -> int | None:
    """Bytes of JSON that the first eight bytes of a file announce; None where that cannot be true.

    `size` is the length of the whole file, None where it is not known. Nothing is read or allocated by
    the number before it has passed here.
    """
    if len(first) < 8:
        return None
    length = int.from_bytes(first[:8], "little")
    most = HEADER_LIMIT if size is None else min(HEADER_LIMIT, size - 8)
    return length if 0 < length <= most else None


def unopened(first: bytes, size: int | None, file: str) -> Header:
    """The header of a file whose announced length cannot be true: no header, and evidence of what it is."""
    return _unreadable(file, _no_header(first, size, file))


def parse_header(
    raw: bytes, data_bytes: int | None, file: str, layouts: Layouts | None = None, first: bytes = b""
) -> Header:
    """Reads the JSON of a header.

    data_bytes: bytes that the file holds behind the header; None leaves the end of the data unchecked.
    layouts: layouts already met in other files of the same checkpoint. first: the beginning of the file,
    to recognise another format by.
    """
    known = Layouts() if layouts is None else layouts
    compact = _compact(raw, data_bytes, file, known)
    if compact is not None:
        return compact
    values = strict_json.decode_quick(raw)
    if isinstance(values, dict):
        stated = "__metadata__" in values
        metadata = values.pop("__metadata__", None)
        header = _plain(values, metadata, raw, data_bytes, file, known)
        if header is not None:
            return header
        if stated:
            values["__metadata__"] = metadata
        values = strict_json.exact_again(values, raw)
    if not isinstance(values, dict):
        return _unreadable(file, _not_an_object(values, raw, data_bytes, file, first))
    return _Trial(values, raw, data_bytes, file, known).verdict()


def _compact(raw: bytes, data_bytes: int | None, file: str, known: Layouts) -> Header | None:
    """A header in the reference writer's form in which nothing at all is odd, or None."""

    def layout_of(dtype: str, shape: list[Any]) -> Layout | None:
        made = known.get((dtype, *shape)) or _layout_of(dtype, shape)
        return None if isinstance(made, str) else _shared(made, known)

    if strict_json.header_too_dense(raw):
        return None
    read = read_compact(raw, layout_of, known.texts)
    if read is None or not _ends_well(read.end, data_bytes) or len(read.tensors) > TENSOR_LIMIT:
        return None
    evidence = (_large(raw, file),) if len(raw) > HEADER_LARGE else ()
    return Header(file, read.tensors, read.metadata, evidence, len(raw), read.end, uniform=True)


def _ends_well(end: int, data_bytes: int | None) -> bool:
    return 0 <= end < WORD and (data_bytes is None or end == data_bytes)


def _plain(
    values: dict[str, Any], metadata: Any, raw: bytes, data_bytes: int | None, file: str, known: Layouts
) -> Header | None:
    """A header in which nothing at all is odd, or None."""
    marks = 10 * len(values)  # a name, three fields and the dtype
    if metadata is not None:
        if type(metadata) is not dict or not all(type(text) is str for text in metadata.values()):
            return None
        marks += 2 + 4 * len(metadata)
    tensors: dict[str, Layout] = {}
    end = 0
    in_order = True
    try:
        for name, entry in values.items():
            shape = entry["shape"]
            if type(shape) is not list:
                return None
            key = (entry["dtype"], *shape)
            layout = known.get(key)
            if layout is None:
                made = _layout_of(entry["dtype"], shape)
                if isinstance(made, str):
                    return None
                layout = _shared(made, known)
            start, stop = entry["data_offsets"]
            if stop - start != layout.bytes:
                return None
            if start != end:
                in_order = False
            end = stop
            tensors[name] = layout
        if not in_order:
            end = _contiguous_end([entry["data_offsets"] for entry in values.values()])
    except (KeyError, TypeError, ValueError):
        return None
    if (
        not _ends_well(end, data_bytes)
        or len(tensors) > TENSOR_LIMIT
        or strict_json.string_marks(raw) != marks
        or raw[:1] != b"{"
        or not strict_json.is_plain(raw)
    ):
        return None
    evidence = (_large(raw, file),) if len(raw) > HEADER_LARGE else ()
    return Header(file, tensors, metadata or {}, evidence, len(raw), end)


def _contiguous_end(spans: list[list[int]]) -> int:
    """The end of spans that tile the data from 0 without hole or overlap, in whatever order; else -1."""
    spans.sort()
    end = 0
    for start, stop in spans:
        if start != end:
            return -1
        end = stop
    return end


def _layout_of(dtype: object, shape: list[Any]) -> Layout | str:
    """A layout from an entry of any content, or the name of the fault."""
    if type(dtype) is not str:
        return "dtype-type"
    for dim in shape:
        if type(dim) is not int or not 0 <= dim < WORD:
            return "shape"
    if dtype not in BITS:
        return "dtype-unknown"
    return lay_out(dtype, tuple(shape))


def _shared(layout: Layout, known: Layouts) -> Layout:
    """The one object for this layout.

    Dims that Python hashes like smaller ones are not kept: a header of thousands of shapes with the same
    hash would take quadratic time.
    """
    if max(layout.shape, default=0) >= sys.hash_info.modulus:
        return layout
    return known.setdefault((layout.dtype, *layout.shape), layout)


class _Trial:
    """The slow way: every entry on its own, faults collected by kind."""

    def __init__(self, values: dict[str, Any], raw: bytes, data_bytes: int | None, file: str, known: Layouts) -> None:
        self.values, self.raw, self.data_bytes, self.file, self.known = values, raw, data_bytes, file, known
        self.evidence: list[Evidence] = []
        self.tensors: dict[str, Layout] = {}
        self.spans: list[tuple[int, int, str]] = []
        self.cases: dict[str, list[dict[str, Fact]]] = {}
        self.counts: dict[str, int] = {}
        self.named: dict[str, str] = {}
        self.faulty: list[str] = []
        self.whole = True  # every entry has offsets, so that holes are worth a word

    def verdict(self) -> Header:
        if self.raw[:1] in (b" ", b"\t", b"\r", b"\n"):
            blanks = len(self.raw) - len(self.raw.lstrip(b" \t\r\n"))
            self._tell("header-starts-blank", bytes=blanks)
        doubled = self.values.keys_twice if isinstance(self.values, Doubled) else ()
        if doubled:
            self._tell("key-doubled", where="header", keys=list(doubled[:NAMES_SHOWN]), tensors=len(doubled))
        metadata = self._metadata()
        if len(self.values) > TENSOR_LIMIT:
            self._tell("too-many-tensors", tensors=len(self.values), limit=TENSOR_LIMIT)
            return _unreadable(self.file, *self.evidence)
        for name, entry in self.values.items():
            self._entry(name, entry)
        for rule, cases in self.cases.items():
            self._tell(rule, tensors=self.counts[rule], cases=list(cases))
        declared, cut = self._data()
        if len(self.raw) > HEADER_LARGE:
            self.evidence.append(_large(self.raw, self.file))
        return Header(
            self.file,
            self.tensors,
            metadata,
            tuple(self.evidence),
            len(self.raw),
            declared,
            tuple(self.faulty),
            cut,
        )

    def _tell(self, rule: str, **facts: Fact) -> None:
        self.evidence.append(Evidence(rule, Place(file=self.file), facts))

    def _case(self, rule: str, name: str, **facts: Fact) -> None:
        cases = self.cases.setdefault(rule, [])
        if self.named.get(rule) == name:
            return  # a second fault of the same kind in one entry
        self.named[rule] = name
        self.counts[rule] = self.counts.get(rule, 0) + 1
        if len(cases) < NAMES_SHOWN:
            cases.append({"tensor": name, **facts})

    def _metadata(self) -> dict[str, str]:
        if "__metadata__" not in self.values:
            return {}
        found = self.values.pop("__metadata__")
        if found is None:
            return {}
        if not isinstance(found, dict):
            self._tell("metadata-malformed", problem=f"is {_kind(found)}", keys=[], count=1)
            return {}
        if isinstance(found, Doubled):
            keys = found.keys_twice
            self._tell("metadata-key-doubled", keys=list(keys[:NAMES_SHOWN]), count=len(keys))
        bad = [key for key, text in found.items() if type(text) is not str]
        if bad:
            problem = f"holds {_kind(found[bad[0]])} where only texts may stand"
            self._tell("metadata-malformed", problem=problem, keys=bad[:NAMES_SHOWN], count=len(bad))
        return {key: text for key, text in found.items() if type(text) is str}

    def _entry(self, name: str, entry: object) -> None:
        if not isinstance(entry, dict):
            self.whole = False
            self.faulty.append(name)
            self._case("entry-malformed", name, problem=f"the entry is {_kind(entry)}")
            return
        if isinstance(entry, Doubled):
            self._case("field-doubled", name, keys=list(entry.keys_twice[:NAMES_SHOWN]))
        extra = [key for key in entry if key not in ("dtype", "shape", "data_offsets")]
        if extra:
            self._case("field-unknown", name, keys=extra[:NAMES_SHOWN])
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
            self._case(
                "size-differs",
                name,
                dtype=layout.dtype,
                shape=list(layout.shape),
                expected=layout.bytes,
                stored=offsets[1] - offsets[0],
            )

    def _offsets(self, name: str, entry: dict[str, Any]) -> tuple[int, int] | None:
        if "data_offsets" not in entry:
            self._case("entry-malformed", name, problem="data_offsets is missing")
            return None
        found = entry["data_offsets"]
        if type(found) is not list or len(found) != 2:
            what = _kind(found) if type(found) is not list else f"a list of {len(found)}"
            self._case("entry-malformed", name, problem=f"data_offsets is {what}, not [begin, end]")
            return None
        for number in found:
            if type(number) is not int or not 0 <= number < WORD:
                self._case("entry-malformed", name, problem=f"data_offsets holds {_number(number)}")
                return None
        start, stop = found
        if start > stop:
            self._case("entry-malformed", name, problem=f"data_offsets run backwards, {start} to {stop}")
            return None
        return start, stop

    def _layout(self, name: str, entry: dict[str, Any]) -> Layout | None:
        missing = [key for key in ("dtype", "shape") if key not in entry]
        if missing:
            self._case("entry-malformed", name, problem=f"{' and '.join(missing)} missing")
            return None
        dtype, dims = entry["dtype"], entry["shape"]
        if type(dims) is not list:
            self._case("entry-malformed", name, problem=f"shape is {_kind(dims)}, not a list")
            return None
        if type(dtype) is not str:
            self._case("entry-malformed", name, problem=f"dtype is {_kind(dtype)}, not a text")
            return None
        made = _layout_of(dtype, dims)
        if isinstance(made, Layout):
            return _shared(made, self.known)
        if made == "shape":
            wrong = next(dim for dim in dims if type(dim) is not int or not 0 <= dim < WORD)
            self._case("entry-malformed", name, problem=f"shape holds {_number(wrong)}")
        elif made == "dtype-unknown":
            self._case("dtype-unknown", name, dtype=dtype, meant=_near(dtype))
        else:
            rule = "shape-overflows" if made == "overflow" else "part-of-byte"
            self._case(rule, name, dtype=dtype, shape=dims[:NAMES_SHOWN])
        return None

    def _data(self) -> tuple[int, tuple[str, ...]]:
        """Judges how the spans tile the data; returns the declared length and the names cut off."""
        self.spans.sort()
        if self._absolute():
            self._tell("offsets-absolute", begin=self.spans[0][0], tensors=len(self.spans))
            return 0, ()
        end, holes, hole_bytes, overlaps = 0, 0, 0, 0
        behind_holes: list[str] = []
        overlapping: list[str] = []
        for start, stop, name in self.spans:
            if start > end:
                holes += 1
                hole_bytes += start - end
                behind_holes.append(name)
            elif start < end:
                overlaps += 1
                overlapping.append(name)
            end = max(end, stop)
        if holes and self.whole:
            names = behind_holes[:NAMES_SHOWN]
            self._tell("offsets-hole", holes=holes, bytes=hole_bytes, names=names)
        if overlaps:
            self._tell("offsets-overlap", tensors=overlaps, names=overlapping[:NAMES_SHOWN])
        if self.data_bytes is None or end == self.data_bytes:
            return end, ()
        if end < self.data_bytes:
            if self.whole:
                self._tell("data-behind-end", declared=end, stored=self.data_bytes, bytes=self.data_bytes - end)
            return end, ()
        cut = tuple(name for _, stop, name in self.spans if stop > self.data_bytes)
        before = 8 + len(self.raw)
        lost = end - self.data_bytes
        self._tell(
            "shard-cut",
            declared=before + end,
            stored=before + self.data_bytes,
            lost_bytes=lost,
            tensors=len(cut),
            names=list(cut[:NAMES_SHOWN]),
            layers=layers_of(cut),
        )
        return end, cut

    def _absolute(self) -> bool:
        """Whether offsets count from the start of the file, as some writers have it, and tile it so."""
        if not self.spans or self.spans[0][0] != 8 + len(self.raw):
            return False
        end = self.spans[0][0]
        for start, stop, _ in self.spans:
            if start != end:
                return False
            end = stop
        return self.data_bytes is None or end == 8 + len(self.raw) + self.data_bytes


def _unreadable(file: str, *evidence: Evidence) -> Header:
    return Header(file, {}, {}, evidence, readable=False)


def _large(raw: bytes, file: str) -> Evidence:
    return Evidence("header-large", Place(file=file), {"bytes": len(raw), "limit": HEADER_LARGE})


def _no_header(first: bytes, size: int | None, file: str) -> Evidence:
    """Why the first eight bytes announce no header that could be there."""
    what = recognise(first, size)
    place = Place(file=file)
    length = int.from_bytes(first[:8], "little")
    announced = len(first) >= 8 and 0 < length <= HEADER_LIMIT and first[8:9] in (b"{", b" ", b"\n", b"\t", b"")
    if what not in ("unknown", "text") and not announced:
        return Evidence("not-a-checkpoint", place, {"what": what, "bytes": size})
    if (len(first) >= 8 and announced) or (len(first) < 8 and what == "unknown"):
        declared = 8 + length if len(first) >= 8 else None
        return Evidence("header-truncated", place, {"declared": declared, "stored": size})
    if what == "text":
        return Evidence("not-a-checkpoint", place, {"what": what, "bytes": size})
    facts: dict[str, Fact] = {"announced": length, "stored": size, "limit": HEADER_LIMIT}
    big = int.from_bytes(first[:8], "big")
    if size is not None and 0 < big <= min(size - 8, HEADER_LIMIT):
        facts["big_endian"] = big
    return Evidence("header-length", place, facts)


def _not_an_object(values: object, raw: bytes, data_bytes: int | None, file: str, first: bytes) -> Evidence:
    if isinstance(values, Fault):
        first = first if len(first) > 8 else len(raw).to_bytes(8, "little") + raw[:504]
        what = "" if raw[:1] == b"{" else recognise(first, 8 + len(raw) + (data_bytes or 0))
        if what and what not in ("unknown", "text", "empty"):
            size = None if data_bytes is None else 8 + len(raw) + data_bytes
            return Evidence("not-a-checkpoint", Place(file=file), {"what": what, "bytes": size})
        facts: dict[str, Fact] = {"problem": values.reason, "position": values.position}
    else:
        facts = {"problem": f"is {_kind(values)}, not an object", "position": 0}
    return Evidence("header-not-json", Place(file=file), {**facts, "bytes": len(raw)})


def _kind(value: object) -> str:
    """A JSON value by its type, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, OddNumber | int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def _number(value: object) -> str:
    """A value that stands where an integer from 0 to 2^64 - 1 belongs."""
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


def _near(dtype: str) -> str | None:
    """The dtype that a wrong spelling most likely means."""
    if len(dtype) > 40:
        return None
    upper = dtype.upper().removeprefix("TORCH.")
    return upper if upper in BITS else _OTHER_SPELLINGS.get(upper)
