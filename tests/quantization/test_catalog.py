"""The table of quantization schemes agrees with the modules that it names."""

from __future__ import annotations

from pathlib import Path

import pytest

import inspector.quantization
from inspector.quantization.catalog import HELPERS, KV_CACHE, TABLE, Row, scheme
from inspector.quantization.module import Scheme


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[1])
def test_a_row_agrees_with_its_scheme(row: Row) -> None:
    found = scheme(row)
    assert isinstance(found, Scheme)
    assert found.values == row[2]
    assert {*found.needs, *found.may} <= HELPERS


def test_helpers_are_those_of_the_schemes() -> None:
    named = {suffix for row in TABLE for suffix in (*scheme(row).needs, *scheme(row).may)}
    assert named | KV_CACHE == HELPERS


def test_every_file_with_a_scheme_is_in_the_table() -> None:
    folder = Path(inspector.quantization.__file__).parent / "schemes"
    files = {path.stem for path in folder.glob("*.py") if " = Scheme(" in path.read_text(encoding="utf-8")}
    assert files == {row[0] for row in TABLE}
