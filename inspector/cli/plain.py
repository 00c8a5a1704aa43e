"""The command line without a parser: unambiguous calls are understood here, all others are left to typer.

Importing the parser takes longer than auditing a small checkpoint. A test gives both ways the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.cli.table import VERBS, Option, Verb

Call = tuple[str, dict[str, Any]]
"""A command and its keyword arguments, without those that have their default."""


def understood(words: Sequence[str]) -> Call | None:
    """The call that the words mean; None if there is any doubt."""
    split = _split(words)
    if split is None:
        return None
    verb, arguments, values = split
    named = [argument.name for argument in verb.arguments]
    least = sum(not argument.optional for argument in verb.arguments)
    if not least <= len(arguments) <= len(named):
        return None
    return verb.name, {**dict(zip(named, arguments, strict=False)), **values}


def surplus(words: Sequence[str]) -> tuple[Verb, list[str]] | None:
    """The command and its arguments if it has more arguments than it takes; None if there is any doubt."""
    split = _split(words)
    return split[:2] if split is not None and len(split[1]) > len(split[0].arguments) else None


def _split(words: Sequence[str]) -> tuple[Verb, list[str], dict[str, Any]] | None:
    """The command, its arguments and its options; None if there is any doubt."""
    verb = next((verb for verb in VERBS if words and verb.name == words[0]), None)
    if verb is None:
        return None
    flags = {flag: option for option in verb.options for flag in option.flags}
    values: dict[str, Any] = {}
    arguments: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        option = flags.get(name)
        if option is None:
            if word.startswith("-") or not word:
                return None
            arguments.append(word)
        elif option.kind == "flag":
            if equals:
                return None
            values[option.name] = True
        elif not _take(option, value if equals else next(rest, ""), values):
            return None
    return verb, arguments, values


def _take(option: Option, value: str, values: dict[str, Any]) -> bool:
    """Records the value of an option. False if its meaning is not certain."""
    if not value or value.startswith("-") or (option.choices and value not in option.choices):
        return False
    if option.kind == "many":
        values[option.name] = (*values.get(option.name, ()), value)
        return True
    known = option.name in values
    values[option.name] = value
    return not known
