"""Failures that users ask about, rebuilt in folders: the verdict, the findings in order, and the step of the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.judged import base_record, spec_of
from tests.loads.damage import CONFIG, INDEX, MODEL, damaged, healthy, write

SHARD = "model-0000{}-of-00002.safetensors"
OTHER_INDEX = ["text", INDEX, {"metadata": {}, "weight_map": {"other.weight": SHARD.format(1)}}]


def of_class(name: str) -> list[Any]:
    return [["config", ["architectures"], [name]]]


CASES: list[tuple[str, str, list[Any], str, list[str], str]] = [
    # model type, class, damages, verdict, findings, the first step
    ("stablelm", "CausalLM", [["shards", 2], OTHER_INDEX], "findings", ["S219"], "write"),
    ("olmoe", "CausalLM", [["shards", 2], OTHER_INDEX], "findings", ["S219"], "write"),
    ("stablelm", "CausalLM", [["file", CONFIG, None]], "findings", ["C313"], ""),
    ("cohere", "CausalLM", [["file", CONFIG, "configuration.json"]], "findings", ["C313"], ""),
    ("bart", "ForConditionalGeneration", of_class("BartModel"), "undecided", [], ""),
    ("whisper", "ForConditionalGeneration", of_class("WhisperModel"), "undecided", [], ""),
    ("t5gemma", "ForConditionalGeneration", of_class("T5GemmaModel"), "undecided", [], ""),
    ("instructblip", "ForConditionalGeneration", of_class("InstructBlipModel"), "findings", ["N429"], ""),
    ("mamba", "CausalLM", [["config", ["model_type"], "llama"]], "findings", ["N444"], "set"),
    ("dinov2", "Classification", [["config", ["model_type"], "bert"]], "findings", ["N444"], "set"),
    ("qwen2", "CausalLM", [["config", ["model_type"], "llama"]], "findings", ["N444"], "set"),
    ("phi", "CausalLM", of_class("LlamaForCausalLM"), "findings", ["C317"], "set"),
    ("gemma2", "CausalLM", [["prefix", "_orig_mod."]], "findings", ["N402"], "rename"),
    ("gemma2", "CausalLM", [["replace", "model.", "model.module."]], "findings", ["N402"], "rename"),
    ("cohere", "CausalLM", [["file", MODEL, "model (1).safetensors"]], "findings", ["S221"], "move"),
    ("gemma2", "CausalLM", [["prefix", "model."]], "clean", [], ""),
    ("qwen3_moe", "CausalLM", [["prefix", "model."]], "clean", [], ""),
    ("phi", "CausalLM", [["config", ["torch_dtype"], "float16"]], "clean", [], ""),
    ("phi", "CausalLM", [["config", ["transformers_version"], "6.1.0"]], "clean", [], ""),
    ("gemma3", "Generation", [], "clean", [], ""),
    ("llava", "Generation", [], "clean", [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "suffix", "damages", "verdict", "codes", "action"), CASES)
def test_a_failure_is_reported(
    model_type: str, suffix: str, damages: list[Any], verdict: str, codes: list[str], action: str, tmp_path: Path
) -> None:
    one = base_record(model_type, suffix)
    config = {"architectures": [one["class"]], **one["config"]}
    audited = audit(str(write(damaged(healthy(spec_of(one), config), damages), tmp_path / "0")))
    assert (audited.verdict, [one.code for one in audited.findings if one.severity != "note"]) == (verdict, codes)
    steps = audited.findings[0].steps if codes else ()
    assert next((step.action for step in steps), "") == action
    assert "N409" not in {one.code for one in audited.findings}


@pytest.mark.parametrize(("model_type", "suffix", "part"), [
    ("siglip", "SiglipModel", ".layers.1."), ("clip", "CLIPModel", ".layers.1."),
    ("segformer", "Classification", ".block.2."),
])  # fmt: skip
def test_a_layer_that_is_cut_out_is_missing(model_type: str, suffix: str, part: str, tmp_path: Path) -> None:
    one = base_record(model_type, suffix)
    lost = ["drop", *(name for name in one["tensors"] if part in name)]
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), [lost]), tmp_path / "0")))
    assert {one.code for one in audited.findings if one.severity != "note"} == {"N404"}
