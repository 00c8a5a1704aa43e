"""Values of quantization blocks that transformers refuses: measured with 5.23 and 4.57."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.loading.block_values import wrong_value

NF4 = {"quant_method": "bitsandbytes", "load_in_4bit": True, "load_in_8bit": False}
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 128}
REFUSED: list[tuple[dict[str, Any], str, Any, Any]] = [
    (NF4, "llm_int8_skip_modules", "null", None), (NF4, "llm_int8_skip_modules", "lm_head", ["lm_head"]),
    (NF4, "llm_int8_skip_modules", {}, None), (NF4, "llm_int8_threshold", 6, 6.0),
    (NF4, "llm_int8_threshold", "6.0", 6.0), (NF4, "llm_int8_threshold", None, 6.0), (NF4, "load_in_4bit", 1, True),
    (NF4, "load_in_4bit", "True", True), (NF4, "load_in_8bit", None, False), (NF4, "load_in_8bit", 0, False),
    (NF4, "llm_int8_has_fp16_weight", None, False), (NF4, "bnb_4bit_use_double_quant", "true", True),
    (NF4, "bnb_4bit_quant_type", 4, "nf4"), (GPTQ, "bits", "4", 4), (GPTQ, "group_size", "128", 128),
    (GPTQ, "damp_percent", None, 0.1), (GPTQ, "damp_percent", 1, 0.1),
]  # fmt: skip
UNKNOWN: list[tuple[dict[str, Any], str, Any]] = [(GPTQ, "bits", 5), (GPTQ, "bits", None), (GPTQ, "group_size", 0)]
TAKEN: list[tuple[dict[str, Any], str, Any]] = [
    (NF4, "llm_int8_skip_modules", None), (NF4, "llm_int8_skip_modules", []),
    (NF4, "llm_int8_skip_modules", ["lm_head"]), (NF4, "llm_int8_threshold", 6.0), (NF4, "bnb_4bit_quant_type", "nf4"),
    (GPTQ, "bits", 4.0), (GPTQ, "group_size", -1), (GPTQ, "group_size", 128.0), (GPTQ, "damp_percent", 0.01),
    (GPTQ, "sym", "true"), ({"quant_method": "awq"}, "bits", "4"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "key", "value", "meant"), REFUSED)
def test_a_value_of_another_type(block: dict[str, Any], key: str, value: Any, meant: Any) -> None:
    found = wrong_value({"quantization_config": {**block, key: value}})
    assert found is not None and found.setting == (key, meant) and found.because.startswith(f"{key} is not ")


@pytest.mark.parametrize(("block", "key", "value"), UNKNOWN)
def test_a_value_that_means_nothing(block: dict[str, Any], key: str, value: Any) -> None:
    found = wrong_value({"quantization_config": {**block, key: value}})
    assert found is not None and found.setting is None


@pytest.mark.parametrize(("block", "key", "value"), TAKEN)
def test_values_that_are_taken(block: dict[str, Any], key: str, value: Any) -> None:
    assert wrong_value({"quantization_config": {**block, key: value}}) is None
    assert wrong_value({"quantization_config": None}) is None
