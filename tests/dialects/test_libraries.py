"""Libraries that are recognized by tensor names."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from inspector.auditing.result import Audit
from inspector.dialects.libraries import LIBRARIES, WRAPPERS, library_of
from tests.checkpoints import Spec, genuine, write_file
from tests.findings.cases import of_llava_tower, of_vits, of_xtts
from tests.findings.library_cases import (
    CLIP,
    INTERN_VIT,
    TIMM_CLIP,
    clip,
    clip_of_transformers,
    in_folder,
    of_open_clip,
    speech,
    timm_clip,
    xtts_vocabulary,
)
from tests.findings.library_cases import OF_TIMM as OF_TIMM_VIT
from tests.judged import base_record, codes, judged, spec_of
from tests.readers.file_builders import Code, archive
from tests.sparse_models import LLAMA8B

pytestmark = pytest.mark.thinned

AUDIOCRAFT: Spec = {
    **{f"emb.{n}.weight": ("F32", (33, 32)) for n in range(4)},
    **{f"linears.{n}.weight": ("F32", (32, 32)) for n in range(4)},
    **{f"transformer.layers.{n}.self_attn.in_proj_weight": ("F32", (96, 32)) for n in range(2)},
    **{f"transformer.layers.{n}.linear1.weight": ("F32", (64, 32)) for n in range(2)},
    "out_norm.weight": ("F32", (32,)),
}


def test_all_signs_together_name_the_library() -> None:
    for (library, signs), wrapper in product(LIBRARIES, WRAPPERS):
        assert library_of([wrapper + sign for sign in (*signs, "other.weight")]) == library
        assert len(signs) < 2 or library_of([wrapper + sign for sign in signs[1:]]) != library, (library, wrapper)


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


@pytest.mark.parametrize(("rows", "more", "found"), [
    (197, {}, False), (257, {}, False),  # of another size, which timm resizes
    (198, {}, True), (199, {}, True),
    (196, {}, False),  # an architecture whose table has no row for the class
    (198, {"dist_token": ("F32", (1, 1, 192))}, False), (201, {"reg_token": ("F32", (1, 4, 192))}, False),
    (513, {}, True), (513, {"input_size": [1, 1024, 128]}, False), (513, {"img_size": [1024, 128]}, False),
    (199, {"blocks.0.attn.qkv.weight": None, "blocks.1.attn.qkv.weight": None}, False),
])  # fmt: skip
def test_positions_of_timm(rows: int, more: dict[str, Any], found: bool) -> None:
    spec = {
        **TIMM_VIT,
        "pos_embed": ("F32", (1, rows, 192)),
        **{key: one for key, one in more.items() if "_tok" in key},
    }
    spec = {name: entry for name, entry in spec.items() if more.get(name, entry) is not None}
    sizes = {key: more[key] for key in ("input_size",) if key in more}
    built = {"model_args": {"img_size": more["img_size"]}} if "img_size" in more else {}
    config = {**OF_TIMM, "pretrained_cfg": {"tag": "augreg", **sizes}, **built}
    assert any(one.code == "N684" for one in judged(spec, config).findings) is found


@pytest.mark.parametrize(("named", "parts", "found"), [
    ("google/siglip-so400m-patch14-384", "mm_vision_tower,mm_mlp_adapter,mm_language_model", True),
    ("google/siglip-so400m-patch14-384", "mm_mlp_adapter,mm_language_model", False),
    ("google/siglip-so400m-patch14-384", None, False),
    ("me/my-trained-tower", "mm_vision_tower,mm_mlp_adapter", False),  # which may be the trained one
])  # fmt: skip
def test_a_trained_tower_of_llava_that_is_not_stored(named: str, parts: str | None, found: bool) -> None:
    audited = of_llava_tower(named, mm_tunable_parts=parts)
    assert any(one.code == "N685" for one in audited.findings) is found


@pytest.mark.parametrize(("name", "stored"), [
    ("model.vision_tower.vision_tower.vision_model.embeddings.position_embedding.weight", True),
    ("model.encoder_of_images.blocks.0.attn.qkv.weight", True),
    ("model.vision_resampler.proj.weight", False), ("model.image_newline", False),
])  # fmt: skip
def test_a_trained_tower_of_llava_that_is_stored(name: str, stored: bool) -> None:
    spec = {**genuine(LLAMA8B), name: ("BF16", (729, 1152)), "model.mm_projector.weight": ("BF16", (4096, 1152)),
            "model.mm_projector.bias": ("BF16", (4096,))}  # fmt: skip
    own = {"model_type": "llava_llama", "architectures": ["LlavaLlamaForCausalLM"], "mm_projector_type": "linear",
           "mm_vision_tower": "google/siglip-so400m-patch14-384", "mm_hidden_size": 1152,
           "mm_tunable_parts": "mm_vision_tower,mm_mlp_adapter"}  # fmt: skip
    assert all(one.code != "N685" for one in judged(spec, {**LLAMA8B, **own}).findings) is stored


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
    (found,) = [one for one in audited.findings if one.code in ("N542", "N682")]
    read = not (lacking or below)
    assert (found.code, found.severity) == (("N542", "note") if read else ("N682", "warning"))
    assert (found.facts["library"], found.facts.get("lacking", ""), found.facts.get("below", "")) == (
        "Meta's sam3", lacking, below,
    )  # fmt: skip
    assert words in found.help


@pytest.mark.parametrize("prefix", ["", "module."])
def test_a_library_is_named_without_a_config(prefix: str) -> None:
    audited = judged({prefix + name: entry for name, entry in AUDIOCRAFT.items()}, None)
    assert audited.verdict == "undecided"
    assert [one.facts["library"] for one in audited.findings if one.code == "N542"] == ["audiocraft"]
    assert [one.facts["prefix"] for one in audited.findings if one.code == "N758"] == ([prefix] if prefix else [])


@pytest.mark.parametrize(("names", "parts"), [
    (["module.a.w", "module.b.w"], [""]),
    (["generator.module.a.w", "generator.module.b.w", "disc.a.w"], ["generator."]),
    (["generator.module.a.w", "generator.b.w"], []), (["encoder.module.weight", "decoder.weight"], []),
    (["module.a.w", "n_averaged"], []),
])  # fmt: skip
def test_the_prefix_of_data_parallel_before_unknown_names(names: list[str], parts: list[str]) -> None:
    audited = judged(dict.fromkeys(names, ("F32", (8, 4))), None)
    assert [one.facts.get("part", "") for one in audited.findings if one.code == "N758"] == parts


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


@pytest.mark.parametrize(("words", "added", "found"), [(77, 0, True), (66, 0, False), (66, 3, False), (60, 0, True)])
def test_the_vocabulary_of_xtts_has_as_many_tokens_as_its_weights(words: int, added: int, found: bool) -> None:
    assert any(one.code == "N663" for one in xtts_vocabulary(words, added).findings) is found


def clip_with(key: str, value: Any) -> dict[str, Any]:
    """The config of OpenCLIP with another value."""
    part, _, name = key.rpartition(".")
    return {**CLIP, part: {**CLIP[part], name: value}} if part else {**CLIP, key: value}


@pytest.mark.parametrize(("spec", "config", "keys"), [
    (clip(), CLIP, []), (clip(text="text."), CLIP, []), (clip(64, 2), CLIP, ["vision_cfg.width"]),
    (clip(64, 4), CLIP, ["vision_cfg.width", "vision_cfg.layers"]),
    (clip(), clip_with("vision_cfg.patch_size", 16), ["vision_cfg.patch_size"]),
    (clip(), clip_with("embed_dim", 32), ["embed_dim"]),
    (clip(), clip_with("text_cfg.layers", 12), ["text_cfg.layers"]),
    (clip(text="text."), clip_with("text_cfg.vocab_size", 49408), ["text_cfg.vocab_size"]),
    (clip(), clip_with("vision_cfg.layers", [3, 4, 6, 3]), []), (clip(), clip_with("vision_cfg.image_size", 64), []),
    (timm_clip(768, 12, 16), TIMM_CLIP, []), (timm_clip(768, 12, 32), TIMM_CLIP, ["patch size"]),
    (timm_clip(1024, 24, 14), TIMM_CLIP, ["width", "blocks", "patch size"]),
    (timm_clip(896, 12, 16), {**TIMM_CLIP, "vision_cfg": {"timm_model_name": "vit_base_patch16_plus_240"}}, []),
    (timm_clip(384, 36, 16), {**TIMM_CLIP, "vision_cfg": {"timm_model_name": "vit_small_patch16_36x1_224"}}, []),
    (timm_clip(96, 4, 16), {**TIMM_CLIP, "vision_cfg": {"timm_model_name": "convnext_base"}}, []),
])  # fmt: skip
def test_the_config_of_open_clip_has_the_sizes_of_its_weights(
    spec: Spec, config: dict[str, Any], keys: list[str]
) -> None:
    found = [one for one in of_open_clip(spec, config).findings if one.code == "N661"]
    assert [one.partition(" of ")[0] for finding in found for one in finding.facts["keys"]] == keys


def test_the_remedy_states_the_sizes_of_the_weights() -> None:
    (found,) = (one for one in of_open_clip(clip(64, 4)).findings if one.code == "N661")
    steps = [(step.key, step.new) for step in found.remedy().steps]
    assert steps == [(("model_cfg", "vision_cfg", "width"), 64), (("model_cfg", "vision_cfg", "layers"), 4)]


@pytest.mark.parametrize(("spec", "file", "config", "found"), [
    (clip_of_transformers(), "open_clip_model.safetensors", False, True),
    (clip_of_transformers(), "model.safetensors", False, True),
    (clip_of_transformers(), "model.safetensors", True, False),  # for transformers, beside its config
    (clip(), "open_clip_model.safetensors", False, False),
])  # fmt: skip
def test_names_that_open_clip_does_not_read(spec: Spec, file: str, config: bool, found: bool) -> None:
    texts = {"open_clip_config.json": {"model_cfg": CLIP}}
    record = base_record("clip", "Model")
    own = {"config.json": {**record["config"], "architectures": [record["class"]]}} if config else {}
    assert any(one.code == "N662" for one in in_folder(spec, file, texts | own).findings) is found


@pytest.mark.parametrize(("change", "found"), [
    ({}, True), ({"vit.": "embeddings"}, True), ({"patch_embed.proj.weight": ("F32", (32, 3, 14, 14))}, False),
])  # fmt: skip
def test_names_of_transformers_under_a_config_of_timm(change: dict[str, Any], found: bool) -> None:
    spec = INTERN_VIT | {key: entry for key, entry in change.items() if isinstance(entry, tuple)}
    if "vit." in change:
        spec = {f"vit.{name}": entry for name, entry in spec.items()}
    audited = judged(spec, OF_TIMM_VIT)
    assert any(one.code == "N664" for one in audited.findings) is found


@pytest.mark.parametrize(("audited", "found"), [
    (lambda: speech("preprocessor_config.json", "README.md"), True), (lambda: speech(), False),
    (lambda: speech("preprocessor_config.json", "generation_config.json"), False),
    (lambda: speech("preprocessor_config.json", "vocab.json"), False),
    (lambda: speech("processor_config.json", "tokenizer.json"), False),
    (lambda: speech("preprocessor_config.json", model_type="wav2vec2", suffix="CTC"), True),
    (lambda: speech("preprocessor_config.json", "vocab.json", model_type="hubert", suffix="CTC"), False),
    (lambda: speech("preprocessor_config.json", model_type="wav2vec2", suffix="SequenceClassification"), False),
    (lambda: speech("preprocessor_config.json", "trainer_state.json", model_type="qwen2_vl"), True),
    (lambda: speech("preprocessor_config.json", model_type="imagegpt", suffix="Modeling"), False),
])  # fmt: skip
def test_a_processor_without_its_tokenizer(audited: Callable[[], Audit], found: bool) -> None:
    assert any(one.code == "R060" for one in audited().findings) is found


@pytest.mark.parametrize(("named", "more", "found"), [
    ("openai/clip-vit-large-patch14-336", {}, True), ("google/siglip-so400m-patch14-384", {}, False),
    ("./towers/own", {}, False), ("openai/clip-vit-large-patch14-336", {"s2": True}, False),
    ("openai/clip-vit-large-patch14-336", {"mm_hidden_size": 1024}, True),
    ("google/siglip-so400m-patch14-384", {"mm_hidden_size": 1024}, False),
])  # fmt: skip
def test_the_tower_of_llava_has_the_width_that_the_projector_takes(
    named: str, more: dict[str, Any], found: bool
) -> None:
    findings = [one for one in of_llava_tower(named, **more).findings if one.code == "N648"]
    assert bool(findings) is found
    assert all(('"mm_hidden_size" to 1152' in one.remedy().words) is bool(more) for one in findings)


def test_a_tower_and_its_width_of_another_model_are_one_finding() -> None:
    findings = of_llava_tower("openai/clip-vit-large-patch14-336", mm_hidden_size=1024).findings
    assert [one.code for one in findings if one.severity != "note"] == ["N648"]


@pytest.mark.parametrize(("more", "expected"), [
    ({}, []), ({"mm_hidden_size": 1024}, [(1024, 1152)]), ({"mm_hidden_size": 1024, "s2": True}, []),
    ({"mm_hidden_size": 1664, "mm_vision_tower": "./towers/own"}, [(1664, 1152)]),
])  # fmt: skip
def test_the_width_that_llava_states_is_the_one_that_the_projector_takes(
    more: dict[str, Any], expected: list[tuple[int, int]]
) -> None:
    found = [one.facts for one in of_llava_tower("google/siglip-so400m-patch14-384", **more).findings]
    assert [(one["config"], one["weights"]) for one in found if one.get("key") == "mm_hidden_size"] == expected


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


@pytest.mark.parametrize(("key", "stored", "reads"), [
    ("", "model.pth", "params"), ("params", "model.pth", ""), ("params_ema", "model.pth", ""),
    ("state_dict", "model.pth", ""), ("", "model.safetensors", ""),
])  # fmt: skip
def test_basicsr_looks_for_a_key(key: str, stored: str, reads: str, tmp_path: Path) -> None:
    """A state dict at the top raises KeyError in `load_network`."""
    spec: Spec = {}
    for block in range(2):
        before = f"body.{block}.rdb"
        spec[f"{before}1.conv1.weight"] = ("F32", (4, 8, 3, 3))
        spec[f"{before}3.conv5.weight"] = ("F32", (8, 4, 3, 3))
    code = Code().add(b"}")
    storages: dict[str, bytes] = {}
    code = code.text(key).add(b"}(") if key else code.add(b"(")
    for number, (name, (_, shape)) in enumerate(spec.items()):
        code.text(name).tensor(shape, str(number), storage="FloatStorage")
        storages[str(number)] = bytes(4 * prod(shape))
    if stored.endswith(".pth"):
        (tmp_path / stored).write_bytes(archive(code.add(b"us" if key else b"u").stop(), storages))
    else:
        write_file(tmp_path / stored, spec)
    for path in (tmp_path / stored, tmp_path):
        (found,) = (one for one in audit(str(path)).findings if one.code == "N542")
        assert found.facts["reads_below"] == reads and ("below this key" in str(found.help)) == bool(reads)
