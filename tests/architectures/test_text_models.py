"""Definitions of text models that transformers has no class for: total, names, and what damage to each reports."""

from __future__ import annotations

from typing import Any

import pytest

from tests.architectures.text_configs import MODELS, Model
from tests.checkpoints import Spec, genuine, plan_of
from tests.judged import base_record, codes, judged, spec_of

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


@pytest.mark.thinned
@pytest.mark.parametrize("name", MODELS)
def test_a_lost_tensor_and_a_wrong_key_are_reported(name: str) -> None:
    model, config, build = of(name)
    spec: Spec = dict(genuine(build))
    key, value = model.wrong
    assert codes(judged(spec, {**config, key: value})), key
    left = {found: entry for found, entry in spec.items() if found != model.lost}
    assert len(left) == len(spec) - 1
    assert codes(judged(left, config)) & {"N403", "N426", "N404"}


FURTHER = [
    ("longcat_flash", {"layers.0.self_attn.0.": "mtp.layers.0.self_attn.", "embed_tokens.": "mtp.embed_tokens.",
                       "layers.0.mlps.0.": "mtp.layers.0.transformer_layer.mlp.", "norm.": "mtp.norm.",
                       "layers.0.input_layernorm.0.": "mtp.layers.0.input_layernorm.",
                       "layers.0.post_attention_layernorm.0.": "mtp.layers.0.post_attention_layernorm."},
     ("mtp.layers.0.enorm.m", "mtp.layers.0.hnorm.m"), "mtp.layers.0.eh_proj.weight"),
    ("mimo_v2_flash", {"layers.1.self_attn.": "mtp.layers.0.self_attn.", "layers.0.mlp.": "mtp.layers.0.mlp.",
                       "layers.0.input_layernorm.": "mtp.layers.0.input_layernorm.",
                       "layers.0.post_attention_layernorm.": "mtp.layers.0.pre_mlp_layernorm."},
     ("mtp.layers.0.enorm", "mtp.layers.0.hnorm", "mtp.layers.0.final_layernorm"), "mtp.layers.0.eh_proj.weight"),
]  # fmt: skip
"""A type, copies of recorded modules in the layer for a further token, its norms, and the matrix that joins it."""


@pytest.mark.parametrize(("model_type", "copies", "norms", "joins"), FURTHER)
def test_layers_for_further_tokens(model_type: str, copies: dict[str, str], norms: tuple[str, ...], joins: str) -> None:
    record = base_record(model_type, "ForCausalLM")
    config = {"model_type": model_type, "architectures": [record["class"]], **record["config"]}
    width = config["hidden_size"]
    stored = dict(spec_of(record))
    for name, entry in spec_of(record).items():
        for old, new in copies.items():
            if name.startswith(f"model.{old}"):
                stored[f"model.{new}{name.removeprefix(f'model.{old}')}"] = entry
    stored |= {f"model.{norm}.weight": ("F32", (width,)) for norm in norms}
    stored[f"model.{joins}"] = ("F32", (width, 2 * width))
    audited = judged(stored, config)
    assert (audited.verdict, audited.counts.unexplained) == ("clean", 0), audited.findings
    del stored[f"model.{joins}"]
    assert codes(judged(stored, config)) == {"N403"}


@pytest.mark.parametrize("model_type", ["sarvam_moe", "param2moe", "bailing_moe"])
def test_the_bias_of_the_router_has_two_names(model_type: str) -> None:
    """vLLM and SGLang read the second name for the same modules."""
    _, config, build = of("sarvam-30b")
    config, build = config | {"model_type": model_type}, build | {"model_type": model_type}
    spec = genuine(build)
    renamed: Spec = {key.replace("gate.expert_bias", "gate.e_score_correction_bias"): one for key, one in spec.items()}
    assert renamed.keys() != spec.keys()
    audited = judged(renamed, config)
    assert (audited.verdict, codes(audited)) == ("clean", set()), audited.findings
