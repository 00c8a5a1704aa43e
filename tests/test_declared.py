"""Statements of configs, tokenizers and modules.json, compared with the folder and the weights."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.files.added_tokens import added_tokens
from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import genuine, write
from tests.judged import base_record, spec_of
from tests.loads.damage import healthy
from tests.loads.damage import write as write_folder
from tests.mending.damages import BERT, GPT2, LLAMA, MODELS, QWEN3

Change = Callable[[Path, dict[str, Any]], None]


def found(folder: Path, config: dict[str, Any], change: Change = lambda folder, config: None) -> Audit:
    """The audit of an undamaged model after a change of its folder; a changed config is written."""
    spec = genuine(config)
    config = dict(config)
    folder.mkdir(parents=True, exist_ok=True)
    change(folder, config)
    write(folder, spec, config)
    return audit(str(folder))


def text(name: str, content: Any) -> Change:
    """Add a JSON file next to the weights."""

    def change(folder: Path, config: dict[str, Any]) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")

    return change


def cut(name: str) -> Change:
    """Truncate a JSON file."""

    def change(folder: Path, config: dict[str, Any]) -> None:
        (folder / name).write_text('[{"idx": 0, "na', encoding="utf-8")

    return change


def key(name: str, value: Any) -> Change:
    """Set a key of the config."""
    return lambda folder, config: config.update({name: value})


def both(*changes: Change) -> Change:
    """Apply several changes."""

    def change(folder: Path, config: dict[str, Any]) -> None:
        for one in changes:
            one(folder, config)

    return change


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:1f\nsize 9085657\n"


def raw(name: str, content: str) -> Change:
    """Write a file as it is."""

    def change(folder: Path, config: dict[str, Any]) -> None:
        (folder / name).write_text(content, encoding="utf-8")

    return change


POOLED = both(
    text("modules.json", [{"path": "", "type": "sentence_transformers.models.Transformer"},
                          {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                          {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]),
    text("1_Pooling/config.json", {"word_embedding_dimension": 48, "pooling_mode_mean_tokens": True}),
    text("tokenizer.json", {"added_tokens": []}),
)  # fmt: skip


TWO_MODES = text("1_Pooling/config.json", {"embedding_dimension": 48, "pooling_mode": ["cls", "mean"]})


def dense(inputs: int, outputs: int, *stored: int) -> Change:
    """A dense layer of a sentence encoder. stored: the shape of its weight."""

    def change(folder: Path, config: dict[str, Any]) -> None:
        spec = {"linear.weight": ("F32", stored), "linear.bias": ("F32", stored[:1])}
        write(folder / "2_Dense", spec, {"in_features": inputs, "out_features": outputs, "bias": True})

    return change


T5: dict[str, Any] = {
    "model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "d_model": 48, "d_kv": 8, "d_ff": 80,
    "num_heads": 6, "num_layers": 2, "vocab_size": 107,
}  # fmt: skip


def vocabulary(kind: str, words: int, **more: int) -> Change:
    """A tokenizer.json with a vocabulary, and merges after it if its kind has them."""
    merged = dict.fromkeys(("a", "merges", "amerges", "}", ",", "},") if kind == "BPE" else (), 0)
    piece = {"unk_token": "w0", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    first = {"type": kind, **(piece if kind == "WordPiece" else {})}
    model: dict[str, Any] = {**first, "vocab": {**merged, **{f"w{at}": at for at in range(words)}, **more}}
    merges = {"merges": [["a", "merges"], ["}", ","]]} if kind == "BPE" else {}
    return text("tokenizer.json", {"added_tokens": [], "pre_tokenizer": {"vocab": {"x": 999}}, "model": model | merges})


ONE_POOLING = [{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
ENCODER = {**BERT, "architectures": ["BertModel"]}
CASES: dict[str, tuple[dict[str, Any], Change, str]] = {
    "class of qwen2": (LLAMA, key("architectures", ["Qwen2ForCausalLM"]), "C317"),
    "class of llama": (QWEN3, key("architectures", ["LlamaForCausalLM"]), "C317"),
    "class of gpt2": (BERT, key("architectures", ["GPT2LMHeadModel"]), "C317"),
    "base class of vits": (LLAMA, key("architectures", ["VitsModel"]), "C317"),
    "base class of bert": (QWEN3, key("architectures", ["BertModel"]), "C317"),
    "id of an image token": (LLAMA, key("image_token_index", 128), "C320"),
    "end token in a list": (QWEN3, key("eos_token_id", [3, 4000]), "C320"),
    "padding token": (GPT2, key("pad_token_id", 224), "C320"),
    "added tokens": (LLAMA, text("added_tokens.json", {"<a>": 127, "<b>": 128}), "C320"),
    "added tokens in the config of the tokenizer": (
        BERT, text("tokenizer_config.json", {"added_tokens_decoder": {"3": {"content": "a"}, "100": {"content": "b"}}}),
        "C320"),
    "added tokens in the config of another tokenizer": (
        GPT2, text("tokenizer_config.json", {"added_tokens_decoder": {"224": {"content": "<pad>"}}}), "C320"),
    "added tokens, gpt2": (GPT2, text("added_tokens.json", {"<pad>": 300}), "C320"),
    "tokenizer.json": (
        BERT, text("tokenizer.json", {"added_tokens": [{"id": 3, "content": "a"}, {"id": 100, "content": "b"}]}),
        "C320"),
    "words": (BERT, vocabulary("WordPiece", 101), "C320"),
    "words and merges": (LLAMA, vocabulary("BPE", 130), "C320"),
    "words and merges of another tokenizer": (GPT2, vocabulary("BPE", 230), "C320"),
    "words of both sides": (T5, vocabulary("BPE", 108), "C320"),
    "added tokens, one table for both sides": (T5, text("added_tokens.json", {"<a>": 107}), "C320"),
    "tokenizer.json not fetched": (LLAMA, raw("tokenizer.json", POINTER), "R061"),
    "tokenizer.json cut off": (BERT, raw("tokenizer.json", '{"added_tokens": [], "model": {"vo'), "R061"),
    "a long tokenizer.json cut off": (GPT2, raw("tokenizer.json", '{"model": "' + "x" * 1_000_001), "R061"),
    "tokenizer.json empty": (QWEN3, raw("tokenizer.json", ""), "R061"),
    "a web page for the tokenizer": (T5, raw("spiece.model", "<!doctype html><html>"), "R061"),
    "tokenizer.model not fetched": (LLAMA, raw("tokenizer.model", POINTER), "R061"),
    "no valid config of the tokenizer": (BERT, raw("tokenizer_config.json", '{"a": 1,}'), "R061"),
    "a list in place of tokens": (GPT2, text("special_tokens_map.json", ["</s>"]), "R061"),
    "a list of added tokens": (BERT, text("added_tokens.json", ["<a>"]), "R061"),
    "a token that is a list": (LLAMA, text("tokenizer_config.json", {"eos_token": ["</s>"]}), "C326"),
    "a token that is a number": (QWEN3, text("tokenizer_config.json", {"pad_token": 0}), "C326"),
    "a tokenizer.json that is none": (BERT, text("tokenizer.json", ["added_tokens", {"id": 100}]), "R061"),
    "tokens that are none in the config of the tokenizer": (
        LLAMA, text("tokenizer_config.json", {"added_tokens_decoder": {"a": {"content": "<a>"}, "200": 3}}), "C326"),
    "two files of the tokenizer not fetched": (
        GPT2, both(raw("vocab.json", POINTER), raw("merges.txt", POINTER)), "R061"),
    "code": (
        LLAMA, both(key("model_type", "my_llama"), key("auto_map", {"AutoModelForCausalLM": "modeling_my.My"}),
                    text("tokenizer_config.json", {})), "C319"),
    "configuration": (
        BERT, both(key("model_type", "my_bert"), key("auto_map", {"AutoConfig": "configuration_my.My"}),
                   text("tokenizer.json", {})), "C319"),
    "code of an unknown type": (
        LLAMA, both(key("model_type", "my_llama"), key("auto_map", {"AutoModel": "modeling_my.My"})), "C319"),
    "code of several files": (
        GPT2, both(key("model_type", "my_gpt"), key("auto_map", {"AutoConfig": "configuration_my.My",
                   "AutoModel": "modeling_my.My"}), text("configuration_my.py", "")), "C319"),
    "dense absent": (ENCODER, POOLED, "N434"),
    "dense without weights": (ENCODER, both(POOLED, text("2_Dense/config.json", {"in_features": 48})), "N434"),
    "dense of another width": (ENCODER, both(POOLED, dense(48, 24, 24, 32)), "N434"),
    "pooling absent": (ENCODER, text("modules.json", ONE_POOLING), "N434"),
    "pooling of another width": (
        ENCODER, both(text("modules.json", ONE_POOLING),
                      text("1_Pooling/config.json", {"word_embedding_dimension": 64})), "N611"),
    "dense behind another width": (ENCODER, both(POOLED, dense(64, 24, 24, 64)), "N434"),
    "dense behind one of two modes": (ENCODER, both(POOLED, dense(96, 24, 24, 96)), "N434"),
    "modules that are no list": (ENCODER, text("modules.json", {"0": "Transformer"}), "R006"),
    "modules that are cut off": (ENCODER, cut("modules.json"), "R006"),
    "too many modules": (ENCODER, text("modules.json", [{"path": "x" * 99, "type": "a.Dense"}] * 10_000), "R006"),
}  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize("name", CASES)
def test_wrong_statements_are_reported(name: str, tmp_path: Path) -> None:
    config, change, code = CASES[name]
    audited = found(tmp_path, config, change)
    assert [one.code for one in audited.findings if one.severity != "note"] == [code]
    assert audited.verdict == "findings"


BACKEND, FAST = "TokenizersBackend", "PreTrainedTokenizerFast"
NEWER: dict[str, tuple[dict[str, Any], bool, str]] = {
    # settings, whether there is a tokenizer.json, the remedy
    "a general class": ({"tokenizer_class": BACKEND}, True, f'set "tokenizer_class": "{FAST}" in'),
    "without tokenizer.json": (
        {"tokenizer_class": BACKEND}, False, "name the class that the tokenizer was saved with in"),
    "capitals": ({"tokenizer_class": "LLaMATokenizer"}, False, 'set "tokenizer_class": "LlamaTokenizer" in'),
    "a list of extra tokens": (
        {"extra_special_tokens": ["<a>"]}, True,
        'set "additional_special_tokens": ["<a>"], and remove "extra_special_tokens" in'),
    "both lists of tokens": (
        {"additional_special_tokens": ["<b>"], "extra_special_tokens": ["<a>", "<b>"]}, True,
        'set "additional_special_tokens": ["<b>", "<a>"], and remove "extra_special_tokens" in'),
    "an object of additional tokens": (
        {"additional_special_tokens": {"a": "<a>"}}, True, 'set "additional_special_tokens": ["<a>"] in'),
    "both": (
        {"tokenizer_class": BACKEND, "extra_special_tokens": []}, True,
        f'set "tokenizer_class": "{FAST}", and remove "extra_special_tokens" in'),
    "a class that 4.57 has": ({"tokenizer_class": "LlamaTokenizer"}, True, ""),
    "a class that 4.57 has as the fast one": ({"tokenizer_class": "CohereTokenizer"}, True, ""),
    "a class with its code": (
        {"tokenizer_class": "MyTokenizer", "auto_map": {"AutoTokenizer": ["my.MyTokenizer", None]}}, True, ""),
    "an object of extra tokens": ({"extra_special_tokens": {"image_token": "<a>"}}, True, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", NEWER)
def test_a_tokenizer_that_only_transformers_5_reads(name: str, tmp_path: Path) -> None:
    settings, whole, remedy = NEWER[name]
    files = [
        text("tokenizer_config.json", settings),
        raw("my.py", ""),
        *([text("tokenizer.json", {})] if whole else []),
    ]
    audited = found(tmp_path, LLAMA, both(*files))
    assert audited.verdict == "clean"
    helps = [one.help for one in audited.findings if one.code == "C350"]
    assert helps == ([f"for transformers 4, {remedy} tokenizer_config.json"] if remedy else [])
    for_older = judged_for(audited, "transformers@4")
    assert ("C352" in {one.code for one in for_older.findings}) is bool(remedy)
    assert for_older.verdict == ("findings" if remedy else "clean")


NO_TOKENS = {"bos_token": "", "eos_token": "", "unk_token": ""}
EMPTY_OBJECTS = {key: {"__type": "AddedToken", "content": ""} for key in NO_TOKENS}
PIECES: dict[str, tuple[dict[str, Any], bool, set[str]]] = {
    "other capitals": ({"tokenizer_class": "LLaMATokenizer"}, False, {"C351"}),
    "other capitals, empty tokens": ({"tokenizer_class": "LLaMATokenizer", **NO_TOKENS}, False, {"C351", "C326"}),
    "other capitals beside tokenizer.json": ({"tokenizer_class": "LLaMATokenizer"}, True, set()),
    "the class": ({"tokenizer_class": "LlamaTokenizer"}, False, set()),
    "empty tokens": ({"tokenizer_class": "LlamaTokenizer", **NO_TOKENS}, False, {"C326"}),
    "empty tokens as objects": ({"tokenizer_class": "LlamaTokenizer", **EMPTY_OBJECTS}, False, {"C326"}),
    "empty tokens of T5": ({"tokenizer_class": "T5Tokenizer", **NO_TOKENS}, False, {"C326"}),
    "empty tokens beside tokenizer.json": ({"tokenizer_class": "LlamaTokenizer", **NO_TOKENS}, True, set()),
    "an empty unknown token alone": ({"tokenizer_class": "LlamaTokenizer", "unk_token": ""}, False, set()),
    "empty tokens of RoBERTa": ({"tokenizer_class": "XLMRobertaTokenizerFast", **NO_TOKENS}, False, set()),
}  # fmt: skip


@pytest.mark.parametrize("case", PIECES)
def test_a_tokenizer_of_pieces_alone(case: str, tmp_path: Path) -> None:
    """Measured with transformers 5.23 and 4.57 and a SentencePiece model."""
    settings, whole, codes = PIECES[case]
    files = [text("tokenizer_config.json", settings), raw("tokenizer.model", "pieces")]
    audited = found(tmp_path, LLAMA, both(*files, *([text("tokenizer.json", {})] if whole else [])))
    assert {one.code for one in audited.findings if one.code in ("C351", "C326")} == codes
    for one in audited.findings:
        if one.code == "C351":
            assert one.help == 'set "tokenizer_class": "LlamaTokenizer" in tokenizer_config.json'


ADDED = {f"<{at}>": at for at in range(128, 135)}
ROWS = [
    # rows that the config states, added tokens, whether the weights lack rows
    (135, ADDED, True),
    (140, ADDED, True),
    (131, ADDED, False),
    (135, {"<a>": 127}, False),
    (135, {}, False),
]


@pytest.mark.parametrize(("config", "rows"), [(LLAMA, 128), (QWEN3, 128)])
@pytest.mark.parametrize(("stated", "added", "lost"), ROWS)
def test_rows_of_tokens_that_the_weights_lack(
    config: dict[str, Any], rows: int, stated: int, added: dict[str, int], lost: bool, tmp_path: Path
) -> None:
    """A merge keeps the config and the tokenizer of one model and the embedding of another."""
    change = both(key("vocab_size", stated), text("added_tokens.json", added))
    (finding,) = (one for one in found(tmp_path, config, change).findings if one.severity != "note")
    assert (finding.code, finding.facts["weights"]) == ("C310", rows)
    assert ("largest id 134" in finding.facts["tokens"]) is lost
    assert bool(finding.remedy().steps) is not lost
    assert finding.help.startswith("download, save or merge the model again") is lost


WIDE = text("1_Pooling/config.json", {"word_embedding_dimension": 64, "pooling_mode_mean_tokens": True})
MODULES: dict[str, tuple[Change, str, str]] = {
    "absent": (POOLED, "fetch 2_Dense again", "refuses"),
    "a pooling alone": (
        both(text("modules.json", ONE_POOLING), WIDE), 'set "word_embedding_dimension": 48 in 1_Pooling/config.json',
        "complete"),
    "a pooling before a dense layer that fits": (
        both(POOLED, WIDE, dense(48, 24, 24, 48)), 'set "word_embedding_dimension": 48 in 1_Pooling/config.json',
        "complete"),
    "all modules of another model": (
        both(POOLED, WIDE, dense(64, 24, 24, 64)), "use the model of width 64 that it belongs to, or train it with 48",
        "unknown"),
    "a dense layer": (
        both(POOLED, dense(64, 24, 24, 64)), "use the model of width 64 that it belongs to, or train it with 48",
        "unknown"),
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_remedies_for_modules_of_a_sentence_encoder(name: str, tmp_path: Path) -> None:
    change, remedy, outcome = MODULES[name]
    audited = found(tmp_path, ENCODER, change)
    (finding,) = (one for one in audited.findings if one.severity != "note")
    assert finding.remedy().words == remedy
    assert next(one.outcome for one in audited.loads if one.intended) == outcome
    for step in finding.remedy().steps:
        if step.action == "set":
            path = tmp_path / str(step.file)
            path.write_text(json.dumps({**json.loads(path.read_text()), step.key[0]: step.new}), encoding="utf-8")
            assert audit(str(tmp_path)).verdict == "clean"


QUIET: dict[str, tuple[dict[str, Any], Change]] = {
    "ids in range": (LLAMA, both(key("eos_token_id", [1, 127]), text("added_tokens.json", {"<a>": 127}))),
    "ids in range in the config of the tokenizer": (
        LLAMA, text("tokenizer_config.json", {"added_tokens_decoder": {"127": {"content": "<a>"}}})),
    "a number of too many digits": (
        LLAMA, text("tokenizer_config.json", {"added_tokens_decoder": {"9" * 5_000: {"content": "<a>"}}})),
    "an id that the type has by default": (GPT2, key("eos_token_id", 50256)),
    "the mask of a BART that generates": (T5, text("added_tokens.json", {"<mask>": 107})),
    "no id": (QWEN3, both(key("pad_token_id", None), key("bos_token_id", -1))),
    "words in range": (BERT, vocabulary("WordPiece", 100)),
    "words and merges in range": (LLAMA, vocabulary("BPE", 128)),
    "words with scores": (GPT2, text("tokenizer.json", {"model": {"vocab": [["a", 0.5]] * 300}})),
    "text that looks like an id": (T5, vocabulary("BPE", 107, **{'": 900,': 3, "\\": 4, "merges": 5, "{}": 6})),
    "the mask among the words": (T5, vocabulary("BPE", 107, **{"<mask>": 107})),
    "tokens of the base": (BERT, text("tokenizer.json", {"added_tokens": [{"id": 99, "content": "a"}]})),
    "a vocabulary that is not read next to tokenizer.json": (
        LLAMA, both(vocabulary("BPE", 128), raw("tokenizer.model", POINTER), raw("vocab.json", ""))),
    "an empty list of words": (BERT, raw("vocab.txt", "")),
    "a template that is none": (QWEN3, both(vocabulary("BPE", 100), raw("chat_template.json", POINTER))),
    "code of a known type": (LLAMA, key("auto_map", {"AutoModelForCausalLM": "modeling_my.My"})),
    "code that is there": (
        LLAMA, both(key("auto_map", {"AutoModelForCausalLM": "modeling_my.My"}), text("modeling_my.py", ""))),
    "code of another repository": (BERT, key("auto_map", {"AutoModel": "org/name--modeling_my.My"})),
    "an unknown class": (LLAMA, key("architectures", ["MyLlamaForCausalLM"])),
    "a class of the same architecture": (MODELS["bert"], key("architectures", ["BertLMHeadModel"])),
    "dense": (ENCODER, both(POOLED, dense(48, 24, 24, 48))),
    "dense behind two modes": (ENCODER, both(POOLED, TWO_MODES, dense(96, 24, 24, 96))),
}  # fmt: skip


@pytest.mark.parametrize("name", QUIET)
def test_right_statements_are_not_reported(name: str, tmp_path: Path) -> None:
    config, change = QUIET[name]
    audited = found(tmp_path, config, change)
    assert not [one.code for one in audited.findings if one.severity != "note"], audited.findings


@pytest.mark.parametrize(("named", "wanted"), [
    ("Qwen2ForCausalLM", "LlamaForCausalLM"), ("Qwen2ForSequenceClassification", "LlamaForCausalLM"),
    ("Qwen2Model", "LlamaForCausalLM"),
])  # fmt: skip
def test_the_class_with_the_stored_head_is_named(named: str, wanted: str, tmp_path: Path) -> None:
    """Also if the class of the config has another head: the head of its counterpart would be random."""
    audited = found(tmp_path, LLAMA, key("architectures", [named]))
    (finding,) = audited.findings
    (step,) = finding.remedy().steps
    assert (finding.code, step.new) == ("C317", [wanted])


@pytest.mark.parametrize(("suffix", "named", "wanted"), [
    ("TokenClassification", "Qwen2ForTokenClassification", "BertForTokenClassification"),
    ("NextSentencePrediction", "Qwen2ForSequenceClassification", "BertForNextSentencePrediction"),
    ("LMHeadModel", "Qwen2ForCausalLM", "BertForMaskedLM"),
])  # fmt: skip
def test_of_classes_with_the_stored_head_that_of_the_task_is_named(
    suffix: str, named: str, wanted: str, tmp_path: Path
) -> None:
    record = base_record("bert", suffix)
    config = {"model_type": "bert", **record["config"], "architectures": [named]}
    audited = audit(str(write_folder(healthy(spec_of(record), config), tmp_path)))
    (finding,) = (one for one in audited.findings if one.severity != "note")
    (step,) = finding.remedy().steps
    assert (finding.code, step.new) == ("C317", [wanted])


def test_the_base_class_is_named_where_no_head_is_stored(tmp_path: Path) -> None:
    record = base_record("vibevoice_asr", "AsrModel")
    config = {**record["config"], "architectures": ["DeepseekV32ForCausalLM"]}
    audited = audit(str(write_folder(healthy(spec_of(record), config), tmp_path)))
    finding = next(one for one in audited.findings if one.code == "C317")
    assert [step.new for step in finding.remedy().steps] == [["VibeVoiceAsrModel"]]


@pytest.mark.parametrize(("named", "severity", "wanted"), [
    ("FSDPLlamaForCausalLM", "warning", "LlamaForCausalLM"),
    ("DDPLlamaForCausalLM", "warning", "LlamaForCausalLM"),
    ("GaudiLlamaForCausalLM", "note", "LlamaForCausalLM"),
    ("FSDPMineForCausalLM", "note", None),
])  # fmt: skip
def test_the_class_inside_a_wrapper_of_training_is_named(
    named: str, severity: str, wanted: str | None, tmp_path: Path
) -> None:
    audited = found(tmp_path, LLAMA, key("architectures", [named]))
    (finding,) = (one for one in audited.findings if one.code == "C318")
    assert (finding.severity, finding.facts["similar"]) == (severity, wanted)
    assert [step.new for step in finding.remedy().steps] == ([[wanted]] if wanted else [])
    (newest, *_) = audited.loads
    assert newest.outcome == "complete"


def test_an_unknown_class_is_a_note(tmp_path: Path) -> None:
    audited = found(tmp_path, LLAMA, key("architectures", ["LLamaForCausaLM"]))
    assert {"C318"} <= {one.code for one in audited.findings if one.severity == "note"}


def test_a_truncated_list_of_tokens_is_read_to_its_last_complete_token() -> None:
    start = b'{"version": "1.0", "added_tokens": [{"id": 1, "content": "a"}, {"id": 2, "content": "b"}, {"id": 3, "con'
    assert added_tokens(start) == ({"a": 1, "b": 2}, False)
    assert added_tokens(start[: start.rindex(b",")] + b"]") == ({"a": 1, "b": 2}, False)
    assert added_tokens(b'{"added_tokens": [{"id": 1, "content": "a"} ], "model": {') == ({"a": 1}, True)
    assert added_tokens(b'{"model": {}}') == added_tokens(b"") == ({}, False)


def test_unread_token_ids_are_listed_as_not_checked(tmp_path: Path) -> None:
    tokens = [{"id": number, "content": f"<{number}>"} for number in range(5)]

    def unread(padding: bytes, tokens: list[dict[str, object]]) -> list[str]:
        def change(folder: Path, config: dict[str, Any]) -> None:
            (folder / "tokenizer.json").write_bytes(json.dumps({"added_tokens": tokens}).encode() + padding)

        return [one.check for one in found(tmp_path, LLAMA, change).skipped if "added tokens" in one.check]

    assert unread(b"", tokens) == unread(b" " * 100_000, tokens) == []
    (check,) = unread(b"", tokens * 1_000)
    assert check.startswith("ids of added tokens in tokenizer.json after the first ")


@pytest.mark.parametrize("model_type", ["instructblip", "instructblipvideo"])
@pytest.mark.parametrize(("name", "more", "wanted"), [
    ("added_tokens.json", 0, ["C320"]), ("added_tokens.json", -1, []), ("tokenizer.json", 1, ["C320"]),
    ("tokenizer_config.json", 0, ["C320"]), ("tokenizer_config.json", -1, []),
])  # fmt: skip
def test_added_tokens_of_the_tokenizer_of_a_part(
    name: str, more: int, wanted: list[str], model_type: str, tmp_path: Path
) -> None:
    """Its tokens have rows in the Q-Former, whatever the number of rows of the language model is."""
    record = base_record(model_type, "ForConditionalGeneration")
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    number = config["qformer_config"]["vocab_size"] + more
    content = {
        "added_tokens.json": {"[DEC]": number},
        "tokenizer.json": {"added_tokens": [{"id": number, "content": "[DEC]"}]},
        "tokenizer_config.json": {"added_tokens_decoder": {str(number): {"content": "[DEC]"}}},
    }
    write(tmp_path, spec_of(record), config)
    text(f"qformer_tokenizer/{name}", content[name])(tmp_path, config)
    reported = [one for one in audit(str(tmp_path)).findings if one.severity != "note"]
    assert [one.code for one in reported] == wanted
    assert all(one.place.file == f"qformer_tokenizer/{name}" for one in reported)
