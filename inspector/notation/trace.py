"""Which config values a result was computed from, and the trial of another value for one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.algebra.values import Unknown

Leaf = tuple[str | int, ...]
"""A value of a config: `("text_config", "depths", 2)` is an element of a list, `LENGTH` its length."""
LENGTH = "#"
SYMBOL = "="
"""Begins the leaf of a symbol: `("=", "text", "h")`, and after it the indices of the holes that it depends on."""


class Trace:
    """What a scope and the scopes of its submodels have read, and which leaf has another value on trial.

    reads: leaves on the path that an evaluation really took. leaf: the one on trial, None without a trial.
    number: grows with each trial, so that what one trial computed is not taken for another's. solved: values that the
    weights give, of leaves and of symbols. open: whether what nobody states is unknown rather than absent. missing:
    what was read and is unknown.
    """

    __slots__ = ("leaf", "missing", "number", "open", "reads", "solved", "value")

    def __init__(self, solved: Mapping[Leaf, Any] | None = None) -> None:
        self.solved: Mapping[Leaf, Any] = solved or {}
        self.open = solved is not None
        self.missing: set[Leaf] = set()
        self.reads: set[Leaf] = set()
        self.leaf: Leaf | None = None
        self.value: Any = None
        self.number = 0

    def start(self, leaf: Leaf, value: Any) -> None:
        """Gives a leaf another value until `stop`."""
        self.leaf, self.value = leaf, value
        self.number += 1

    def stop(self) -> None:
        """Ends a trial."""
        self.leaf = self.value = None

    def changes(self, reads: frozenset[Leaf]) -> bool:
        """Whether a result that was computed from these leaves may be another one under the trial."""
        return self.leaf is not None and self.leaf in reads

    def unknown(self) -> set[Leaf]:
        """What was read and is unknown; of a list that only entries are read of, the entries."""
        found = self.reads & self.missing
        found.discard(self.leaf or ())
        if not found:
            return found
        entries = {leaf[:-1] for leaf in self.reads if isinstance(leaf[-1], int)}
        lengths = {leaf[:-1] for leaf in self.reads if leaf[-1] == LENGTH}
        return {
            leaf for leaf in found if leaf not in entries | lengths and (leaf[-1] != LENGTH or leaf[:-1] not in entries)
        }

    def stated(self) -> bool:
        """Whether anything that was read is a statement, by a config or a default, and not solved."""
        keys = (leaf for leaf in self.reads if leaf[-1] != LENGTH and not isinstance(leaf[-1], int))
        return any(leaf not in self.solved and leaf not in self.missing for leaf in keys)

    def read(self, leaf: Leaf, value: Any) -> Any:
        """A leaf's value, or the one on trial or solved; lists and tables record what is read of them."""
        self.reads.add(leaf)
        if self.leaf == leaf:
            value = self.value
        elif leaf in self.solved:
            value = self.solved[leaf]
        if isinstance(value, list):
            return value if type(value) is TracedList else TracedList(self, leaf, value)
        if isinstance(value, dict):
            return value if type(value) is TracedTable else TracedTable(self, leaf, value)
        return value


class UnknownLeaf(Unknown):
    """A leaf that nobody states, or a list of which single entries may be known."""

    __slots__ = ("_leaf", "_trace")

    def __init__(self, trace: Trace, leaf: Leaf) -> None:
        self._trace, self._leaf = trace, leaf
        trace.missing.add(leaf)

    @property
    def size(self) -> int | None:
        """The length where it is known."""
        size = self._trace.read((*self._leaf, LENGTH), None)
        if size is None:
            self._trace.missing.add((*self._leaf, LENGTH))
        return size if isinstance(size, int) else None

    def at(self, index: int) -> Any:
        """An entry, itself a leaf; None beyond the list."""
        size = self.size if (*self._leaf, LENGTH) in self._trace.solved else None
        leaf = (*self._leaf, index)
        if index < 0 or (size is not None and index >= size):
            self._trace.reads.add(leaf)
            return None
        value = self._trace.read(leaf, None)
        return UnknownLeaf(self._trace, leaf) if value is None else value


class TracedList(list[Any]):
    """A list of the config of which each element, and the length, is a leaf of its own."""

    __slots__ = ("_leaf", "_trace")

    def __init__(self, trace: Trace, leaf: Leaf, values: list[Any]) -> None:
        super().__init__(values)
        self._trace, self._leaf = trace, leaf

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[position] for position in range(*at.indices(super().__len__()))]
        return self._trace.read((*self._leaf, at), super().__getitem__(at))

    def __len__(self) -> int:
        self._trace.reads.add((*self._leaf, LENGTH))
        return super().__len__()

    def __iter__(self) -> Iterator[Any]:
        for position in range(len(self)):
            yield self[position]

    def __bool__(self) -> bool:
        return len(self) > 0


class TracedTable(dict[str, Any]):
    """A table of the config (settings of each layer) of which each entry is a leaf of its own."""

    __slots__ = ("_leaf", "_trace")

    def __init__(self, trace: Trace, leaf: Leaf, values: dict[str, Any]) -> None:
        super().__init__(values)
        self._trace, self._leaf = trace, leaf

    def __getitem__(self, key: str) -> Any:
        return self._trace.read((*self._leaf, key), super().__getitem__(key))

    def get(self, key: str, default: Any = None) -> Any:
        """The traced value of an entry."""
        return self[key] if key in self else default  # noqa: SIM401 (dict.get would not be traced)


def with_leaf(values: Mapping[str, Any], defaults: Any, leaf: Leaf, value: Any) -> dict[str, Any]:
    """A config with one leaf set; a part that is left out is the default one but for that value."""
    key, rest = str(leaf[0]), leaf[1:]
    if not rest:
        return {**values, key: value}
    inner, default = values.get(key), defaults.get(key) if isinstance(defaults, Mapping) else None
    kind = list if isinstance(rest[0], int) else Mapping
    if not isinstance(inner, kind):
        inner = default if isinstance(default, kind) else [] if kind is list else {}
    if isinstance(inner, list):
        return {**values, key: _in_list(inner, rest, value)}
    return {**values, key: with_leaf(inner, default, rest, value)}


def _in_list(values: list[Any], leaf: Leaf, value: Any) -> list[Any]:
    """A list with one leaf set; an element beyond its end is not added."""
    changed, at, rest = list(values), int(leaf[0]), leaf[1:]
    if at >= len(changed):
        return changed
    if not rest:
        changed[at] = value
    elif isinstance(changed[at], list):
        changed[at] = _in_list(changed[at], rest, value)
    elif isinstance(changed[at], dict):
        changed[at] = with_leaf(changed[at], None, rest, value)
    return changed
