"""Records without their config: the type, the count and the numbers that names and shapes give."""

from __future__ import annotations

import pytest

from tests.judged import base_record, diffusers_records, judged, spec_of
from tests.reconciler.without_config import numbers, outcome

EXACT = [
    "llama", "gpt2", "bert", "mixtral", "t5", "deepseek_v3", "jamba", "nemotron_h", "wav2vec2", "detr", "hiera",
    "focalnet", "vits", "mimi", "encodec", "chameleon", "dinov3_convnext", "hgnet_v2", "groupvit",
]  # fmt: skip


@pytest.mark.parametrize("model_type", EXACT)
def test_a_record_without_its_config_is_exact(model_type: str) -> None:
    record = base_record(model_type)
    assert outcome({"model_type": model_type, **record}, judged(spec_of(record), None)) == "exact"


@pytest.mark.parametrize("model_type", ["llama", "mixtral", "bert", "wav2vec2", "jamba"])
def test_numbers_that_the_weights_give_are_those_of_the_config(model_type: str) -> None:
    record = base_record(model_type)
    found = numbers(record, judged(spec_of(record), None))
    assert found["right"] >= 4
    assert not found["wrong"]


def test_entries_of_lists_are_numbers_of_their_own() -> None:
    record = diffusers_records("AutoencoderKL")[0]
    audited = judged(spec_of(record), None)
    assert audited.case is not None
    solved = audited.case.plan.scope.trace.solved
    widths = record["config"]["block_out_channels"]
    assert [solved["block_out_channels", at] for at in range(len(widths))] == widths
    assert solved["block_out_channels", "#"] == len(widths)


def test_heads_that_only_a_product_shows_are_left_open() -> None:
    record = base_record("llama")
    case = judged(spec_of(record), None).case
    assert case is not None
    config = record["config"]
    assert case.products["dh*h"] == config["head_dim"] * config["num_attention_heads"]
    assert not {("num_attention_heads",), ("head_dim",)} & case.plan.scope.trace.solved.keys()
