"""A change of names applies anywhere in a name, and always ends."""

from __future__ import annotations

import pytest

from inspector.mending.patterns import renamed


@pytest.mark.parametrize(("name", "old", "new", "expected"), [
    ("a.b", "*", "detector.*", "detector.a.b"), ("a.x.x.b", "*.x*", "*.x.x*", "a.x.x.x.b"),
    ("a.x.x.b", "*.x.*", "*.*", "a.b"), ("module.a", "module.*", "*", "a"), ("a.b", "module.*", "*", "a.b"),
])  # fmt: skip
def test_a_change_of_names_ends(name: str, old: str, new: str, expected: str) -> None:
    assert renamed(name, [(old, new)]) == expected
