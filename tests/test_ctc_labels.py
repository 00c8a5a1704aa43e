"""Tokens of CTC models beyond the rows of the head."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from tests.checkpoints import write_file
from tests.judged import base_record, spec_of

NO_SPECIAL = {"bos_token": None, "eos_token": None}
LATER = {"<s>": 0, "</s>": 1}


def folder(place: Path, model_type: str, files: dict[str, Any], words: int = 0) -> str:
    """A CTC model with as many words as its head has rows, or `words` more, and further files."""
    record = base_record(model_type, "CTC")
    config = {**record["config"], "model_type": model_type, "architectures": [record["class"]]}
    rows = config["vocab_size"]
    vocabulary = {f"w{number}": number for number in range(rows + words)}
    added = {token: rows + number for token, number in files.get("added_tokens.json", {}).items()}
    files = {**files, "vocab.json": vocabulary, "config.json": config}
    if added:
        files["added_tokens.json"] = added
    if "labels" in files:
        files["alphabet.json"] = {"labels": [f"w{number}" for number in range(rows + files.pop("labels"))]}
    for name, content in files.items():
        (place / name).write_text(json.dumps(content), encoding="utf-8")
    write_file(place / "model.safetensors", spec_of(record))
    return str(place)


@pytest.mark.parametrize("model_type", ["wav2vec2", "hubert", "wavlm"])
@pytest.mark.parametrize(("files", "words", "severity", "tokens"), [
    ({"added_tokens.json": LATER, "tokenizer_config.json": {}}, 0, "note", ["<s>", "</s>"]),
    ({"tokenizer_config.json": {}}, 0, "note", ["<s>", "</s>"]),  # the tokenizer adds its defaults
    ({"tokenizer_config.json": NO_SPECIAL}, 1, "note", ["w"]),
    ({"tokenizer_config.json": {}, "labels": 2}, 0, "warning", ["<s>", "</s>"]),
    ({"tokenizer_config.json": NO_SPECIAL, "labels": -1}, 0, "warning", []),
    ({"tokenizer_config.json": NO_SPECIAL, "labels": 0}, 0, None, []),
    ({"tokenizer_config.json": {"bos_token": "w1", "eos_token": {"content": "w2"}}}, 0, None, []),
    ({"tokenizer_config.json": {"tokenizer_class": "MineTokenizer"}}, 0, None, []),
    ({}, 0, None, []),
])  # fmt: skip
def test_tokens_without_a_row(
    model_type: str, files: dict[str, Any], words: int, severity: str | None, tokens: list[str], tmp_path: Path
) -> None:
    found = [one for one in audit(folder(tmp_path, model_type, files, words)).findings if one.code == "C339"]
    assert [one.severity for one in found] == ([] if severity is None else [severity])
    for one in found:
        assert [token.rstrip("0123456789") for token in one.facts["tokens"]] == tokens
        assert ('"bos_token": null' in one.help) is ("<s>" in tokens)


def test_a_vocabulary_of_several_languages_is_not_compared(tmp_path: Path) -> None:
    files = {"tokenizer_config.json": {"target_lang": "eng"}}
    place = folder(tmp_path, "wav2vec2", files)
    (tmp_path / "vocab.json").write_text(json.dumps({"eng": {"a": 0, "b": 900}}), encoding="utf-8")
    assert "C339" not in {one.code for one in audit(place).findings}


@pytest.mark.parametrize("model_type", ["wav2vec2", "hubert", "wavlm"])
@pytest.mark.parametrize(("stated", "words", "settings", "apart"), [
    (9, 9, NO_SPECIAL, True),  # labels of another language, more or fewer than the head has
    (9, 9, {}, True),
    (-3, -3, NO_SPECIAL, True),
    (9, 7, {}, True),  # the tokenizer adds two tokens
    (9, 0, NO_SPECIAL, False),  # those of the head
    (9, 4, NO_SPECIAL, False),  # of neither
    (9, 9, {"tokenizer_class": "MineTokenizer"}, False),
])  # fmt: skip
def test_a_head_for_other_labels(
    model_type: str, stated: int, words: int, settings: dict[str, Any], apart: bool, tmp_path: Path
) -> None:
    place = folder(tmp_path, model_type, {"tokenizer_config.json": settings}, words)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "vocab_size": config["vocab_size"] + stated}))
    (finding,) = (one for one in audit(place).findings if one.severity == "error")
    assert (finding.code, finding.facts.get("labels_apart", False)) == ("C310", apart)
    assert ("ignore_mismatched_sizes=True" in finding.help) is apart
    if apart:
        assert finding.help.startswith("config.json and vocab.json are of other labels than this head")
        assert not finding.remedy().steps
