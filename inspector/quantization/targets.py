"""Matches entries of ignore lists and per-module settings with families: the indices of a key that an entry names."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box, boxes_of, by_digits, common, count, joined, tuples
from inspector.algebra.names import name_of
from inspector.algebra.patterns import PATTERNS, Pattern
from inspector.algebra.span import Span
from inspector.budget import spend
from inspector.quantization.patterns import compile_pattern, glob_pattern

MOST_TRIED: Final = 3_000
"""Most names per family on which a pattern with digits is tried; beyond that, the first axis represents all."""
_META: Final = re.compile(r"[\\^$*+?{}\[\]()|]")


class Entry(Struct, frozen=True):
    """An entry that names modules: a run of whole segments, or a pattern.

    at_start, at_end: the run must begin (end) the name of the module. open_start, open_end: its first (last) segment
    may be the end (beginning) of a segment. pattern: for all entries except plain runs. understood: False if it cannot
    be matched at all.
    """

    text: str
    segments: tuple[str, ...] = ()
    at_start: bool = False
    at_end: bool = False
    open_start: bool = False
    open_end: bool = False
    pattern: Pattern | None = None
    anywhere: bool = False
    understood: bool = True

    def within(self, key: str, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
        """The boxes of a family of modules that the entry names."""
        spend(1, PATTERNS)
        if self.pattern is not None:
            return self._tried(self.pattern, key, boxes)
        if not self.segments:
            return ()
        return self._cut(key.split("."), boxes)

    def _cut(self, parts: list[str], boxes: tuple[Box, ...]) -> tuple[Box, ...]:
        length = len(self.segments)
        last = len(parts) - length
        if last < 0 or (self.at_start and self.at_end and last):
            return ()
        places = range(last + 1)
        if self.at_start:
            places = range(1)
        elif self.at_end:
            places = range(last, last + 1)
        for place in places:
            limits = self._aligned(parts, place)
            if limits is not None:
                return tuple(matched for box in boxes if (matched := _limited(box, limits)) is not None)
        return ()

    def _aligned(self, parts: list[str], place: int) -> dict[int, int] | None:
        """Axis -> index where the run matches at this position; None if it does not match."""
        limits: dict[int, int] = {}
        axis = parts[:place].count("#")
        final = len(self.segments) - 1
        for number, wanted in enumerate(self.segments):
            part = parts[place + number]
            if part == "#":
                if not (wanted.isascii() and wanted.isdecimal() and len(wanted) <= 6):
                    return None
                limits[axis] = int(wanted)
                axis += 1
            elif part != wanted and not (
                (number == 0 and self.open_start and part.endswith(wanted))
                or (number == final and self.open_end and part.startswith(wanted))
            ):
                return None
        return limits

    def _tried(self, pattern: Pattern, key: str, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
        if not all(word in key for word in pattern.words):
            return ()
        run = pattern.found_in if self.anywhere else pattern.matches
        if pattern.blind:
            parts = [part for box in boxes for part in by_digits(box)]
            return joined(part for part in parts if run(name_of(key, tuple(axis.first for axis in part))))
        if count(boxes) <= MOST_TRIED:
            return boxes_of([index for box in boxes for index in tuples(box) if run(name_of(key, index))])
        kept: list[Box] = []
        for box in boxes:
            rest = tuple(axis.first for axis in box[1:])
            first = Span.of(at for at in box[0] if run(name_of(key, (at, *rest))))
            if first:
                kept.append((first, *box[1:]))
        return tuple(kept)


def _limited(box: Box, limits: dict[int, int]) -> Box | None:
    if not limits:
        return box
    return common(box, tuple(Span.of([limits[at]]) if at in limits else axis for at, axis in enumerate(box)))


def exact(text: str) -> Entry:
    """An entry that is the full name of a module."""
    return Entry(text, tuple(text.split(".")), at_start=True, at_end=True)


def listed(text: str) -> Entry:
    """An entry of a list of unquantized modules: a name or the beginning, middle or end of a name; or a glob."""
    if text.startswith("re:"):
        return regex(text[3:], text)
    if "*" in text or "?" in text:
        pattern = glob_pattern(text)
        return Entry(text, pattern=pattern, understood=pattern is not None)
    return Entry(text, tuple(text.strip(".").split(".")) if text.strip(".") else ())


def regex(text: str, shown: str | None = None, anywhere: bool = False) -> Entry:
    """A regular expression; a name between `.*` becomes a run of segments, which is faster."""
    bare = text.removeprefix("^")
    free = bare.startswith(".*") or anywhere
    bare = bare.removeprefix(".*")
    ended = bare.endswith("$") and not bare.endswith("\\$")
    bare = bare.removesuffix("$")
    if bare.endswith(".*") and not bare.endswith("\\.*"):
        bare, ended = bare[:-2], False
    plain = bare.replace("\\.", ".").replace("\\-", "-")
    if plain and not _META.search(plain):
        return Entry(
            shown or text,
            tuple(plain.strip(".").split(".")),
            at_start=not free,
            at_end=ended,
            open_start=free and not plain.startswith("."),
            open_end=not ended,
        )
    pattern = compile_pattern(text)
    return Entry(shown or text, pattern=pattern, anywhere=anywhere, understood=pattern is not None)
