"""Checks that the checked-in records equal what the installed transformers saves.

    pip install torch==2.13.0 transformers==5.23.0 safetensors     # or transformers==4.57.6
    pytest -m slow tests/oracle/test_fixtures.py

Rebuilds the base record of one small class per type and compares it with the record of the same version; these tests
are skipped where transformers is not installed, or is a version without records. The other tests only read the
checked-in files.
"""

from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from inspector.architectures.catalog import definition_of
from inspector.loader.config_file import Config
from inspector.matcher.claim import claim_of
from tests.oracle.make_proofs import PROOFS, proofs, text_of
from tests.oracle.make_records import (
    LEFT_OUT,
    ORACLE,
    TYPES,
    base_arguments,
    model_classes,
    read,
    record,
    unwritten,
    writer,
)

PUBLISHED = Path(__file__).parents[2] / "fixtures" / "published.toml"
TORCH = "torch_multihead_attention"
MADE = [name for file in sorted(ORACLE.glob("*.json.gz")) if (name := file.name.removesuffix(".json.gz")) != TORCH]
BUILDERS = all(importlib.util.find_spec(name) for name in ("torch", "transformers", "safetensors"))


def base_of(records: list[dict[str, Any]], name: str, wrote: str) -> dict[str, Any]:
    for found in records:
        if (found["class"], found["variant"], found["writer"]) == (name, "", wrote):
            return found
    pytest.skip(f"no record of {name} by {wrote}")


@pytest.mark.slow
@pytest.mark.skipif(not BUILDERS, reason="torch, transformers and safetensors build the records")
@pytest.mark.parametrize("model_type", MADE)
def test_a_record_equals_what_transformers_saves(model_type: str) -> None:
    name, model_class = sorted(model_classes(model_type).items())[0]
    checked_in = base_of(read(model_type)["records"], name, writer())
    arguments = {key: value for key, value in base_arguments(model_type).items() if key in checked_in["given"]}
    rebuilt = record(model_type, model_class, arguments, {})
    assert json.loads(json.dumps(rebuilt)) == checked_in


@pytest.mark.thinned
@pytest.mark.parametrize("model_type", MADE)
def test_records_are_complete(model_type: str) -> None:
    content = read(model_type)
    records = content["records"]
    assert content["model_type"] == model_type
    writers = {r["writer"].split()[1][0] for r in records}
    assert writers == {"4", "5"} or (model_type not in TYPES and writers <= {"4", "5"})
    assert len({(r["class"], r["variant"], r["writer"]) for r in records}) == len(records)
    for r in records:
        claimed = claim_of(Config("config.json", r["config"], "config")).definition
        assert r["config"].get("model_type") == model_type or claimed is definition_of(model_type)
        assert r["config"]["architectures"] == [r["class"]]
        assert set(r["buffers"]) <= set(r["tensors"])
        assert r.get("unwritten", 0) == unwritten(r["num_parameters"], r["tensors"], r["buffers"])


def test_types_that_are_left_out_have_no_records() -> None:
    assert not set(LEFT_OUT) & set(MADE)
    assert set(TYPES) <= set(MADE)


@pytest.mark.complete
def test_the_proofs_are_current() -> None:
    assert PROOFS.read_text(encoding="utf-8") == text_of(proofs()), "run python -m tests.oracle.make_proofs"


def test_the_records_are_small() -> None:
    sizes = [file.stat().st_size for file in ORACLE.glob("*.json.gz")]
    assert sum(sizes) < 6_000 * len(sizes), "bytes of a type on average"


def test_published_models_are_complete() -> None:
    models = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))["model"]
    assert len(models) >= 100
    assert len({model["name"] for model in models}) == len(models)
    for model in models:
        config = json.loads(model["config"])
        assert config["model_type"] == model["model_type"]
        assert config["architectures"] == [model["class"]]
        assert model["parameters"] > 0
        assert model["source"].startswith("transformers ")
