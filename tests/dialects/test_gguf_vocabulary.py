"""Types of keys, kinds of vocabularies, special tokens and heads of GGUF files; measured with xllamacpp 2026.10."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.dialects.gguf_vocabulary import start_of_text
from inspector.loader.config_file import Config
from tests.dialects.recorded_gguf import Keys, Written
from tests.findings.cases import gguf_of, gguf_with
from tests.readers.file_builders import Gguf

TOKENIZER = "tokenizer.ggml."
ROWS = 107


def with_vocabulary(*changed: tuple[str, str, Any]) -> Written:
    """A conversion of Llama with a vocabulary of as many tokens as its embedding. changed: keys with other values."""
    written = gguf_of("llama")
    keys: Keys = [
        *(one for one in written.keys if not one[0].startswith(TOKENIZER)),
        (f"{TOKENIZER}model", "text", "gpt2"), (f"{TOKENIZER}pre", "text", "default"),
        (f"{TOKENIZER}tokens", "texts", [f"token {row}" for row in range(ROWS)]),
        (f"{TOKENIZER}merges", "texts", ["t o"]),
    ]  # fmt: skip
    names = {name for name, _, _ in changed}
    written.keys = [*(one for one in keys if one[0] not in names), *changed]
    return written


def found(written: Written) -> tuple[list[str], str]:
    """(severity and code of each finding, what llama.cpp does)."""
    audited = gguf_with(written)
    load = next(one for one in audited.loads if one.loader == "llama.cpp")
    return [f"{one.severity} {one.code}" for one in audited.findings], load.outcome


@pytest.mark.parametrize(("key", "kind", "value", "expected"), [
    ("llama.block_count", "i32", 3, True), ("llama.context_length", "u64", 70, True),
    ("llama.rope.freq_base", "f64", 10000.0, True), ("llama.attention.layer_norm_rms_epsilon", "f64", 1e-5, True),
    (f"{TOKENIZER}bos_token_id", "i32", 1, True), (f"{TOKENIZER}add_bos_token", "u32", 1, True),
    (f"{TOKENIZER}token_type", "[u32]", [1] * ROWS, True), (f"{TOKENIZER}model", "u32", 1, True),
    ("llama.attention.head_count_kv", "[i32]", [2, 2, 2], False),
    (f"{TOKENIZER}token_type", "[i32]", [1] * ROWS, False),
    (f"{TOKENIZER}cls_token_id", "i32", 1, False), ("llama.unknown", "i8", 1, False), ("general.name", "u32", 1, False),
    ("llama.features_length", "i32", 1, False), (f"{TOKENIZER}scores", "[i32]", [1] * ROWS, False),
])  # fmt: skip
def test_a_key_of_another_type_is_refused(key: str, kind: str, value: Any, expected: bool) -> None:
    assert found(with_vocabulary((key, kind, value))) == ((["error N700"], "refuses") if expected else ([], "complete"))


@pytest.mark.parametrize(("kind", "expected"), [
    ("gpt2", ([], "complete")), ("rwkv", ([], "complete")), ("no_vocab", ([], "complete")),
    ("GPT2", (["error N701"], "refuses")), ("tekken", (["warning N701"], "unknown")),
    ("", (["warning N701"], "unknown")),
])  # fmt: skip
def test_a_kind_of_vocabulary_that_llama_cpp_does_not_know(kind: str, expected: tuple[list[str], str]) -> None:
    assert found(with_vocabulary((f"{TOKENIZER}model", "text", kind))) == expected


@pytest.mark.parametrize(("token", "number", "expected"), [
    ("bos", ROWS - 1, []), ("bos", ROWS, ["warning N702"]), ("eos", 2**32 - 1, ["warning N702"]),
    ("padding", ROWS, ["note N702"]), ("cls", ROWS, []),
])  # fmt: skip
def test_the_number_of_a_special_token_is_that_of_a_token(token: str, number: int, expected: list[str]) -> None:
    assert found(with_vocabulary((f"{TOKENIZER}{token}_token_id", "u32", number))) == (expected, "complete")


@pytest.mark.parametrize(("architecture", "kind", "stated", "pooling", "expected"), [
    ("bert", "t5", None, 2, "CLS"), ("bert", "t5", None, 4, "RANK"), ("nomic-bert-moe", "t5", None, 1, ""),
    ("jina-bert-v3", "t5", None, None, ""), ("bert", "t5", True, 2, None), ("bert", "t5", False, 2, None),
    ("bert", "bert", None, 2, None), ("bert", "gpt2", None, 2, None), ("t5encoder", "t5", None, 1, None),
    ("t5", "t5", None, None, None),
])  # fmt: skip
def test_an_encoder_whose_texts_begin_with_no_token(
    architecture: str, kind: str, stated: bool | None, pooling: int | None, expected: str | None
) -> None:
    """llama.cpp adds none for unigrams by itself; the vocabulary of BERT begins each text with one."""
    values: dict[str, Any] = {"general.architecture": architecture, f"{TOKENIZER}model": kind,
                              f"{TOKENIZER}bos_token_id": 0}  # fmt: skip
    values |= {} if stated is None else {f"{TOKENIZER}add_bos_token": stated}
    values |= {} if pooling is None else {f"{architecture}.pooling_type": pooling}
    found = [dict(one.stated_fields()) for one in start_of_text(Config("model.gguf", values, "config", ""))]
    assert [one.get("pooling") for one in found] == ([] if expected is None else [expected])


def test_a_big_endian_file_is_for_other_machines(tmp_path: Path) -> None:
    written = gguf_of("llama")
    listed = [(name, array.shape[::-1], 0, array.nbytes) for name, array in written.arrays.items()]
    (tmp_path / "model.gguf").write_bytes(Gguf(">").file(listed, written.keys))
    audited = audit(str(tmp_path / "model.gguf"))
    assert [one.code for one in audited.findings] == ["H161"]
    assert {one.outcome for one in audited.loads} == {"unknown"}


def of_heads(heads: int, keys: int, rotary: int | None) -> Audit:
    """Llama with 6 heads of width 8, of which 2 are key heads, in a file that states no width of heads."""
    written = gguf_of("llama")
    stated = {"attention.head_count": heads, "attention.head_count_kv": keys, "rope.dimension_count": rotary}
    left = {f"llama.{key}" for key in (*stated, "attention.key_length", "attention.value_length")}
    written.keys = [one for one in written.keys if one[0] not in left]
    written.keys += [(f"llama.{key}", "u32", number) for key, number in stated.items() if number is not None]
    for name, array in written.arrays.items():
        rows = {"attn_q": 48, "attn_k": 16, "attn_v": 16}.get(name.split(".")[-2])
        if rows is not None:
            written.arrays[name] = np.ones((rows, 48), array.dtype)
        if name.endswith("attn_output.weight"):
            written.arrays[name] = np.ones((48, 48), array.dtype)
    return gguf_with(written)


@pytest.mark.parametrize(("heads", "keys", "rotary", "key", "others"), [
    (12, 2, 8, "attention.head_count", []), (5, 2, 8, "attention.head_count", []),
    (6, 3, 8, "attention.head_count_kv", []), (6, 2, 4, "rope.dimension_count", []),
    (12, 2, None, "attention.head_count_kv", ["llama.attention.head_count"]), (6, 2, 8, "", []), (6, 2, None, "", []),
])  # fmt: skip
def test_a_wrong_number_of_heads_is_one_finding_with_what_fits_as_well(
    heads: int, keys: int, rotary: int | None, key: str, others: list[str]
) -> None:
    errors = [one for one in of_heads(heads, keys, rotary).findings if one.severity == "error"]
    assert [one.headline() for one in errors] == [f"llama.{key}"] * bool(key)
    assert [rival.key for one in errors for rival in getattr(one, "rivals", ())] == others
