"""Stored copies replace tied originals with the same indices; missing tensors remain in the expected count."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from tests.checkpoints import Spec, write
from tests.comparing.pair_audits import torch_file
from tests.judged import codes, judged, records, spec_of

DETECTION = ("rt_detr", "rt_detr_v2", "d_fine")
COPY = "model.decoder."


def detector(model_type: str) -> tuple[dict[str, Any], dict[str, tuple[str, tuple[int, ...]]], list[str]]:
    """The config, the listing, and the names of the heads of each layer."""
    record = next(one for one in records(model_type) if one["class"].endswith("ForObjectDetection"))
    spec = spec_of(record)
    heads = [name for name in spec if re.search(r"(class|bbox)_embed\.\d", name)]
    return record["config"], spec, heads


@pytest.mark.parametrize(
    "model_type", [DETECTION[0], *(pytest.param(one, marks=pytest.mark.slow) for one in DETECTION[1:])]
)
@pytest.mark.parametrize("kind", ["class_embed", "bbox_embed"])
def test_each_missing_head_of_a_layer_is_reported(model_type: str, kind: str) -> None:
    config, spec, heads = detector(model_type)
    for name in [name for name in heads if f"{kind}." in name][::5]:
        audited = judged({one: entry for one, entry in spec.items() if one != name}, config)
        assert codes(audited) & {"N403", "N404"}, name
        counts = audited.counts
        assert counts.expected_parameters is not None
        elements = 1
        for dim in spec[name][1]:
            elements *= dim
        assert counts.expected_parameters - counts.unique_parameters == elements


@pytest.mark.parametrize("model_type", DETECTION)
def test_either_name_is_enough_at_every_index(model_type: str) -> None:
    config, spec, heads = detector(model_type)
    whole = judged(spec, config)
    assert whole.verdict == "clean"
    both = dict(spec)
    for name in heads:
        other = name.removeprefix(COPY) if name.startswith(COPY) else COPY + name
        both[other] = spec[name]
    mixed = {name: entry for name, entry in both.items() if name not in heads[::2]}
    for listing, copied in (
        (both, True),
        (mixed, True),
        ({name: both[name] for name in both if name not in heads}, False),
    ):
        audited = judged(listing, config)
        assert audited.verdict == "clean", [one.message for one in audited.findings]
        assert audited.counts.unique_parameters == whole.counts.unique_parameters
        assert bool(audited.counts.tied_copies) is copied


@pytest.mark.parametrize("model_type", ["deformable_detr", "bert", "llama", "rt_detr"])
def test_a_healthy_model_is_clean(model_type: str) -> None:
    for record in records(model_type)[:3]:
        assert judged(spec_of(record), record["config"]).verdict == "clean"


TIED = {
    "LlamaForCausalLM": ("model.embed_tokens.weight", ("lm_head.weight",), True),
    "GPT2LMHeadModel": ("transformer.wte.weight", ("lm_head.weight",), True),
    "GemmaForCausalLM": ("model.embed_tokens.weight", ("lm_head.weight",), True),
    "T5ForConditionalGeneration": ("shared.weight", ("lm_head.weight", "encoder.embed_tokens.weight"), False),
}
"""Class -> its table, tied copies of it, and whether the config alone decides about the tie of the head."""


def with_copies(class_name: str) -> tuple[dict[str, Any], Spec, list[str]]:
    """The config of a tied model, its listing with copies of the table, and the names of the table and the copies."""
    model_type = {"GPT2LMHeadModel": "gpt2"}.get(class_name, class_name.partition("For")[0].lower())
    table, copies, _ = TIED[class_name]
    record = next(
        one for one in records(model_type) if one["class"] == class_name and one["config"].get("tie_word_embeddings")
    )
    spec = spec_of(record)
    return record["config"], {**spec, **dict.fromkeys(copies, spec[table])}, [table, *copies]


@pytest.mark.parametrize("class_name", TIED)
def test_a_stored_copy_of_the_head_says_how_to_untie_it(class_name: str, tmp_path: Path) -> None:
    config, spec, (_, *copies) = with_copies(class_name)
    found = {
        one.place.name: one.help for one in audit(str(write(tmp_path, spec, config))).findings if one.code == "P702"
    }
    untie = 'compare the two with --values; if they differ, set "tie_word_embeddings": false'
    assert found == dict.fromkeys(copies, untie if TIED[class_name][2] else "")


@pytest.mark.parametrize("class_name", TIED)
def test_names_that_share_a_storage_are_no_copies(class_name: str, tmp_path: Path) -> None:
    config, spec, tied = with_copies(class_name)
    (tmp_path / "pytorch_model.bin").write_bytes(torch_file(spec, [tied]))
    (tmp_path / "config.json").write_text(json.dumps(config))
    found = [one.code for one in audit(str(tmp_path)).findings]
    assert "H147" in found
    assert "P702" not in found
