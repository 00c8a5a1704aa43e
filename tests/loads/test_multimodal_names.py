"""Names of multimodal models with and without the prefix of the base model: which of them vLLM and mlx-lm read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.loading.vllm_modules import PREFIXES, nameless
from inspector.mending.patterns import renamed
from tests.judged import base_record, spec_of
from tests.loads.test_verdicts import judged

SUFFIX = "ForConditionalGeneration"
TYPES = (
    "gemma3", "glm4v", "glm4v_moe", "lfm2_vl", "llava", "llava_next", "llava_onevision", "mistral3", "paligemma",
    "qwen2_5_vl", "qwen2_vl", "qwen3_5", "qwen3_5_moe", "qwen3_vl", "qwen3_vl_moe",
)  # fmt: skip
MODEL = "model."
TIED: list[Any] = [["drop", "lm_head.weight"], ["config", ["tie_word_embeddings"], True],
                   ["config", ["text_config", "tie_word_embeddings"], True]]  # fmt: skip


def under(model_type: str, rename: Callable[[str], str], place: Path, *more: Any) -> Audit:
    """The audit of a record under other names."""
    names = spec_of(base_record(model_type, SUFFIX))
    changes = [["rename", name, rename(name)] for name in names if rename(name) != name]
    return judged(("", model_type, SUFFIX, [*changes, *more], "clean", [], ""), place)


def of_base(name: str) -> str:
    return name.removeprefix(MODEL)


def outcome(audited: Audit, loader: str) -> str:
    return next(one.outcome for one in audited.loads if one.loader == loader)


def test_each_class_is_tried() -> None:
    assert {base_record(one, SUFFIX)["class"] for one in TYPES} == PREFIXES.keys()


@pytest.mark.parametrize("model_type", TYPES)
def test_names_that_transformers_saves(model_type: str, tmp_path: Path) -> None:
    audited = under(model_type, str, tmp_path)
    assert nameless(audited.class_name, audited.checkpoint.tensors) == ""
    assert outcome(audited, "vllm") != "refuses"


@pytest.mark.parametrize(("model_type", "loader"), [
    ("qwen3_5", "vllm"), ("qwen3_5", "mlx"), ("qwen3_vl", "vllm"), ("glm4v", "vllm"),
])  # fmt: skip
def test_names_of_the_base_model(model_type: str, loader: str, tmp_path: Path) -> None:
    """Measured for mlx-lm 0.32 with Qwen3.5: it does not load before the remedy, and loads after it."""
    audited = under(model_type, of_base, tmp_path, *TIED)
    assert outcome(audited, loader) == "refuses"
    (finding,) = (one for one in judged_for(audited, loader).findings if one.severity != "note")
    assert (finding.code, f'"{MODEL}"' in str(finding)) == ("N429", True)
    patterns = [(step.old, step.new) for step in finding.remedy().steps]
    saved = spec_of(base_record(model_type, SUFFIX)).keys()
    assert {renamed(name, patterns) for name in audited.checkpoint.tensors} == saved - {"lm_head.weight"}


def test_only_the_visual_part_lacks_the_prefix(tmp_path: Path) -> None:
    """vLLM puts `visual.` in place of `model.visual.` itself; mlx-lm 0.32 was measured to refuse it."""
    audited = under("qwen3_5", lambda name: of_base(name) if name.startswith("model.visual.") else name, tmp_path)
    assert nameless(audited.class_name, audited.checkpoint.tensors) == ""
    assert {one: outcome(audited, one) for one in ("vllm", "mlx")} == {"vllm": "complete", "mlx": "refuses"}
