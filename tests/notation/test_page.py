"""The page on the notation mentions every element of definitions."""

from __future__ import annotations

import inspect

from inspector.algebra.expression import FUNCTIONS
from inspector.notation import definition, kinds
from inspector.notation.page import page

OF_FILES = {"rooted", "replace"}
"""Functions that derive definitions from definitions; the page describes the content of a definition."""


def test_the_page_names_every_row_kind_and_function() -> None:
    text = page()
    names = {
        name
        for module in (definition, kinds)
        for name, _ in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_")
    }
    missing = {name for name in (names - OF_FILES) | FUNCTIONS if name not in text}
    assert missing == set()


def test_the_page_fits_a_terminal() -> None:
    assert max(map(len, page().splitlines())) <= 82
