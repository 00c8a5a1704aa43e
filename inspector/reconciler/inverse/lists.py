"""Lists of a config that give extents: counts of each stage, indices of layers, words for layers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from inspector.algebra.expression import Word
from inspector.algebra.span import Span
from inspector.notation.scope import Entered, Scope
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.ballots import Ballots
from inspector.reconciler.inverse.solve import Evaluate, Solution, depth_of, literals, on_trial

MOST_LISTED = 4096
"""Lists in a config name at most so many layers."""
LONGEST_STAGES = 33
"""No list of stages is longer, and no stage has more layers, than are tried one by one."""


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


def ask_lists(scope: Scope, lists: Mapping[Leaf, Sequence[_Unequal]], ballots: Ballots) -> None:
    """Adds what extents ask of whole lists, all stages or layers together."""
    for leaf, unequal in lists.items():
        current = list(scope.leaf(leaf)[0])
        tensors = sum(one.tensors for one in unequal)
        for one in unequal:
            for value in _of_layers(one, leaf, current):
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


def _of_layers(one: _Unequal, leaf: Leaf, current: list[Any]) -> Iterator[list[Any]]:
    """Lists of indices and of words, one a layer, at which an extent is what is stored."""
    if one.stored and one.stored.last > MOST_LISTED:
        return
    with one.entered():
        at = on_trial(one.scope, leaf, one.value)
        indices = list(one.stored)
        numbered = all(type(item) is int for item in current) and current == sorted(set(current))
        if numbered and indices != current and at(indices) == one.stored:
            yield indices
        words = [*dict.fromkeys(item for item in current if isinstance(item, str))]
        words += literals(one.scope, [Word((one.extent.axis,))])
        if words and one.stored:
            worded = _worded(at, current, list(dict.fromkeys(words)), one.stored)
            if worded != current and at(worded) == one.stored:
                yield worded


def _worded(at: Evaluate, current: list[Any], words: list[str], stored: Span) -> list[Any]:
    """The list with another word at each layer that an extent has and should not have, or the other way round."""
    changed = [*current, *[words[0]] * (stored.last + 1 - len(current))]
    for layer in range(len(changed)):
        options = (changed[layer], *(word for word in words if word != changed[layer]))
        for word in options:
            tried = [*changed[:layer], word, *changed[layer + 1 :]]
            span = at(tried)
            if isinstance(span, Span) and (layer in span) == (layer in stored):
                changed = tried
                break
    return changed


def _counted(scope: Scope, leaf: Leaf, current: list[int], unequal: Sequence[_Unequal]) -> list[int]:
    """The list with its length, then each of its counts, set to what the extents that read it ask for."""
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
    """The list with as many elements as the extents that follow its length ask for."""
    for one in unequal:
        with one.entered():
            at = on_trial(one.scope, leaf, one.value)
            if current and at([*current, current[-1]]) != at(current):
                for length in range(1, LONGEST_STAGES):
                    tried = [*current[:length], *[current[-1]] * (length - len(current))]
                    if at(tried) == one.stored:
                        return tried
    return current
