"""Fills the fields into texts of findings: "{tensors:count tensor} of {of}, such as {names:first tensors}".

After the colon comes a function of `inspector.findings.words`, with words, numbers or fields as arguments. Without a
function, whole numbers get separators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from inspector.findings import words


class Field:
    """A field of a finding, or an attribute of a field, as it appears in a text."""

    __slots__ = ("finding", "value")

    def __init__(self, value: Any, finding: object) -> None:
        self.value, self.finding = value, finding

    def __getattr__(self, name: str) -> Field:
        return Field(getattr(self.value, name), self.finding)

    def __getitem__(self, index: int) -> Field:
        return Field(self.value[index], self.finding)

    def __format__(self, spec: str) -> str:
        function, _, argument = spec.partition(" ")
        return FUNCTIONS[function](self.value, argument, self.finding)


class Fields(dict[str, Field]):
    """The fields of a finding by name, each looked up when a text uses it."""

    def __init__(self, finding: object) -> None:
        super().__init__()
        self.finding = finding

    def __missing__(self, name: str) -> Field:
        return Field(getattr(self.finding, name), self.finding)


def filled(text: str, finding: object) -> str:
    """The text with its fields filled in."""
    return text.format_map(Fields(finding))


def filled_rows(rows: tuple[tuple[str, ...], ...], finding: object) -> list[tuple[str, str]]:
    """Label and text of each row. A row that requires a field is left out if the field is None, empty or 0."""
    stated = (row for row in rows if all(attrgetter(field)(finding) for field in row[2:]))
    return [(row[0], filled(row[1], finding)) for row in stated]


def _first(names: Any, argument: str, finding: object) -> str:
    total, _, most = argument.partition(" ")
    return words.first(names, getattr(finding, total), int(most or 2))


def _label(role: Any, argument: str, finding: object) -> str:
    from inspector.findings.role_words import label

    return label(role)


FUNCTIONS: Mapping[str, Callable[[Any, str, object], str]] = {
    "": lambda thing, _, __: words.number(thing),
    "amount": lambda size, _, __: words.amount(size),
    "count": lambda amount, word, _: words.count(amount, word),
    "first": _first,
    "joined": lambda names, _, __: ", ".join(names),
    "label": _label,
    "listed": lambda items, most, _: words.listed(items, int(most or 8)),
    "or": lambda thing, otherwise, _: str(thing or otherwise),
    "shape": lambda dims, _, __: words.shape(dims),
    "value": lambda thing, _, __: words.value(thing),
}
"""The functions after the colon: "first tensors 3" shows the first three names; their total is the field `tensors`."""
