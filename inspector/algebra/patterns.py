"""Untrusted regular expressions, matched in bounded time: sets of positions instead of backtracking.

`re` can take exponential time on `(a+)+b`; a pattern from a file must not. A match carries the set of all
positions reached so far, one bit for each. Syntax outside the subset (`inspector.algebra.regex`) gives no
pattern, and the caller says "not checked".
"""

from __future__ import annotations

import re
from typing import Final

from inspector.algebra.regex import (
    Chain,
    Characters,
    Choice,
    Edge,
    Lookahead,
    NotSupported,
    Repeat,
    Tree,
    parse,
)
from inspector.budget import spend

LONGEST: Final = 4_000
"""Longest pattern that is read, in characters."""
LONGEST_TEXT: Final = 1_000
"""Longest name that is matched, in characters."""
STEPS: Final = 50_000
"""Most steps of one match: real patterns take a few hundred."""
STEPS_A_STEP: Final = 2
"""Steps of a match that cost one step of the budget."""
PATTERNS: Final = "the regular expressions of the config"
_DIGITS: Final = "0123456789"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.\-]*", re.ASCII)


class TooManySteps(Exception):
    """A match exceeded the limit of steps."""


class Pattern:
    """A supported pattern.

    text: the pattern as written. blind: True if it treats all digits alike. words: runs of letters that occur in every
    name that it matches.
    """

    __slots__ = ("_ahead", "_cache", "_left", "_masks", "_text", "_tree", "blind", "steps", "text", "words")

    def __init__(self, text: str, tree: Tree) -> None:
        self.text = text
        self._tree = tree
        self.blind = _blind(tree)
        self.words = _words(tree)
        self.steps = 0
        """Steps that all matches so far have taken."""
        self._cache: dict[str, bool | None] = {}
        self._masks: dict[Characters, int] = {}
        self._text = ""
        self._left = 0
        self._ahead: dict[Lookahead, int] = {}

    def fullmatch(self, text: str) -> bool | None:
        """True if the whole text matches, as `re.fullmatch`; None if that would take too long."""
        if len(text) > LONGEST_TEXT:
            return None
        known = re.sub(r"[1-9]", "0", text) if self.blind else text
        if known not in self._cache:
            reached = self._reached(known, 1)
            self._cache[known] = None if reached is None else bool(reached >> len(known) & 1)
        return self._cache[known]

    def matches(self, text: str) -> bool:
        """True if the pattern matches at the beginning of a text, as `re.match`; False also if that would take too
        long.
        """
        return len(text) <= LONGEST_TEXT and bool(self._reached(text, 1))

    def found_in(self, text: str) -> bool:
        """True if the pattern matches anywhere in a text, as `re.search`; False also if that would take too long."""
        return len(text) <= LONGEST_TEXT and bool(self._reached(text, (2 << len(text)) - 1))

    def _reached(self, text: str, at: int) -> int | None:
        """The positions at which matches from the positions `at` can end; None beyond the limit of steps."""
        self._text, self._left, self._ahead, self._masks = text, STEPS, {}, {}
        try:
            return self._advance(self._tree, at)
        except TooManySteps:
            return None
        finally:
            self.steps += STEPS - self._left
            spend((STEPS - self._left) // STEPS_A_STEP + len(text) // STEPS_A_STEP, PATTERNS)

    def _advance(self, tree: Tree, at: int) -> int:
        """The positions at which matches of a tree from the positions `at` can end."""
        self._left -= 1
        if self._left < 0:
            raise TooManySteps
        match tree:
            case Characters():
                return (at & self._accepting(tree)) << 1
            case Chain(trees):
                for one in trees:
                    at = self._advance(one, at) if at else 0
                return at
            case Choice(branches):
                reached = 0
                for branch in branches:
                    reached |= self._advance(branch, at)
                return reached
            case Repeat():
                return self._repeat(tree, at)
            case Edge(kind):
                return at & self._edges(kind)
            case Lookahead():
                holds = self._holds(tree)
                return at & (~holds if tree.negated else holds)

    def _repeat(self, repeat: Repeat, at: int) -> int:
        for _ in range(repeat.least):
            before, at = at, self._advance(repeat.tree, at)
            if at in (0, before):
                break
        reached, fresh = at, at
        left = -1 if repeat.most is None else repeat.most - repeat.least
        while fresh and left:
            fresh = self._advance(repeat.tree, fresh) & ~reached
            reached |= fresh
            left -= 1
        return reached

    def _holds(self, ahead: Lookahead) -> int:
        """The positions at which the pattern inside a lookahead matches."""
        if ahead not in self._ahead:
            places = range(len(self._text) + 1)
            self._ahead[ahead] = sum(1 << at for at in places if self._advance(ahead.tree, 1 << at))
        return self._ahead[ahead]

    def _edges(self, kind: str) -> int:
        text, last = self._text, len(self._text)
        if kind != "b":
            return 1 if kind == "^" else 1 << last
        words = [char.isalnum() or char == "_" for char in text]
        between = [(n > 0 and words[n - 1]) != (n < last and words[n]) for n in range(last + 1)]
        return sum(1 << n for n, edge in enumerate(between) if edge)

    def _accepting(self, characters: Characters) -> int:
        """The positions with an accepted character."""
        if characters not in self._masks:
            self._left -= len(self._text) * (1 + len(characters.ranges))
            accepted = {char for char in set(self._text) if characters.accepts(char)}
            self._masks[characters] = sum(1 << n for n, char in enumerate(self._text) if char in accepted)
        return self._masks[characters]


def _blind(tree: Tree) -> bool:
    """True if every single character of a pattern accepts either all digits or none."""
    if isinstance(tree, Characters):
        return len({tree.accepts(digit) for digit in _DIGITS}) == 1
    return all(map(_blind, _inside(tree)))


def _inside(tree: Tree) -> tuple[Tree, ...]:
    match tree:
        case Chain(trees):
            return trees
        case Choice(branches):
            return branches
        case Repeat() | Lookahead():
            return (tree.tree,)
    return ()


def _words(tree: Tree) -> tuple[str, ...]:
    """Runs of at least two letters among the literals that every match passes."""
    trees = tree.trees if isinstance(tree, Chain) else ()
    runs = "".join(_letter(one) for one in trees)
    return tuple(re.findall(r"[A-Za-z_]{2,}", runs))


def _letter(tree: Tree) -> str:
    alone = isinstance(tree, Characters) and len(tree.letters) == 1 and not (tree.ranges or tree.categories)
    return next(iter(tree.letters)) if isinstance(tree, Characters) and alone and not tree.negated else " "


def pattern_of(text: str) -> Pattern | None:
    """The compiled pattern; None if it is invalid or unsupported."""
    if len(text) > LONGEST:
        return None
    spend(2 * len(text), PATTERNS)
    try:
        return Pattern(text, parse(text))
    except NotSupported:
        return None


def is_plain(text: str) -> bool:
    """True if a text has no special character but the dot: a name or the end of a name."""
    return _PLAIN.fullmatch(text) is not None
