"""Configs of another size of the model family: one or two findings, and a complete audit."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from inspector.algebra.values import Value
from inspector.findings.single_causes import ConfigOfAnotherSize
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.keys import solved_keys
from tests.checkpoints import genuine
from tests.judged import FIXTURES, base_record, diffusers_records, judged, spec_of
from tests.sampling import sampled

pytestmark = pytest.mark.thinned

LARGEST = 4_000
"""Maximum number of tensors; larger models of a family show nothing new."""
OTHER_SIZES = {
    "beit": "a segmentation head",
    "deberta-v2": "a layer of convolutions that only one of them has",
    "phi3": "one is tied, and its heads are in one matrix with the others",
    "vision-encoder-decoder": "encoders and decoders of different types",
}
"""Families whose published models differ in more than size."""


@cache
def published() -> dict[str, list[dict[str, Any]]]:
    """Model type -> its published configs."""
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in json.loads(gzip.decompress((FIXTURES / "published_configs.json.gz").read_bytes())):
        found[one["config"]["model_type"]].append(one["config"])
    return {name: configs for name, configs in found.items() if len(configs) > 1 and name not in OTHER_SIZES}


@pytest.mark.parametrize("model_type", sampled(sorted(published()), 2))
def test_the_config_of_another_published_size(model_type: str) -> None:
    configs = published()[model_type][:4]
    for config, other in [*pairwise(configs), *pairwise(reversed(configs))]:
        spec = genuine(config)
        if len(spec) <= LARGEST:
            found = [one.code for one in judged(spec, other).findings if one.severity != "note"]
            assert len(found) <= 2 and "R012" not in found, found


def of_size(model_type: str, **values: object) -> dict[str, Any]:
    return {"model_type": model_type, "architectures": [base_record(model_type)["class"]], **values}


SIZES = {
    "efficientnet b0 b4": (
        of_size("efficientnet", width_coefficient=1.0, depth_coefficient=1.0, hidden_dim=1280),
        of_size("efficientnet", width_coefficient=1.4, depth_coefficient=1.8, hidden_dim=1792),
    ),
    "efficientnet b0 b7": (
        of_size("efficientnet", width_coefficient=1.0, depth_coefficient=1.0, hidden_dim=1280),
        of_size("efficientnet", width_coefficient=2.0, depth_coefficient=3.1, hidden_dim=2560),
    ),
    "mobilenet": (of_size("mobilenet_v2", depth_multiplier=1.4), of_size("mobilenet_v2", depth_multiplier=1.0)),
    "mobilevit": (of_size("mobilevitv2", width_multiplier=0.5), of_size("mobilevitv2", width_multiplier=1.0)),
    "resnet 18 50": (
        of_size("resnet", layer_type="basic", depths=[2, 2, 2, 2], hidden_sizes=[64, 128, 256, 512]),
        of_size("resnet", layer_type="bottleneck", depths=[3, 4, 6, 3], hidden_sizes=[256, 512, 1024, 2048]),
    ),
    "regnet x y": (
        of_size("regnet", layer_type="x", depths=[2, 5, 14, 2], hidden_sizes=[80, 240, 560, 1360], groups_width=40),
        of_size("regnet", layer_type="y", depths=[2, 6, 17, 2], hidden_sizes=[168, 448, 896, 2016], groups_width=56),
    ),
    "musicgen": (
        of_size("musicgen", audio_encoder={"model_type": "encodec"}, text_encoder={"model_type": "t5"},
                decoder={"model_type": "musicgen_decoder", "hidden_size": 1024, "num_hidden_layers": 24}),
        of_size("musicgen", audio_encoder={"model_type": "encodec", "num_filters": 64},
                text_encoder={"model_type": "t5", "d_model": 768, "num_layers": 12, "d_ff": 3072, "num_heads": 12},
                decoder={"model_type": "musicgen_decoder", "hidden_size": 2048, "num_hidden_layers": 48}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(SIZES, 3))
def test_where_no_key_explains_the_shapes_the_whole_config_is_reported(name: str) -> None:
    for config, other in (SIZES[name], SIZES[name][::-1]):
        findings = [one for one in judged(genuine(config), other).findings if one.severity != "note"]
        assert len(findings) == 1
        if isinstance(findings[0], ConfigOfAnotherSize) and not findings[0].keys:
            assert "belongs to these weights" in findings[0].remedy().words


def test_a_search_that_is_given_up_is_listed_as_not_checked() -> None:
    config, other = SIZES["efficientnet b0 b4"]
    audited = judged(genuine(config), other)
    assert "which keys of the config are wrong" in {one.check for one in audited.skipped}
    counts = audited.counts
    assert counts.parameters + counts.buffers + counts.unexplained == counts.stored_elements


def test_equal_entries_are_a_list_where_a_list_is_stated() -> None:
    """Classes that read entries by their index refuse a single number in place of a list."""
    solved: dict[Leaf, Value] = {("factor", 0): 2, ("factor", 1): 2}
    assert solved_keys(solved, lambda _: [1, 1, 1]) == {("factor",): [2, 2]}
    assert solved_keys(solved, lambda _: 1) == {("factor",): 2}


LARGE = of_size("bert", architectures=["BertModel"], hidden_size=1024, intermediate_size=4096, num_hidden_layers=24,
                num_attention_heads=16, max_position_embeddings=512, type_vocab_size=2, vocab_size=30522)  # fmt: skip
LONGER = {**LARGE, "vocab_size": 30, "max_position_embeddings": 40000, "num_hidden_layers": 30}


@pytest.mark.parametrize(("class_name", "lost", "whole"), [
    ("BertForMaskedLM", "", True), ("BertForSequenceClassification", "", True), ("BertModel", "", True),
    ("BertForMaskedLM", "encoder.layer.23.", False),
])  # fmt: skip
def test_a_whole_published_model_lacks_no_layers(class_name: str, lost: str, whole: bool) -> None:
    spec = {name: entry for name, entry in genuine(LARGE).items() if not (lost and name.startswith(lost))}
    found = judged(spec, {**LONGER, "architectures": [class_name]}).findings
    assert ([one.code for one in found if one.severity == "error"] == ["C315"]) is whole


STABLE = {one["variant"]: one for one in diffusers_records("UNet2DConditionModel")}
"""Variant -> record of a UNet, the published ones in full size."""


@pytest.mark.parametrize(("stored", "stated", "heads", "unseen"), [
    ("stable-diffusion-v1-5", "stable-diffusion-2-1", None, True),
    ("stable-diffusion-2-1", "stable-diffusion-v1-5", None, True),
    ("stable-diffusion-2-1", "stable-diffusion-v1-5", [5, 10, 20, 20], False),
])  # fmt: skip
def test_the_config_of_another_published_unet(stored: str, stated: str, heads: Any, unseen: bool) -> None:
    """Setting the keys that the shapes determine would leave the number of heads of the other model, which loads."""
    config = {"_class_name": "UNet2DConditionModel", **STABLE[stated]["config"]}
    config |= {} if heads is None else {"attention_head_dim": heads}
    (one,) = (one for one in judged(spec_of(STABLE[stored]), config).findings if one.severity == "error")
    assert (one.code, one.facts["published"]) == ("C315", [stored])
    assert ("attention_head_dim" in one.help) == unseen == (not one.remedy().steps)


CONTROL: dict[str, dict[str, Any]] = {
    "sd-controlnet-canny": {"cross_attention_dim": 768, "use_linear_projection": False, "attention_head_dim": 8},
    "controlnet-sd21-canny-diffusers": {
        "cross_attention_dim": 1024, "use_linear_projection": True, "attention_head_dim": [5, 10, 20, 20],
    },
}  # fmt: skip
"""ControlNet -> what its config states differently from the other one's."""


@pytest.mark.parametrize(("stored", "stated"), [(one, other) for one in CONTROL for other in CONTROL])
def test_the_config_of_another_published_controlnet(stored: str, stated: str) -> None:
    spec = genuine({"_class_name": "ControlNetModel", **CONTROL[stored]})
    found = judged(spec, {"_class_name": "ControlNetModel", **CONTROL[stated]}).findings
    errors = [one for one in found if one.severity == "error"]
    assert [(one.code, one.facts["published"]) for one in errors] == ([] if stored == stated else [("C315", [stored])])
    assert all("attention_head_dim" in one.help and not one.remedy().steps for one in errors)
