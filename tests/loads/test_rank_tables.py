"""Tables of tokens from the ranks of a parallel run: the part of one rank, a table of each, or nothing at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.reconciler.vocabulary_ranks import copies_in, ranks_of
from tests.loads.test_other_causes import of_record

WIDTH = 48
EMBEDDING = "model.embed_tokens.weight"
HEAD = "lm_head.weight"


@pytest.mark.parametrize(("rows", "configured", "ranks"), [
    (16064, 128256, 8), (32064, 128256, 4), (16032, 128256, 8), (18992, 151936, 8), (6336, 50257, 8),
    (6400, 50257, 8), (12672, 50257, 4), (32000, 64000, None), (32768, 65536, None), (32000, 128256, None),
    (50257, 50304, None), (64, 128, None), (151936, 128256, None), (128000, 128256, None),
])  # fmt: skip
def test_rows_of_one_rank(rows: int, configured: int, ranks: int | None) -> None:
    """Round vocabularies are a part of each other by chance; vocabularies that differ by a few tokens are no parts."""
    assert ranks_of(rows, configured) == ranks


@pytest.mark.parametrize(("rows", "configured", "usual", "copies"), [
    (256000, 55296, 32000, (8, 32000)), (221184, 55296, 32000, (4, 55296)), (64000, 32000, 32000, None),
    (256000, 55296, None, None), (55300, 55296, 32000, None), (96000, 32000, 32000, None),
])  # fmt: skip
def test_tables_of_several_ranks(rows: int, configured: int, usual: object, copies: object) -> None:
    assert copies_in(rows, configured, usual) == copies


def sized(model_type: str, suffix: str, tmp_path: Path, vocabulary: int, **rows: int) -> Audit:
    """A record with tables of these rows; the embedding, and the head if the class has one."""
    shapes = [["shape", name, [count, WIDTH]] for name, count in rows.items()]
    return of_record(model_type, suffix, tmp_path, shapes, vocab_size=vocabulary)


def errors(audited: Audit) -> list[Any]:
    return [one for one in audited.findings if one.severity == "error"]


@pytest.mark.parametrize(("model_type", "suffix", "embedding", "head", "code", "words"), [
    ("llama", "SequenceClassification", 2112, None, "D503", "cut to 16,500 rows; leave the config as it is"),
    ("qwen2", "CausalLM", 2112, 2112, "D503", f"or join {HEAD}, {EMBEDDING} with the rows of the other 7 ranks"),
    ("mistral", "CausalLM", 4125, 16500, "D503", "of the other 3 ranks; leave"),
    ("mistral", "CausalLM", 2113, 2113, "C310", 'set "vocab_size": 2113'),
    ("llama", "CausalLM", 66000, 16500, "C324", f"keep the first 16,500 rows of {EMBEDDING} if its 4 parts"),
    ("mistral", "CausalLM", 128000, 16500, "C324", f"{EMBEDDING} has no rows of the tokens after the first 32,000"),
    ("llama", "CausalLM", 16508, 16500, "C324", "cut the last 8 rows off"),
])  # fmt: skip
def test_only_the_tables_of_tokens_are_of_the_ranks(
    model_type: str, suffix: str, embedding: int, head: int | None, code: str, words: str, tmp_path: Path
) -> None:
    rows = {EMBEDDING: embedding} | ({HEAD: head} if head is not None else {})
    audited = sized(model_type, suffix, tmp_path, 16500, **rows)
    (found,) = errors(audited)
    assert found.code == code
    assert words in found.help


@pytest.mark.parametrize(("model_type", "name", "empty"), [
    ("qwen2_moe", "model.layers.{}.mlp.shared_expert_gate.weight", [0, WIDTH]),
    ("qwen2", "model.layers.{}.self_attn.q_proj.bias", [0]),
])  # fmt: skip
@pytest.mark.parametrize("layers", [1, 3])
def test_a_tensor_without_values(model_type: str, name: str, empty: list[int], layers: int, tmp_path: Path) -> None:
    damages = [["shape", name.format(layer), empty] for layer in range(layers)]
    audited = of_record(model_type, "CausalLM", tmp_path, damages)
    found = errors(audited)[0]
    assert found.code == "D501"
    assert "the program that did had no values for" in found.help
