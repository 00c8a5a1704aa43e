"""Regular expressions as trees: the part of Python's syntax that can be matched in bounded time.

Not supported: backreferences, lookbehind, atomic groups, possessive quantifiers, conditionals and flags.
Source: the documentation of Python's `re`.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

_QUANTIFIER: Final = re.compile(r"([*+?]|\{(\d*)(,?)(\d*)\})")
_GROUP: Final = re.compile(r"\?(?:(:)|P<([A-Za-z_]\w*)>|([=!]))")
_REPEATS: Final = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_CONTROL: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_CATEGORIES: Final = "dDsSwW"
_MOST_REPEATS: Final = 2**31
_DEEPEST: Final = 100
"""Groups within groups."""


class NotSupported(ValueError):
    """Raised for an invalid pattern, and for one outside the supported subset."""


class Characters(Struct, frozen=True, eq=False):
    """A set of characters: these letters, ranges and categories ("d" for a digit), or all others if negated."""

    letters: frozenset[str]
    ranges: tuple[tuple[str, str], ...] = ()
    categories: str = ""
    negated: bool = False

    def accepts(self, char: str) -> bool:
        """True if a character belongs to the set."""
        inside = (
            char in self.letters
            or any(low <= char <= high for low, high in self.ranges)
            or any(_in_category(category, char) for category in self.categories)
        )
        return inside != self.negated


class Edge(Struct, frozen=True, eq=False):
    """A position between characters: "^" the beginning, "$" the end, "b" a word boundary."""

    kind: str


class Repeat(Struct, frozen=True, eq=False):
    """A repeated tree. most: None without a limit."""

    tree: Tree
    least: int
    most: int | None


class Lookahead(Struct, frozen=True, eq=False):
    """A position at which a tree matches, or at which it does not match."""

    tree: Tree
    negated: bool


class Choice(Struct, frozen=True, eq=False):
    """Alternatives."""

    branches: tuple[Tree, ...]


class Chain(Struct, frozen=True, eq=False):
    """A sequence of trees."""

    trees: tuple[Tree, ...]


Tree = Characters | Edge | Repeat | Lookahead | Choice | Chain


def parse(text: str) -> Chain | Choice:
    """The tree of a pattern; NotSupported if it is invalid or outside the subset."""
    parser = _PatternParser(text)
    tree = parser.alternatives(0)
    if parser.at < len(text):
        raise NotSupported("an unmatched closing bracket")
    return tree


def _in_category(category: str, char: str) -> bool:
    match category.lower():
        case "d":
            inside = char.isdigit()
        case "s":
            inside = char.isspace()
        case _:
            inside = char.isalnum() or char == "_"
    return inside == category.islower()


class _PatternParser:
    """Reads the text of a pattern from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.names = text, 0, set[str]()

    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        char = self.next()
        if not char:
            raise NotSupported("unexpected end of the pattern")
        self.at += 1
        return char

    def accept(self, char: str) -> bool:
        found = self.next() == char
        self.at += found
        return found

    def alternatives(self, depth: int) -> Chain | Choice:
        if depth > _DEEPEST:
            raise NotSupported("groups are nested too deeply")
        branches = [self.chain(depth)]
        while self.accept("|"):
            branches.append(self.chain(depth))
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def chain(self, depth: int) -> Chain:
        trees: list[Tree] = []
        while self.next() not in ("", "|", ")"):
            trees.append(self.repeated(self.single(depth)))
        return Chain(tuple(trees))

    def repeated(self, tree: Tree) -> Tree:
        limits = self.limits()
        if limits is None:
            return tree
        if isinstance(tree, Edge):
            raise NotSupported("a boundary is repeated")
        if not self.accept("?") and self.next() == "+":
            raise NotSupported("a possessive quantifier")
        if self.limits() is not None:
            raise NotSupported("a quantifier is repeated")
        return Repeat(tree, *limits)

    def limits(self) -> tuple[int, int | None] | None:
        """Reads a quantifier and returns its limits; None if there is none."""
        found = _QUANTIFIER.match(self.text, self.at)
        if found is None or found[0] == "{}":  # empty braces are literal characters
            return None
        self.at = found.end()
        if found[0] in _REPEATS:
            return _REPEATS[found[0]]
        low, high = (int(digits) if digits else None for digits in found.group(2, 4))
        least = low or 0
        most = high if found[3] else least
        if max(least, most or 0) >= _MOST_REPEATS or (most is not None and most < least):
            raise NotSupported("invalid limits of a quantifier")
        return least, most

    def single(self, depth: int) -> Tree:
        char = self.take()
        match char:
            case ".":
                return Characters(frozenset("\n"), negated=True)
            case "^" | "$":
                return Edge(char)
            case "[":
                return self.characters()
            case "(":
                return self.group(depth + 1)
            case "\\":
                return self.escaped()
            case "*" | "+" | "?" | "{":
                self.at -= 1
                if self.limits() is not None:
                    raise NotSupported("nothing to repeat")
                self.at += 1
        return Characters(frozenset(char))

    def group(self, depth: int) -> Tree:
        found = _GROUP.match(self.text, self.at)
        if found is None and self.next() == "?":
            raise NotSupported("an unsupported kind of group")
        self.at = found.end() if found else self.at
        name = found[2] if found else None
        if name is not None and name in self.names:
            raise NotSupported("a name of two groups")
        self.names.update([name] if name else [])
        tree = self.alternatives(depth)
        if not self.accept(")"):
            raise NotSupported("a group is not closed")
        return Lookahead(tree, found[3] == "!") if found and found[3] else tree

    def escaped(self) -> Tree:
        char = self.take()
        if char in _CATEGORIES:
            return Characters(frozenset(), categories=char)
        if char in "AZb":
            return Edge({"A": "^", "Z": "$", "b": "b"}[char])
        return Characters(frozenset(self.literal(char)))

    def literal(self, char: str) -> str:
        """The character after a backslash."""
        if char == "0" and self.next().isdigit():
            raise NotSupported("an octal number")
        if char in _CONTROL:
            return _CONTROL[char]
        if char.isascii() and char.isalnum():
            raise NotSupported(f"\\{char}")
        return char

    def characters(self) -> Characters:
        negated = self.accept("^")
        letters: set[str] = set()
        ranges: list[tuple[str, str]] = []
        categories = ""
        first = True
        while first or self.next() != "]":
            first = False
            low = self.member()
            if self.next() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self.member()
                if len(low) > 1 or len(high) > 1 or high < low:
                    raise NotSupported("a range of characters")
                ranges.append((low, high))
            elif len(low) > 1:
                categories += low[1]
            else:
                letters.add(low)
        self.at += 1
        return Characters(frozenset(letters), tuple(dict.fromkeys(ranges)), "".join(dict.fromkeys(categories)), negated)

    def member(self) -> str:
        r"""One character of a set, or a category such as "\d"."""
        char = self.take()
        if char != "\\":
            return char
        char = self.take()
        if char in _CATEGORIES:
            return f"\\{char}"
        return "\b" if char == "b" else self.literal(char)
