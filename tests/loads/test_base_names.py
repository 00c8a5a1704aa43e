"""Names of a base model under a class with a head: transformers adds the prefix, vLLM and mlx-lm do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.mending.patterns import renamed
from tests.loads.test_verdicts import judged

PREFIX = "model."
REFUSING = [
    # model type, prefix of its base model, damages before the prefix is removed
    ("llama", "model.", [["drop", "lm_head.weight"], ["config", ["tie_word_embeddings"], True]]),
    ("qwen2", "model.", [["drop", "lm_head.weight"], ["config", ["tie_word_embeddings"], True]]),
    ("mistral", "model.", []),
    ("gemma", "model.", []),
]
ADDING = [("gpt2", "LMHeadModel", "transformer."), ("bloom", "CausalLM", "transformer.")]
ENCODER: list[Any] = [["text", "modules.json", [{"path": "", "type": "sentence_transformers.models.Transformer"}]]]


def of_base(prefix: str, damages: list[Any]) -> list[Any]:
    return [*damages, ["replace", prefix, ""]]


@pytest.mark.parametrize("loader", ["vllm", "mlx"])
@pytest.mark.parametrize(("model_type", "prefix", "damages"), REFUSING)
def test_the_prefix_that_is_not_added(
    model_type: str, prefix: str, damages: list[Any], loader: str, tmp_path: Path
) -> None:
    row: Any = ("base", model_type, "CausalLM", of_base(prefix, damages), "clean", [], "")
    audited = judged(row, tmp_path / "before")
    assert next(one for one in audited.loads if one.intended).outcome == "complete"
    assert next(one for one in audited.loads if one.loader == loader).outcome == "refuses"
    (finding,) = (one for one in judged_for(audited, loader).findings if one.severity != "note")
    assert finding.code == "N429" and f"to {prefix}" in finding.help
    patterns = [(step.old, step.new) for step in finding.remedy().steps]
    changes = [["rename", name, renamed(name, patterns)] for name in audited.checkpoint.tensors]
    after = judged((*row[:3], [*row[3], *changes], *row[4:]), tmp_path / "after")
    assert not any(one.code == "N408" for one in after.findings)
    assert judged_for(after, loader).verdict == "clean"


@pytest.mark.parametrize(("model_type", "suffix", "prefix"), ADDING)
def test_classes_of_vllm_that_add_it(model_type: str, suffix: str, prefix: str, tmp_path: Path) -> None:
    audited = judged(("base", model_type, suffix, of_base(prefix, []), "clean", [], ""), tmp_path)
    assert next(one for one in audited.loads if one.loader == "vllm").outcome == "complete"


def test_vllm_takes_the_base_model_of_an_encoder(tmp_path: Path) -> None:
    damages = of_base(PREFIX, [*REFUSING[0][2], *ENCODER])
    audited = judged(("base", "llama", "CausalLM", damages, "clean", [], ""), tmp_path)
    assert json.loads((tmp_path / "0" / "modules.json").read_text())
    assert next(one for one in audited.loads if one.loader == "vllm").outcome == "complete"
