"""The table of bits by role: it adds up, and gives the reason why a linear is not quantized."""

from __future__ import annotations

import pytest

from inspector.report.packing_text import packing_table, packing_text
from tests.judged import judged
from tests.quantization.stored import PACKED, checkpoint

TEXT = """\
  weights           stored as             bits                bytes
  embedding         BF16                16.000            1,179,648
  attention key     gptq 4 bit in 128s   4.406               54,144
  attention key     gptq 8 bit in 64s    8.625               52,992
  attention output  gptq 4 bit in 128s   4.240              156,288
  attention output  gptq 8 bit in 64s    8.458              155,904
"""


STACKED = "fp8_finegrained_mixtral"
"""A checkpoint whose scales of stacked experts belong to several rows."""


@pytest.mark.parametrize("name", [name for name in PACKED if name != STACKED])
def test_the_table_adds_up(name: str) -> None:
    config, spec, parameters = checkpoint(name)
    audited = judged(spec, config)
    table = packing_table(audited)
    assert table is not None
    assert table.parameters == sum(row.parameters for row in table.rows) == parameters
    assert table.bytes == audited.counts.stored_bytes
    loose = sum(line.bytes for line in audited.lines if line.role == "packing bias")
    loose += sum(line.bytes for line in audited.lines if line.family.endswith(("k_scale", "v_scale")))
    assert table.bytes - loose == sum(row.bytes for row in table.rows)
    assert table.saved == 2 * parameters - table.bytes
    assert all(len(line) <= 80 for line in packing_text(audited).splitlines())


def test_an_unquantized_model_has_no_table() -> None:
    config, spec, _ = checkpoint("mlx-nothing")
    assert packing_table(judged(spec, config)) is None
    assert packing_text(judged(spec, config)) == ""


def test_the_reasons_for_unquantized_linears() -> None:
    config, spec, _ = checkpoint("gptq-dynamic")
    table = packing_table(judged(spec, config))
    assert table is not None
    left = {module.family: (module.where, module.because) for module in table.left}
    entry = r"-:.*layers\.2\.mlp\.down_proj.* in quantization_config"
    assert left["model.layers.{layer}.mlp.down_proj.weight"] == ("layer 2", entry)
    assert left["lm_head.weight"] == ("", "the head")


def test_a_width_that_does_not_divide_is_a_reason() -> None:
    config, spec, _ = checkpoint("mlx-nothing")
    packed = {name.removesuffix("weight") for name in spec if ".mlp.gate_proj." in name}
    for module in packed:
        _, (outputs, _) = spec.pop(f"{module}weight")
        spec |= {f"{module}weight": ("U32", (outputs, 22)), f"{module}scales": ("BF16", (outputs, 11)),
                 f"{module}biases": ("BF16", (outputs, 11))}  # fmt: skip
    config["quantization"] = {"bits": 4, "group_size": 16}
    table = packing_table(judged(spec, config))
    assert table is not None
    reasons = {module.family: module.because for module in table.left}
    assert reasons["model.layers.{layer}.mlp.down_proj.weight"] == "328 inputs are not a multiple of 16"


def test_the_text() -> None:
    config, spec, _ = checkpoint("gptq-dynamic")
    text = packing_text(judged(spec, config))
    assert text.startswith(TEXT), text
