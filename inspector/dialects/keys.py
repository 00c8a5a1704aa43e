"""Computes a config in transformers' keys from what a file of another writer states.

A table gives each config key an expression (`inspector.algebra.expression`) over the writer's own words, or a function
of them if one expression is not enough. Keys whose expression is absent are left out.
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
"""The value of a writer's word, given by its segments; None if the file does not state it."""


class Words:
    """The statements of a file as the scope of expressions. symbols: abbreviations, each an expression
    over the words.
    """

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
        """None: files have no holes."""
        return None

    def enter(self, hole: str, index: int | None) -> int | None:
        """None: a filter itself reads words at an index."""
        return None

    def fault(self, kind: str, node: Node, detail: str, rounded: int | None = None) -> int | None:
        """None: an unsuitable value makes the key absent."""
        return None


Rule = str | Callable[[Words], Any] | Mapping[str, str]
Table = Mapping[str, Rule]
"""Config key -> the rule that gives it from the writer's words. A sub-config has its own table."""

NULL_WHERE_ABSENT: Final = frozenset({"q_lora_rank"})
"""Keys that a writer leaves out if the model lacks the part, although the class has a default for them."""


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
