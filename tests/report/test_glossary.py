"""The glossary explains every term that a report uses, on one screen."""

from __future__ import annotations

import pytest

from inspector.findings.registry import all_findings
from inspector.report.pages import topic_text

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
