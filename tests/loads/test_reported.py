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
    ("olmo", "CausalLM", [["file", CONFIG, None]], "findings", ["C313"], ""),
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


@pytest.mark.parametrize(("name", "raw", "renamed"), [
    ("model.safetensors", b"PK\x03\x04" + bytes(22) + b"\x10\0\0\0archive/data.pkl" + bytes(60), "pytorch_model.bin"),
    ("model.safetensors", b"GGUF\x03" + bytes(60), "model.gguf"),
    ("pytorch_model.bin", b"\x80\x02" + bytes(6) + b'{"a":{"dtype":"F32"' + bytes(60), "model.safetensors"),
], ids=["torch", "gguf", "safetensors"])  # fmt: skip
def test_a_file_with_the_name_of_another_format_is_renamed(name: str, raw: bytes, renamed: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(raw)
    finding = next(one for one in audit(str(tmp_path)).findings if one.code == "R005")
    (step,) = finding.remedy().steps
    assert (step.action, step.file, step.new) == ("move", name, renamed)


@pytest.mark.parametrize(("model_type", "key", "path"), [
    ("qwen3_moe", "num_experts", ()), ("llama", "num_hidden_layers", ()),
    ("llava", "num_hidden_layers", ("text_config",)),
])  # fmt: skip
def test_a_wrong_key_is_named_as_the_config_spells_it(
    model_type: str, key: str, path: tuple[str, ...], tmp_path: Path
) -> None:
    one = base_record(model_type, "Generation" if path else "CausalLM")
    values = one["config"][path[0]] if path else one["config"]
    damage = ["config", [*path, key], values[key] + 1]
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), [damage]), tmp_path / "0")))
    keys = [finding.place.key for finding in audited.findings if finding.code == "C310"]
    assert keys == [".".join((*path, key))] or "layer_types" in values


def test_an_unmerged_adapter_is_judged_by_the_stored_names(tmp_path: Path) -> None:
    one = base_record("qwen2", "CausalLM")
    query = "model.layers.0.self_attn.q_proj"
    wrapped: list[Any] = [["rename", f"{query}.weight", f"{query}.base_layer.weight"],
               ["add", f"{query}.lora_A.default.weight", "F32", [4, 48]],
               ["add", f"{query}.lora_B.default.weight", "F32", [48, 4]]]  # fmt: skip
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), wrapped), tmp_path / "0")))
    newest = audited.loads[0]
    assert "A910" in {finding.code for finding in audited.findings}
    assert (newest.outcome, newest.missing, newest.unexpected) == ("random", 1, 3)


@pytest.mark.parametrize("model_type", ["llama", "mistral", "qwen3"])
def test_a_head_that_was_trained_whole_and_not_merged(model_type: str, tmp_path: Path) -> None:
    one = base_record(model_type, "CausalLM")
    spec = spec_of(one)
    saved: list[Any] = [["rename", "lm_head.weight", "lm_head.original_module.weight"],
             ["add", "lm_head.modules_to_save.default.weight", *spec["lm_head.weight"]]]  # fmt: skip
    audited = audit(str(write(damaged(healthy(spec, one["config"]), saved), tmp_path / "0")))
    assert [finding.code for finding in audited.findings if finding.severity != "note"] == ["A910"]
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
