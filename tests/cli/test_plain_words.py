"""The fast parser of command lines agrees with the complete one on all lines that it accepts."""

from __future__ import annotations

import inspect
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from inspector.cli import verbs
from inspector.cli.app import app_of
from inspector.cli.plain import Call, understood
from inspector.cli.table import VERBS, Option, Verb
from inspector.cli.topics import options
from inspector.loader.sources.address import Where

UNDERSTOOD = [
    (["audit", "x"], ("audit", {"source": "x"})),
    (["audit", "x", "-v"], ("audit", {"source": "x", "verbose": True})),
    (["audit", "-f", "json", "x"], ("audit", {"source": "x", "format": "json"})),
    (["audit", "x", "--format=json", "--fail-on", "note"],
     ("audit", {"source": "x", "format": "json", "fail_on": "note"})),
    (["audit", "x", "--tensor", "a", "--tensor=b"], ("audit", {"source": "x", "tensor": ("a", "b")})),
    (["compare", "x", "y", "--cached"], ("compare", {"source": "x", "target": "y", "cached": True})),
    (["architectures"], ("architectures", {})),
]  # fmt: skip
LEFT = [
    [], ["audit"], ["audit", "x", "y"], ["audit", "--help"], ["audit", "x", "--format", "yaml"],
    ["audit", "x", "--format"], ["audit", "x", "--claim", "-5"], ["audit", "--", "-x"], ["audit", "x", "-vq"],
    ["audit", "x", "--claim", "1", "--claim", "2"], ["audit", "x", "--forma", "json"], ["audit", "x", "--verbose=1"],
    ["audit", ""], ["nothing", "x"], ["--version"], ["compare", "x"],
]  # fmt: skip


@pytest.mark.parametrize(("words", "meaning"), UNDERSTOOD)
def test_plain_words_are_understood(words: list[str], meaning: Call) -> None:
    assert understood(words) == meaning
    assert parsed(words) == without_defaults(meaning)


@pytest.mark.parametrize("words", LEFT)
def test_all_other_lines_are_left_to_the_complete_parser(words: list[str]) -> None:
    assert understood(words) is None


def parsed(words: Sequence[str]) -> Call | None:
    """The call that the complete parser makes; None where it prints something and runs nothing."""
    calls: list[Call] = []

    def note(verb: str, values: dict[str, Any]) -> int:
        calls.append((verb, values))
        return 0

    with suppress(SystemExit):
        app_of(note)(list(words))
    return without_defaults(calls[0]) if calls else None


def without_defaults(call: Call) -> Call:
    """The call without the defaults of the table."""
    verb = next(verb for verb in VERBS if verb.name == call[0])
    defaults = {option.name: option.default for option in verb.options if option.default is not None}
    return call[0], {name: value for name, value in call[1].items() if defaults.get(name) != value}


@pytest.mark.parametrize("lines", [300, pytest.param(2_000, marks=pytest.mark.slow)])
def test_both_parsers_agree(lines: int, capfd: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(20)
    seen = 0
    for _ in range(lines):
        words = command_line(rng)
        call = understood(words)
        if call is not None:
            seen += 1
            assert parsed(words) == without_defaults(call), words
    assert 0.25 * lines < seen < 0.95 * lines
    capfd.readouterr()


def command_line(rng: random.Random) -> list[str]:
    """A verb with mostly valid words."""
    verb = rng.choice(VERBS)
    words = [rng.choice(["x", "a/b", "llama", "-", "x=y"]) for _ in verb.arguments if rng.random() < 0.95]
    for option in rng.sample(verb.options, k=min(len(verb.options), rng.randrange(4))):
        words[rng.randrange(len(words) + 1) : 0] = option_words(rng, option)
    if rng.random() < 0.1:
        words.insert(rng.randrange(len(words) + 1), rng.choice(["--", "--nothing", "--all=1", "-vq", "--help", "more"]))
    return [verb.name, *words]


def option_words(rng: random.Random, option: Option) -> list[str]:
    flag = rng.choice(option.flags)
    if option.kind == "flag":
        return [flag]
    right = [*option.choices] * 2 or ["b", "a=b"]
    value = rng.choice([*right, "1", "", "-1", "--x"])
    return [f"{flag}={value}"] if flag.startswith("--") and rng.random() < 0.5 else [flag, value]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_each_verb_accepts_the_words_of_the_table(verb: Verb) -> None:
    declared = inspect.signature(getattr(verbs, verb.name)).parameters
    where: dict[str, Any] = Where.__annotations__ if "where" in declared else {}
    accepted = {*declared, *where} - {"where"}
    named = {*(one.name for one in verb.arguments), *(one.name for one in verb.options)}
    assert (named - {"output", "debug", "color", "token", "cache_dir"}) | {"screen"} == accepted
    for option in verb.options:
        if option.default is not None and option.name != "color":
            assert declared[option.name].default == option.default


def test_the_options_page_has_every_option() -> None:
    words = options().split()
    shown = [option for verb in VERBS for option in verb.options if not option.hidden]
    assert {flag.rstrip(",") for flag in words} >= {flag for option in shown for flag in option.flags}
    assert all(len(line) <= 80 for line in options().splitlines())
