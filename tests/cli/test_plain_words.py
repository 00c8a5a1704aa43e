"""The short way of a plain audit understands what the parser understands, and leaves it everything else."""

from __future__ import annotations

import inspect

import pytest

from inspector.__main__ import CHOICES, VALUES, plain_audit
from inspector.cli import options as cli
from inspector.cli import verbs

UNDERSTOOD = [
    (["audit", "x"], ("x", {}, False)),
    (["audit", "x", "-v"], ("x", {}, True)),
    (["audit", "--format", "json", "x"], ("x", {"format": "json"}, False)),
    (["audit", "x", "--format=json", "--fail-on", "note"], ("x", {"format": "json", "fail_on": "note"}, False)),
    (["audit", "x", "--claim", "8.03B", "--weights", "w"], ("x", {"claim": "8.03B", "weights": "w"}, False)),
]
LEFT = [
    [], ["audit"], ["audit", "x", "y"], ["audit", "--help"], ["audit", "x", "--debug"], ["count", "x"],
    ["audit", "x", "--format", "yaml"], ["audit", "x", "--format"], ["audit", "x", "--claim", "-5"],
    ["audit", "--", "-x"], ["audit", "x", "--claim", "1", "--claim", "2"], ["audit", "x", "--forma", "json"],
]  # fmt: skip


@pytest.mark.parametrize(("words", "meaning"), UNDERSTOOD)
def test_plain_words_are_understood(words: list[str], meaning: object) -> None:
    assert plain_audit(words) == meaning


@pytest.mark.parametrize("words", LEFT)
def test_every_doubt_is_left_to_the_parser(words: list[str]) -> None:
    assert plain_audit(words) is None


def test_the_words_are_the_parsers() -> None:
    declared = inspect.signature(cli.audit).parameters
    assert set(VALUES.values()) <= set(declared)
    assert {name.removeprefix("--").replace("-", "_") for name in VALUES} == set(VALUES.values())
    assert CHOICES["format"] == tuple(cli.ReportFormat) == verbs.REPORTS
    assert CHOICES["fail_on"] == tuple(cli.Level) == verbs.LEVELS
