"""Headers in the form of the reference writer, read in bulk without an object per tensor.

`{"name":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},...}`: compact, the three fields in this order. The text
is split at each `]` and `{`, which gives three parts per entry: `},"name":`, its layout and its span. The text is then
written again from the names, layouts and spans: if it is the same, everything in it was understood. A header in any
other form, or with any irregularity, is not read here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, pairwise
from operator import attrgetter, itemgetter, sub
from typing import Any, Final

import msgspec
from msgspec import Struct

from inspector.loader import strict_json
from inspector.loader.layout import Layout

_BEGINS: Final = b'{"__metadata__":{'
_NEXT: Final = b']},"'
"""The text between a span and the next name."""
_PIECE: Final = 1 << 17
"""Bytes that are split at once."""
_LARGEST_ENTRY: Final = 1 << 20
"""Largest entry in bytes. Larger ones are not read in bulk, since that copies them several times."""
_TEXTS_KEPT: Final = 10_000
"""Most texts of layouts that are cached; real checkpoints have some hundred."""
_ALIGNMENT: Final = 64
"""Alignment in bytes; the reference writer aligns the data to 8."""
_BEFORE, _AFTER = '},"', '":'
"""The text around a name."""
_SPAN: Final = ',"data_offsets":['
"""The text before a span."""
_LITERALS: Final = (f"]{_BEFORE}", "", f"{_AFTER}{{", "", f"]{_SPAN}", "", ",", "")
"""An entry, with empty strings for its name, its layout, and the begin and end of its span."""
_NOT_IN_NAMES: Final = ('"', "\\", *map(chr, range(32)))
"""Characters that JSON does not allow in a string, or that it can write in several ways."""
_DIGITS: Final = b"0123456789"
_LAYOUT: Final = re.compile(r'"dtype":"([A-Za-z0-9_]+)","shape":\[((?:[0-9]+(?:,[0-9]+)*)?)', re.ASCII)
_BYTES = attrgetter("bytes")
_NAME = itemgetter(slice(len(_BEFORE), -len(_AFTER)))
_OFFSETS = itemgetter(slice(len(_SPAN), None))


class Compact(Struct, frozen=True):
    """A header in this form. end: the end of its data, which the tensors cover from 0 without gap or overlap.

    names: as written; a name may occur twice. layouts: in the order of the names.
    """

    names: list[str]
    layouts: list[Layout]
    metadata: dict[str, str]
    end: int


def read_compact(
    raw: bytes, layout_of: Callable[[str, list[Any]], Layout | None], known: dict[str, Layout]
) -> Compact | None:
    """Parses the header if every entry has this form; else None.

    layout_of: the layout of a dtype and dims, or None if they are invalid. known: texts of layouts from this and other
    headers.
    """
    begin, end = _begin(raw), _end(raw)
    metadata = _metadata(raw, begin)
    if metadata is None or not raw.endswith(b"]}}", begin, end):
        return None
    names: list[str] = []
    layouts: list[Layout] = []
    covered = _Covered()
    try:
        for piece in _pieces(raw, begin, end - len(b"]}}")):
            if len(piece) > _LARGEST_ENTRY:
                return None
            text = f"]{_BEFORE}{piece.decode()}"
            _, *parts = text.split("]")
            fields = "{".join(parts[0::2]).split("{")
            own, kinds = list(map(_NAME, fields[0::2])), fields[1::2]
            if not len(own) == len(kinds) == len(parts[1::2]) or not _learned(kinds, known, layout_of):
                return None
            found = list(map(known.__getitem__, kinds))
            if not _are_plain(own) or not covered.add(text, own, kinds, parts[1::2], list(map(_BYTES, found))):
                return None
            names += own
            layouts += found
    except ValueError:  # invalid UTF-8, a number with thousands of digits
        return None
    length = covered.end()
    return None if length < 0 else Compact(names, layouts, metadata, length)


def _pieces(raw: bytes, start: int, last: int) -> Iterator[bytes]:
    """The entries from `start` to `last` without separators, some hundred at a time: small enough for the CPU cache."""
    while start <= last:
        cut = raw.find(_NEXT, start + _PIECE, last)
        stop = last if cut < 0 else cut
        yield raw[start:stop]
        start = stop + len(_NEXT)


def _are_plain(names: list[str]) -> bool:
    """True if the names are valid JSON strings without escapes."""
    whole = "".join(names)
    return not any(letter in whole for letter in _NOT_IN_NAMES)


def _written(names: list[str], kinds: list[str], starts: list[str], stops: list[str]) -> str:
    """The text of some entries."""
    words = list(_LITERALS) * len(names)
    words[1::8], words[3::8], words[5::8], words[7::8] = names, kinds, starts, stops
    return "".join(words)


def _begin(raw: bytes) -> int:
    """The position of the name of the first entry; 0 if the header begins in another way."""
    if not raw.startswith(_BEGINS):
        return len(b'{"') if raw.startswith(b'{"') and not raw.startswith(b'{"__metadata__"') else 0
    stop = raw.find(b'},"', len(_BEGINS) - 1)
    return 0 if stop < 0 else stop + len(b'},"')


def _end(raw: bytes) -> int:
    """The end of the text, without the spaces that align the data."""
    last = raw[-_ALIGNMENT:]
    spaces = len(last) - len(last.rstrip(b" "))
    return len(raw) - spaces if spaces < _ALIGNMENT else len(raw.rstrip(b" "))


def _metadata(raw: bytes, begin: int) -> dict[str, str] | None:
    """The metadata in the text before the name of the first entry; None if it is irregular."""
    if begin <= len(b'{"'):
        return {} if begin else None
    text = b"".join((memoryview(raw)[: begin - len(b',"')], b"}"))
    if strict_json.header_too_dense(text):
        return None
    found = strict_json.decode_quick(text)
    metadata = found.get("__metadata__") if isinstance(found, dict) and len(found) == 1 else None
    if type(metadata) is not dict or not all(type(value) is str for value in metadata.values()):
        return None
    if strict_json.string_marks(text) != 2 + 4 * len(metadata) or strict_json.has_surrogates(text):
        return None
    return metadata


def _learned(kinds: list[str], known: dict[str, Layout], layout_of: Callable[[str, list[Any]], Layout | None]) -> bool:
    """True if each text (`"dtype":"BF16","shape":[2,3`) has a valid layout, which is then added to `known`."""
    if len(known) > _TEXTS_KEPT:
        known.clear()
    for kind in set(kinds).difference(known):
        match = _LAYOUT.fullmatch(kind)
        layout = None if match is None else layout_of(match[1], json.loads(f"[{match[2]}]"))
        if layout is None:
            return False
        known[kind] = layout
    return True


def _offsets(spans: list[str]) -> list[int]:
    """The begin and end of each span (`,"data_offsets":[0,12`) in turn; an empty list if any text is not a span."""
    numbers = "]".join(map(_OFFSETS, spans)).encode()
    if numbers.translate(None, _DIGITS) != b",]" * (len(spans) - 1) + b",":
        return []
    offsets: list[int] = json.loads(b"[%b]" % numbers.replace(b"]", b","))
    return offsets


def _texts(numbers: Iterable[int]) -> list[str]:
    """The numbers in decimal; ValueError if one exceeds 64 bits."""
    try:
        return msgspec.json.encode(list(numbers))[1:-1].decode().split(",")  # half the time of str()
    except OverflowError as error:
        raise ValueError("offset") from error


class _Covered:
    """The data that spans cover: from 0 without a gap as long as the spans are in order, then a list of the other
    spans.
    """

    __slots__ = ("others", "stop")

    def __init__(self) -> None:
        self.stop = 0
        self.others: list[tuple[int, int]] = []

    def add(self, text: str, names: list[str], kinds: list[str], spans: list[str], sizes: list[int]) -> bool:
        """Adds the spans of entries. False if the text is not these entries, or a span has another size in bytes."""
        if not self.others:
            ends = _texts(accumulate(sizes, initial=self.stop))
            if _written(names, kinds, ends[:-1], ends[1:]) == text:
                self.stop += sum(sizes)
                return True
        offsets = _offsets(spans)
        starts, stops = offsets[0::2], offsets[1::2]
        if list(map(sub, stops, starts)) != sizes:
            return False
        if _written(names, kinds, _texts(starts), _texts(stops)) != text:
            return False
        self.others += zip(starts, stops, strict=True)
        return True

    def end(self) -> int:
        """The end of the data if all spans cover it without gap or overlap, else -1."""
        if not self.others:
            return self.stop
        order = sorted([(0, self.stop), *self.others] if self.stop else self.others)
        if order[0][0] != 0 or any(one[1] != other[0] for one, other in pairwise(order)):
            return -1
        return order[-1][1]
