"""Lists of a config that determine extents: layers per stage, indices of layers, one word per layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from inspector.algebra.expression import Word
from inspector.algebra.span import Span
from inspector.algebra.values import ITEMS_A_STEP, LISTS, extent
from inspector.budget import spend
from inspector.notation.scope import Entered, Scope
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.ballots import Ballots
from inspector.reconciler.inverse.solve import Evaluate, Solution, depth_of, literals, on_trial

MOST_LISTED = 4096
"""Most layers that a list of a config may name."""
LONGEST_STAGES = 33
"""Longest list of stages, and most layers of a stage, that are tried one by one."""


class _Extent(Protocol):
    @property
    def axis(self) -> str: ...


class _Unequal(Protocol):
    """An extent that most families contradict; see `inverse.extents`."""

    @property
    def extent(self) -> _Extent: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def stored(self) -> Span: ...
    @property
    def tensors(self) -> int: ...
    def value(self) -> Span | None: ...
    def entered(self) -> Entered: ...


def is_letters(value: Any, one: _Unequal) -> bool:
    """True for a text with one letter per layer, as those with which an extent is compared."""
    if not isinstance(value, str) or len(value) < 2:
        return False
    return any(len(word) == 1 for word in literals(one.scope, [Word((one.extent.axis,))]))


def ask_lists(scope: Scope, lists: Mapping[Leaf, Sequence[_Unequal]], ballots: Ballots) -> None:
    """Adds the votes of extents for whole lists, all stages or layers together, or for texts of a letter per layer."""
    for leaf, unequal in lists.items():
        stated = scope.leaf(leaf)[0]
        current, letters = list(stated), isinstance(stated, str)
        tensors = sum(one.tensors for one in unequal)
        for one in unequal:
            for found in _of_layers(one, leaf, current, letters):
                value = "".join(found) if letters else found
                ballots.add(
                    leaf,
                    Solution(value, value),
                    "extent",
                    one.tensors,
                    depth_of(one.scope, [Word((one.extent.axis,))], leaf),
                )
        if all(type(item) is int for item in current):
            counted = _counted(scope, leaf, current, unequal)
            if counted != current:
                ballots.add(leaf, Solution(counted, counted), "extent", tensors, 0)


def _of_layers(one: _Unequal, leaf: Leaf, current: list[Any], letters: bool) -> Iterator[list[Any]]:
    """Lists of indices, and lists of one word or letter per layer, at which an extent equals the stored indices."""
    if one.stored and one.stored.last > MOST_LISTED:
        return
    with one.entered():
        at = on_trial(one.scope, leaf, one.value)
        indices = list(one.stored)
        numbered = all(type(item) is int for item in current) and current == sorted(set(current))
        if numbered and indices != current and at(indices) == one.stored:
            yield indices
        stated = [item for item in current if isinstance(item, str)]
        named = [word for word in literals(one.scope, [Word((one.extent.axis,))]) if not letters or len(word) == 1]
        words = [*(item for item in current if isinstance(item, str | int | float)), *named]
        if words and one.stored and (named or len(stated) == len(current)):
            longer = [*current, *[None] * (one.stored.last + 1 - len(current))]
            changed = word_list([(at, one.stored)], longer, words)
            if changed is not None and changed != current and at(changed) == one.stored:
                yield changed


def word_list(
    filters: Sequence[tuple[Evaluate, Span]], current: Sequence[Any], words: Iterable[str | int | float]
) -> list[Any] | None:
    """A list that has at each index the first word for which every filter gives the stored indices; None if there is
    none.

    filters: an extent as a function of the list, and its stored indices. current: the present list, with None for
    entries to add; its words are tried first.
    """
    fitting: dict[str | int | float, Span] = {}
    for word in dict.fromkeys(words):
        spans = [(extent(at([word] * len(current))) or Span(), stored) for at, stored in filters]
        wrong = Span.union((span - stored) | (stored - span) for span, stored in spans)
        fitting[word] = Span.range(0, len(current)) - wrong
    spend(len(fitting) * len(current) // ITEMS_A_STEP, LISTS)
    changed: list[Any] = []
    for index, item in enumerate(current):
        first = (item,) if isinstance(item, str | int | float) else ()
        options = (word for word in (*first, *fitting) if word in fitting and index in fitting[word])
        changed.append(next(options, None))
    return None if None in changed else changed


def _counted(scope: Scope, leaf: Leaf, current: list[int], unequal: Sequence[_Unequal]) -> list[int]:
    """The list with the requested length, then with its counts set to the values that the extents request."""
    changed = _resized(leaf, current, unequal)
    for one in unequal:
        with one.entered():
            at = on_trial(one.scope, leaf, one.value)
            scope.trace.reads = set()
            if at(changed) != one.stored:
                read = [step[-1] for step in scope.trace.reads if step[:-1] == leaf and isinstance(step[-1], int)]
                for element in sorted(read):
                    changed = _with_count(at, changed, int(element), one.stored)
    return changed


def _with_count(at: Evaluate, current: list[int], element: int, stored: Span) -> list[int]:
    if element >= len(current) or at(current) == stored:
        return current
    for count in sorted(range(LONGEST_STAGES), key=lambda number: abs(number - current[element])):
        tried = [*current[:element], count, *current[element + 1 :]]
        if at(tried) == stored:
            return tried
    return current


def _resized(leaf: Leaf, current: list[int], unequal: Sequence[_Unequal]) -> list[int]:
    """The list with the length that the extents which depend on it request."""
    for one in unequal:
        with one.entered():
            at = on_trial(one.scope, leaf, one.value)
            if current and at([*current, current[-1]]) != at(current):
                for length in range(1, LONGEST_STAGES):
                    tried = [*current[:length], *[current[-1]] * (length - len(current))]
                    if at(tried) == one.stored:
                        return tried
    return current
