"""GPTQ without `g_idx` has a note; with `desc_act`, whose order is then lost, it is an error."""

from __future__ import annotations

import pytest

from tests.quantization.examples import without_index
from tests.quantization.stored import changed

NAMES = ("gptq_4bit_g128_sym", "gptq-4-biases")


@pytest.mark.parametrize("name", NAMES)
def test_absent_index_is_a_note(name: str) -> None:
    severities = {one.code: one.severity for one in without_index(name, desc_act=False).findings}
    assert "T675" in severities
    assert set(severities.values()) == {"note"}


@pytest.mark.parametrize("name", NAMES)
def test_stored_index_has_no_note(name: str) -> None:
    assert "T675" not in {one.code for one in changed(name).findings}


def test_absent_index_of_an_order_is_an_error() -> None:
    codes = {one.code for one in without_index("gptq_4bit_g128_sym", desc_act=True).findings}
    assert "T610" in codes
    assert "T675" not in codes
