"""The tensors of regular headers as two lists. They become a table only if a tensor is looked up by name.

An audit of a healthy checkpoint groups the names by key and needs no table, which would take a seventh of its time.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView

from inspector.algebra.names import Column, at, columns, key_of
from inspector.budget import Budget, Exceeded, one_budget
from inspector.loader.layout import Layout


class ListedTensors(Mapping[str, Layout]):
    """Tensor -> layout, in the order of the headers. Valid only if the names are distinct: check with `distinct`."""

    __slots__ = ("_columns", "_table", "layouts", "names")

    def __init__(self, names: list[str], layouts: list[Layout]) -> None:
        self.names, self.layouts = names, layouts
        self._columns: tuple[Column, ...] = ()
        self._table: dict[str, Layout] = {}

    @property
    def columns(self) -> tuple[Column, ...]:
        """The names by key. Raises Exceeded if they have too many keys."""
        if not self._columns:
            self._columns = tuple(columns(self.names))
        return self._columns

    def table(self) -> dict[str, Layout]:
        """The tensors by name."""
        if not self._table:
            self._table = dict(zip(self.names, self.layouts, strict=True))
        return self._table

    def distinct(self) -> bool:
        """True if no name occurs twice. False also if the names have too many keys to check this cheaply."""
        try:
            with one_budget(Budget()):  # what fails here is done again in another way, with the budget of the audit
                found = self.columns
        except Exceeded:
            return False
        if any(column.indices is not None for column in found):  # a key may come in several columns
            return _differ(self.names)
        return all(column.distinct or _differ(at(self.names, column.positions)) for column in found)

    def __getitem__(self, name: str) -> Layout:
        return self.table()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.table()

    def keys(self) -> KeysView[str]:
        """The names."""
        return self.table().keys()

    def values(self) -> ValuesView[Layout]:
        """The layouts."""
        return self.table().values()

    def items(self) -> ItemsView[str, Layout]:
        """The names with their layouts."""
        return self.table().items()


def joined(parts: Sequence[ListedTensors]) -> ListedTensors:
    """The tensors of several files."""
    if len(parts) == 1:
        return parts[0]
    names: list[str] = []
    layouts: list[Layout] = []
    for part in parts:
        names += part.names
        layouts += part.layouts
    return ListedTensors(names, layouts)


def by_key(tensors: Mapping[str, Layout]) -> tuple[Sequence[str], Sequence[Layout], Iterable[Column]]:
    """The names, their layouts, and the names by key."""
    if isinstance(tensors, ListedTensors):
        return tensors.names, tensors.layouts, tensors.columns
    names = list(tensors)
    return names, list(tensors.values()), columns(names)


def stored_of(names: Iterable[str], tensors: Mapping[str, Layout]) -> frozenset[str]:
    """Those of a few names that are stored."""
    if not isinstance(tensors, ListedTensors):
        return frozenset(name for name in names if name in tensors)
    wanted = {name: key_of(name)[0] for name in names}
    alike = [column for column in tensors.columns if column.key in wanted.values()]
    return frozenset(name for column in alike for name in wanted.keys() & at(tensors.names, column.positions))


def _differ(names: Sequence[str]) -> bool:
    return len(set(names)) == len(names)
