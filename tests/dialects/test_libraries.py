"""Libraries that are recognized by tensor names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from inspector.auditing.result import Audit
from inspector.dialects.libraries import LIBRARIES, WRAPPERS, library_of
from tests.checkpoints import Spec, write_file
from tests.findings.cases import of_llava_tower, of_vits, of_xtts
from tests.judged import base_record, codes, judged, spec_of

AUDIOCRAFT: Spec = {
    **{f"emb.{n}.weight": ("F32", (33, 32)) for n in range(4)},
    **{f"linears.{n}.weight": ("F32", (32, 32)) for n in range(4)},
    **{f"transformer.layers.{n}.self_attn.in_proj_weight": ("F32", (96, 32)) for n in range(2)},
    **{f"transformer.layers.{n}.linear1.weight": ("F32", (64, 32)) for n in range(2)},
    "out_norm.weight": ("F32", (32,)),
}


@pytest.mark.parametrize(("library", "signs"), LIBRARIES)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_all_signs_together_name_the_library(library: str, signs: tuple[str, ...], wrapper: str) -> None:
    assert library_of([wrapper + sign for sign in (*signs, "other.weight")]) == library
    assert len(signs) < 2 or library_of([wrapper + sign for sign in signs[1:]]) != library


@pytest.mark.parametrize(("library", "keys"), [
    ("mmdetection", ("backbone.conv1.weight", "backbone.bn1.running_mean", "backbone.layer1.#.conv1.weight",
                     "bbox_head.fc_cls.weight")),
    ("detectron2", ("backbone.patch_embed.proj.weight", "sem_seg_head.predictor.query_embed.weight",
                    "backbone.layers.#.blocks.#.attn.relative_position_bias_table")),
    ("Depth Anything's own code", ("pretrained.patch_embed.proj.weight", "pretrained.blocks.#.attn.qkv.weight",
                                   "depth_head.projects.#.weight")),
    (None, ("model.encoder.lateral_convs.#.conv.weight", "model.decoder.class_embed.#.weight")),
])  # fmt: skip
def test_a_model_around_the_encoder_of_another_library(library: str | None, keys: tuple[str, ...]) -> None:
    assert library_of(keys) == library


TIMM_VIT: Spec = {                             # of the architecture vit_tiny_patch16_224, with two blocks
    "cls_token": ("F32", (1, 1, 192)),
    "pos_embed": ("F32", (1, 197, 192)),
    "patch_embed.proj.weight": ("F32", (192, 3, 16, 16)),
    "patch_embed.proj.bias": ("F32", (192,)),
    **{
        f"blocks.{n}.{name}.{kind}": ("F32", shape if kind == "weight" else shape[:1])
        for n in range(2)
        for name, shape in (
            ("norm1", (192,)), ("attn.qkv", (576, 192)), ("attn.proj", (192, 192)),
            ("norm2", (192,)), ("mlp.fc1", (768, 192)), ("mlp.fc2", (192, 768)),
        )
        for kind in ("weight", "bias")
    },
    "norm.weight": ("F32", (192,)),
    "norm.bias": ("F32", (192,)),
    "head.weight": ("F32", (1000, 192)),
    "head.bias": ("F32", (1000,)),
}  # fmt: skip
OF_TIMM = {"architecture": "vit_tiny_patch16_224", "num_classes": 1000, "pretrained_cfg": {"tag": "augreg"}}


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (OF_TIMM, "timm_wrapper"),  # as transformers reads it
        ({"architecture": "vit_tiny_patch16_224", "num_classes": 1000}, None),  # a key that affects no shape
        ({**OF_TIMM, "model_type": "timm_wrapper"}, "timm_wrapper"),
    ],
)
def test_weights_of_timm_are_not_compared_with_a_tower_of_the_same_names(
    config: dict[str, object], named: str | None
) -> None:
    audited = judged(TIMM_VIT, config)
    assert codes(audited) == set()
    unknown = [one for one in audited.findings if one.code == "N412"]
    assert [one.facts["model_type"] for one in unknown] == [named] * bool(named)
    assert all(one.facts["library"] == "timm" and "load it with timm" in one.help for one in unknown)


@pytest.mark.parametrize(("more", "expected"), [
    ({}, None),
    ({"num_classes": 30}, ("num_classes", 30)),
    ({"num_classes": 0}, ("num_classes", 0)),
    ({"pretrained_cfg": {"tag": "augreg", "num_classes": 30, "classifier": "head"}}, None),  # beside it counts first
    ({"pretrained_cfg": {"tag": "augreg", "classifier": ["head", "head_dist"]}, "num_classes": 7}, ("num_classes", 7)),
    ({"pretrained_cfg": {"tag": "augreg", "classifier": "fc"}, "num_classes": 7}, None),  # not stored
])  # fmt: skip
def test_classes_of_timm(more: dict[str, object], expected: tuple[str, int] | None) -> None:
    found = [one.facts for one in judged(TIMM_VIT, {**OF_TIMM, **more}).findings if one.code == "C310"]
    assert [(one["key"], one["config"]) for one in found] == [expected] * (expected is not None)
    assert all(one["weights"] == 1000 for one in found)


def test_classes_of_timm_in_the_inner_config() -> None:
    config = {"architecture": "vit_tiny_patch16_224", "pretrained_cfg": {"tag": "augreg", "num_classes": 30}}
    assert [one.facts["key"] for one in judged(TIMM_VIT, config).findings if one.code == "C310"] == [
        "pretrained_cfg.num_classes"
    ]


FISH: Spec = {
    f"{stack}.{n}.attention.{name}.weight": ("F32", (32, 32))
    for stack in ("layers", "fast_layers") for n in range(2) for name in ("wqkv", "wo")
}  # fmt: skip


def test_the_library_of_an_unknown_type_is_named() -> None:
    audited = judged(FISH, {"model_type": "dual_ar", "n_layer": 2})
    assert [one.facts["library"] for one in audited.findings if one.code == "N412"] == ["fish-speech"]


SAM3: Spec = {f"backbone.vision_backbone.trunk.blocks.{n}.attn.qkv.weight": ("F32", (96, 32)) for n in range(2)}


@pytest.mark.parametrize(("prefix", "lacking", "below", "words"), [
    ("", "detector.", "", '"detector." + key'), ("detector.", "", "", "load it with Meta's sam3"),
    ("module.detector.", "", "module.", 'key.removeprefix("module.")'),
    ("module.", "detector.", "module.", '"detector." + key.removeprefix("module.")'),
])  # fmt: skip
def test_the_prefix_of_the_only_names_that_a_library_reads(prefix: str, lacking: str, below: str, words: str) -> None:
    """Its loader removes no prefix of DataParallel, as other programs do."""
    audited = judged({prefix + name: entry for name, entry in SAM3.items()}, None)
    (found,) = [one for one in audited.findings if one.code == "N542"]
    assert (found.facts["library"], found.facts["lacking"], found.facts["below"]) == ("Meta's sam3", lacking, below)
    assert words in found.help


@pytest.mark.parametrize("prefix", ["", "module."])
def test_a_library_is_named_without_a_config(prefix: str) -> None:
    audited = judged({prefix + name: entry for name, entry in AUDIOCRAFT.items()}, None)
    assert audited.verdict == "undecided"
    assert [one.facts["library"] for one in audited.findings if one.code == "N542"] == ["audiocraft"]


def below(prefix: str, model_type: str, suffix: str) -> Spec:
    """The tensors of a model below a prefix."""
    return {prefix + name: entry for name, entry in spec_of(base_record(model_type, suffix)).items()}


@pytest.mark.parametrize(("spec", "expected"), [
    ({**below("text_encoder.", "bert", "BertModel"), **below("vision.tower.", "clip_vision_model", "Model")},
     {"text_encoder.": "bert", "vision.tower.": "clip_vision_model"}),
    ({f"backbone.{name}": entry for name, entry in TIMM_VIT.items()}, {"backbone.": "timm"}),
    ({f"{prefix}{name}": entry for prefix in ("model.", "teacher.") for name, entry in TIMM_VIT.items()},
     {"model.": "timm", "teacher.": "timm"}),
    (below("policy.vlm.model.", "qwen2_5_vl", "ForConditionalGeneration"), {"policy.vlm.model.": "qwen2_5_vl"}),
    ({f"encoder.trunk.{name}": entry for name, entry in TIMM_VIT.items()}, {"encoder.trunk.": "timm"}),
    (below("net.", "bert", "BertModel") | {"net.embeddings.own.weight": ("F32", (3, 48))}, {}),
    ({f"encoder.stem_{n}.kernel": ("F32", (4, 4)) for n in "abcdefghij"}, {}),
])  # fmt: skip
def test_known_parts_of_an_unknown_model(spec: Spec, expected: dict[str, str]) -> None:
    more: Spec = {f"action_head.{n}.weight": ("F32", (4, 4)) for n in "ab"}
    audited = judged({**spec, **more}, None)
    found = [one.facts for one in audited.findings if one.code == "N545"]
    assert audited.verdict == "undecided"
    assert [dict(zip(one["prefixes"], one["models"], strict=True)) for one in found] == [expected] * bool(expected)
    assert all(one["outside"] == ["action_head"] for one in found)


OPENAI_UNET: Spec = {
    "time_embed.0.weight": ("F32", (128, 32)), "input_blocks.0.0.weight": ("F32", (32, 3, 3, 3)),
    "input_blocks.1.0.in_layers.2.weight": ("F32", (32, 32, 3, 3)), "input_blocks.1.1.qkv.weight": ("F32", (96, 32, 1)),
}  # fmt: skip
OF_FLUX: Spec = {
    "input_hint_block.0.weight": ("BF16", (16, 3, 3, 3)), "controlnet_blocks.0.weight": ("BF16", (32, 32)),
    "double_blocks.0.img_mod.lin.weight": ("BF16", (192, 32)), "img_in.weight": ("BF16", (32, 64)),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "component", "library"), [
    (OPENAI_UNET, "unet", "OpenAI's improved-diffusion or guided-diffusion"),
    (OF_FLUX, "controlnet", "XLabs' x-flux or ComfyUI"),
    ({name: entry for name, entry in OPENAI_UNET.items() if "qkv" not in name}, "unet", None),
])  # fmt: skip
def test_a_lone_network_of_other_code_lacks_no_components(
    spec: Spec, component: str, library: str | None, tmp_path: Path
) -> None:
    write_file(tmp_path / "network.safetensors", spec, {"format": "pt"})
    audited = audit(str(tmp_path / "network.safetensors"))
    assert list(audited.components) == [component] and "N495" not in {one.code for one in audited.findings}
    named = [one.facts["library"] for one in audited.findings if one.code == "N542"]
    assert named == ([] if library is None else [library])


@pytest.mark.parametrize(("made", "key"), [
    (lambda: of_vits(50), "symbols"), (lambda: of_vits(52), None),
    (lambda: of_xtts(gpt_num_audio_tokens=8194), "model_args.gpt_num_audio_tokens"),
    (lambda: of_xtts(gpt_num_audio_tokens=1026), None), (of_xtts, None),
])  # fmt: skip
def test_the_config_of_a_library_has_the_sizes_of_its_weights(made: Callable[[], Audit], key: str | None) -> None:
    assert [one.place.key for one in made().findings if one.code == "N647"] == [key] * bool(key)


@pytest.mark.parametrize(("named", "more", "found"), [
    ("openai/clip-vit-large-patch14-336", {}, True), ("google/siglip-so400m-patch14-384", {}, False),
    ("./towers/own", {}, False), ("openai/clip-vit-large-patch14-336", {"s2": True}, False),
    ("openai/clip-vit-large-patch14-336", {"mm_hidden_size": 1024}, False),
])  # fmt: skip
def test_the_tower_of_llava_has_the_width_that_the_projector_takes(
    named: str, more: dict[str, Any], found: bool
) -> None:
    assert any(one.code == "N648" for one in of_llava_tower(named, **more).findings) is found


JAX_VIT: Spec = {
    "cls": ("F32", (1, 1, 64)),
    "embedding/kernel": ("F32", (14, 14, 3, 64)),
    "head/kernel": ("F32", (64, 1000)),
    "Transformer/encoderblock_0/MultiHeadDotProductAttention_1/query/kernel": ("F32", (64, 4, 16)),
}


@pytest.mark.parametrize(("left_out", "found"), [("", True), ("embedding/kernel", False)])
def test_weights_of_jax_are_named(left_out: str, found: bool) -> None:
    spec: Spec = {name: entry for name, entry in JAX_VIT.items() if name != left_out}
    named = [one.facts["library"] for one in judged(spec, None).findings if one.code == "N542"]
    assert named == ["Google's vision_transformer (JAX), or timm"] * found
