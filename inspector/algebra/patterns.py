"""Regular expressions of others, matched in bounded time: no backtracking, sets of positions instead.

`re` can take exponential time on `(a+)+b`; a pattern from a file must not. A pattern is parsed to the tree
that `re` itself makes, and a match carries the set of all positions reached so far, one bit for each. What
is outside the subset (references back, lookbehind, possessive repeats, flags) gives no pattern, and the
caller says "not checked".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

LONGEST: Final = 4_000
"""Characters of a pattern that is read."""
LONGEST_TEXT: Final = 1_000
"""Characters of a name that is matched."""
STEPS: Final = 50_000
"""Steps of one match: a genuine pattern takes some hundred."""
_DIGITS: Final = "0123456789"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.\-]*", re.ASCII)

Node = tuple[Any, Any]


class TooLong(Exception):
    """A match took more steps than are granted."""


class Pattern:
    """A pattern of the subset. text: as it was written; blind: it cannot tell one digit from another.

    words: runs of letters that are in every name that it matches.
    """

    __slots__ = ("_ahead", "_cache", "_left", "_masks", "_text", "_tree", "blind", "steps", "text", "words")

    def __init__(self, text: str, tree: Sequence[Node]) -> None:
        self.text = text
        self._tree = list(tree)
        self.blind = _blind(self._tree)
        self.words = _words(self._tree)
        self.steps = 0
        """Steps that all matches so far have taken."""
        self._cache: dict[str, bool | None] = {}
        self._masks: dict[int, int] = {}
        self._text = ""
        self._left = 0
        self._ahead: dict[int, int] = {}

    def fullmatch(self, text: str) -> bool | None:
        """Whether the whole text matches, as `re.fullmatch`; None where that would take too long."""
        if len(text) > LONGEST_TEXT:
            return None
        known = re.sub(r"[1-9]", "0", text) if self.blind else text
        if known not in self._cache:
            reached = self._reached(known, 1)
            self._cache[known] = None if reached is None else bool(reached >> len(known) & 1)
        return self._cache[known]

    def matches(self, text: str) -> bool:
        """Whether it matches at the beginning of a text, as `re.match`; no where that would take too long."""
        return len(text) <= LONGEST_TEXT and bool(self._reached(text, 1))

    def found_in(self, text: str) -> bool:
        """Whether it matches anywhere in a text, as `re.search`; no where that would take too long."""
        return len(text) <= LONGEST_TEXT and bool(self._reached(text, (2 << len(text)) - 1))

    def _reached(self, text: str, at: int) -> int | None:
        """The positions behind the pattern, from a set of positions before it; None beyond the steps granted."""
        self._text, self._left, self._ahead, self._masks = text, STEPS, {}, {}
        try:
            return self._sequence(self._tree, at)
        except TooLong:
            return None
        finally:
            self.steps += STEPS - self._left

    def _sequence(self, nodes: Sequence[Node], at: int) -> int:
        for node in nodes:
            if not at:
                return 0
            at = self._advance(node, at)
        return at

    def _advance(self, node: Node, at: int) -> int:
        """The positions behind a node, from a set of positions before it."""
        self._left -= 1
        if self._left < 0:
            raise TooLong
        kind, value = node
        if kind in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            return self._repeat(value, at)
        if kind is codes.BRANCH:
            reached = 0
            for branch in value[1]:
                reached |= self._sequence(branch, at)
            return reached
        if kind is codes.SUBPATTERN:
            return self._sequence(value[3], at)
        if kind is codes.AT:
            return at & self._edges(value)
        if kind in (codes.ASSERT, codes.ASSERT_NOT):
            holds = self._holds(node)
            return at & (holds if kind is codes.ASSERT else ~holds)
        return (at & self._accepting(node)) << 1

    def _repeat(self, value: Any, at: int) -> int:
        least, most, inner = value
        for _ in range(least):
            before, at = at, self._sequence(inner, at)
            if at in (0, before):
                break
        reached, fresh, left = at, at, most - least if most is not codes.MAXREPEAT else -1
        while fresh and left:
            fresh = self._sequence(inner, fresh) & ~reached
            reached |= fresh
            left -= 1
        return reached

    def _holds(self, node: Node) -> int:
        """The positions from which the inside of a lookahead matches."""
        known = self._ahead.get(id(node))
        if known is None:
            inner = node[1][1]
            known = sum(1 << at for at in range(len(self._text) + 1) if self._sequence(inner, 1 << at))
            self._ahead[id(node)] = known
        return known

    def _edges(self, where: Any) -> int:
        text, last = self._text, len(self._text)
        if where in (codes.AT_BEGINNING, codes.AT_BEGINNING_STRING):
            return 1
        if where in (codes.AT_END, codes.AT_END_STRING):
            return 1 << last
        words = [char.isalnum() or char == "_" for char in text]
        between = [(n > 0 and words[n - 1]) != (n < last and words[n]) for n in range(last + 1)]
        return sum(1 << n for n, edge in enumerate(between) if edge)

    def _accepting(self, node: Node) -> int:
        """The positions whose character the node accepts."""
        known = self._masks.get(id(node))
        if known is None:
            self._left -= len(self._text)
            known = sum(1 << n for n, char in enumerate(self._text) if _accepts(node, char))
            self._masks[id(node)] = known
        return known


def _accepts(node: Node, char: str) -> bool:
    kind, value = node
    if kind is codes.LITERAL:
        return bool(ord(char) == value)
    if kind is codes.NOT_LITERAL:
        return bool(ord(char) != value)
    if kind is codes.ANY:
        return char != "\n"
    if kind is codes.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    if kind is codes.CATEGORY:
        return _in_category(value, char)
    negated = bool(value) and value[0][0] is codes.NEGATE
    return any(_accepts(one, char) for one in value[negated:]) != negated


def _in_category(name: Any, char: str) -> bool:
    asked = {
        codes.CATEGORY_DIGIT: char.isdigit(),
        codes.CATEGORY_SPACE: char.isspace(),
        codes.CATEGORY_WORD: char.isalnum() or char == "_",
        codes.CATEGORY_NOT_DIGIT: not char.isdigit(),
        codes.CATEGORY_NOT_SPACE: not char.isspace(),
        codes.CATEGORY_NOT_WORD: not (char.isalnum() or char == "_"),
    }
    return asked[name]


_SINGLE: Final = (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN)
_EDGES: Final = (
    codes.AT_BEGINNING, codes.AT_BEGINNING_STRING, codes.AT_END, codes.AT_END_STRING, codes.AT_BOUNDARY
)  # fmt: skip


def _supported(nodes: Sequence[Node]) -> bool:
    for kind, value in nodes:
        if kind in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            good = _supported(value[2])
        elif kind is codes.BRANCH:
            good = all(map(_supported, value[1]))
        elif kind is codes.SUBPATTERN:
            good = not value[1] and not value[2] and _supported(value[3])
        elif kind in (codes.ASSERT, codes.ASSERT_NOT):
            good = value[0] == 1 and _supported(value[1])
        elif kind is codes.AT:
            good = value in _EDGES
        else:
            good = kind in _SINGLE
        if not good:
            return False
    return True


def _blind(nodes: Sequence[Node]) -> bool:
    """Whether every single character of a pattern accepts all digits or none."""
    for kind, value in nodes:
        if kind in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            same = _blind(value[2])
        elif kind is codes.BRANCH:
            same = all(map(_blind, value[1]))
        elif kind is codes.SUBPATTERN:
            same = _blind(value[3])
        elif kind in (codes.ASSERT, codes.ASSERT_NOT):
            same = _blind(value[1])
        elif kind is codes.AT:
            same = True
        else:
            same = len({_accepts((kind, value), digit) for digit in _DIGITS}) == 1
        if not same:
            return False
    return True


def _words(nodes: Sequence[Node]) -> tuple[str, ...]:
    """Runs of at least two letters among the literals that every match passes."""
    runs = "".join(chr(value) if kind is codes.LITERAL else " " for kind, value in nodes)
    return tuple(re.findall(r"[A-Za-z_]{2,}", runs))


def pattern_of(text: str) -> Pattern | None:
    """The pattern, or None where it is none, or is outside the subset."""
    if len(text) > LONGEST:
        return None
    try:
        tree = parser.parse(text)
        inside = tree.state.flags in (0, re.UNICODE) and _supported(tree)
        return Pattern(text, tree) if inside else None
    except (re.error, RecursionError, OverflowError, ValueError):
        return None


def is_plain(text: str) -> bool:
    """Whether a text has no sign of a pattern but the dot: a name or the end of one."""
    return _PLAIN.fullmatch(text) is not None
