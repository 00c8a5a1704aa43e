"""Active parameters of mixtures of experts, compared with published figures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checkpoints import genuine
from tests.judged import base_record, codes, judged, spec_of
from tests.sparse_models import LLAMA8B

MIXTRAL: dict[str, Any] = {
    "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
    "num_local_experts": 8, "num_experts_per_tok": 2,
}  # fmt: skip


def test_mixtral_uses_two_of_eight_experts() -> None:
    used = judged(genuine(MIXTRAL), MIXTRAL).experts
    assert used is not None
    assert (used.total, used.active, used.parameters) == (8, 2, 12_879_925_248)


@pytest.mark.parametrize("active", [0, -1, 9, "2", True, None])
def test_an_impossible_number_of_experts_is_not_used(active: object) -> None:
    assert judged(genuine(MIXTRAL), {**MIXTRAL, "num_experts_per_tok": active}).experts is None or active is None


def test_a_dense_model_has_no_active_count() -> None:
    assert judged(genuine(LLAMA8B), {**LLAMA8B, "num_experts_per_tok": 2}).experts is None


@pytest.mark.parametrize("model_type", ["ernie4_5_moe", "deepseek_v3", "glm4_moe", "hunyuan_v1_moe", "aria_text"])
def test_lost_shared_experts_are_no_null_in_the_config(model_type: str) -> None:
    record = base_record(model_type, "CausalLM")
    spec = {name: entry for name, entry in spec_of(record).items() if ".shared_" not in name}
    assert spec.keys() < spec_of(record).keys()
    assert codes(judged(spec, record["config"])) == {"N404"}


@pytest.mark.parametrize("model_type", ["gpt_oss", "llama4_text"])
def test_matrices_of_all_experts_in_one_tensor_may_be_transposed(model_type: str) -> None:
    record = base_record(model_type)
    spec = spec_of(record)
    experts = [name for name, (_, shape) in spec.items() if len(shape) == 3 and shape[-1] != shape[-2]]
    assert experts
    for name in experts:
        dtype, shape = spec[name]
        spec[name] = (dtype, (shape[0], shape[2], shape[1]))
    found = [
        one
        for one in judged(spec, {"architectures": [record["class"]], **record["config"]}).findings
        if one.severity == "error"
    ]
    assert {one.code for one in found} == {"D502"}
    assert all(one.help.startswith("transpose each: tensor.mT.contiguous()") for one in found)


@pytest.mark.parametrize(("model_type", "key"), [("mixtral", "num_local_experts"), ("olmoe", "num_experts"),
                                                 ("qwen2_moe", "num_experts")])  # fmt: skip
def test_a_router_shows_the_number_of_experts(model_type: str, key: str) -> None:
    """No expert is lost: the router has a row for each of those that are stored."""
    record = base_record(model_type, "CausalLM")
    config = {**record["config"], key: 2 * record["config"][key]}
    (found,) = (one for one in judged(spec_of(record), config).findings if one.severity != "note")
    assert [(step.key, step.new) for step in found.steps] == [((key,), record["config"][key])]
