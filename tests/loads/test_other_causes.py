"""Causes that lie beside the tensors: a key that only counts with another one, a list of layers, a config's name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.judged import base_record, records, spec_of
from tests.loads.damage import CONFIG, INDEX, damaged, healthy, write
from tests.loads.test_verdicts import Row, judged

Damages = list[Any]


def of_record(model_type: str, suffix: str, tmp_path: Path, damages: Damages, **changed: Any) -> Audit:
    """A record with another config, damaged and audited."""
    one = base_record(model_type, suffix)
    config = {"model_type": model_type, "architectures": [one["class"]], **one["config"], **changed}
    return audit(str(write(damaged(healthy(spec_of(one), config), damages), tmp_path)))


HEAD = "lm_head.weight"
VLLM = [
    # model type, class, does vLLM read a stored copy of the embedding as the head?
    ("gemma2", "CausalLM", False), ("gemma", "CausalLM", True), ("gemma3_text", "CausalLM", True),
    ("cohere", "CausalLM", True), ("qwen2", "CausalLM", True),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "suffix", "read"), VLLM)
@pytest.mark.parametrize("stored", [True, False])
def test_vllm_and_a_stored_copy_of_the_embedding(
    model_type: str, suffix: str, read: bool, stored: bool, tmp_path: Path
) -> None:
    """Its classes for Gemma 2 and Gemma 3n have no module for a head."""
    rows = base_record(model_type, suffix)["config"]
    damage = ["add", HEAD, "F32", [rows["vocab_size"], rows["hidden_size"]]]
    audited = of_record(
        model_type, suffix, tmp_path, [["lose", "lm_head"], *([damage] if stored else [])], tie_word_embeddings=True
    )
    assert audited.verdict == "clean"
    outcome = next(one.outcome for one in audited.loads if one.loader == "vllm")
    assert outcome == ("complete" if read or not stored else "refuses")
    for finding in judged_for(audited, "vllm").findings:
        assert finding.severity == "note" or f"remove {HEAD} for vllm" in finding.help


@pytest.mark.parametrize(("class_name", "words"), [
    ("OlmoModel", "it builds OlmoForCausalLM for embeddings"), ("Phi3Model", "it builds Phi3ForCausalLM for"),
    ("NoSuchModel", "does not name the model"),
])  # fmt: skip
def test_a_base_model_that_vllm_builds_for_embeddings(class_name: str, words: str, tmp_path: Path) -> None:
    audited = of_record("olmo", "OlmoModel", tmp_path, [], architectures=[class_name])
    found = judged_for(audited, "vllm").skipped
    assert any(words in one.because for one in found if one.check == "what vllm does")


@pytest.mark.parametrize("changed", [{}, {"decoder_vocab_size": None}, {"vocab_size": 108}])
def test_a_flag_behind_which_another_key_counts(changed: dict[str, Any], tmp_path: Path) -> None:
    """Marian shares one table by default, and only without that its decoder has a number of rows of its own."""
    name = "share_encoder_decoder_embeddings-false,decoder_vocab_size-131"
    one = next(one for one in records("marian") if one["variant"] == name)
    spec = spec_of(one)
    table = "model.decoder.embed_tokens.weight"
    spec[table] = (spec[table][0], (131, spec[table][1][1]))
    config = {"model_type": "marian", "architectures": [one["class"]], **one["config"]}
    assert audit(str(write(healthy(spec, config), tmp_path / "right"))).verdict == "clean"
    wrong = {**config, "share_encoder_decoder_embeddings": True, "decoder_vocab_size": 107, **changed}
    audited = audit(str(write(healthy(spec, wrong), tmp_path / "wrong")))
    found = [one for one in audited.findings if one.severity == "error"]
    if "vocab_size" in changed:  # a third key is wrong: then each table is named
        assert found[0].code != "C310" or "decoder_vocab_size" not in found[0].help
        return
    assert [one.code for one in found] == ["C310"]
    words = '"share_encoder_decoder_embeddings": false in config.json, and "decoder_vocab_size": 131'
    assert words in found[0].help


ATTENTION: Damages = [["lose", f"layers.{layer}.{name}" ] for layer in (0, 2) for name in
                      ("self_attn", "input_layernorm")]  # fmt: skip
MLP: Damages = [["lose", f"layers.{layer}.{name}"] for layer in (0, 2) for name in
                ("mlp", "post_attention_layernorm")]  # fmt: skip
DROPPED: list[Row] = [
    ("dropped", "mistral", "CausalLM", [*ATTENTION, ["config", ["drop_attn_list"], [0, 2]]], "findings", ["N404"],
     "load it with the code that reads drop_attn_list"),
    ("dropped", "llama", "CausalLM", [*ATTENTION, ["config", ["drop_attn_list"], [2, 0]]], "findings", ["N404"],
     "load it with the code that reads drop_attn_list"),
    ("dropped", "qwen2", "CausalLM", [*MLP, ["config", ["skipped"], [0, 2]]], "findings", ["N404"],
     "load it with the code that reads skipped"),
    ("lost", "mistral", "CausalLM", [*ATTENTION, ["config", ["drop_attn_list"], [0, 1]]], "findings",
     ["N404", "N403"], "no file contains th"),
    ("lost", "mistral", "CausalLM", ATTENTION, "findings", ["N404", "N403"],
     "no file contains th"),
    ("lost", "llama", "CausalLM", [*ATTENTION, ["config", ["eos_token_id"], [0, 1, 2]]], "findings",
     ["N404", "N403"], "no file contains th"),
]  # fmt: skip


@pytest.mark.parametrize("row", DROPPED, ids=str)
def test_layers_that_the_config_lists(row: Row, tmp_path: Path) -> None:
    *_, verdict, codes, words = row
    audited = judged(row, tmp_path)
    found = [one for one in audited.findings if one.severity != "note"]
    assert (audited.verdict, [one.code for one in found]) == (verdict, codes)
    assert words in found[0].help


def mamba2(**changed: Any) -> dict[str, Any]:
    """The config of the record in the words of mamba_ssm."""
    layers = {"layer": "Mamba2", "d_state": 14, "d_conv": 4, "expand": 2, "headdim": 12, "ngroups": 8}
    return {"d_model": 48, "n_layer": 3, "vocab_size": 105, "ssm_cfg": layers, "pad_vocab_size_multiple": 107,
            "tie_embeddings": False, "attn_layer_idx": [], "d_intermediate": 0, **changed}  # fmt: skip


@pytest.mark.parametrize(("changed", "words"), [
    ({}, 'set "model_type": "mamba2", "architectures": ["Mamba2ForCausalLM"], "hidden_size": 48'),
    ({"vocab_size": 107, "n_layer": 9}, '"num_hidden_layers": 3'),
    ({"attn_layer_idx": [1]}, 'set "model_type"'),
])  # fmt: skip
def test_mamba_2_in_the_words_of_its_authors(changed: dict[str, Any], words: str, tmp_path: Path) -> None:
    audited = of_record("mamba2", "CausalLM", tmp_path, [["text", CONFIG, mamba2(**changed)]])
    (found,) = (one for one in audited.findings if one.code == "C314")
    assert words in found.help
    assert ('"state_size"' in found.help) is ("attn_layer_idx" not in changed)


OWN_KEYS = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size",
            "max_position_embeddings", "type_vocab_size")  # fmt: skip
NAMED: list[tuple[str, str, dict[str, Any], bool]] = [
    ("bert", "bert_config.json", {}, True), ("bert", "config_bert.json", {}, True),
    ("electra", "electra_config.json", {}, True),
    ("bert", "bert_config.json", {"hidden_size": 60}, False), ("bert", "bert_config.json", {"model_type": "t5"}, False),
    ("bert", "notes.json", {}, False),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "name", "changed", "named"), NAMED)
def test_a_config_under_the_name_of_its_program(
    model_type: str, name: str, changed: dict[str, Any], named: bool, tmp_path: Path
) -> None:
    """As the first releases of BERT have it: without a type, a class and the number of labels."""
    one = base_record(model_type, "SequenceClassification")
    keys = (*OWN_KEYS, "embedding_size")
    config = {key: one["config"][key] for key in keys if key in one["config"]} | changed
    write(healthy(spec_of(one), {}), tmp_path)
    (tmp_path / CONFIG).unlink()
    (tmp_path / name).write_text(json.dumps(config), encoding="utf-8")
    (found,) = (one for one in audit(str(tmp_path)).findings if one.code == "C313")
    assert (found.facts["similar"] == name) is named
    if named:
        also = f'and set "model_type": "{model_type}", "num_labels": 7 in it'
        assert f"rename {name} to config.json, {also}" in found.help


@pytest.mark.parametrize("lost", [True, False])
def test_shards_with_only_what_a_loader_leaves_out(lost: bool, tmp_path: Path) -> None:
    """A trainer without multi-token prediction keeps the index of the original, and saves none of its last layers."""
    one = base_record("deepseek_v3", "CausalLM")
    spec, width = spec_of(one), one["config"]["hidden_size"]
    last = {name.replace("layers.2.", "layers.3."): entry for name, entry in spec.items() if "layers.2." in name}
    last |= {f"model.layers.3.{name}.weight": ("F32", (width,)) for name in ("enorm", "hnorm", "shared_head.norm")}
    last |= {"model.layers.3.eh_proj.weight": ("F32", (width, 2 * width))}
    last |= {f"model.layers.3.{name}.weight": ("F32", (107, width)) for name in ("embed_tokens", "shared_head.head")}
    config = {"model_type": "deepseek_v3", "architectures": [one["class"]], **one["config"],
              "num_nextn_predict_layers": 1}  # fmt: skip
    write(damaged(healthy(spec, config), [] if lost else [["drop", "model.norm.weight"]]), tmp_path)
    first, second = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    (tmp_path / "model.safetensors").rename(tmp_path / first)
    listed = dict.fromkeys(spec, first) | dict.fromkeys(last, second)
    if not lost:
        listed["model.norm.weight"] = second  # listed there too: the model needs the file
    (tmp_path / INDEX).write_text(json.dumps({"metadata": {"total_size": 0}, "weight_map": listed}), encoding="utf-8")
    (found,) = (one for one in audit(str(tmp_path)).findings if one.code == "S201")
    assert ("if mtp was never saved, write the index" in found.help) is lost
