"""Pages of documentation that are not about one finding: `inspector explain TOPIC`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, Final

from inspector.cli.table import VERBS, Argument, Option, Verb
from inspector.notation.page import page as notation
from inspector.report import pages

WIDTH: Final = 80
INTRODUCTION: Final = """\
Options of every command. `inspector SOURCE` is short for an audit of it.
`inspector --install-completion` sets up completion in the shell.

Exit codes: 0 no findings at or above --fail-on (default error), 1 findings at
or above it, 2 wrong usage, 3 could not be read.
"""


def options() -> str:
    """All commands with their arguments and options, from the table that the parser uses."""
    return "\n".join((INTRODUCTION, *(line for verb in VERBS for line in _verb(verb))))


def _verb(verb: Verb) -> Iterator[str]:
    yield f"inspector {verb.name} {' '.join(map(_word, verb.arguments))} [OPTIONS]"
    yield from textwrap.wrap(verb.help, WIDTH, initial_indent="    ", subsequent_indent="    ")
    shown = [option for option in verb.options if not option.hidden]
    for name, text in (*map(_argument, verb.arguments), *map(_option, shown)):
        yield f"  {name}"
        yield from textwrap.wrap(text, WIDTH, initial_indent="      ", subsequent_indent="      ")
    yield f"  Example: {verb.example}"
    yield ""


def _word(argument: Argument) -> str:
    return f"[{argument.name.upper()}]" if argument.optional else argument.name.upper()


def _argument(argument: Argument) -> tuple[str, str]:
    return argument.name.upper(), argument.help


def _option(option: Option) -> tuple[str, str]:
    value = "" if option.kind == "flag" else f" {'|'.join(option.choices) or option.value}"
    again = " May be given several times." if option.kind == "many" else ""
    default = f" Default: {option.default}." if option.default else ""
    return f"{', '.join(option.flags)}{value}", option.help + again + default


TOPICS: Final = {
    **pages.TOPICS,
    "notation": "the language of architecture definitions",
    "options": "all commands with their options",
}
"""Names of the pages and what each is about."""


def topic_text(name: str) -> str:
    """A page. Raises KeyError for a name that is not in TOPICS."""
    if name == "options":
        return options()
    return notation() if name == "notation" else pages.topic_text(name)


def topic_json(name: str) -> dict[str, Any]:
    """The object of schema `inspector.glossary/1`, `inspector.notation/1` or `inspector.page/1`."""
    if name == "notation":
        return {"schema": "inspector.notation/1", "page": notation()}
    if name == "options":
        return {"schema": "inspector.page/1", "name": name, "page": options()}
    return pages.topic_json(name)
