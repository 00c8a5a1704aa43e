"""A config in transformers' keys, worked out of what a file of another writer states.

A table gives each config key an expression (`inspector.algebra.expression`) over the writer's own words, or a
function of them where one value is not enough. A key of which the expression is absent is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from inspector.algebra.evaluation import evaluator
from inspector.algebra.expression import Node, parse
from inspector.algebra.span import Span
from inspector.algebra.values import Value

Read = Callable[[tuple[str, ...]], Value]
"""The value of a writer's word, given as its segments; None where the file does not state it."""


class Words:
    """What a file states, as the scope of expressions. symbols: abbreviations, each an expression over the words."""

    __slots__ = ("_read", "_symbols")

    def __init__(self, read: Read, symbols: Mapping[str, str] | None = None) -> None:
        self._read = read
        self._symbols = symbols or {}

    def word(self, path: tuple[str, ...]) -> Value:
        """The value of a symbol or of one of the writer's words."""
        text = self._symbols.get(path[0]) if len(path) == 1 else None
        return self._read(path) if text is None else self.value(text)

    def value(self, text: str) -> Value:
        """The value of an expression."""
        return evaluator(_parsed(text))(self)

    def index(self, hole: str) -> int | None:
        """Files have no holes."""
        return None

    def enter(self, hole: str, index: int | None) -> int | None:
        """Nothing to enter: words are read at an index by the filter itself."""
        return None

    def fault(self, kind: str, node: Node, detail: str, rounded: int | None = None) -> int | None:
        """A value that does not fit makes the key absent."""
        return None


Rule = str | Callable[[Words], Any] | Mapping[str, str]
Table = Mapping[str, Rule]
"""Config key -> how it follows from the writer's words; a config within the config has a table of its own."""

NULL_WHERE_ABSENT: Final = frozenset({"q_lora_rank"})
"""Keys that a writer leaves out where the model lacks the part, while the class has a default for them."""


def config_from(table: Table, words: Words) -> dict[str, Any]:
    """The config keys of a table that the words determine."""
    config: dict[str, Any] = {}
    for key, rule in table.items():
        value = _value(rule, words)
        if value is not None or key in NULL_WHERE_ABSENT:
            config[key] = list(value) if isinstance(value, Span) else value
    return config


def _value(rule: Rule, words: Words) -> Any:
    if isinstance(rule, str):
        return words.value(rule)
    return config_from(rule, words) if isinstance(rule, Mapping) else rule(words)


@cache
def _parsed(text: str) -> Node:
    return parse(text)
