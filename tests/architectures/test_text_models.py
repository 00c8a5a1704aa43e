"""Definitions of text models that transformers has no class for: total, names, and what damage to each reports."""

from __future__ import annotations

from typing import Any

import pytest

from tests.architectures.text_configs import MODELS, Model
from tests.checkpoints import Spec, genuine, plan_of
from tests.judged import codes, judged

TOTALS = [name for name, model in MODELS.items() if model.parameters is not None]


def of(name: str) -> tuple[Model, dict[str, Any], dict[str, Any]]:
    """A model, its config, and the config that its listing is built with."""
    model = MODELS[name]
    return model, dict(model.config), {**model.config, **model.build}


@pytest.mark.parametrize("name", TOTALS)
def test_the_formula_gives_the_published_count(name: str) -> None:
    model, _, build = of(name)
    blocks = [one for one in plan_of(build).blocks if one.slot.tensor.counted and one.tie is None and one.slot.built]
    assert sum(one.tensors * one.elements for one in blocks if one.elements is not None) == model.parameters
    assert all(one.elements is not None for one in blocks)


@pytest.mark.parametrize("name", MODELS)
def test_a_complete_listing_is_clean(name: str) -> None:
    model, config, build = of(name)
    spec = genuine(build)
    assert {key: spec[key][1] for key in model.shapes} == model.shapes
    audited = judged(spec, config)
    assert (audited.verdict, codes(audited)) == ("clean", set()), audited.findings


@pytest.mark.parametrize("name", MODELS)
def test_a_lost_tensor_and_a_wrong_key_are_reported(name: str) -> None:
    model, config, build = of(name)
    spec: Spec = dict(genuine(build))
    key, value = model.wrong
    assert codes(judged(spec, {**config, key: value})), key
    left = {found: entry for found, entry in spec.items() if found != model.lost}
    assert len(left) == len(spec) - 1
    assert codes(judged(left, config)) & {"N403", "N426", "N404"}
