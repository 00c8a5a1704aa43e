"""Entries with another number of bytes than their dtype needs: the dtype that needs exactly these bytes is named."""

from __future__ import annotations

import pytest

from inspector.findings.finding import Place
from inspector.findings.header.entries import SizeDiffers, SizeEntry

CASES = {
    (("F16", 12, 24), ("F16", 8, 16)): "F32",
    (("BF16", 12, 24), ("BF16", 40, 80)): "F32",
    (("F32", 24, 48), ("F32", 16, 32)): "F64",
    (("F32", 24, 12), ("F32", 16, 8)): "",  # F16 or BF16
    (("BF16", 12, 24), ("BF16", 8, 15)): "",
    (("F16", 12, 24), ("BF16", 8, 16)): "",
    (("F16", 12, 24),): "",
}
"""(dtype, bytes that it needs, stored bytes) of all entries -> the dtype to write; "" if there is no single one."""


@pytest.mark.parametrize("entries", CASES, ids=str)
def test_the_dtype_that_fits(entries: tuple[tuple[str, int, int], ...]) -> None:
    cases = tuple(
        SizeEntry(tensor=f"weight.{at}", dtype=dtype, shape=(2, 3), expected=expected, stored=stored)
        for at, (dtype, expected, stored) in enumerate(entries)
    )
    words = SizeDiffers(place=Place(file="model.safetensors"), tensors=len(cases), cases=cases).remedy().words
    assert (f"write {CASES[entries]} as the dtype" in words) is bool(CASES[entries])
