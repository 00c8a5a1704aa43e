"""Entries that an expression reads beyond the end of a list of the config.

Such an entry is absent in the notation, so that a definition can state an alternative; the modelling code raises if
there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.algebra.evaluation import is_filter
from inspector.algebra.expression import Bracket, Guarded, Node, Slice, Word, children, parse
from inspector.algebra.values import truth, whole
from inspector.notation.scope import SHORT, Scope

CLASS: Final = "_class_name"
"""Key of the class in a config of diffusers."""


def note_short_lists(scope: Scope, node: Node) -> None:
    """Reports a fault for each list that is too short for an expression without a value.

    Only in the config of a class of diffusers: the config classes of transformers complete some lists.
    """
    if CLASS in scope.settings.values and scope.trace.leaf is None:
        for word, length, index in beyond_end(scope, node):
            entries = "1 entry is" if index == 0 else f"{index + 1} entries are"
            scope.fault(SHORT, word, f"it has length {length}, {entries} read")


def beyond_end(scope: Scope, node: Node) -> Iterator[tuple[Word, int, int]]:
    """(list, its length, index) of each entry beyond the end of its list that an expression reads, through symbols, at
    the current indices of the scope.
    """
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if scope.evaluate(current) is not None:
            continue
        if isinstance(current, Guarded) and not truth(scope.evaluate(current.condition)):
            continue
        if isinstance(current, Word) and len(current.path) == 1 and current.path[0] in scope.symbols:
            if current.path[0] not in seen:
                seen.add(current.path[0])
                waiting.append(parse(scope.symbols[current.path[0]]))
            continue
        if isinstance(current, Bracket) and not isinstance(current.inner, Slice) and not is_filter(current.inner):
            yield from _of_entry(scope, current)
        waiting.extend(children(current))


def _of_entry(scope: Scope, node: Bracket) -> Iterator[tuple[Word, int, int]]:
    held, index = scope.evaluate(node.base), whole(scope.evaluate(node.inner))
    keys = scope.keys_below(node.base)
    if isinstance(held, list) and index is not None and index >= len(held) and keys:
        yield Word(tuple(keys[0].split("."))), len(held), index
