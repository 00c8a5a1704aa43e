"""Headers in the form of the reference writer, read in bulk without an object per tensor.

`{"name":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},...}`: compact, the three fields in this
order. The text is split at each `{` and `]`, which gives three parts per entry: `},"name":`, its layout and its
span. Everything in a part except name, layout and span is compared literally, so that the joined parts
are proven to be the text. A header in any other form, or with any irregularity, is not read here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from operator import attrgetter, itemgetter, sub
from typing import Any, Final

from msgspec import Struct

from inspector.loader import strict_json
from inspector.loader.layout import Layout

_BEGINS: Final = b'{"__metadata__":{'
_NEXT: Final = b']},"'
"""The text between a span and the next name."""
_PIECE: Final = 1 << 17
"""Bytes."""
_ALIGNMENT: Final = 64
"""Bytes; the reference writer aligns the data to 8."""
_BEFORE, _AFTER = '},"', '":'
"""The text around a name."""
_SPAN: Final = ',"data_offsets":['
"""The text before a span."""
_CUT: Final = bytes(0 if code < 32 else ord("\n") if code in b"{]" else code for code in range(256))
"""A line break for the characters that split, and a zero byte for control characters, which JSON does not allow."""
_UNCUT: Final = bytes(set(range(256)) - set(b"{]"))
_DIGITS: Final = b"0123456789"
_LAYOUT: Final = re.compile(r'"dtype":"([A-Za-z0-9_]+)","shape":\[((?:[0-9]+(?:,[0-9]+)*)?)', re.ASCII)
_BYTES = attrgetter("bytes")
_NAME = itemgetter(slice(len(_BEFORE), -len(_AFTER)))
_OFFSETS = itemgetter(slice(len(_SPAN), None))


class Compact(Struct, frozen=True):
    """A header in this form. end: the end of its data; the tensors cover it from 0 without gap or overlap."""

    tensors: dict[str, Layout]
    metadata: dict[str, str]
    end: int


def read_compact(
    raw: bytes, layout_of: Callable[[str, list[Any]], Layout | None], known: dict[str, Layout]
) -> Compact | None:
    """Parses the header if every entry has this form; else None.

    layout_of: the layout of a dtype and dims, or None where there is none. known: texts of layouts from this and
    other headers.
    """
    begin, end = _begin(raw), _end(raw)
    metadata = _metadata(raw[:begin])
    if metadata is None or not raw.endswith(b"]}}", begin, end):
        return None
    names: list[str] = []
    layouts: list[Layout] = []
    covered = _Covered()
    try:
        for text in _pieces(raw, begin, end - len(b"]}}")):
            fields = _fields(text)
            if fields is None or not _learned(fields[1::3], known, layout_of):
                return None
            own = list(map(known.__getitem__, fields[1::3]))
            if not covered.add(_offsets(fields[2::3]), list(map(_BYTES, own))):
                return None
            names += fields[0::3]
            layouts += own
    except ValueError:  # invalid UTF-8, a number with a leading zero, thousands of digits
        return None
    found = dict(zip(names, layouts, strict=True))
    if len(found) != len(names) or "__metadata__" in found:
        return None
    length = covered.end()
    return None if length < 0 else Compact(found, metadata, length)


def _pieces(raw: bytes, start: int, last: int) -> Iterator[bytes]:
    """The entries from `start` to `last` without separators, some hundred at a time: small enough for the CPU cache."""
    while start <= last:
        cut = raw.find(_NEXT, start + _PIECE, last)
        stop = last if cut < 0 else cut
        yield raw[start:stop]
        start = stop + len(_NEXT)


def _fields(text: bytes) -> list[str] | None:
    """Name with the text around it, layout and span of each entry of a piece in turn."""
    cuts = text.translate(None, _UNCUT)
    if b"\\" in text or cuts != (b"{]]" * len(cuts))[: len(cuts)]:
        return None
    fields = (_BEFORE + text.translate(_CUT).decode()).split("\n")
    around = fields[0::3]
    names = list(map(_NAME, around))
    if len(fields) % 3 or "".join(around) != f"{_BEFORE}{f'{_AFTER}{_BEFORE}'.join(names)}{_AFTER}":
        return None
    fields[0::3] = names
    whole = "".join(names)
    return None if '"' in whole or "\0" in whole else fields


def _begin(raw: bytes) -> int:
    """Where the name of the first entry begins; 0 in a header that begins in another way."""
    if not raw.startswith(_BEGINS):
        return len(b'{"') if raw.startswith(b'{"') and not raw.startswith(b'{"__metadata__"') else 0
    stop = raw.find(b'},"', len(_BEGINS) - 1)
    return 0 if stop < 0 else stop + len(b'},"')


def _end(raw: bytes) -> int:
    """Where the text ends, without the spaces that align the data."""
    last = raw[-_ALIGNMENT:]
    spaces = len(last) - len(last.rstrip(b" "))
    return len(raw) - spaces if spaces < _ALIGNMENT else len(raw.rstrip(b" "))


def _metadata(before: bytes) -> dict[str, str] | None:
    """The metadata in the text before the name of the first entry; None where it is irregular."""
    if before == b'{"':
        return {}
    text = before.removesuffix(b',"') + b"}"
    if not text.startswith(_BEGINS) or strict_json.header_too_dense(text):
        return None
    found = strict_json.decode_quick(text)
    metadata = found.get("__metadata__") if isinstance(found, dict) and len(found) == 1 else None
    if type(metadata) is not dict or not all(type(value) is str for value in metadata.values()):
        return None
    if strict_json.string_marks(text) != 2 + 4 * len(metadata) or strict_json.has_surrogates(text):
        return None
    return metadata


def _learned(kinds: list[str], known: dict[str, Layout], layout_of: Callable[[str, list[Any]], Layout | None]) -> bool:
    """Whether each text (`"dtype":"BF16","shape":[2,3`) has a valid layout; adds the layouts to `known`."""
    for kind in set(kinds).difference(known):
        match = _LAYOUT.fullmatch(kind)
        layout = None if match is None else layout_of(match[1], json.loads(f"[{match[2]}]"))
        if layout is None:
            return False
        known[kind] = layout
    return True


def _offsets(spans: list[str]) -> list[int]:
    """Begin and end of each span (`,"data_offsets":[0,12`) in turn; a list of another length if one is not a span."""
    listed = list(map(_OFFSETS, spans))
    numbers = "]".join(listed).encode()
    apart = numbers.translate(None, _DIGITS) == b",]" * (len(spans) - 1) + b","
    if not apart or "]".join(spans) != _SPAN + f"]{_SPAN}".join(listed):
        return []
    offsets: list[int] = json.loads(b"[%b]" % numbers.replace(b"]", b","))
    return offsets


class _Covered:
    """The data that spans cover: from 0 without a gap as long as they are in order, then a list of the others."""

    __slots__ = ("others", "stop")

    def __init__(self) -> None:
        self.stop = 0
        self.others: list[tuple[int, int]] = []

    def add(self, offsets: list[int], sizes: list[int]) -> bool:
        """Adds spans, begin and end in turn. False where one has another size in bytes."""
        starts, stops = offsets[0::2], offsets[1::2]
        ends = list(accumulate(sizes, initial=self.stop))
        if not self.others and stops == ends[1:] and starts == ends[:-1]:
            self.stop = ends[-1]
            return True
        if list(map(sub, stops, starts)) != sizes:
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
