"""Inverts one expression: finds the values of one leaf at which it has a target value, by evaluating it repeatedly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count, islice
from typing import Any

import msgspec

from inspector.algebra.expression import Literal, Node, Word, children, parse
from inspector.algebra.values import whole
from inspector.notation.scope import Scope
from inspector.notation.trace import LENGTH, Leaf

LARGEST = 2**48
"""Larger than any dim of a stored tensor."""
SMALL = 65
"""Below this, numbers with an effect that is not monotonic (divisors, periods) are tried one by one."""
MOST_EQUAL = 8
"""Most equally good values that are listed: as many as a reader can compare."""
PATIENCE = 6
"""An expression that is constant over this many doublings of its leaf is treated as bounded."""


class Solution(msgspec.Struct, frozen=True):
    """A value at which an equation holds; for numbers, it holds from `value` to `last`.

    follows: True if the expression is monotonic in the value, so that no other number fits.
    """

    value: Any
    last: Any
    follows: bool = False


Evaluate = Callable[[Any], Any]
"""Value of a leaf -> value of an expression."""


def on_trial(scope: Scope, leaf: Leaf, evaluate: Callable[[], Any]) -> Evaluate:
    """An expression as a function of one leaf. The function returns None for impossible values."""
    trace = scope.trace

    def at(value: Any) -> Any:
        trace.start(leaf, value)
        try:
            return evaluate()
        except (OverflowError, RecursionError):
            return None
        finally:
            trace.stop()

    return at


def solutions(
    at: Evaluate, current: Any, default: Any, target: Any, words: Iterable[str] = (), most: int = LARGEST
) -> Iterator[Solution]:
    """The values of a leaf at which an expression has a target value.

    default: the default of the class, which is always tried. words: candidates for a text. most: the greatest number
    that is tried.
    """
    if isinstance(current, list | dict):
        return
    if isinstance(current, bool):
        yield from _exact([not current], at, target)
        return
    if isinstance(current, str) or current is None:
        yield from _exact([word for word in words if word != current], at, target)
        if current is not None:
            return
    if isinstance(default, float):
        yield from _exact([default], at, target)
    if isinstance(current, float):
        now = at(current)
        if isinstance(now, int) and now and isinstance(target, int) and target:
            yield from _exact(_in_proportion(current, target / now), at, target)
        if not current.is_integer():
            return
    found = list(whole_solutions(at, whole(current), target, most))
    yield from found
    if type(default) is int and not any(one.value <= default <= one.last for one in found):
        yield from _exact([default], at, target)  # an expression that rounds is not monotonic, where it seems so


def _in_proportion(current: float, ratio: float) -> list[float]:
    """The fractions that have a dim as a multiple, an inverse, a square or an inverse square, `ratio`
    times as large.
    """
    others = [current * ratio, current / ratio]
    if ratio > 0:  # a negative number has no root
        others += [current * ratio**0.5, current / ratio**0.5]
    return [one for one in dict.fromkeys(others) if not one.is_integer() or one == 1]


def whole_solutions(at: Evaluate, current: int | None, target: int, most: int = LARGEST) -> Iterator[Solution]:
    """The integers at which an expression has a target value: one interval if it is monotonic, else single numbers."""
    now = at(current) if current is not None else None
    near = [] if current is not None else [target]
    if current and isinstance(now, int) and now and target:
        near = [current * up // down for up, down in ((target, now), (now, target)) if current * up % down == 0]
    around = _around(current) if current else ()
    rising = search(at, target, most)
    found = rising if rising is not None else next((value for value in near if value and at(value) == target), None)
    if found is not None:
        solution = Solution(first_of(at, target, found), last_of(at, target, found), True)
        tried = range(1, SMALL) if rising is None and current is None else around
        others = (value for value in tried if not solution.value <= value <= solution.last)
        if not any(at(value) == target for value in others) and _ends(at, target, solution):
            yield solution
            return
    yield from islice(_exact(dict.fromkeys((*near, *around, *range(1, SMALL), 0)), at, target), MOST_EQUAL)


def _around(current: int) -> tuple[int, ...]:
    """Numbers near a stated one, which show that an expression rounds: to multiples of 20 as well as of 100."""
    return tuple(one for one in (current - 1, current + 1, current // 2, current * 2) if one > 0)


def _ends(at: Evaluate, target: int, solution: Solution) -> bool:
    """True if an expression is smaller than the target on one side of an interval and greater on the other."""
    before, after = at(solution.value - 1), at(solution.last + 1)
    if after is None or (before is None and solution.value > 1):
        return False
    return bool((before is None or before < target) and after > target) or (
        before is not None and before > target and after < target
    )


def _exact(values: Iterable[Any], at: Evaluate, target: Any) -> Iterator[Solution]:
    return (Solution(value, value) for value in values if at(value) == target)


def search(at: Callable[[int], int | None], target: int, most: int = LARGEST) -> int | None:
    """The smallest integer at which a rising expression reaches the target."""
    high, before, level = 1, None, 0
    while (value := at(high)) is None or value < target:
        level = level + 1 if value == before and high > target else 0
        if high >= most or level > PATIENCE:
            return None
        before, high = value, min(2 * high, most)
    low = 0
    while low < high:
        middle = (low + high) // 2
        value = at(middle)
        if value is None or value >= target:
            high = middle
        else:
            low = middle + 1
    return low if at(low) == target else None


LONGEST = 1024
"""An expression that is constant over this many steps has no meaningful last value."""


def last_of(at: Callable[[int], Any], target: Any, first: int) -> int:
    """The last number, from `first` on, at which an expression has the target; `first` without an end."""
    low, step = first, 1
    while at(low + step) == target:
        low, step = low + step, 2 * step
        if step > LONGEST:
            return first
    high = low + step
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if at(middle) == target else (low, middle)
    return low


def first_of(at: Callable[[int], Any], target: Any, last: int) -> int:
    """The smallest number from which on an expression has the target, up to `last`."""
    high, step = last, 1
    while high - step > 0 and at(high - step) == target:
        high, step = high - step, 2 * step
        if step > LONGEST:
            return last
    low = max(0, high - step)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle) == target else (middle, high)
    return high


def words_of(root: Scope, scope: Scope, leaf: Leaf, nodes: Iterable[Node]) -> list[str]:
    """The words that a leaf may have: the default of the class, the words of its list, and those it is
    compared with.
    """
    default = default_of(root, leaf)
    found: dict[str, None] = {default: None} if isinstance(default, str) else {}
    beside = root.leaf(leaf[:-1])[0] if isinstance(leaf[-1], int) else None
    found.update(dict.fromkeys(item for item in beside or () if isinstance(item, str)))
    found.update(dict.fromkeys(literals(scope, nodes)))
    return list(found)


def reached(scope: Scope, nodes: Iterable[Node]) -> Iterator[tuple[int, Scope, Node]]:
    """(number of definitions in between, scope, node) for every node that expressions read, also
    through definitions.
    """
    level, seen = [(scope, node) for node in nodes], set[tuple[str | int, ...]]()
    for depth in count():
        below: list[tuple[Scope, Node]] = []
        while level:
            inner, node = level.pop(0)
            yield depth, inner, node
            level[:0] = [(inner, child) for child in children(node)]
            if not isinstance(node, Word) or (*inner.prefix, LENGTH, *node.path) in seen:
                continue
            seen.add((*inner.prefix, LENGTH, *node.path))
            first, *rest = node.path
            if rest and first in inner.submodels:
                below.append((inner.submodels[first], Word(tuple(rest))))
            elif not rest and first in inner.symbols:
                below.append((inner, parse(inner.symbols[first])))
            elif (given := inner.given(first)) is not None:
                below.append(given)
        if not below:
            return
        level = below


def literals(scope: Scope, nodes: Iterable[Node]) -> list[str]:
    """The distinct words that expressions compare with, through symbols and submodels."""
    texts = (node.value for _, _, node in reached(scope, nodes) if isinstance(node, Literal))
    return list(dict.fromkeys(word for text in texts if isinstance(text, str) for word in text.split()))


FARTHEST = 9
"""Numbers of definitions between a row and a key are not distinguished beyond this."""


def depth_of(scope: Scope, nodes: Iterable[Node], leaf: Leaf) -> int:
    """The smallest number of definitions between some expressions and a leaf."""
    key = tuple(step for step in leaf if isinstance(step, str) and step != LENGTH)
    for depth, inner, node in reached(scope, nodes):
        if isinstance(node, Word) and (*inner.prefix, *node.path) == key:
            return min(depth, FARTHEST)
    return FARTHEST


def default_of(scope: Scope, leaf: Leaf) -> Any:
    """The default of a leaf in the class; None if there is none."""
    value: Any = scope.settings.defaults
    for step in leaf:
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def in_order(scope: Scope, nodes: Iterable[Node], leaves: Iterable[Leaf]) -> list[Leaf]:
    """Leaves in the order in which expressions read them, through definitions."""
    named: dict[Leaf, int] = {}
    seen: set[Leaf] = set()
    waiting = [(scope, node) for node in nodes][::-1]
    while waiting:
        inner, node = waiting.pop()
        if isinstance(node, Word):
            first, *rest = node.path
            if rest and first in inner.submodels:
                waiting.append((inner.submodels[first], Word(tuple(rest))))
            elif not rest and first in inner.symbols:
                if (*inner.prefix, LENGTH, first) not in seen:
                    seen.add((*inner.prefix, LENGTH, first))
                    waiting.append((inner, parse(inner.symbols[first])))
            else:
                named.setdefault((*inner.prefix, *node.path), len(named))
        waiting.extend((inner, child) for child in reversed(children(node)))
    last = len(named)

    def place(leaf: Leaf) -> tuple[int, str]:
        key = tuple(step for step in leaf if isinstance(step, str) and step != LENGTH)
        return named.get(key, last), str(leaf)

    return sorted(leaves, key=place)
