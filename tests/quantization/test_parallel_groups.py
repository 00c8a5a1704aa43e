"""Numbers of devices over which vLLM does not split the groups of AWQ, and parts that it does not join."""

from __future__ import annotations

import pytest

from inspector.auditing.loads.quantized import refused_by_vllm
from tests.quantization.examples import awq_of, parts_of, turned, without_role


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


@pytest.mark.parametrize(("gate", "up"), [(4, 8), (8, 4), (4, 4), (8, 8)])
def test_parts_of_a_joined_layer_with_other_bits(gate: int, up: int) -> None:
    found = parts_of(gate, up)
    assert found.verdict == "clean"
    assert [one.facts["parts"] for one in found.findings if one.code == "T666"] == (
        [] if gate == up else [["gate_proj", "up_proj"]]
    )
    assert bool(refused_by_vllm(found, {})) == (gate != up)


@pytest.mark.parametrize(("module", "parts"), [("k_proj", ["q_proj", "k_proj", "v_proj"]), ("o_proj", None)])
def test_a_part_of_a_joined_layer_that_is_not_quantized(module: str, parts: list[str] | None) -> None:
    found = without_role("ct_w4a16", module, ignore=["lm_head", f"re:.*{module}$"])
    assert [one.facts["parts"] for one in found.findings if one.code == "T666"] == ([parts] if parts else [])


@pytest.mark.parametrize("modules", [("_proj",), ("q_proj", "o_proj"), ("gate_proj",)])
def test_values_of_nvfp4_that_are_stored_transposed(modules: tuple[str, ...]) -> None:
    assert [one.code for one in turned("modelopt_nvfp4", *modules).findings if one.severity != "note"] == ["T667"]
    assert turned("modelopt_nvfp4").verdict == "clean"
