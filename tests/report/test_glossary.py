"""The glossary explains every term of the reports on one screen; no page is wider than a screen."""

from __future__ import annotations

import pytest

from inspector.cli.topics import TOPICS, topic_text
from inspector.findings.registry import all_findings

TERMS = (
    "family",
    "parameters",
    "formula",
    "stored elements",
    "extra component",
    "tied copy",
    "buffer",
    "packing helper",
    "unexplained",
    "(likely)",
    "clean",
    "undecided",
    "findings",
    "unreadable",
    "carried",
    "dropped",
)


@pytest.mark.parametrize("term", TERMS)
def test_a_term_has_an_entry(term: str) -> None:
    assert any(line.startswith(f"    {term}") for line in topic_text("glossary").splitlines())


def test_every_letter_of_a_code_is_explained() -> None:
    letters = {finding.code[0] for finding in all_findings().values()}
    assert all(f" {letter} " in topic_text("glossary") for letter in letters)


def test_it_fits_a_screen() -> None:
    lines = topic_text("glossary").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("topic", TOPICS)
def test_pages_fit_a_screen(topic: str) -> None:
    assert [line for line in topic_text(topic).splitlines() if len(line) > 80] == []
