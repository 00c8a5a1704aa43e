"""The first layout of GPTQ, with `zeros` in place of `qzeros`, is one finding, whatever the config states."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.auditing.result import Audit
from tests.quantization.examples import first_layout
from tests.quantization.stored import Spec, changed


def bad(audited: Audit) -> list[str]:
    return [finding.code for finding in audited.findings if finding.severity != "note"]


@pytest.mark.parametrize("settings", [{}, {"bits": 4, "group_size": -1}, {"bits": 4, "group_size": -1, "sym": False}])
def test_the_first_layout_is_one_finding(settings: dict[str, Any]) -> None:
    audited = first_layout(**settings)
    assert "T646" in bad(audited)
    assert set(bad(audited)) <= {"T646", "T621"}
    assert audited.counts.unexplained == 0
    help = next(one.help for one in audited.findings if one.code == "T646")
    assert help is not None
    assert "alpaca_lora_4bit" in help
    assert "transpose" not in help


def test_a_helper_of_another_shape_is_still_found() -> None:
    audited = first_layout({"model.layers.1.mlp.down_proj.scales": ("F16", (255, 1))}, bits=4, group_size=-1)
    assert sorted({*bad(audited)} - {"T621"}) == ["T611", "T646"]


def test_a_later_layout_with_a_stray_tensor_is_not_the_first_layout() -> None:
    put: Spec = {"model.layers.1.mlp.down_proj.zeros": ("F16", (256, 1))}
    assert "T646" not in bad(changed("gptq_4bit_g128_sym", put=put))
