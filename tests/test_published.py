"""Compares the formula of each definition with published parameter counts at full size."""

from __future__ import annotations

import gzip
import json
import tomllib
from typing import Any

import pytest

from inspector.architectures.catalog import modules
from inspector.formulas import formula
from inspector.loader.config_file import Config
from inspector.loading.config_rules import refused_config
from inspector.reconciler.config_keys import mistyped
from tests.checkpoints import genuine, plan_of
from tests.judged import FIXTURES, codes, judged

PUBLISHED: list[dict[str, Any]] = tomllib.loads((FIXTURES / "published.toml").read_text(encoding="utf-8"))["model"]
AS_PUBLISHED: list[dict[str, Any]] = json.loads(gzip.decompress((FIXTURES / "published_configs.json.gz").read_bytes()))
KNOWN = [entry for entry in PUBLISHED if entry["model_type"] in modules()]


def config_of(entry: dict[str, Any]) -> dict[str, Any]:
    """The configuration of an entry with its class."""
    config: dict[str, Any] = json.loads(entry["config"])
    return {"model_type": entry["model_type"], "architectures": [entry["class"]], **config}


@pytest.mark.parametrize("entry", KNOWN, ids=lambda entry: entry["name"])
def test_the_formula_gives_the_published_count(entry: dict[str, Any]) -> None:
    total = 0
    for block in plan_of(config_of(entry)).blocks:
        if block.slot.tensor.counted and block.tie is None and block.slot.built:
            assert block.elements is not None, block.key
            total += block.tensors * block.elements
    assert total == entry["parameters"]


@pytest.mark.parametrize("entry", AS_PUBLISHED, ids=lambda entry: entry["name"])
def test_the_unmodified_config_of_a_repository_gives_the_count(entry: dict[str, Any]) -> None:
    assert formula(Config("config.json", entry["config"], "config")).total == entry["parameters"]


@pytest.mark.parametrize("entry", AS_PUBLISHED, ids=lambda entry: entry["name"])
def test_no_published_config_is_refused(entry: dict[str, Any]) -> None:
    """transformers 5 reads every published config and builds the model."""
    assert refused_config(entry["config"]) is None
    assert not list(mistyped(entry["config"]))


SMALL = [entry for entry in KNOWN if entry["parameters"] < 10**11 and "x" not in entry["name"]]


@pytest.mark.parametrize("entry", SMALL[::6], ids=lambda entry: entry["name"])
def test_a_full_size_listing_is_clean(entry: dict[str, Any]) -> None:
    config = config_of(entry)
    audited = judged(genuine(config), config)
    assert codes(audited) == set(), audited.findings
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == entry["parameters"]


def test_there_are_enough_of_them() -> None:
    assert len({entry["name"] for entry in PUBLISHED}) >= 100
    assert all(entry["source"] for entry in PUBLISHED)
