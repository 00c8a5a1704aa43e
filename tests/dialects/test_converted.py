"""Inputs and outputs of real converters are clean by their names alone, with the exact count of the model."""

from __future__ import annotations

import json

import pytest

from tests.judged import FIXTURES, codes, judged

CONVERTED = json.loads((FIXTURES / "dialects" / "converted.json").read_text(encoding="utf-8"))
COUNTS = {"litgpt_llama": 2_098_432, "diffusers_flux": 530_482_960, "meta_llama_1shard_to_hf": 2_098_432}
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 256, "intermediate_size": 768,
         "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 1024}  # fmt: skip


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("known", [False, True])
def test_conversions_are_clean_and_exact(name: str, known: bool) -> None:
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in CONVERTED[name].items()}
    config = None if name == "diffusers_flux" or not known else LLAMA
    audited = judged(spec, config)
    assert codes(audited) == set(), [one.title for one in audited.findings]
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == COUNTS[name]
