"""Records which config values a result was computed from, and tries another value for one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.algebra.values import ITEMS_A_STEP, LISTS, Unknown
from inspector.budget import spend

Leaf = tuple[str | int, ...]
"""Path of a value in a config: `("text_config", "depths", 2)` is an element of a list; `LENGTH` marks its length."""
LENGTH = "#"
SYMBOL = "="
"""First element of the leaf of a symbol: `("=", "text", "h")`, followed by the indices of the holes
that it depends on.
"""


class Trace:
    """The leaves that a scope and its submodels have read, and the leaf that has a value on trial.

    reads: leaves on the path that an evaluation took. leaf: the leaf on trial, None without a trial. number: grows with
    each trial, so that cached results of trials are never mixed. solved: values that the weights give, of leaves and of
    symbols. open: whether a leaf without a value is unknown, not absent. missing: leaves that were read and are
    unknown. rounds: whether a quotient with a remainder is rounded down instead of being unknown. silent: whether
    faults are ignored.
    """

    __slots__ = (
        "_outer", "_shared", "leaf", "missing", "number", "open", "reads", "rounds", "silent", "solved", "value",
    )  # fmt: skip

    def __init__(self, solved: Mapping[Leaf, Any] | None = None) -> None:
        self.solved: Mapping[Leaf, Any] = solved or {}
        self.open = solved is not None
        self.missing: set[Leaf] = set()
        self.reads: set[Leaf] = set()
        self.leaf: Leaf | None = None
        self.value: Any = None
        self.number = 0
        self.rounds = False
        self.silent = False
        self._outer: frozenset[Leaf] | None = None
        self._shared: dict[frozenset[Leaf], frozenset[Leaf]] = {}

    def start(self, leaf: Leaf, value: Any) -> None:
        """Sets a leaf to a trial value until `stop`."""
        self.leaf, self.value = leaf, value
        self.number += 1

    def stop(self) -> None:
        """Ends a trial."""
        self.leaf = self.value = None

    def changes(self, reads: frozenset[Leaf]) -> bool:
        """True if a result computed from these leaves may differ under the trial."""
        return self.leaf is not None and self.leaf in reads

    def unknown(self) -> set[Leaf]:
        """Leaves that were read and are unknown: the entries of a list, if only entries of it were read."""
        found = self.reads & self.missing
        found.discard(self.leaf or ())
        if not found:
            return found
        entries = {leaf[:-1] for leaf in self.reads if isinstance(leaf[-1], int)}
        lengths = {leaf[:-1] for leaf in self.reads if leaf[-1] == LENGTH}
        return {
            leaf for leaf in found if leaf not in entries | lengths and (leaf[-1] != LENGTH or leaf[:-1] not in entries)
        }

    def noted(self) -> frozenset[Leaf]:
        """The leaves that were read. Equal sets are one object, since they can be as large as the lists
        of the config.
        """
        reads = frozenset(self.reads)
        return self._shared.setdefault(reads, reads)

    def solved_within(self, leaf: Leaf) -> bool:
        """True if an entry of a list is solved."""
        if self._outer is None:
            self._outer = frozenset(path[:length] for path in self.solved for length in range(1, len(path)))
        return leaf in self._outer

    def stated(self) -> bool:
        """True if any leaf that was read has its value from the config or a default, and not from a solution."""
        keys = (leaf for leaf in self.reads if leaf[-1] != LENGTH and not isinstance(leaf[-1], int))
        return any(leaf not in self.solved and leaf not in self.missing for leaf in keys)

    def read(self, leaf: Leaf, value: Any) -> Any:
        """The value of a leaf, or its trial or solved value. Lists and tables record which of their
        entries are read.
        """
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
    """A leaf without a value, or a list of which only some entries are known."""

    __slots__ = ("_leaf", "_trace")

    def __init__(self, trace: Trace, leaf: Leaf) -> None:
        self._trace, self._leaf = trace, leaf
        trace.missing.add(leaf)

    @property
    def size(self) -> int | None:
        """The length, if known."""
        size = self._trace.read((*self._leaf, LENGTH), None)
        if size is None:
            self._trace.missing.add((*self._leaf, LENGTH))
        return size if isinstance(size, int) else None

    def at(self, index: int) -> Any:
        """An entry, itself a leaf; None beyond the end of the list."""
        size = self.size if (*self._leaf, LENGTH) in self._trace.solved else None
        leaf = (*self._leaf, index)
        if index < 0 or (size is not None and index >= size):
            self._trace.reads.add(leaf)
            return None
        value = self._trace.read(leaf, None)
        return UnknownLeaf(self._trace, leaf) if value is None else value


class TracedList(list[Any]):
    """A list of the config; each element and the length are separate leaves."""

    __slots__ = ("_leaf", "_trace")

    def __init__(self, trace: Trace, leaf: Leaf, values: list[Any]) -> None:
        spend(1 + len(values) // ITEMS_A_STEP, LISTS)
        super().__init__(values)
        self._trace, self._leaf = trace, leaf

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            spend(super().__len__(), LISTS)
            return [self[position] for position in range(*at.indices(super().__len__()))]
        return self._trace.read((*self._leaf, at), super().__getitem__(at))

    def __len__(self) -> int:
        self._trace.reads.add((*self._leaf, LENGTH))
        return super().__len__()

    def __iter__(self) -> Iterator[Any]:
        spend(super().__len__(), LISTS)
        for position in range(len(self)):
            yield self[position]

    def __bool__(self) -> bool:
        return len(self) > 0


class TracedTable(dict[str, Any]):
    """A table of the config (such as settings per layer); each entry is a separate leaf."""

    __slots__ = ("_leaf", "_trace")

    def __init__(self, trace: Trace, leaf: Leaf, values: dict[str, Any]) -> None:
        spend(1 + len(values) // ITEMS_A_STEP, LISTS)
        super().__init__(values)
        self._trace, self._leaf = trace, leaf

    def __getitem__(self, key: str) -> Any:
        return self._trace.read((*self._leaf, key), super().__getitem__(key))

    def get(self, key: str, default: Any = None) -> Any:
        """The traced value of an entry."""
        return self[key] if key in self else default  # noqa: SIM401 (dict.get would not be traced)


def with_leaf(values: Mapping[str, Any], defaults: Any, leaf: Leaf, value: Any) -> dict[str, Any]:
    """A config with one leaf set. An absent sub-config becomes the default sub-config with that value."""
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
    """A list with one leaf set; no elements are added beyond its end."""
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
