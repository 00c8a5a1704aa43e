"""Numbers of devices over which vLLM does not split the groups of AWQ."""

from __future__ import annotations

import pytest

from tests.quantization.examples import awq_of


@pytest.mark.parametrize(("inner", "heads", "layers", "devices"), [
    (29568, 64, 80, (2, 4, 8)),  # Qwen2-72B before its inputs were padded
    (27648, 40, 80, ()),  # Qwen2.5-32B: 216 groups
    (13824, 40, 120, (8,)),  # Llama-2-13B: 108 groups
    (29568, 60, 80, (2, 4)),  # 8 devices do not divide the heads
    (29568, 64, 4, ()),  # on one device
])  # fmt: skip
def test_groups_that_parallelism_would_cut(inner: int, heads: int, layers: int, devices: tuple[int, ...]) -> None:
    found = awq_of(inner, heads, layers=layers)
    assert found.verdict == "clean"
    assert [one.facts["devices"] for one in found.findings if one.code == "T665"] == [list(devices)] * bool(devices)
