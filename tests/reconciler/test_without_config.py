"""Records without their config: type, count and numbers are derived from names and shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.report.json_v1 import audit_json
from inspector.report.text import audit_text
from tests.checkpoints import Spec, write
from tests.judged import base_record, diffusers_records, judged, spec_of
from tests.reconciler.without_config import numbers, outcome
from tests.sampling import sampled

EXACT = [
    "llama", "gpt2", "bert", "mixtral", "t5", "deepseek_v3", "jamba", "nemotron_h", "wav2vec2", "detr", "hiera",
    "focalnet", "vits", "mimi", "encodec", "chameleon", "dinov3_convnext", "hgnet_v2", "groupvit",
]  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize("model_type", EXACT)
def test_a_record_without_its_config_is_exact(model_type: str) -> None:
    record = base_record(model_type)
    assert outcome({"model_type": model_type, **record}, judged(spec_of(record), None)) == "exact"


WITH_PARTS = [
    "qwen3_vl", "gemma3", "llava", "mistral3", "paligemma", "llama4", "qwen2_audio", "mllama", "voxtral", "musicgen",
    "aya_vision", "mask2former",
]  # fmt: skip
"""Models whose classes choose the definitions of their parts by a config; those by default are tried without one."""


@pytest.mark.parametrize("model_type", sampled(WITH_PARTS, 3))
def test_a_model_of_several_parts_without_its_config_is_exact(model_type: str) -> None:
    record = base_record(model_type)
    spec = spec_of(record)
    assert outcome({"model_type": model_type, **record}, judged(spec, None)).startswith("exact")
    lost = max(spec, key=lambda name: len(spec[name][1]))
    assert judged({name: entry for name, entry in spec.items() if name != lost}, None).verdict != "clean"


@pytest.mark.parametrize("model_type", ["llama", "mixtral", "bert", "wav2vec2", "jamba"])
def test_numbers_derived_from_the_weights_equal_the_config(model_type: str) -> None:
    record = base_record(model_type)
    found = numbers(record, judged(spec_of(record), None))
    assert found["right"] >= 4
    assert not found["wrong"]


def test_entries_of_lists_are_derived_separately() -> None:
    record = diffusers_records("AutoencoderKL")[0]
    audited = judged(spec_of(record), None)
    assert audited.case is not None
    solved = audited.case.plan.scope.trace.solved
    widths = record["config"]["block_out_channels"]
    assert [solved["block_out_channels", at] for at in range(len(widths))] == widths
    assert solved["block_out_channels", "#"] == len(widths)


def test_heads_that_only_a_product_determines_are_left_open() -> None:
    record = base_record("llama")
    case = judged(spec_of(record), None).case
    assert case is not None
    config = record["config"]
    assert case.products[(), "dh*h"] == config["head_dim"] * config["num_attention_heads"]
    assert not {("num_attention_heads",), ("head_dim",)} & case.plan.scope.trace.solved.keys()


def test_undetermined_numbers_are_reported_as_their_product() -> None:
    audited = judged(spec_of(base_record("llama")), None)
    solved: Any = audit_json(audited)["solved"]
    assert solved is not None
    assert solved["determined"] == {
        "hidden_size": 48, "intermediate_size": 92, "num_hidden_layers": 3, "vocab_size": 107,
    }  # fmt: skip
    assert list(solved["undetermined"]) == [
        {"expression": "head_dim*num_attention_heads", "low": 120, "high": 120},
        {"expression": "head_dim*num_key_value_heads", "low": 40, "high": 40},
    ]
    assert "  product only  head_dim × num_attention_heads = 120,\n" in audit_text(audited)


@pytest.mark.parametrize(
    ("model_type", "key"), [("mobilebert", "num_attention_heads"), ("gemma3n_text", "num_kv_shared_layers")]
)
def test_a_number_that_several_values_explain_is_not_stated(model_type: str, key: str) -> None:
    answers = judged(spec_of(base_record(model_type)), None).answers
    assert answers is not None
    assert key not in answers.determined


def test_with_a_config_nothing_is_reported_as_solved() -> None:
    record = base_record("llama")
    config = {"architectures": [record["class"]], "model_type": "llama", **record["config"]}
    assert audit_json(judged(spec_of(record), config))["solved"] is None


@pytest.mark.parametrize("model_type", ["granite_docling", "janus", "fuyu", "vitpose"])
def test_ambiguous_names_give_no_finding(model_type: str) -> None:
    reported = judged(spec_of(base_record(model_type)), None).findings
    assert not [finding.code for finding in reported if finding.severity != "note"]


@pytest.mark.parametrize(("name", "key"), [
    ("AutoencoderKLFlux2", "decoder_block_out_channels"), ("AutoencoderOobleck", "channel_multiples"),
    ("AutoencoderTiny", "encoder_block_out_channels"),
])  # fmt: skip
def test_a_list_that_the_config_lacks_is_no_longer_than_its_stages(name: str, key: str) -> None:
    record = next(one for one in diffusers_records(name) if one["config"][key])
    audited = judged(spec_of(record), {other: value for other, value in record["config"].items() if other != key})
    steps = [step for one in audited.findings for step in one.steps]
    assert [step.new for step in steps] == [record["config"][key]]


@pytest.mark.slow
def test_a_config_of_a_few_keys_and_no_class_is_of_another_size() -> None:
    audited = judged(spec_of(diffusers_records("UNet2DConditionModel")[0]), {"in_channels": 4, "out_channels": 4})
    assert [one.code for one in audited.findings if one.severity == "error"] == ["C315"]


@pytest.mark.parametrize("size", [-1, 300])
def test_the_vocabulary_of_a_params_json_is_the_tokenizers(size: int, tmp_path: Path) -> None:
    """No value is to be set for it: -1 says that the tokenizer decides."""
    meta = {"tok_embeddings": (300, 32), "output": (300, 32), "norm": (32,)} | {
        f"layers.{layer}.{name}": shape for layer in range(2) for name, shape in {
            **{f"attention.w{one}": (32, 32) for one in "qkvo"}, "feed_forward.w1": (96, 32),
            "feed_forward.w2": (32, 96), "feed_forward.w3": (96, 32), "attention_norm": (32,), "ffn_norm": (32,),
        }.items()
    }  # fmt: skip
    params = {"dim": 32, "multiple_of": 32, "n_heads": 4, "n_layers": 2, "norm_eps": 1e-5, "vocab_size": size}
    spec: Spec = {f"{name}.weight": ("F16", shape) for name, shape in meta.items()}
    write(tmp_path, spec, {**params, "model_type": "llama"})
    audited = audit(str(tmp_path))
    assert not any(one.code == "C311" for one in audited.findings)
    assert all(step.key != ("vocab_size",) for one in audited.findings for step in one.steps)


@pytest.mark.parametrize("name", ["CogVideoXTransformer3DModel", "PixArtTransformer2DModel", "MochiTransformer3DModel"])
def test_a_bias_that_every_config_has_is_expected_without_one(name: str) -> None:
    """Whatever the config says, these classes build it: without all of them, no definition fits."""
    spec = spec_of(diffusers_records(name)[0])
    without = {key: entry for key, entry in spec.items() if not key.endswith("to_out.0.bias")}
    assert len(without) < len(spec)
    assert (judged(spec, None).verdict, judged(without, None).verdict) == ("clean", "undecided")
