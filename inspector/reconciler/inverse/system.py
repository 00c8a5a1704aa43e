"""All equations of a checkpoint, with cached results. A result is recomputed only if a value that it
reads was solved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec

from inspector.algebra.expression import Node, Word
from inspector.algebra.names import axes_of
from inspector.notation.scope import Scope
from inspector.notation.slots import scope_of
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.equations import Equations, KeyedRow, dims, inner_extents
from inspector.reconciler.inverse.solve import reached

Nodes = tuple[Node, ...]


class System(msgspec.Struct, eq=False):
    """Rows and their equations.

    rows: the rows with stored tensors. by_key: these rows by key. unclear: dims that determine nothing. answers: cached
    results for a row, a key or an equation. readers: name -> the cached results that read it. names: (submodel,
    expressions) -> all names that they read, through definitions. assumed: extents that share their families with other
    extents, so that their values are only one possible layout.
    """

    rows: Sequence[KeyedRow]
    by_key: Sequence[Sequence[KeyedRow]]
    unclear: frozenset[tuple[int, int]]
    answers: dict[Any, Any] = {}
    readers: dict[str, list[Any]] = {}
    names: dict[tuple[tuple[str, ...], Nodes], frozenset[str]] = {}
    assumed: set[Leaf] = set()

    def once(self, question: Any, scope: Scope, nodes: Nodes, answer: Callable[[], Any]) -> Any:
        """The cached result about some expressions. It is computed again after a value that it reads was solved."""
        if question not in self.answers:
            self.answers[question] = answer()
            below = (scope.path, nodes)
            if below not in self.names:
                words = [node.path for _, _, node in reached(scope, nodes) if isinstance(node, Word)]
                self.names[below] = frozenset(name for path in words for name in path)
            for name in self.names[below]:
                self.readers.setdefault(name, []).append(question)
        return self.answers[question]

    def forget(self, solved: Iterable[Leaf]) -> None:
        """Drops the cached results that read newly solved leaves and symbols."""
        for name in {step for leaf in solved for step in leaf if isinstance(step, str)}:
            for question in self.readers.pop(name, ()):
                self.answers.pop(question, None)

    def dims(self, scope: Scope) -> Equations:
        """Every dim with its stored size."""
        equations: Equations = Counter()
        for row in self.rows:
            answer = partial(dims, scope, row, self.unclear)
            equations.update(self.once((dims, row.slot), scope_of(scope, row.slot), _holes(row), answer))
        return equations

    def extents(self, scope: Scope) -> Equations:
        """For each family and index of the enclosing holes: the indices of its rows together equal the stored ones."""
        equations: Equations = Counter()
        for rows in self.by_key:
            holes = tuple(hole for row in rows for hole in _holes(row))
            answer = partial(inner_extents, scope, rows)
            equations.update(self.once((inner_extents, rows[0].key), scope_of(scope, rows[0].slot), holes, answer))
        return equations


def system_of(rows: Sequence[KeyedRow], unclear: frozenset[tuple[int, int]]) -> System:
    """The equations of rows."""
    stored = [row for row in rows if row.family is not None and len(row.axes) == axes_of(row.key)]
    by_key: dict[str, list[KeyedRow]] = {}
    for row in stored:
        by_key.setdefault(row.key, []).append(row)
    return System(stored, list(by_key.values()), unclear)


def _holes(row: KeyedRow) -> Nodes:
    return tuple(Word((axis,)) for axis in row.axes if isinstance(axis, str))
