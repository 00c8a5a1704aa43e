"""The content of a tokenizer's files that transformers refuses, and the token that ends generation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.mending.damages import BERT, GPT2, LLAMA, QWEN3
from tests.test_declared import T5, Change, both, found, key, raw, text

WORDS = {token: at for at, token in enumerate(("a", "b", "c", " ", "a ", "ab", "abc", "##b", "[UNK]"))}
BPE: dict[str, Any] = {"type": "BPE", "vocab": WORDS, "merges": ["a b", "ab c"]}
PIECE: dict[str, Any] = {"type": "WordPiece", "vocab": WORDS, "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                         "max_input_chars_per_word": 100}  # fmt: skip
PIECES: dict[str, Any] = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1.5]]}
OWN = text("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["my.My", None]}})
CLIP = text("tokenizer_config.json", {"tokenizer_class": "CLIPTokenizer"})
FAIR = [f"{left} {right}" for left in "abc" for right in "abc"]


def whole(model: Mapping[str, Any], **more: Any) -> Change:
    """Write a tokenizer.json."""
    return text("tokenizer.json", {"version": "1.0", "added_tokens": [], "model": model, **more})


def merges(*lines: str, first: str = "#version: 0.2", last: str = "") -> Change:
    """Write a vocab.json and its merges.txt."""
    return both(text("vocab.json", WORDS), raw("merges.txt", "\n".join((first, *lines, last))))


def without(model: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {one: value for one, value in model.items() if one != name}


PLACE = "tokenizer.json: "
AGAIN = "take tokenizer.json again from where the tokenizer was trained"
PAIRS = 'write all merges in tokenizer.json as pairs of tokens, this one as ["a", " "]; or save the tokenizer again'
CASES: dict[str, tuple[dict[str, Any], Change, str, str]] = {
    # config, files, the headline, the beginning of the help
    "texts": (GPT2, whole(BPE), "", ""),
    "pairs": (LLAMA, whole(BPE | {"merges": [["a", "b"], ["a", " "]]}), "", ""),
    "a heading": (GPT2, whole(BPE | {"merges": ["#version: 0.2", "a b"]}), "", ""),
    "a prefix of later parts": (BERT, whole(BPE | {"merges": ["a ##b"], "continuing_subword_prefix": "##"}), "", ""),
    "a token with a space": (GPT2, whole(BPE | {"merges": ["a b", "a  "]}), PLACE + 'merge 2 is not two tokens: "a  "',
                             PAIRS),
    "one token": (QWEN3, whole(BPE | {"merges": ["a b", "ab"]}), PLACE + 'merge 2 is not two tokens: "ab"', AGAIN),
    "three tokens": (LLAMA, whole(BPE | {"merges": [["a", "b", "c"]]}), PLACE + 'merge 1 is not two tokens: "a b c"',
                     AGAIN),
    "a part without an id": (GPT2, whole(BPE | {"merges": ["a b", "a z"]}),
                             PLACE + 'merge 2 needs the token "z", which its vocabulary lacks',
                             AGAIN + "; or remove this merge from tokenizer.json"),
    "a result without an id": (LLAMA, whole(BPE | {"merges": ["a b", "b c"]}),
                               PLACE + 'merge 2 needs the token "bc", which its vocabulary lacks',
                               AGAIN + "; or remove this merge from tokenizer.json"),
    "the merges of another one": (GPT2, whole(BPE | {"merges": FAIR * 20}),
                                  PLACE + 'merge 1 needs the token "aa", which its vocabulary lacks', AGAIN),
    "code of its own": (GPT2, both(whole(BPE | {"merges": ["a z"]}), OWN), "", ""),
    "a long file": (GPT2, whole(BPE | {"merges": ["a z"], "more": "x" * 4_000_000}), "", ""),
    "no type": (GPT2, whole(without(BPE, "type")), "", ""),
    "an unknown type": (GPT2, whole(BPE | {"type": "Bpe"}), PLACE + "model.type is 'Bpe'", "save the tokenizer again"),
    "no vocabulary": (GPT2, whole(without(BPE, "vocab")), PLACE + "model has no vocab", "save the tokenizer again"),
    "an id as a text": (LLAMA, whole(BPE | {"vocab": {**WORDS, "z": "9"}}),
                        PLACE + "the id of 'z' in model.vocab is no number of a token", "save the tokenizer again"),
    "dropout": (GPT2, whole(BPE | {"dropout": 2.0}), PLACE + "model.dropout is 2.0", "save the tokenizer again"),
    "words": (BERT, whole(PIECE), "", ""),
    "words without the unknown one": (BERT, whole(without(PIECE, "unk_token")), PLACE + "model has no unk_token",
                                      "save the tokenizer again"),
    "pieces": (T5, whole(PIECES), "", ""),
    "an unknown piece beyond": (T5, whole(PIECES | {"unk_id": 2}),
                                PLACE + "model.unk_id is 2, and model.vocab has 2 words", "save the tokenizer again"),
    "pieces without scores": (T5, whole(PIECES | {"vocab": [["<unk>", 0], ["a", None]]}),
                              PLACE + "word 1 of model.vocab has no score", "save the tokenizer again"),
    "pieces as words": (T5, whole(PIECES | {"vocab": WORDS}),
                        PLACE + "model.vocab is no list of words and scores", "save the tokenizer again"),
    "another version": (BERT, whole(PIECE, version="2.0"), PLACE + "version is '2.0'", "save the tokenizer again"),
    "a further key of a stub": (GPT2, text("tokenizer.json", {"stub": True}), "", ""),
    "a further key": (GPT2, whole(BPE, extra=1), PLACE + '"extra" is none of its keys', "save the tokenizer again"),
    "an added token without an id": (GPT2, whole(BPE, added_tokens=[{"content": "<s>"}]),
                                     PLACE + "added token 1 has no id", "save the tokenizer again"),
    "added tokens of one id": (GPT2, whole(BPE, added_tokens=[{"content": one, "id": 9} for one in ("<s>", "</s>")]),
                               "", ""),
    "two files": (GPT2, merges("a b", "ab c"), "", ""),
    "two files, a part without an id": (
        GPT2, merges("a b", "a Ċ"), 'merges.txt: line 3 needs the token "Ċ", which vocab.json lacks',
        "take vocab.json and merges.txt again from where the tokenizer was trained; or remove this merge from merges"),
    "two files of a stated class": (
        LLAMA, both(merges("b c"), CLIP), 'merges.txt: line 2 needs the token "bc", which vocab.json lacks',
        "take vocab.json and merges.txt again"),
    "two files, one token in a line": (
        GPT2, merges("a b", "ab"), 'merges.txt: line 3 is not two tokens: "ab"', "take vocab.json and merges.txt"),
    "what 4.57 leaves out": (GPT2, merges("a b", "", first="b c", last="b c"), "", ""),
    "two files that no class reads": (LLAMA, merges("b c"), "", ""),
    "two files beside a whole tokenizer": (GPT2, both(merges("b c"), whole(BPE)), "", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_content_that_is_refused(name: str, tmp_path: Path) -> None:
    config, change, wanted, help_ = CASES[name]
    refused = [one for one in found(tmp_path, config, change).findings if one.code == "R081"]
    assert [one.headline() for one in refused] == ([wanted] if wanted else [])
    assert [remedy.words[: len(help_)] for one in refused if (remedy := one.remedy())] == ([help_] if help_ else [])


TURNS = "{% for m in messages %}<|im_start|>{{ m['content'] }}<|im_end|>{% endfor %}"
VARIABLE = "{% for m in messages %}{{ m['content'] + eos_token }}{% endfor %}"
CONTENT = {"0": "<unk>", "1": "<s>", "2": "</s>", "100": "<|im_end|>", "101": "<|eot|>"}
TOKENS = {number: {"content": token} for number, token in CONTENT.items()}


def ending(stated: Any, template: Any = TURNS, token: Any = "<|im_end|>", **more: Any) -> Change:
    """Write the settings of generation, unless they are None, and those of a tokenizer."""
    values = {"eos_token": token, "chat_template": template, "added_tokens_decoder": TOKENS, **more}
    settings = text("tokenizer_config.json", values)
    return settings if stated is None else both(settings, text("generation_config.json", {"eos_token_id": stated}))


SET = 'set "eos_token_id": [100, 2] in generation_config.json'
GEMMA = {**LLAMA, "architectures": ["GemmaForCausalLM"], "model_type": "gemma", "tie_word_embeddings": True}
LAST = 'set "eos_token_id": 2 in generation_config.json'
ENDINGS: dict[str, tuple[dict[str, Any], Change, list[str]]] = {
    "the base's token": (LLAMA, ending(2), [SET]),
    "a list": (QWEN3, ending([2, 101]), ['set "eos_token_id": [100, 2, 101] in generation_config.json']),
    "a variable in the template": (LLAMA, ending(2, VARIABLE), [SET]),
    "several templates": (LLAMA, ending(2, [{"name": "default", "template": TURNS}]), [SET]),
    "a template of its own": (LLAMA, both(ending(2, None), raw("chat_template.jinja", TURNS)), [SET]),
    "a token as an object": (QWEN3, ending(2, token={"content": "<|im_end|>"}), [SET]),
    "the config alone": (
        LLAMA, both(key("eos_token_id", 2), ending(None)), ['set "eos_token_id": [100, 2] in config.json']),
    "the config's id beside another": (LLAMA, both(key("eos_token_id", 100), ending(2)), [SET]),
    "one of several": (LLAMA, ending([2, 100]), []),
    "the same": (QWEN3, ending(100), []),
    "another token that ends turns": (LLAMA, ending(101, TURNS + "<|eot|>"), []),
    "a token without a known text": (LLAMA, ending(7), []),
    "a template that ends otherwise": (LLAMA, ending(2, "{{ m['content'] }}<|end|>"), []),
    "no template": (LLAMA, ending(2, None), []),
    "no id": (LLAMA, ending(2, token="<|other|>"), []),
    "an encoder": (BERT, ending(2), []),
    "beyond the vocabulary": (
        LLAMA, ending(999), ["set eos_token_id in generation_config.json to the id of the tokenizer's eos_token"]),
    "one beyond the vocabulary": (LLAMA, ending([100, 999]), []),
    "a usual value": (GPT2, ending(50256), []),
    "the token that begins": (
        LLAMA, both(key("bos_token_id", 0), ending(1, None, "</s>", bos_token="<s>")), [LAST]),
    "the default of the class": (GEMMA, ending(1, None, "</s>", bos_token="<s>"), []),
    "tokens that begin, and that stand for unknown ones": (
        QWEN3, ending([0, 1], None, "</s>", bos_token="<s>", unk_token={"content": "<unk>"}), [LAST]),
    "the config's, as in early conversions": (
        LLAMA, both(both(key("bos_token_id", 0), key("eos_token_id", 1)), ending(None, None, "</s>", bos_token="<s>")),
        ['set "eos_token_id": 2 in config.json']),
    "one that begins and ends": (LLAMA, ending(1, None, "<s>", bos_token="<s>"), []),
    "one that begins, with another": (LLAMA, ending([1, 100], None, "</s>", bos_token="<s>"), []),
    "one that begins and that the template writes": (LLAMA, ending(1, "<s>", "</s>", bos_token="<s>"), []),
    "the token for filling": (LLAMA, ending(1, None, "</s>", pad_token="<s>"), []),
}  # fmt: skip


SAVED = [{"id": int(number), **token} for number, token in TOKENS.items()]
WORD_ENDINGS: dict[str, tuple[dict[str, Any], Change, bool]] = {
    "a word": (LLAMA, both(ending(9, None, "</s>"), whole(BPE, added_tokens=SAVED)), True),
    "words": (QWEN3, both(ending([8, 9], None, "</s>"), whole(BPE, added_tokens=SAVED)), True),
    "the config's": (
        QWEN3, both(both(key("eos_token_id", 9), ending(None, None, "</s>")), whole(BPE, added_tokens=SAVED)), True),
    "a special token": (LLAMA, both(ending(0, None, "</s>"), whole(BPE, added_tokens=SAVED)), False),
    "a word beside the last token": (LLAMA, both(ending([9, 2], None, "</s>"), whole(BPE, added_tokens=SAVED)), False),
    "no complete list": (LLAMA, ending(9, None, "</s>"), False),
    "a tokenizer without a last token": (LLAMA, both(ending(9, None, None), whole(BPE, added_tokens=SAVED)), False),
}  # fmt: skip


@pytest.mark.parametrize("name", WORD_ENDINGS)
def test_generation_that_ends_at_a_word(name: str, tmp_path: Path) -> None:
    config, change, wanted = WORD_ENDINGS[name]
    findings = [one for one in found(tmp_path, config, change).findings if one.code == "R084"]
    assert [remedy.words[:47] for one in findings if (remedy := one.remedy())] == (
        ["unless the model ends its texts with this word,"] if wanted else []
    )


LLAMA_3 = (
    "{% for message in loop_messages %}{% set content = '<|start_header_id|>' + message['role'] "
    "+ '<|end_header_id|>\n\n' + message['content'] | trim + '<|im_end|>' %}{{ content }}{% endfor %}"
)
TURN_ENDINGS: dict[str, tuple[dict[str, Any], Change, list[int]]] = {
    "a base model's": (LLAMA, ending(2, TURNS, "</s>"), [100, 2]),
    "a filter and a sum": (QWEN3, ending([2], LLAMA_3, "</s>"), [100, 2]),
    "an attribute": (LLAMA, ending(2, "{{ m.content }}<|eot|>", "</s>"), [101, 2]),
    "a template of its own": (QWEN3, both(ending(2, None, "</s>"), raw("chat_template.jinja", TURNS)), [100, 2]),
    "one of two": (LLAMA, ending(2, TURNS + "{{ m['content'] + '<|eot|>' }}", "</s>"), [100, 101, 2]),
    "both ids": (LLAMA, ending([2, 100], TURNS, "</s>"), []),
    "the variable": (LLAMA, ending(2, VARIABLE, "</s>"), []),
    "the token itself": (LLAMA, ending(2, "{{ m['content'] }}</s>", "</s>"), []),
    "no special token": (LLAMA, ending(2, "{{ m['content'] }}\n", "</s>"), []),
    "no template": (QWEN3, ending(2, None, "</s>"), []),
    "an id without a token": (LLAMA, ending([2, 9], TURNS, "</s>"), []),
}  # fmt: skip


@pytest.mark.parametrize("name", TURN_ENDINGS)
def test_turns_that_end_elsewhere(name: str, tmp_path: Path) -> None:
    config, change, wanted = TURN_ENDINGS[name]
    findings = [one for one in found(tmp_path, config, change).findings if one.code == "R094"]
    words = f'if the model was trained with this template, set "eos_token_id": {wanted} in generation_config.json'
    assert [remedy.words for one in findings if (remedy := one.remedy())] == ([words] if wanted else [])


@pytest.mark.parametrize("name", ENDINGS)
def test_generation_that_does_not_end(name: str, tmp_path: Path) -> None:
    config, change, wanted = ENDINGS[name]
    findings = [one for one in found(tmp_path, config, change).findings if one.code == "R082"]
    assert [remedy.words for one in findings if (remedy := one.remedy())] == wanted
