"""Models for sentence-transformers without modules.json: what their card states, and the pooling that they get."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.loading.sentence_modules import new_pooling
from tests.checkpoints import genuine, write
from tests.judged import base_record, spec_of
from tests.test_sentence_modules import ENCODER, audited

OF_LIBRARY = "library_name: sentence-transformers\n"
FOR_SENTENCES = "pipeline_tag: sentence-similarity\n"
CARDS: dict[str, set[str]] = {
    OF_LIBRARY: {"N740"}, 'library_name: "sentence-transformers"\n': {"N740"}, "library_name: transformers\n": set(),
    "tags2: sentence-transformers\n": set(), FOR_SENTENCES: set(), "tags:\n- sentence-transformers\n": set(),
    OF_LIBRARY + FOR_SENTENCES: {"N641"}, OF_LIBRARY + "tags: [a, 'feature-extraction']\n": {"N641"},
    OF_LIBRARY + "tags:\n- mteb\n- Sentence Similarity\nlanguage: fr\n": {"N641"},
    FOR_SENTENCES + "tags:\n  - sentence-transformers\n": {"N641"},
    FOR_SENTENCES + "library_name: transformers\ntags:\n- sentence-transformers\n": set(),
    OF_LIBRARY + FOR_SENTENCES + "tags:\n- mlx\n": set(), OF_LIBRARY + "pipeline_tag: text-ranking\n": set(),
    OF_LIBRARY + "pipeline_tag: feature-extraction\ntags:\n- sparse-encoder\n": set(),
}  # fmt: skip
"""Beginning of a model card -> codes of the findings on a model without files of a sentence encoder."""


def all_codes(found: Audit) -> set[str]:
    return {one.code for one in found.findings}


def carded(place: Path, stated: str, config: dict[str, Any]) -> Path:
    write(place, genuine(config), config)
    (place / "vocab.txt").write_text("[PAD]\n", encoding="utf-8")
    (place / "README.md").write_text(f"---\nlicense: mit\n{stated}---\n# A model\n{FOR_SENTENCES}", encoding="utf-8")
    return place


@pytest.mark.parametrize(("stated", "wanted"), CARDS.items())
def test_a_model_card_of_an_encoder_without_modules(stated: str, wanted: set[str], tmp_path: Path) -> None:
    found = audited(carded(tmp_path, stated, ENCODER))
    assert all_codes(found) == wanted
    assert found.verdict == ("findings" if wanted == {"N641"} else "clean")
    for_it = judged_for(found, "sentence-transformers")
    assert all_codes(for_it) == {"N641"}
    assert for_it.verdict == "findings"
    (load,) = for_it.loads
    assert load.outcome == "complete"


def test_a_cross_encoder_needs_no_modules(tmp_path: Path) -> None:
    record = base_record("bert", "ForSequenceClassification")
    config = {"model_type": "bert", **record["config"], "architectures": [record["class"]]}
    place = write(tmp_path, spec_of(record), config)
    (place / "vocab.txt").write_text("[PAD]\n", encoding="utf-8")
    (place / "README.md").write_text(f"---\n{OF_LIBRARY}{FOR_SENTENCES}---\n", encoding="utf-8")
    found = audited(place)
    assert all_codes(found) == set()
    assert all_codes(judged_for(found, "sentence-transformers")) == {"N745"}


@pytest.mark.parametrize(("changes", "wanted"), [
    ({}, "the mean of all tokens"), ({"architectures": ["Qwen3ForCausalLM"]}, "the embedding of the last token"),
    ({"architectures": ["Qwen3Model"]}, "the mean of all tokens"),
    ({"architectures": ["Qwen3ForCausalLM"], "is_causal": False}, "the mean of all tokens"),
    ({"auto_map": {"AutoModel": "modeling.Model"}}, ""), ({"text_config": {"hidden_size": 8}}, ""),
])  # fmt: skip
def test_the_pooling_by_default(changes: dict[str, Any], wanted: str) -> None:
    """Measured with sentence-transformers 6.2 on BERT and Qwen3."""
    assert new_pooling({"model_type": "qwen3", "hidden_size": 8, **changes}) == wanted
