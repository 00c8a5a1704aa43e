"""Additional parts that the config declares: a note exactly where none of their tensors is stored."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.notation.binding import Block
from tests.checkpoints import Spec, genuine, plan_of
from tests.judged import base_record, judged, spec_of

QWEN: dict[str, Any] = {
    "model_type": "qwen3_5_moe_text", "architectures": ["Qwen3_5MoeForCausalLM"], "hidden_size": 56,
    "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 12, "vocab_size": 130,
    "num_experts": 5, "moe_intermediate_size": 24, "shared_expert_intermediate_size": 40, "linear_num_key_heads": 2,
    "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 6, "linear_conv_kernel_dim": 4,
    "layer_types": ["linear_attention"] * 3 + ["full_attention"], "tie_word_embeddings": False,
}  # fmt: skip
GLM: dict[str, Any] = {
    "model_type": "glm4_moe", "architectures": ["Glm4MoeForCausalLM"], "hidden_size": 48, "intermediate_size": 72,
    "moe_intermediate_size": 20, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 10, "vocab_size": 140, "n_routed_experts": 6, "n_shared_experts": 1, "first_k_dense_replace": 1,
}  # fmt: skip
DECLARED = [(QWEN, "mtp_num_hidden_layers"), (GLM, "num_nextn_predict_layers")]


def declared(audited: Audit) -> list[tuple[Any, ...]]:
    return [
        (found.facts["key"], found.facts["value"], found.facts["parameters"])
        for found in audited.findings
        if found.name == "component-absent"
    ]


def part(config: dict[str, Any]) -> list[Block]:
    return [block for block in plan_of(config).blocks if block.slot.extra and block.slot.tensor.counted]


@pytest.mark.parametrize(("config", "key"), DECLARED)
def test_declared_and_absent_is_a_note(config: dict[str, Any], key: str) -> None:
    declaring = {**config, key: 1}
    audited = judged(genuine(declaring), declaring)
    absent = sum(block.tensors * (block.elements or 0) for block in part(declaring) if block.tie is None)
    assert declared(audited) == [(key, 1, absent)]
    assert absent > 0
    assert audited.verdict == "clean"


@pytest.mark.parametrize(("model_type", "key"), [
    ("qwen3_5", "mtp_num_hidden_layers"), ("qwen3_5_moe", "mtp_num_hidden_layers"),
    ("glm_ocr", "num_nextn_predict_layers"), ("glm4v_moe", "num_nextn_predict_layers"),
])  # fmt: skip
def test_declared_in_the_config_of_the_text_model(model_type: str, key: str) -> None:
    record = base_record(model_type, "ForConditionalGeneration")
    config = {**record["config"], "text_config": {**record["config"]["text_config"], key: 1}}
    audited = judged(spec_of(record), config)
    assert [found[:2] for found in declared(audited)] == [(f"text_config.{key}", 1)]
    assert audited.verdict == "clean"


@pytest.mark.parametrize(("config", "key"), DECLARED)
def test_not_declared_gets_no_note(config: dict[str, Any], key: str) -> None:
    assert declared(judged(genuine(config), config)) == []
    assert declared(judged(genuine({**config, key: 0}), {**config, key: 0})) == []


def test_declared_and_stored_is_the_extra_part() -> None:
    from tests.sparse_models import DSV3, deepseek_v3

    stored: Spec = dict(deepseek_v3(DSV3))
    audited = judged(stored, DSV3)
    assert declared(audited) == []
    assert "component-extra" in {found.name for found in audited.findings}
