"""Regular expressions of a config, matched in time linear in the name whatever they are.

Ignore lists and per-module settings hold patterns written by others; Python's `re` may take exponential time on
some. A pattern is compiled to a set of states that are followed all at once (Thompson's construction). The
dialect is what such lists use: literals, `.`, classes, `\\d \\w \\s`, groups, `|`, `* + ? {m,n}`, `^ $`. Anything else
(look-around, back-references) and anything too large is no pattern: `compile_pattern` gives None, and what the
config says there counts as not understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

MOST_PATTERN: Final = 500
MOST_STATES: Final = 2_000
MOST_NAME: Final = 500

_DIGITS: Final = frozenset("0123456789")
_WORD: Final = _DIGITS | frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_SPACE: Final = frozenset(" \t\n\r\f\v")
_CLASSES: Final = {"d": (False, _DIGITS), "w": (False, _WORD), "s": (False, _SPACE),
                   "D": (True, _DIGITS), "W": (True, _WORD), "S": (True, _SPACE)}  # fmt: skip

Test = tuple[bool, frozenset[str]]
"""(negated, characters)."""


class _Unsupported(Exception):
    pass


@dataclass(slots=True)
class Pattern:
    """A compiled pattern.

    numbered: whether it looks at digits, so that indices matter. words: letters that every name it matches has.
    """

    text: str
    numbered: bool
    words: tuple[str, ...] = ()
    _tests: list[Test | None] = field(default_factory=list)
    _next: list[list[int]] = field(default_factory=list)
    _marks: list[str] = field(default_factory=list)
    _start: int = 0
    _end: int = 0
    steps: int = 0  # states followed so far, over all names: what matching has cost

    def matches(self, name: str) -> bool:
        """Whether the pattern matches at the beginning of a name, as `re.match` does."""
        return self._run(name, False)

    def found_in(self, name: str) -> bool:
        """Whether the pattern matches anywhere in a name, as `re.search` does."""
        return self._run(name, True)

    def _run(self, name: str, anywhere: bool) -> bool:
        if len(name) > MOST_NAME:
            return False
        states = self._closure({self._start}, 0, len(name))
        for position, character in enumerate(name):
            self.steps += len(states)
            if self._end in states:
                return True
            after: set[int] = set()
            for state in states:
                test = self._tests[state]
                if test is not None and (character in test[1]) != test[0]:
                    after.update(self._next[state])
            if anywhere:
                after.add(self._start)
            if not after:
                return False
            states = self._closure(after, position + 1, len(name))
        return self._end in states

    def _closure(self, states: set[int], position: int, length: int) -> set[int]:
        found: set[int] = set()
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            if state in found:
                continue
            mark = self._marks[state]
            if (mark == "^" and position != 0) or (mark == "$" and position != length):
                continue
            found.add(state)
            if self._tests[state] is None:
                waiting.extend(self._next[state])
        return found


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern | None:
    """A pattern of a config; None where it is outside the dialect or too large."""
    if len(text) > MOST_PATTERN:
        return None
    builder = _Builder(text)
    try:
        start, end = builder.alternatives()
    except _Unsupported:
        return None
    if builder.position != len(text):
        return None
    pattern = builder.pattern
    pattern._start, pattern._end = start, end
    pattern.words = builder.words()
    return pattern


def glob_pattern(text: str) -> Pattern | None:
    """A shell pattern (`*`, `?`) as a pattern that must match a whole name, or the names of what is above it."""
    parts = []
    for character in text:
        if character == "*":
            parts.append(".*")
        elif character == "?":
            parts.append(".")
        else:
            parts.append(f"\\{character}" if not character.isalnum() and character != "_" else character)
    return compile_pattern("".join(parts) + r"(\..*)?$")


Piece = tuple[int, int]
_LETTERS: Final = re.compile(r"[A-Za-z_]{2,}")


class _Builder:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.plain = ""  # the literal that the last atom was
        self.runs = [""]  # runs of literals outside all groups
        self.alternated = False
        self.pattern = Pattern(text, False)

    def words(self) -> tuple[str, ...]:
        """Runs of letters that stand in every match."""
        if self.alternated:
            return ()
        return tuple(word for run in self.runs for word in _LETTERS.findall(run))

    def state(self, test: Test | None = None, mark: str = "") -> int:
        pattern = self.pattern
        if len(pattern._tests) >= MOST_STATES:
            raise _Unsupported
        pattern._tests.append(test)
        pattern._next.append([])
        pattern._marks.append(mark)
        return len(pattern._tests) - 1

    def link(self, one: int, other: int) -> None:
        self.pattern._next[one].append(other)

    def peek(self) -> str:
        return self.text[self.position] if self.position < len(self.text) else ""

    def take(self) -> str:
        if self.position >= len(self.text):
            raise _Unsupported
        self.position += 1
        return self.text[self.position - 1]

    def alternatives(self) -> Piece:
        self.depth += 1
        if self.depth > 30:
            raise _Unsupported
        start, end = self.state(), self.state()
        while True:
            first, last = self.sequence()
            self.link(start, first)
            self.link(last, end)
            if self.peek() != "|":
                break
            self.alternated = self.alternated or self.depth == 1
            self.position += 1
        self.depth -= 1
        return start, end

    def sequence(self) -> Piece:
        start = end = self.state()
        while self.peek() not in ("", "|", ")"):
            first, last = self.repeated()
            self.link(end, first)
            end = last
        return start, end

    def repeated(self) -> Piece:
        begin = self.position
        piece = self.atom()
        plain = self.plain if self.depth == 1 else ""
        least, most = self.quantifier()
        if (least, most) == (1, 1):
            if self.depth == 1:
                self.runs = [*self.runs[:-1], self.runs[-1] + plain] if plain else [*self.runs, ""]
            return piece
        if self.depth == 1:
            self.runs.append("")
        start = end = self.state()
        for number in range(max(least, 1 if most is None else most)):
            if number:
                self.position, after = begin, self.position
                piece = self.atom()
                self.position = after
            if number >= least:
                skipped = self.state()
                self.link(end, skipped)
                self.link(piece[1], skipped)
                self.link(end, piece[0])
                end = skipped
            else:
                self.link(end, piece[0])
                end = piece[1]
        if most is None:
            loop = self.state()
            self.link(piece[1], piece[0])
            self.link(end, loop)
            end = loop
        return start, end

    def quantifier(self) -> tuple[int, int | None]:
        character = self.peek()
        found: tuple[int, int | None] = (1, 1)
        if character in ("*", "+", "?"):
            self.position += 1
            found = {"*": (0, None), "+": (1, None), "?": (0, 1)}[character]
        elif character == "{":
            close = self.text.find("}", self.position)
            bounds = self.text[self.position + 1 : close].split(",") if close > 0 else []
            if not bounds or len(bounds) > 2 or not all(part.isdecimal() and len(part) < 4 for part in bounds if part):
                raise _Unsupported
            self.position = close + 1
            low = int(bounds[0] or 0)
            high = low if len(bounds) == 1 else int(bounds[1]) if bounds[1] else None
            if high is not None and high < low:
                raise _Unsupported
            found = (low, high)
        if found != (1, 1) and self.peek() == "?":  # lazy: the same set of names
            self.position += 1
        return found

    def atom(self) -> Piece:
        character = self.take()
        self.plain = ""
        if character == "(":
            if self.text.startswith("?:", self.position):
                self.position += 2
            elif self.peek() == "?":
                raise _Unsupported
            piece = self.alternatives()
            if self.take() != ")":
                raise _Unsupported
            self.plain = ""
            return piece
        if character == "[":
            return self.single(self.klass())
        if character == ".":
            return self.single((True, frozenset("\n")))
        if character in "^$":
            state = self.state(mark=character)
            return state, state
        if character in "*+?{":
            raise _Unsupported
        if character == "\\":
            test = self.escaped()
            self.plain = "" if len(test[1]) != 1 else next(iter(test[1]))
            return self.single(test)
        self.plain = character
        return self.literal(character)

    def literal(self, character: str) -> Piece:
        if character in _DIGITS:
            self.pattern.numbered = True
        return self.single((False, frozenset(character)))

    def escaped(self) -> Test:
        character = self.take()
        if character in _CLASSES:
            self.pattern.numbered = True
            return _CLASSES[character]
        if character.isalnum():
            raise _Unsupported
        return False, frozenset(character)

    def klass(self) -> Test:
        negated = self.peek() == "^"
        if negated:
            self.position += 1
        found: set[str] = set()
        first = True
        while first or self.peek() != "]":
            first = False
            character = self.take()
            if character == "\\":
                inner = self.escaped()
                if inner[0]:
                    raise _Unsupported
                found |= inner[1]
                continue
            if self.peek() == "-" and self.text[self.position + 1 : self.position + 2] not in ("]", ""):
                self.position += 1
                last = self.take()
                if last == "\\" or not ord(character) <= ord(last) < 0x250:
                    raise _Unsupported
                found.update(chr(code) for code in range(ord(character), ord(last) + 1))
            else:
                found.add(character)
        self.position += 1
        self.pattern.numbered = True
        return negated, frozenset(found)

    def single(self, test: Test) -> Piece:
        start, end = self.state(test), self.state()
        self.link(start, end)
        return start, end
