"""Config keys below expressions, and the values that would give them what is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from inspector.algebra.boxes import Box
from inspector.algebra.expression import Binary, Literal, Node, Word, children, parse
from inspector.algebra.span import Span
from inspector.notation.binding import scope_of
from inspector.notation.scope import CardScope, grafts_of
from inspector.notation.slots import Slot
from inspector.reconciler.place import Placement
from inspector.reconciler.solving import LARGEST

Key = tuple[str, ...]
"""A config key, dotted into sub-configs."""
MOST_EQUAL = 8
"""Values of one key that explain equally much: counts of heads that all divide a width."""


def keys_of(scope: CardScope, path: tuple[str, ...], node: Node) -> list[Key]:
    """The config keys below an expression read in the grafts of a path; symbols of other grafts are followed."""
    prefix, inner = list[str](), scope
    for name in path:
        prefix.append(config_of(inner, name))
        inner = inner.grafts[name]
    found: list[Key] = []
    for key in inner.keys_below(node):
        first, *rest = key.split(".")
        if first not in inner.grafts:
            found.append((*prefix, first, *rest))
        elif rest:
            found.extend(keys_of(scope, (*path, first), Word(tuple(rest))))
    return found


def config_of(scope: CardScope, name: str) -> str:
    """The sub-config that a graft reads."""
    return next((graft.config for graft in grafts_of(scope.card) if graft.name == name), name)


def default_of(scope: CardScope, key: Key) -> Any:
    """The class's own value for a key, None where it has none."""
    value: Any = scope.settings.defaults
    for name in key:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def other_words(scope: CardScope, slot: Slot, key: Key, node: Node) -> Iterator[str]:
    """The class's own word for a key, then those that a dim compares it with, through symbols."""
    default = scope.settings.defaults.get(".".join(key))
    if isinstance(default, str):
        yield default
    symbols = scope_of(scope, slot).symbols
    waiting, seen = [node], set[str]()
    while waiting:
        current = waiting.pop()
        if isinstance(current, Binary) and isinstance(current.left, Word) and current.left.path == key[-1:]:
            literal = current.right.value if isinstance(current.right, Literal) else None
            yield from literal.split() if isinstance(literal, str) else ()
        if isinstance(current, Word) and current.path[0] in symbols and current.path[0] not in seen:
            seen.add(current.path[0])
            waiting.append(parse(symbols[current.path[0]]))
        waiting.extend(children(current))


LONGEST = 1024
"""Beyond this many steps nobody asks how far a function stays level."""
PATIENCE = 6
"""A function that does not rise while its argument doubles so often rises no more."""


def search(function: Callable[[int], int | None], target: int, most: int = LARGEST) -> int | None:
    """The smallest integer at which a rising function reaches the target exactly."""
    high, before, level = 1, None, 0
    while (value := function(high)) is None or value < target:
        level = level + 1 if value == before and high > target else 0
        if high >= most or level > PATIENCE:
            return None
        before, high = value, min(2 * high, most)
    low = 0
    while low < high:
        middle = (low + high) // 2
        value = function(middle)
        if value is None or value >= target:
            high = middle
        else:
            low = middle + 1
    return low if function(low) == target else None


def last_of(function: Callable[[int], object], target: object, first: int) -> int:
    """The largest integer up to which a function stays at a target from the first on; that where it stays for good."""
    low, step = first, 1
    while function(low + step) == target:
        low, step = low + step, 2 * step
        if step > LONGEST:
            return first
    high = low + step
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if function(middle) == target else (low, middle)
    return low


def odd_boxes(placement: Placement) -> dict[str, tuple[Box, ...]]:
    """The indices at which something is missing or not expected, by key."""
    gaps = [(gap.block.key, gap.boxes) for gap in placement.gaps]
    return boxes_by_key([*gaps, *((stray.key, stray.boxes) for stray in placement.strays)])


def boxes_by_key(found: Iterable[tuple[str, tuple[Box, ...]]]) -> dict[str, tuple[Box, ...]]:
    """Boxes by key."""
    odd: dict[str, tuple[Box, ...]] = {}
    for key, boxes in found:
        odd[key] = (*odd.get(key, ()), *boxes)
    return odd


def listing(current: list[Any] | str, stored: Span, odd: Span) -> Iterator[Any]:
    """A list of indices with those that are stored, or a list of words or numbers with others at the odd indices."""
    numbers = isinstance(current, list) and all(type(item) is int for item in current)
    if numbers and current == sorted(set(current)) and max(stored.size, odd.size) <= MOST_LISTED:
        yield list(stored)
        yield sorted(set(current) ^ set(odd))
    elif odd and odd.last < len(current):
        words = dict.fromkeys(item for item in current if isinstance(item, str | int))
        if numbers:
            words |= {1: None, 0: None}
        for word in islice(words, MOST_EQUAL):
            changed = [word if at in odd else item for at, item in enumerate(current)]
            yield "".join(map(str, changed)) if isinstance(current, str) else changed


MOST_LISTED = 4096
"""Lists in a config name at most so many layers."""
