"""Vocabularies of folders without tokenizer.json that have more words than the embedding has rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.mending.damages import BERT, GPT2, LLAMA
from tests.test_declared import T5, Change, both, found, key, raw, text, vocabulary

SPECIAL = text("special_tokens_map.json", {})
MERGES = raw("merges.txt", "#version: 0.2\n")


def lines(words: int) -> Change:
    """Write a vocab.txt."""
    return raw("vocab.txt", "".join(f"w{at}\n" for at in range(words)))


def numbers(words: int) -> Change:
    """Write a vocab.json, and merges."""
    return both(text("vocab.json", {f"w{at}": at for at in range(words)}), MERGES)


def pieces(name: str, words: int, cut: int = 0) -> Change:
    """Write a model of sentencepiece: pieces with their scores, and a field behind them. cut: bytes that are lost."""
    inner = [b"\x0a%c%b\x15\x00\x00\x00\x00" % (len(word), word) for word in (b"w%d" % at for at in range(words))]
    content = b"".join(b"\x0a%c%b" % (len(one), one) for one in inner)

    def change(folder: Path, config: dict[str, Any]) -> None:
        (folder / name).write_bytes(content[:-cut] if cut else content + b"\x12\x00")

    return change


def settings(**values: Any) -> Change:
    """Write a tokenizer_config.json."""
    return text("tokenizer_config.json", values)


def added(*ids: int) -> Change:
    """Write an added_tokens.json."""
    return text("added_tokens.json", {f"<{number}>": number for number in ids})


SETTINGS = "tokenizer_config.json"
OWN = {"AutoTokenizer": ["my.MyTokenizer", None]}
CASES: dict[str, tuple[dict[str, Any], Change, str]] = {
    # config, files, the tokens beyond the table
    "lines": (BERT, lines(103), "3 tokens in vocab.txt"),
    "lines in range": (BERT, lines(100), ""),
    "an empty line at the end": (BERT, raw("vocab.txt", "".join(f"w{at}\r\n" for at in range(100)) + "\n"), ""),
    "lines of a stated class": (
        T5, both(lines(108), settings(tokenizer_class="BertTokenizerFast")), "1 token in vocab.txt"),
    "lines that no tokenizer of this type reads": (LLAMA, lines(300), ""),
    "words beside their counts": (BERT, both(lines(300), settings(tokenizer_class="PhobertTokenizer")), ""),
    "lines that code of the repository reads": (BERT, both(lines(300), raw("my.py", ""), settings(auto_map=OWN)), ""),
    "lines beside a whole tokenizer": (BERT, both(vocabulary("WordPiece", 100), lines(300)), ""),
    "words and numbers": (GPT2, numbers(225), "1 token in vocab.json"),
    "words and numbers in range": (GPT2, numbers(224), ""),
    "words of several languages": (GPT2, text("vocab.json", {"eng": {f"w{at}": at for at in range(300)}}), ""),
    "pieces": (LLAMA, pieces("tokenizer.model", 130), "2 tokens in tokenizer.model"),
    "pieces, one table for both sides": (T5, pieces("spiece.model", 108), "1 token in spiece.model"),
    "pieces in range": (T5, pieces("spiece.model", 107), ""),
    "pieces that are cut off": (LLAMA, pieces("tokenizer.model", 300, cut=3), ""),
    "padding that the words lack": (GPT2, both(numbers(224), settings(pad_token="[PAD]")), f"1 token in {SETTINGS}"),
    "two ends that the words lack": (
        GPT2, both(numbers(223), settings(bos_token="<s>", eos_token={"content": "</s>"})), f"1 token in {SETTINGS}"),
    "padding that the lines lack": (
        BERT, both(lines(100), text("special_tokens_map.json", {"pad_token": {"content": "<p>"}})),
        "1 token in special_tokens_map.json"),
    "additional tokens that a whole tokenizer lacks": (
        BERT, both(vocabulary("WordPiece", 99), settings(additional_special_tokens=["w1", "<a>", "<b>"])),
        f"1 token in {SETTINGS}"),
    "an image token that a whole tokenizer lacks": (
        LLAMA, both(vocabulary("BPE", 122), settings(extra_special_tokens={"image_token": "<img>"})),
        f"1 token in {SETTINGS}"),
    "padding behind fewer words than rows": (GPT2, both(numbers(223), settings(pad_token="[PAD]")), ""),
    "padding among the words": (GPT2, both(numbers(224), settings(pad_token="w3")), ""),
    "padding among the added tokens": (
        GPT2, both(numbers(223), both(added(223), settings(pad_token="<223>"))), ""),
    "padding in the newer list": (
        BERT, both(lines(99), settings(pad_token="<p>", added_tokens_decoder={"99": {"content": "<p>"}})), ""),
    "padding that two files state differently": (
        BERT, both(lines(100), both(settings(pad_token="<p>"), text("special_tokens_map.json", {"pad_token": "w0"}))),
        ""),
    "padding of a tokenizer with code": (GPT2, both(numbers(224), settings(pad_token="[PAD]", auto_map=OWN)), ""),
    "a mask that is the next word": (GPT2, both(numbers(224), settings(mask_token="<mask>")), ""),
    "a mask behind the next word": (
        GPT2, both(numbers(224), settings(pad_token="[PAD]", mask_token="<mask>")), f"2 tokens in {SETTINGS}"),
    "padding of pieces": (LLAMA, both(pieces("tokenizer.model", 128), settings(pad_token="[PAD]")), ""),
    "padding of words with scores": (
        T5, both(text("tokenizer.json", {"model": {"type": "Unigram", "vocab": [["a", 0.5]] * 107}}),
                 settings(pad_token="[PAD]")), ""),
}  # fmt: skip


BPE = "sentencepiece.bpe.model"
UNREAD: dict[str, tuple[dict[str, Any], Change, str]] = {
    # config, files, the finding
    "pieces for BERT": (BERT, pieces(BPE, 90), f"{BPE}, and the tokenizer of bert reads vocab.txt"),
    "pieces for BERT, with a whole tokenizer": (BERT, both(pieces(BPE, 90), vocabulary("Unigram", 90)), ""),
    "pieces for BERT, with the words": (BERT, both(pieces(BPE, 90), lines(90)), ""),
    "pieces for BERT, with their class in the config": (
        BERT, both(pieces(BPE, 90), key("tokenizer_class", "XLMRobertaTokenizer")), ""),
    "pieces for BERT, with their class": (
        BERT, both(pieces(BPE, 90), settings(tokenizer_class="XLMRobertaTokenizerFast")), ""),
    "pieces for BERT, with its own class": (
        BERT, both(pieces("spiece.model", 90), settings(tokenizer_class="BertTokenizerFast")),
        "spiece.model, and the tokenizer of bert reads vocab.txt"),
    "pieces for BERT that code reads": (BERT, both(pieces(BPE, 90), settings(auto_map=OWN)), ""),
    "words for GPT-2": (GPT2, lines(90), "vocab.txt, and the tokenizer of gpt2 reads vocab.json"),
    "pieces for GPT-2, which 5 converts": (GPT2, pieces("tokenizer.model", 90), ""),
    "pieces of another name for T5": (T5, pieces(BPE, 90), f"{BPE}, and the tokenizer of t5 reads spiece.model"),
    "pieces for T5": (T5, pieces("tokenizer.model", 90), ""),
    "words and merges for Llama": (LLAMA, numbers(90), "vocab.json, and the tokenizer of llama reads tokenizer.model"),
    "pieces for Llama": (LLAMA, pieces("tokenizer.model", 90), ""),
    "added tokens alone": (BERT, text("added_tokens.json", {"<a>": 90}), ""),
}  # fmt: skip


GAPS: dict[str, tuple[dict[str, Any], Change, dict[str, int], list[str]]] = {
    # config, files, token -> its id once loaded, the codes
    "a gap, and a row for each token": (
        BERT, both(lines(95), added(95, 96, 98, 99, 100)), {"<98>": 97, "<99>": 98, "<100>": 99}, ["C354"]),
    "a gap, and rows for all ids": (BERT, both(lines(90), added(90, 92)), {"<92>": 91}, ["C354"]),
    "a gap, and too few rows": (
        BERT, both(lines(98), added(98, 100, 101, 102)), {"<100>": 99, "<101>": 100, "<102>": 101}, ["C320", "C354"]),
    "a gap behind numbers": (GPT2, both(numbers(200), added(200, 202)), {"<202>": 201}, ["C354"]),
    "no gap": (BERT, both(lines(95), added(95, 96, 97)), {}, []),
    "a gap between a word and an added token": (
        BERT, both(lines(95), text("added_tokens.json", {"w3": 3, "<a>": 95, "<b>": 96})), {}, []),
    "a gap behind the vocabulary": (BERT, both(lines(95), added(97, 99)), {}, []),
    "a gap beside a whole tokenizer": (BERT, both(vocabulary("WordPiece", 95), lines(95), added(95, 97)), {}, []),
    "a gap beside the newer list": (
        BERT, both(lines(95), added(95, 97), settings(added_tokens_decoder={"95": {"content": "<95>"}})), {}, []),
    "a gap behind pieces": (LLAMA, both(pieces("tokenizer.model", 90), added(90, 92)), {}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", GAPS)
def test_added_tokens_with_other_ids_once_loaded(name: str, tmp_path: Path) -> None:
    config, change, moved, codes = GAPS[name]
    audited = found(tmp_path, config, change)
    assert sorted(one.code for one in audited.findings if one.severity != "note") == codes
    gaps = [one for one in audited.findings if one.code == "C354"]
    assert [dict(one.facts["moved"]) for one in gaps] == ([moved] if moved else [])
    steps = [(step.key, step.new) for one in gaps for step in one.remedy().steps]
    assert steps == ([((token,), number) for token, number in moved.items()] if name.endswith("each token") else [])


@pytest.mark.parametrize("name", UNREAD)
def test_a_vocabulary_that_the_tokenizer_of_the_type_does_not_read(name: str, tmp_path: Path) -> None:
    config, change, wanted = UNREAD[name]
    unread = [one for one in found(tmp_path, config, change).findings if one.code == "R066"]
    assert [one.headline() for one in unread] == ([wanted] if wanted else [])


ABSENT: dict[str, tuple[dict[str, Any], Change, str]] = {
    "settings for BERT": (
        BERT, both(settings(tokenizer_class="BertTokenizer"), SPECIAL), "no vocab.txt beside tokenizer_config.json"),
    "settings without a class for BERT": (
        BERT, both(settings(do_lower_case=True), SPECIAL), "no vocab.txt beside tokenizer_config.json"),
    "settings for T5": (
        T5, both(settings(tokenizer_class="T5Tokenizer"), SPECIAL), "no spiece.model beside tokenizer_config.json"),
    "settings for Llama": (
        LLAMA, both(settings(legacy=True), raw("README.md", "# A model")),
        "no tokenizer.model beside tokenizer_config.json"),
    "settings alone": (LLAMA, settings(legacy=True), ""),
    "settings of two kinds": (LLAMA, both(settings(legacy=True), text("generation_config.json", {})), ""),
    "added tokens alone": (BERT, text("added_tokens.json", {"<a>": 90}), ""),
    "words without merges": (GPT2, text("vocab.json", {"a": 0}), "no merges.txt beside vocab.json"),
    "merges without words": (GPT2, MERGES, "no vocab.json beside merges.txt"),
    "words and merges": (GPT2, numbers(90), ""),
    "settings and words": (BERT, both(settings(do_lower_case=True), lines(90)), ""),
    "the whole tokenizer": (LLAMA, both(settings(legacy=True), vocabulary("BPE", 90)), ""),
    "settings that name code": (LLAMA, settings(auto_map=OWN), ""),
    "a class that needs no words": (T5, settings(tokenizer_class="ByT5Tokenizer"), ""),
    "no tokenizer": (BERT, both(), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", ABSENT)
def test_a_tokenizer_without_its_vocabulary(name: str, tmp_path: Path) -> None:
    config, change, wanted = ABSENT[name]
    absent = [one.headline() for one in found(tmp_path, config, change).findings if one.code == "R080"]
    assert absent == ([wanted] if wanted else [])


@pytest.mark.parametrize("name", CASES)
def test_words_without_a_row(name: str, tmp_path: Path) -> None:
    config, change, wanted = CASES[name]
    beyond = [one.headline() for one in found(tmp_path, config, change).findings if one.code == "C320"]
    assert beyond == ([wanted] if wanted else [])


@pytest.mark.parametrize(("config", "rows", "change", "other"), [
    (BERT, 100, lambda: lines(150), "vocab.txt"),
    (BERT, 100, lambda: lines(100), ""),
    (BERT, 100, lambda: lines(200), ""),
    (GPT2, 224, lambda: numbers(250), "vocab.json"),
    (LLAMA, 128, lambda: vocabulary("BPE", 140), "tokenizer.json"),
    (LLAMA, 128, lambda: pieces("tokenizer.model", 128), ""),
])  # fmt: skip
def test_a_config_and_a_vocabulary_of_another_model(
    config: dict[str, Any], rows: int, change: Callable[[], Change], other: str, tmp_path: Path
) -> None:
    stated = rows + 50
    audited = found(tmp_path, config, both(key("vocab_size", stated), change()))
    (finding,) = (one for one in audited.findings if one.severity != "note")
    assert (finding.code, finding.facts["weights"], finding.facts["vocabulary"]) == ("C310", rows, other)
    assert finding.help.startswith(f"config.json and {other} belong to another model") is bool(other)
    assert bool(finding.remedy().steps) is not bool(other)
