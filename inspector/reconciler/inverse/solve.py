"""The inverse of one expression, found by evaluating the expression itself at other values of one leaf."""

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
"""No dim that a checkpoint can store is larger."""
SMALL = 65
"""Numbers that do not rise with what they stand for (divisors, periods) are tried one by one below this."""
MOST_EQUAL = 8
"""Values that fit equally well: as many as a reader can compare."""
PATIENCE = 6
"""An expression that stays level while its leaf doubles so often does not follow it any more."""


class Solution(msgspec.Struct, frozen=True):
    """A value at which an equation holds; of numbers all from `value` to `last`.

    follows: whether the expression rises or falls with the value, so that no other number fits.
    """

    value: Any
    last: Any
    follows: bool = False


Evaluate = Callable[[Any], Any]
"""A leaf's value -> what an expression is then."""


def on_trial(scope: Scope, leaf: Leaf, evaluate: Callable[[], Any]) -> Evaluate:
    """An expression as a function of one leaf; None where a value is impossible."""
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


def solutions(at: Evaluate, current: Any, default: Any, target: Any, words: Iterable[str] = ()) -> Iterator[Solution]:
    """The values of a leaf at which an expression has a target.

    default: the class's own value, which is tried for whatever kind of value. words: what a text may be instead.
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
    if isinstance(current, float) and not current.is_integer():
        now = at(current)
        if isinstance(now, int) and now and isinstance(target, int):
            yield from _exact([current * target / now], at, target)
        return
    yield from whole_solutions(at, whole(current), target)


def whole_solutions(at: Evaluate, current: int | None, target: int) -> Iterator[Solution]:
    """The whole numbers at which an expression has a target: an interval where it rises or falls, else single ones."""
    now = at(current) if current is not None else None
    near = [] if current is not None else [target]
    if current and isinstance(now, int) and now and target:
        near = [current * up // down for up, down in ((target, now), (now, target)) if current * up % down == 0]
    rising = search(at, target)
    found = rising if rising is not None else next((value for value in near if value and at(value) == target), None)
    if found is not None:
        solution = Solution(first_of(at, target, found), last_of(at, target, found), True)
        others = (value for value in range(1, SMALL) if not solution.value <= value <= solution.last)
        alone = rising is not None or current is not None or not any(at(value) == target for value in others)
        if alone and _ends(at, target, solution):
            yield solution
            return
    yield from islice(_exact(dict.fromkeys((*near, *range(1, SMALL), 0)), at, target), MOST_EQUAL)


def _ends(at: Evaluate, target: int, solution: Solution) -> bool:
    """Whether an expression is less on one side of an interval and more on the other: elsewhere it is not the same."""
    before, after = at(solution.value - 1), at(solution.last + 1)
    if after is None or (before is None and solution.value > 1):
        return False
    return bool((before is None or before < target) and after > target) or (
        before is not None and before > target and after < target
    )


def _exact(values: Iterable[Any], at: Evaluate, target: Any) -> Iterator[Solution]:
    return (Solution(value, value) for value in values if at(value) == target)


def search(at: Callable[[int], int | None], target: int, most: int = LARGEST) -> int | None:
    """The smallest whole number at which a rising expression has the target."""
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
"""An expression that stays level for so many steps has no last value that says anything."""


def last_of(at: Callable[[int], Any], target: Any, first: int) -> int:
    """The largest number up to which an expression has a target from the first on; the first where it has no end."""
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
    """The smallest number from which on an expression has a target up to the last one."""
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
    """The words that a leaf may have: the class's own, those of its list, those that expressions compare with."""
    default = default_of(root, leaf)
    found: dict[str, None] = {default: None} if isinstance(default, str) else {}
    beside = root.leaf(leaf[:-1])[0] if isinstance(leaf[-1], int) else None
    found.update(dict.fromkeys(item for item in beside or () if isinstance(item, str)))
    found.update(dict.fromkeys(literals(scope, nodes)))
    return list(found)


def reached(scope: Scope, nodes: Iterable[Node]) -> Iterator[tuple[int, Scope, Node]]:
    """(definitions between, scope, node) of all that expressions read, through definitions, each of these once."""
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
    """The words that expressions compare with, through symbols and submodels, each once."""
    texts = (node.value for _, _, node in reached(scope, nodes) if isinstance(node, Literal))
    return list(dict.fromkeys(word for text in texts if isinstance(text, str) for word in text.split()))


FARTHEST = 9
"""Definitions between a row and a key beyond which one more makes no difference."""


def depth_of(scope: Scope, nodes: Iterable[Node], leaf: Leaf) -> int:
    """How many definitions are between some expressions and a leaf, at the least."""
    key = tuple(step for step in leaf if isinstance(step, str) and step != LENGTH)
    for depth, inner, node in reached(scope, nodes):
        if isinstance(node, Word) and (*inner.prefix, *node.path) == key:
            return min(depth, FARTHEST)
    return FARTHEST


def default_of(scope: Scope, leaf: Leaf) -> Any:
    """The class's own value of a leaf, None where it has none."""
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
    """Leaves in the order in which expressions name them, through definitions."""
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
