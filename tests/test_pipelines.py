"""Audits of diffusers pipelines: sums over components, missing and exchanged components, and the index."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import inspector
from inspector.auditing.adapter.audit import audit_adapter
from inspector.auditing.adapter.base_read import read_base
from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.pipeline.parts import _agreeing
from inspector.auditing.pipeline.widths import classes_of_input, of_other_widths
from inspector.auditing.start import audit
from inspector.cli.verbs import mend
from inspector.loading.schedulers import refused_settings
from inspector.reconciler.stated_total import read_claim
from inspector.report.json_v1 import audit_json
from inspector.report.listing import every_tensor_json, every_tensor_text, tensors_text
from inspector.report.text import audit_text
from tests.adapters.records import checkpoint, records
from tests.adapters.records import spec_of as adapter_spec
from tests.checkpoints import genuine, write
from tests.judged import base_record, codes, diffusers_records, spec_of
from tests.loads.damage import Folder, WeightFile
from tests.loads.damage import write as write_folder

pytestmark = pytest.mark.thinned

TEXT: dict[str, Any] = {
    "model_type": "clip_text_model", "architectures": ["CLIPTextModel"], "hidden_size": 48, "intermediate_size": 80,
    "num_hidden_layers": 3, "num_attention_heads": 6, "max_position_embeddings": 77, "vocab_size": 103,
}  # fmt: skip
UNET: dict[str, Any] = {
    "_class_name": "UNet2DConditionModel", "in_channels": 4, "out_channels": 4, "block_out_channels": [32, 64],
    "layers_per_block": 2, "cross_attention_dim": 48, "transformer_layers_per_block": 1,
    "down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"],
    "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"], "use_linear_projection": False,
}  # fmt: skip
VAE: dict[str, Any] = {"_class_name": "AutoencoderKL"}
PARTS = {
    "_class_name": "StableDiffusionPipeline",
    "_diffusers_version": "0.30.0",
    "unet": ["diffusers", "UNet2DConditionModel"],
    "text_encoder": ["transformers", "CLIPTextModel"],
    "vae": ["diffusers", "AutoencoderKL"],
    "tokenizer": ["transformers", "CLIPTokenizer"],
    "scheduler": ["diffusers", "PNDMScheduler"],
    "safety_checker": [None, None],
    "requires_safety_checker": True,
}


def pipeline(folder: Path, parts: dict[str, Any]) -> Path:
    """A pipeline of a UNet, a VAE and a text encoder."""
    for name, config in (("unet", UNET), ("vae", VAE)):
        write(folder / name, genuine(config, "F16"), config)
        (folder / name / "model.safetensors").rename(folder / name / "diffusion_pytorch_model.safetensors")
    write(folder / "text_encoder", genuine(TEXT, "F16"), TEXT)
    (folder / "model_index.json").write_text(json.dumps(parts), encoding="utf-8")
    (folder / "tokenizer").mkdir()
    (folder / "tokenizer" / "tokenizer.json").write_text("{}", encoding="utf-8")
    (folder / "scheduler").mkdir()
    (folder / "scheduler" / "scheduler_config.json").write_text('{"_class_name": "PNDMScheduler"}', encoding="utf-8")
    return folder


def test_components_are_audited_and_added_up(tmp_path: Path) -> None:
    audited = audit(str(pipeline(tmp_path, PARTS)))
    assert audited.verdict == "clean", audited.findings
    assert list(audited.components) == ["unet", "text_encoder", "vae"]
    sums = [part.counts.unique_parameters for part in audited.components.values()]
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == sum(sums)
    reported: Any = audit_json(audited)
    assert reported["components"]["unet"]["schema"] == "inspector.audit/1"
    assert reported["components"]["text_encoder"]["verdict"] == "clean"
    assert "text_encoder  clip_text_model" in audit_text(audited)


def test_a_component_without_its_folder_is_missing(tmp_path: Path) -> None:
    audited = audit(str(pipeline(tmp_path, {**PARTS, "image_encoder": ["transformers", "CLIPVisionModel"]})))
    assert codes(audited) == {"N416"}
    assert audited.verdict == "findings"


@pytest.mark.parametrize("kept", [("conditioning_channels", "conditioning_embedding_out_channels"), ()])
def test_the_class_of_a_component_with_the_keys_of_another_class_is_corrected(
    kept: tuple[str, ...], tmp_path: Path
) -> None:
    """A ControlNet that a script listed as a UNet; without keys that only its class has, the weights are the UNet's."""
    listed = {"_class_name": "StableDiffusionControlNetPipeline", "controlnet": ["diffusers", "UNet2DConditionModel"]}
    folder = pipeline(tmp_path, PARTS | listed)
    own = {"conditioning_channels": 3, "conditioning_embedding_out_channels": [16, 32, 96, 256]}
    config = {**UNET, **own, "_class_name": "ControlNetModel"}
    write(folder / "controlnet", genuine(config, "F16"), {**UNET, **{key: own[key] for key in kept}})
    (folder / "controlnet" / "model.safetensors").rename(folder / "controlnet" / "diffusion_pytorch_model.safetensors")
    (finding,) = (one for one in audit(str(folder)).findings if one.severity != "note")
    assert (finding.code, [step.new for step in finding.steps]) == ("N401", ["ControlNetModel"] if kept else [])
    assert kept or finding.help.startswith("download the weights of controlnet again")


@pytest.mark.parametrize(
    ("name", "meant"), [("unet", "unet"), ("text_encoder/model.safetensors", "text_encoder"), ("other", "unet")]
)
def test_weights_of_a_pipeline_are_named_by_their_folder(name: str, meant: str, tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (finding,) = (one for one in audit(str(folder), weights=name).findings if one.severity == "error")
    assert finding.code == "R008" and f"--subfolder {meant} " in finding.help
    assert not [one for one in audit(str(folder)).findings if one.code == "R008"]


def test_many_components_that_the_pipeline_does_not_take_are_one_note(tmp_path: Path) -> None:
    many = {f"part_{number}": ["diffusers", "AutoencoderKL"] for number in range(5000)}
    audited = audit(str(pipeline(tmp_path, {**PARTS, **many})))
    (finding,) = audited.findings
    assert (finding.code, finding.severity, audited.verdict) == ("N478", "note", "clean")
    assert finding.title == "part_0, part_1, part_2, part_3 and 4,996 more"
    assert len(audit_text(audited).splitlines()) < 40


@pytest.mark.parametrize(("class_name", "saved", "words"), [
    ("CLIPTextModelWithProjection", "WithProjection", ""),
    ("CLIPTextModel", "WithProjection", "name CLIPTextModelWithProjection for text_encoder_2"),
    ("CLIPTextModel", "", "take text_encoder_2 and model_index.json from the pipeline"),
])  # fmt: skip
def test_a_text_encoder_without_a_projection(class_name: str, saved: str, words: str, tmp_path: Path) -> None:
    """Recorded: diffusers loads it, and `encode_prompt` of StableDiffusionXLPipeline fails."""
    parts = {**PARTS, "_class_name": "StableDiffusionXLPipeline", "text_encoder_2": ["transformers", class_name]}
    folder = pipeline(tmp_path, parts)
    config = {**TEXT, "architectures": [f"CLIPTextModel{saved}"], "projection_dim": 48}
    write(folder / "text_encoder_2", genuine(config, "F16"), config)
    found = [one for one in audit(str(folder)).findings if one.code == "N541"]
    assert [one.help.startswith(words) for one in found] == ([True] if words else [])


def test_a_component_without_a_config_is_of_the_class_that_the_pipeline_names(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    whole = audit(str(folder))
    (folder / "unet" / "config.json").unlink()
    audited = audit(str(folder))
    assert codes(audited) == {"C313"}
    assert audited.counts == whole.counts
    architecture = audited.components["unet"].architecture
    assert architecture is not None and architecture.name == "UNet2DConditionModel"


@pytest.mark.parametrize(
    ("index", "config", "code"),
    [
        ("UNet2DModel", UNET, "N424"),
        ("UNet2DConditionModel", {**UNET, "_class_name": "AutoencoderKL"}, "N401"),
        ("MyOwnUNet", UNET, "N475"),
    ],
)
def test_a_component_of_another_class_is_reported_once(
    index: str, config: dict[str, Any], code: str | None, tmp_path: Path
) -> None:
    folder = pipeline(tmp_path, {**PARTS, "unet": ["diffusers", index]})
    (folder / "unet" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert codes(audit(str(folder))) == ({code} if code else set())


VISION = {
    "model_type": "clip_vision_model", "architectures": ["CLIPVisionModelWithProjection"], "hidden_size": 48,
    "intermediate_size": 80, "num_hidden_layers": 2, "num_attention_heads": 6, "image_size": 32, "patch_size": 16,
    "projection_dim": 16,
}  # fmt: skip


@pytest.mark.parametrize(("index", "config", "suffix", "code"), [
    ("CLIPVisionModelWithProjection", VISION, "", None),
    ("CLIPTextModel", VISION, "", "N424"),
    ("CLIPTextModelWithProjection", VISION, "", "N424"),
    ("CLIPVisionModel", TEXT, "", "N424"),
    ("CLIPTextModelWithProjection", TEXT, "", "N424"),
    ("CLIPTextModel", {**TEXT, "architectures": ["CLIPTextModelWithProjection"], "projection_dim": 48}, "", None),
    ("T5EncoderModel", None, "ForConditionalGeneration", None),
    ("T5ForConditionalGeneration", None, "EncoderModel", "N424"),
], ids=["vision", "text for vision", "projected", "vision for text", "no projection", "projection too", "decoder too",
        "no decoder"])  # fmt: skip
def test_a_text_encoder_is_loaded_as_the_class_that_the_pipeline_names(
    index: str, config: dict[str, Any] | None, suffix: str, code: str | None, tmp_path: Path
) -> None:
    """Recorded: `from_pretrained` of that class, which initialises randomly what is not stored."""
    folder = pipeline(tmp_path, {**PARTS, "text_encoder": ["transformers", index]})
    record = base_record("t5", suffix)
    spec = spec_of(record) if config is None else genuine(config, "F16")
    config = config or {**record["config"], "model_type": "t5", "architectures": [record["class"]]}
    shutil.rmtree(folder / "text_encoder")
    write(folder / "text_encoder", spec, config)
    assert codes(audit(str(folder))) == ({code} if code else set())


def test_an_adapter_of_no_component_is_not_for_this_pipeline(tmp_path: Path) -> None:
    folder = pipeline(tmp_path / "base", PARTS)
    base = read_base(str(folder))
    for name, wanted in (("llama.default", {"A928"}), ("gpt2.default", {"A928"})):
        record = records()[name]
        found = audit_adapter(checkpoint(adapter_spec(name), record["adapter"]), base=base)
        assert codes(found) == wanted


@pytest.mark.parametrize(
    ("name", "config", "code"),
    [
        ("unet", {key: value for key, value in UNET.items() if key != "_class_name"}, None),
        ("vae", {}, None),
        ("unet", {}, "C314"),
        ("unet", {"crop_size": 224, "do_resize": True}, "C314"),
        ("unet", {**UNET, "_class_name": None}, "C314"),
        ("unet", {**UNET, "_class_name": 3}, "C314"),
    ],
)
def test_a_config_without_a_class_is_read_by_the_class_that_the_pipeline_names(
    name: str, config: dict[str, Any], code: str | None, tmp_path: Path
) -> None:
    """As diffusers 0.42 loads them; it refuses a class that is null or a number."""
    folder = pipeline(tmp_path, PARTS)
    (folder / name / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert codes(audit(str(folder))) == ({code} if code else set())
    if "_class_name" in config and code is not None:
        assert mend(str(folder), write=True, format="json").code == 0
        assert audit(str(folder)).verdict == "clean"


def test_another_components_weights_are_reported(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    text = (folder / "text_encoder" / "model.safetensors").read_bytes()
    (folder / "unet" / "diffusion_pytorch_model.safetensors").write_bytes(text)
    assert codes(audit(str(folder))) == {"N401"}


@pytest.mark.parametrize(
    ("name", "class_name", "files", "there"),
    [
        ("scheduler", "PNDMScheduler", [], False),
        ("scheduler", "PNDMScheduler", ["config.json"], False),
        ("scheduler", "PNDMScheduler", ["scheduler_config.json"], True),
        ("tokenizer", "CLIPTokenizer", [], False),
        ("tokenizer", "CLIPTokenizer", ["tokenizer_config.json", "special_tokens_map.json", "merges.txt"], False),
        ("tokenizer", "CLIPTokenizer", ["vocab.json", "merges.txt"], True),
        ("tokenizer", "T5TokenizerFast", ["spiece.model"], True),
        ("tokenizer", "ByT5Tokenizer", ["tokenizer_config.json"], True),
        ("feature_extractor", "CLIPFeatureExtractor", ["config.json"], False),
        ("feature_extractor", "CLIPImageProcessor", ["preprocessor_config.json"], True),
        ("feature_extractor", "CLIPImageProcessorPil", ["preprocessor_config.json"], True),
        ("feature_extractor", "CLIPImageProcessorPil", [], False),
        ("feature_extractor", "Qwen2VLProcessor", ["processor_config.json"], True),
    ],
)
def test_a_component_without_weights_needs_its_files(
    name: str, class_name: str, files: list[str], there: bool, tmp_path: Path
) -> None:
    """As transformers 5.23 and diffusers 0.42 read them; of a tokenizer without words they build an empty one."""
    library = "diffusers" if name == "scheduler" else "transformers"
    folder = pipeline(tmp_path, {**PARTS, name: [library, class_name]})
    shutil.rmtree(folder / name, ignore_errors=True)
    (folder / name).mkdir()
    for file in files:
        (folder / name / file).write_text("{}", encoding="utf-8")
    assert codes(audit(str(folder))) == (set() if there else {"N416"})
    shutil.rmtree(folder / name)
    assert codes(audit(str(folder))) == {"N416"}


CLIP: dict[str, Any] = {
    "model_type": "clip", "architectures": ["StableDiffusionSafetyChecker"], "projection_dim": 16,
    "vision_config": {"model_type": "clip_vision_model", "hidden_size": 32, "intermediate_size": 64,
                      "num_hidden_layers": 1, "num_attention_heads": 4, "image_size": 32, "patch_size": 16},
    "text_config": {"model_type": "clip_text_model"},
}  # fmt: skip


@pytest.mark.parametrize("tower", ["vision_model.", "vision_model.vision_model."])
def test_a_complete_safety_checker_is_clean(tower: str, tmp_path: Path) -> None:
    """34,292 parameters: `StableDiffusionSafetyChecker` of diffusers 0.42, which loads the names of both versions."""
    checker = ["stable_diffusion", "StableDiffusionSafetyChecker"]
    extractor = ["transformers", "CLIPImageProcessor"]
    folder = pipeline(tmp_path, {**PARTS, "safety_checker": checker, "feature_extractor": extractor})
    (folder / "feature_extractor").mkdir()
    (folder / "feature_extractor" / "preprocessor_config.json").write_text("{}", encoding="utf-8")
    spec = {name.replace("vision_model.", tower): entry for name, entry in genuine(CLIP).items()}
    write(folder / "safety_checker", spec, CLIP)
    audited = audit(str(folder))
    assert (audited.verdict, audited.components["safety_checker"].counts.unique_parameters) == ("clean", 34_292)
    alone = audit(str(folder / "safety_checker"))
    assert (alone.verdict, [one.loader for one in alone.loads if one.intended]) == ("clean", ["diffusers"])
    del spec["special_care_embeds"]
    write(folder / "safety_checker", spec, CLIP)
    assert codes(audit(str(folder))) == codes(audit(str(folder / "safety_checker"))) == {"N403"}


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("act_fn", "sillu", {"C311"}), ("act_fn", "swish", set()), ("time_embedding_type", "foo", {"C311"}),
        ("resnet_time_scale_shift", "bar", {"C311"}), ("addition_embed_type", "zzz", {"C311"}),
        ("class_embed_type", "zzz", set()),
        ("attention_head_dim", [4], {"C311"}), ("attention_head_dim", [4, 4], set()),
    ],
)  # fmt: skip
def test_values_with_which_diffusers_builds_no_unet(key: str, value: Any, found: set[str], tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (folder / "unet" / "config.json").write_text(json.dumps({**UNET, key: value}), encoding="utf-8")
    audited = audit(str(folder))
    assert codes(audited) == found
    assert audited.components["unet"].loads[0].outcome == ("refuses" if found else "complete")


@pytest.mark.parametrize(("width", "found"), [(48, set()), (40, {"N453"})])
def test_a_controlnet_of_another_width_is_reported(width: int, found: set[str], tmp_path: Path) -> None:
    """It reads what the encoder gives, as the UNet does."""
    folder = pipeline(tmp_path, {**PARTS, "_class_name": "StableDiffusionControlNetPipeline",
                                 "controlnet": ["diffusers", "ControlNetModel"]})  # fmt: skip
    net = {**UNET, "_class_name": "ControlNetModel", "cross_attention_dim": width}
    write(folder / "controlnet", genuine(net, "F16"), net)
    (folder / "controlnet" / "model.safetensors").rename(folder / "controlnet" / "diffusion_pytorch_model.safetensors")
    assert codes(audit(str(folder))) == found


TO_XL = {"addition_embed_type": "text_time", "addition_time_embed_dim": 8, "projection_class_embeddings_input_dim": 88}


@pytest.mark.parametrize(
    ("class_name", "xl", "found", "fits"),
    [("StableDiffusionPipeline", False, set(), ""), ("StableDiffusionXLPipeline", True, set(), ""),
     ("StableDiffusionXLPipeline", False, {"N705"}, "StableDiffusionPipeline"),
     ("StableDiffusionXLImg2ImgPipeline", False, {"N705"}, "StableDiffusionImg2ImgPipeline"),
     ("StableDiffusionPipeline", True, {"N705"}, "StableDiffusionXLPipeline"),
     ("StableDiffusionPAGPipeline", True, {"N705"}, "StableDiffusionXLPAGPipeline"),
     ("StableDiffusionSAGPipeline", True, {"N705"}, "")],
)  # fmt: skip
def test_a_class_for_another_generation(class_name: str, xl: bool, found: set[str], fits: str, tmp_path: Path) -> None:
    """Recorded: diffusers loads each, and the call fails with TypeError."""
    parts = {**PARTS, "_class_name": class_name}
    if xl:
        parts |= {"text_encoder_2": ["transformers", "CLIPTextModelWithProjection"], "tokenizer_2": PARTS["tokenizer"]}
    folder = pipeline(tmp_path, parts)
    if xl:
        text = {**TEXT, "hidden_size": 40, "num_attention_heads": 4, "projection_dim": 40,
                "architectures": ["CLIPTextModelWithProjection"]}  # fmt: skip
        write(folder / "text_encoder_2", genuine(text, "F16"), text)
        (folder / "tokenizer_2").mkdir()
        (folder / "tokenizer_2" / "tokenizer.json").write_text("{}", encoding="utf-8")
        net = {**UNET, **TO_XL, "cross_attention_dim": 88}
        write(folder / "unet", genuine(net, "F16"), net)
        (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    audited = audit(str(folder))
    assert codes(audited) == found
    steps = [step for one in audited.findings if one.code == "N705" for step in one.remedy().steps]
    assert [step.new for step in steps] == ([fits] if fits else [])
    if fits:
        (folder / "model_index.json").write_text(json.dumps({**parts, "_class_name": fits}), encoding="utf-8")
        assert codes(audit(str(folder))) == set()


@pytest.mark.parametrize(("hidden", "found"), [(48, set()), (40, {"N453"})])
def test_an_encoder_of_another_width_is_reported(hidden: int, found: set[str], tmp_path: Path) -> None:
    """diffusers loads it, and its first call fails."""
    folder = pipeline(tmp_path, PARTS)
    text = {**TEXT, "hidden_size": hidden, "num_attention_heads": 4}
    write(folder / "text_encoder", genuine(text, "F16"), text)
    assert codes(audit(str(folder))) == found
    (folder / "model_index.json").write_text(json.dumps({**PARTS, "_class_name": "PixArtAlphaPipeline"}))
    assert codes(audit(str(folder))) == {"N435"}


@pytest.mark.parametrize(
    ("class_name", "channels", "found"),
    [("StableDiffusionPipeline", 9, {"N453"}), ("StableDiffusionInpaintPipeline", 9, set()),
     ("StableDiffusionInpaintPipeline", 4, set()), ("StableDiffusionInpaintPipeline", 8, {"N453"}),
     ("StableDiffusionInstructPix2PixPipeline", 8, set()), ("StableDiffusionInstructPix2PixPipeline", 4, {"N453"})],
)  # fmt: skip
def test_a_denoiser_that_reads_other_channels_is_reported(
    class_name: str, channels: int, found: set[str], tmp_path: Path
) -> None:
    """diffusers loads it, and its first call fails: the input needs a mask or an image too, or must not have it."""
    folder = pipeline(tmp_path, {**PARTS, "_class_name": class_name})
    (folder / "vae" / "config.json").write_text(json.dumps({**VAE, "latent_channels": 4}), encoding="utf-8")
    net = {**UNET, "in_channels": channels}
    write(folder / "unet", genuine(net, "F16"), net)
    (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    audited = audit(str(folder))
    assert codes(audited) == found
    for step in [step for one in audited.findings for step in one.remedy().steps]:
        (folder / "model_index.json").write_text(json.dumps({**PARTS, "_class_name": step.new}), encoding="utf-8")
        assert codes(audit(str(folder))) == set()


@pytest.mark.parametrize(("taker", "channels", "latents", "pipeline_class", "named"), [
    ("unet", 9, 4, "StableDiffusionXLImg2ImgPipeline", ["StableDiffusionXLInpaintPipeline"]),
    ("unet", 8, 4, "StableDiffusionPipeline", ["StableDiffusionInstructPix2PixPipeline"]),
    ("transformer", 384, 16, "FluxPipeline", ["FluxFillPipeline"]),
    ("transformer", 128, 16, "FluxPipeline", ["FluxControlPipeline"]),
    ("unet", 4, 4, "StableDiffusionPipeline", []), ("unet", 5, 4, "StableDiffusionPipeline", []),
    ("unet", 9, 4, "KandinskyPipeline", []),
])  # fmt: skip
def test_classes_that_give_a_denoiser_its_input(
    taker: str, channels: int, latents: int, pipeline_class: str, named: list[str]
) -> None:
    assert list(classes_of_input(taker, "in_channels", channels, latents, pipeline_class)) == named


@pytest.mark.parametrize(("channels", "found"), [(9, ("C310", 9)), (8, ("C310", 8)), (16, ("N458", 16))])
def test_a_config_with_the_channels_of_the_latents_alone(channels: int, found: tuple[str, int], tmp_path: Path) -> None:
    """A UNet for filling whose config was written by a converter for other UNets, or the UNet of other latents."""
    folder = pipeline(tmp_path, PARTS)
    (folder / "vae" / "config.json").write_text(json.dumps({**VAE, "latent_channels": 4}), encoding="utf-8")
    write(folder / "unet", genuine({**UNET, "in_channels": channels}, "F16"), UNET)
    (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    assert [(one.code, one.facts["weights"]) for one in audit(str(folder)).findings] == [found]


@pytest.mark.parametrize(("class_name", "channels", "code"), [
    ("StableDiffusionInpaintPipeline", 9, "N458"), ("StableDiffusionInstructPix2PixPipeline", 8, "N458"),
    ("StableDiffusionPipeline", 9, "C310"), ("StableDiffusionInpaintPipeline", 5, "C310"),
])  # fmt: skip
def test_weights_of_text_to_image_in_a_pipeline_that_reads_more(
    class_name: str, channels: int, code: str, tmp_path: Path
) -> None:
    folder = pipeline(tmp_path, PARTS)
    index = folder / "model_index.json"
    index.write_text(json.dumps({**json.loads(index.read_text()), "_class_name": class_name}), encoding="utf-8")
    (folder / "vae" / "config.json").write_text(json.dumps({**VAE, "latent_channels": 4}), encoding="utf-8")
    (folder / "unet" / "config.json").write_text(json.dumps({**UNET, "in_channels": channels}), encoding="utf-8")
    found = [one for one in audit(str(folder)).findings if one.from_component is not None]
    assert [one.code for one in found] == [code]
    assert code == "C310" or found[0].facts["agreeing"] == class_name


def test_the_index_names_the_class_of_a_text_encoder_whose_config_names_none(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    config = {key: value for key, value in TEXT.items() if key != "architectures"}
    (folder / "text_encoder" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(folder))
    assert (audited.verdict, audited.components["text_encoder"].class_name) == ("clean", "CLIPTextModel")


SDXL = {"cross_attention_dim": 96, "projection_class_embeddings_input_dim": 112, "addition_time_embed_dim": 8,
        "addition_embed_type": "text_time"}  # fmt: skip
NO_ATTENTION = {"down_block_types": ["DownBlock2D"], "mid_block_type": "UNetMidBlock2D",
                "up_block_types": ["UpBlock2D"]}  # fmt: skip


@pytest.mark.parametrize(
    ("class_name", "texts", "takes", "agree"),
    [
        ("StableDiffusionXLPipeline", [{"hidden_size": 32}, {"hidden_size": 64, "projection_dim": 64}], SDXL, True),
        ("StableDiffusionXLPipeline", [{"hidden_size": 64}, {"hidden_size": 32, "projection_dim": 32}], SDXL, False),
        ("StableDiffusionXLPipeline", [{"hidden_size": 24}, {"hidden_size": 64, "projection_dim": 64}], SDXL, False),
        ("StableDiffusionXLPipeline", [{}, {"hidden_size": 96, "projection_dim": 72}], SDXL, True),
        ("StableDiffusionXLPipeline", [{"hidden_size": 32}, {"hidden_size": 64, "projection_dim": 32}],
         {**SDXL, "addition_embed_type": None}, True),
        ("StableDiffusionPipeline", [{"hidden_size": 32}], {"cross_attention_dim": 64, **NO_ATTENTION}, True),
        ("FluxPipeline", [{"hidden_size": 24}, {"d_model": 32}],
         {"joint_attention_dim": 32, "pooled_projection_dim": 24}, True),
        ("FluxPipeline", [{"hidden_size": 32}, {"d_model": 32}],
         {"joint_attention_dim": 32, "pooled_projection_dim": 24}, False),
        ("StableDiffusion3Pipeline", [{"projection_dim": 24}, {"projection_dim": 32}, {"d_model": 48}],
         {"joint_attention_dim": 48, "pooled_projection_dim": 56}, True),
        ("StableDiffusion3Pipeline", [{"projection_dim": 24}, {"projection_dim": 32}, {"d_model": 32}],
         {"joint_attention_dim": 48, "pooled_projection_dim": 56}, False),
        ("PixArtSigmaPipeline", [{"d_model": 32}], {"caption_channels": 48}, False),
        ("StableDiffusionPipeline", [{"hidden_size": 32}], {"cross_attention_dim": 64, "encoder_hid_dim": 32}, True),
    ],
)  # fmt: skip
def test_widths_of_encoders(class_name: str, texts: list[Any], takes: dict[str, int], agree: bool) -> None:
    """As diffusers 0.42 calls the pipeline: those that agree run."""
    named = {f"text_encoder_{number}" if number > 1 else "text_encoder": one for number, one in enumerate(texts, 1)}
    named["unet" if "cross_attention_dim" in takes else "transformer"] = takes
    parts = {name: SimpleNamespace(findings=(), checkpoint=SimpleNamespace(config=SimpleNamespace(values=values)))
             for name, values in named.items() if values}  # fmt: skip
    found = list(of_other_widths(class_name, parts))  # type: ignore[arg-type]
    assert (found == []) == agree and all(one.severity == "error" for one in found)


@pytest.mark.parametrize(
    ("unet", "adapter", "row"),
    [
        ({}, {}, None),
        ({"layers_per_block": [1, 1]}, {}, None),
        ({"_class_name": "UNetMotionModel"}, {"block_out_channels": [24, 40]}, None),
        ({}, {"block_out_channels": [32, 40]}, "block_out_channels[1]"),
        ({}, {"block_out_channels": [32, 64, 64]}, "len(block_out_channels)"),
        ({"layers_per_block": 2}, {}, "motion_layers_per_block[0]"),
        ({}, {"block_out_channels": 32}, None),
        ({"down_block_types": "DownBlock2D"}, {"block_out_channels": None}, None),
    ],
)
def test_a_motion_adapter_has_the_blocks_of_its_unet(
    unet: dict[str, Any], adapter: dict[str, Any], row: str | None
) -> None:
    """As `UNetMotionModel.from_unet2d` of diffusers 0.42 takes and refuses them."""
    blocks = {"down_block_types": ["DownBlock2D"] * 2, "block_out_channels": [32, 64], "layers_per_block": 1}
    named = {"unet": {"_class_name": "UNet2DConditionModel", **blocks, **unet},
             "motion_adapter": {"_class_name": "MotionAdapter", "block_out_channels": [32, 64],
                                "motion_layers_per_block": 1, **adapter}}  # fmt: skip
    parts = {name: SimpleNamespace(findings=(), checkpoint=SimpleNamespace(config=SimpleNamespace(values=values)))
             for name, values in named.items()}  # fmt: skip
    found = list(of_other_widths("AnimateDiffPipeline", parts))  # type: ignore[arg-type]
    assert [one.rows()[0][0] for one in found] == ([] if row is None else [row])


def test_the_width_of_the_text_is_part_of_a_larger_key() -> None:
    """The key of the UNet counts more than the text embedding: 112 is 6 values of width 8 and a text of width 64."""
    texts = {"text_encoder": {"hidden_size": 64}, "text_encoder_2": {"hidden_size": 32, "projection_dim": 32}}
    parts = {name: SimpleNamespace(findings=(), checkpoint=SimpleNamespace(config=SimpleNamespace(values=values)))
             for name, values in {**texts, "unet": SDXL}.items()}  # fmt: skip
    (found,) = of_other_widths("StableDiffusionXLPipeline", parts)  # type: ignore[arg-type]
    assert [text for _, text in found.rows()] == ["112 = 6 * 8 + 64", "32"]


@pytest.mark.parametrize(
    ("class_name", "vae", "takes", "agree"),
    [
        ("StableDiffusionPipeline", {"latent_channels": 16}, {"in_channels": 4, "out_channels": 4}, False),
        ("StableDiffusionPipeline", {"latent_channels": 4}, {"in_channels": 4, "out_channels": 4}, True),
        ("StableDiffusionInpaintPipeline", {"latent_channels": 4}, {"in_channels": 9, "out_channels": 4}, True),
        ("StableDiffusionXLPipeline", {"latent_channels": 16}, {"in_channels": 4, "out_channels": 4}, False),
        ("StableDiffusionLatentUpscalePipeline", {"latent_channels": 4}, {"in_channels": 8, "out_channels": 5}, True),
        ("StableDiffusion3Pipeline", {"latent_channels": 4}, {"in_channels": 16, "out_channels": 16}, False),
        ("FluxPipeline", {"latent_channels": 16}, {"in_channels": 64, "out_channels": None}, True),
        ("FluxPipeline", {"latent_channels": 4}, {"in_channels": 64, "out_channels": None}, False),
        ("FluxFillPipeline", {"latent_channels": 16}, {"in_channels": 384, "out_channels": 64}, True),
        ("PixArtSigmaPipeline", {"latent_channels": 4}, {"in_channels": 4, "out_channels": 8}, True),
        ("WanImageToVideoPipeline", {"z_dim": 16}, {"in_channels": 36, "out_channels": 16}, True),
        ("WanPipeline", {"z_dim": 48}, {"in_channels": 16, "out_channels": 16}, False),
        ("KandinskyPipeline", {"latent_channels": 4}, {"in_channels": 8, "out_channels": 8}, True),
    ],
)  # fmt: skip
def test_channels_of_latents(class_name: str, vae: dict[str, int], takes: dict[str, int], agree: bool) -> None:
    """As diffusers 0.42 calls the pipelines of Stable Diffusion and FLUX: those that agree run."""
    name = (
        "unet"
        if class_name.startswith(("StableDiffusionP", "StableDiffusionI", "StableDiffusionX", "StableDiffusionL"))
        else ""
    )
    parts = {part: SimpleNamespace(findings=(), checkpoint=SimpleNamespace(config=SimpleNamespace(values=values)))
             for part, values in {"vae": vae, name or "transformer": takes}.items()}  # fmt: skip
    found = list(of_other_widths(class_name, parts))  # type: ignore[arg-type]
    assert (found == []) == agree


@pytest.mark.parametrize(("name", "file", "found"), [
    ("unet_ema", "diffusion_pytorch_model.safetensors", ["unet_ema"]), ("safety_checker", "model.safetensors",
     ["safety_checker"]), ("unet_ema", "config.json", []), ("vae_decoder", "model.onnx", []), (".cache", "x.txt", []),
])  # fmt: skip
def test_folders_that_the_pipeline_does_not_name(name: str, file: str, found: list[str], tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (folder / name).mkdir()
    (folder / name / file).write_bytes((folder / "text_encoder" / "model.safetensors").read_bytes())
    audited = audit(str(folder))
    assert audited.verdict == "clean"
    assert [one.facts["folders"] for one in audited.findings if one.code == "N490"] == ([found] if found else [])


def test_exchanged_folders_are_one_finding(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    for old, new in (("unet", "x"), ("text_encoder", "unet"), ("x", "text_encoder")):
        (folder / old).rename(folder / new)
    (finding,) = [one for one in audit(str(folder)).findings if one.severity == "error"]
    assert (finding.code, finding.help.split(":")[0]) == ("N424", "exchange the folders unet and text_encoder")


@pytest.mark.parametrize(("old", "new", "wanted"), [
    ("unet", "unet_ema", "rename the folder unet_ema to unet"), ("vae", "VAE", "rename the folder VAE to vae"),
    ("text_encoder", "clip", "rename the folder clip to text_encoder"),
    ("scheduler", "noise", "rename the folder noise to scheduler"),
    ("unet", "unet/unet", "move the files of unet/unet into unet"), ("unet", "", "download this folder"),
])  # fmt: skip
def test_the_folder_of_a_component_under_another_name(old: str, new: str, wanted: str, tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (folder / old).rename(folder / "x")
    (folder / "x" / (new or "none")).parent.mkdir(exist_ok=True)
    if "/" in new:
        (folder / old).mkdir()
    (folder / "x").rename(folder / new) if new else shutil.rmtree(folder / "x")
    audited = audit(str(folder))
    assert [(one.code, one.help.startswith(wanted)) for one in audited.findings] == [("N416", True)]


def test_two_folders_with_the_content_of_a_component(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    shutil.copytree(folder / "unet", folder / "unet_ema")
    (folder / "unet").rename(folder / "unet_2")
    (finding,) = [one for one in audit(str(folder)).findings if one.severity == "error"]
    assert (finding.code, finding.help) == ("N416", "download this folder of the repository")


def test_exchanged_text_encoders_are_one_finding(tmp_path: Path) -> None:
    """CLIPTextModel also loads the other class's file: only one of the two entries fails."""
    parts = {**PARTS, "_class_name": "StableDiffusionXLPipeline", "tokenizer_2": PARTS["tokenizer"],
             "text_encoder_2": ["transformers", "CLIPTextModelWithProjection"]}  # fmt: skip
    folder = pipeline(tmp_path, {name: one for name, one in parts.items() if "safety" not in name})
    config = {**TEXT, "architectures": ["CLIPTextModelWithProjection"], "projection_dim": 20}
    write(folder / "text_encoder_2", genuine(config, "F16"), config)
    shutil.copytree(folder / "tokenizer", folder / "tokenizer_2")
    assert "N424" not in codes(audit(str(folder)))
    for old, new in (("text_encoder", "x"), ("text_encoder_2", "text_encoder"), ("x", "text_encoder_2")):
        (folder / old).rename(folder / new)
    found = [one.help for one in audit(str(folder)).findings if one.code == "N424"]
    assert [one.partition(":")[0] for one in found] == ["exchange the folders text_encoder_2 and text_encoder"]


def test_a_missing_safety_checker_may_be_left_out(tmp_path: Path) -> None:
    checker = ["stable_diffusion", "StableDiffusionSafetyChecker"]
    extractor = {"feature_extractor": ["transformers", "CLIPImageProcessor"]}
    folder = pipeline(tmp_path, {**PARTS, "safety_checker": checker, **extractor})
    (folder / "feature_extractor").mkdir()
    (folder / "feature_extractor" / "preprocessor_config.json").write_text("{}", encoding="utf-8")
    (finding,) = audit(str(folder)).findings
    assert finding.code == "N416" and 'set "safety_checker": [null, null] in model_index.json' in finding.help


def test_widths_are_not_compared_without_one_of_the_encoders(tmp_path: Path) -> None:
    parts = {**PARTS, "_class_name": "StableDiffusionXLPipeline", "tokenizer_2": PARTS["tokenizer"],
             "text_encoder_2": ["transformers", "CLIPTextModelWithProjection"]}  # fmt: skip
    folder = pipeline(tmp_path, {name: one for name, one in parts.items() if "safety" not in name})
    shutil.copytree(folder / "tokenizer", folder / "tokenizer_2")
    (folder / "text_encoder" / "config.json").write_text(json.dumps({**TEXT, "hidden_size": 48}), encoding="utf-8")
    unet = {**UNET, "cross_attention_dim": 88}
    write(folder / "unet", genuine(unet, "F16"), unet)
    (folder / "unet" / "model.safetensors").replace(folder / "unet" / "diffusion_pytorch_model.safetensors")
    assert codes(audit(str(folder))) == {"N416"}


@pytest.mark.parametrize(("width", "entry", "found"), [
    (88, None, {"N435"}), (88, [None, None], {"N435"}), (90, None, {"N453"}), (48, [None, None], set()),
])  # fmt: skip
def test_an_optional_encoder_in_its_folder_that_the_index_does_not_name(
    width: int, entry: list[None] | None, found: set[str], tmp_path: Path
) -> None:
    """diffusers loads the pipeline, and its first call fails; the width of the UNet shows that it reads both."""
    second = {**TEXT, "architectures": ["CLIPTextModelWithProjection"], "projection_dim": 20, "hidden_size": 40,
              "num_attention_heads": 4}  # fmt: skip
    parts = {**PARTS, "_class_name": "StableDiffusionXLPipeline", "tokenizer_2": PARTS["tokenizer"]}
    parts |= {"text_encoder_2": entry} if entry else {}
    folder = pipeline(tmp_path, {name: one for name, one in parts.items() if "safety" not in name})
    shutil.copytree(folder / "tokenizer", folder / "tokenizer_2")
    write(folder / "text_encoder_2", genuine(second, "F16"), second)
    unet = {**UNET, **TO_XL, "cross_attention_dim": width}
    write(folder / "unet", genuine(unet, "F16"), unet)
    (folder / "unet" / "model.safetensors").replace(folder / "unet" / "diffusion_pytorch_model.safetensors")
    audited = audit(str(folder))
    assert codes(audited) == found
    if found == {"N435"}:
        (finding,) = (one for one in audited.findings if one.code == "N435")
        ((step,), shown) = finding.remedy().steps, {one.code for one in audited.findings}
        assert (step.key, step.new) == (("text_encoder_2",), ["transformers", "CLIPTextModelWithProjection"])
        assert "N490" not in shown


def test_one_variant_of_all_components_is_one_finding(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    for path in list(folder.glob("*/*.safetensors")):
        path.rename(path.with_suffix(".fp16.safetensors"))
    audited = audit(str(folder))
    (finding,) = audited.findings
    assert (finding.code, finding.facts["components"]) == ("S233", ["unet", "text_encoder", "vae"])
    assert mend(str(folder), write=True, format="json").code == 0
    assert audit(str(folder)).verdict == "clean"


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ({"vae": None}, {"N435"}),
        ({"_class_name": ["StableDiffusionPipeline"]}, {"N435"}),
        ({"_class_name": ["pipeline", "StableDiffusionPipeline"]}, set()),
        ({"scheduler": ["diffusers", None]}, {"N435"}),
        ({"feature_extractor": None}, {"N476"}),
        ({"image_encoder": []}, {"N476"}),
        ({"image_encoder": ["transformers", None]}, {"N476"}),
        ({"image_encoder": [None, None]}, set()),
        ({"image_encoder": [None]}, set()),
        ({"unet": ["diffusers", "UNet2DConditionModell"]}, {"N475"}),
        ({"unet": ["torch", "UNet2DConditionModel"]}, {"N475"}),
        ({"unet": ["torch._dynamo.eval_frame", "OptimizedModule"]}, {"N475"}),
        ({"unet": ["accelerate.utils.operations", "ConvertOutputsToFp32"]}, {"N475"}),
        ({"tokenizer": ["transformers", "CLIPTokenizerr"]}, {"N475"}),
        ({"scheduler": ["nolib", "PNDMScheduler"]}, {"N475"}),
        ({"tokenizer": ["transformers", "CLIPTokenizerFast"]}, set()),
        ({"scheduler": ["my_code", "MyScheduler"]}, {"N755"}),
        ({"scheduler": ["my_code", "MyScheduler"], "_diffusers_version": "0.99.0"}, None),
        ({"unet": ["my_code", "UNet2DConditionModel"]}, None),
        ({"unet": ["diffusers", "Later"], "_diffusers_version": "0.99.0"}, None),
        ({"requires_safety_checker": False, "extra": [None, None]}, set()),
        ({"extra": ["diffusers", "VQModel"]}, set()),
        ({"unet": ["diffusers", "AutoModel"]}, {"N475"}),
        ({"_class_name": "AnimateDiffPipeline"}, {"N501"}),
    ],
)  # fmt: skip
def test_entries_are_read_as_diffusers_reads_them(
    entries: dict[str, Any], found: set[str] | None, tmp_path: Path
) -> None:
    """Refused by diffusers 0.42, or loaded; code of the folder, other libraries and later versions are open."""
    folder = pipeline(tmp_path, {**PARTS, **entries})
    (folder / "unet" / "my_code.py").touch()
    audited = audit(str(folder))
    assert (audited.verdict == "undecided") == (found is None)
    assert {one.code for one in audited.findings if one.severity != "note"} == (found or set())
    for_diffusers = judged_for(audited, "diffusers")
    if found == set():
        assert (for_diffusers.verdict, [one.outcome for one in for_diffusers.loads]) == ("clean", ["complete"])
    elif found == {"N755"}:
        (failed,) = (one for one in for_diffusers.findings if one.severity == "error")
        assert "finds no module my_code" in failed.rows()[0][1]


def test_an_absent_entry_is_found_by_its_class(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, {name: entry for name, entry in PARTS.items() if name not in ("vae", "scheduler")})
    (finding,) = [one for one in audit(str(folder)).findings if one.severity == "error"]
    assert (finding.code, finding.facts["components"]) == ("N435", ["scheduler", "vae"])


@pytest.mark.parametrize("file", ["scheduler/scheduler_config.json", "tokenizer/tokenizer.json",
                                  "tokenizer/tokenizer_config.json"])  # fmt: skip
@pytest.mark.parametrize("text", ["", '{"a": ', "{}"])
def test_texts_of_components_without_weights(file: str, text: str, tmp_path: Path) -> None:
    """Both libraries refuse invalid JSON."""
    folder = pipeline(tmp_path, PARTS)
    (folder / file).write_text(text, encoding="utf-8")
    found = [(one.code, one.place.file) for one in audit(str(folder)).findings]
    assert found == ([] if text == "{}" else [("R006", file)])


@pytest.mark.parametrize(
    ("class_name", "settings", "found"),
    [
        ("PNDMScheduler", {"beta_schedule": "linearr"}, {"beta_schedule": (True, "linear")}),
        ("PNDMScheduler", {"beta_schedule": "scaled_linear", "prediction_type": "v_prediction"}, {}),
        ("PNDMScheduler", {"prediction_type": "sample"}, {"prediction_type": (False, None)}),
        ("DDIMScheduler", {"prediction_type": "sample"}, {}),
        ("DDIMScheduler", {"timestep_spacing": "trailling"}, {"timestep_spacing": (False, "trailing")}),
        ("DDIMScheduler", {"num_train_timesteps": "1000"}, {"num_train_timesteps": (True, 1000)}),
        ("DDIMScheduler", {"num_train_timesteps": None, "beta_start": 0.1}, {"num_train_timesteps": (True, None)}),
        ("DDIMScheduler", {"beta_start": None}, {"beta_start": (True, None)}),
        ("DDIMScheduler", {"beta_start": None, "beta_schedule": "squaredcos_cap_v2"}, {}),
        ("DDIMScheduler", {"trained_betas": [0.1] * 1000, "beta_start": None, "beta_schedule": "own"}, {}),
        ("DDIMScheduler", {"beta_schedule": "none", "_use_default_values": ["beta_schedule"]}, {}),
        ("DDIMScheduler", {"_class_name": None}, {"_class_name": (True, "DDIMScheduler")}),
        ("DDIMScheduler", {"_class_name": "PNDMScheduler"}, {}),
        ("FlowMatchEulerDiscreteScheduler", {"time_shift_type": "exponentialx"},
         {"time_shift_type": (True, "exponential")}),
        ("EulerDiscreteScheduler", {"use_karras_sigmas": True, "use_beta_sigmas": True},
         {"use_karras_sigmas": (True, None)}),
        ("EulerDiscreteScheduler", {"use_karras_sigmas": 1, "use_beta_sigmas": False}, {}),
        ("DPMSolverMultistepScheduler", {"algorithm_type": "dpmsolver"}, {"algorithm_type": (True, None)}),
        ("DPMSolverMultistepScheduler", {"algorithm_type": "dpmsolver", "final_sigmas_type": "sigma_min"}, {}),
        ("DPMSolverMultistepScheduler", {"lambda_min_clipped": float("-inf"), "solver_order": 3}, {}),
        ("DPMSolverSinglestepScheduler", {"solver_order": 4}, {"solver_order": (True, None)}),
        ("MyScheduler", {"beta_schedule": "mine"}, {}),
    ],
)  # fmt: skip
def test_settings_that_schedulers_refuse(
    class_name: str, settings: dict[str, Any], found: dict[str, tuple[bool, Any]]
) -> None:
    """As diffusers 0.42 builds and calls them: (built, meant)."""
    refused = {one.key: (one.built, one.meant or None) for one in refused_settings(class_name, settings)}
    assert refused == found


@pytest.mark.parametrize(
    ("class_name", "settings", "found"),
    [
        ("CLIPImageProcessor", {"size": "x", "crop_size": {"height": 24, "width": 24}}, {"C326"}),
        ("CLIPFeatureExtractor", {"crop_size": "224"}, {"C326"}),
        ("CLIPImageProcessor", {"size": 224, "crop_size": [24, 24]}, set()),
        ("ClapFeatureExtractor", {"size": "x"}, set()),
    ],
)
def test_sizes_that_image_processors_refuse(
    class_name: str, settings: dict[str, Any], found: set[str], tmp_path: Path
) -> None:
    """As transformers 5.23 builds them."""
    folder = pipeline(tmp_path, {**PARTS, "feature_extractor": ["transformers", class_name]})
    (folder / "feature_extractor").mkdir()
    (folder / "feature_extractor" / "preprocessor_config.json").write_text(json.dumps(settings), encoding="utf-8")
    assert codes(audit(str(folder))) == found


@pytest.mark.parametrize(
    ("settings", "codes_found"),
    [
        ({"padding_side": "middle"}, {"C326"}),
        ({"padding_side": "left", "truncation_side": "right"}, set()),
        ({"split_special_tokens": None}, {"C326"}),
        ({"added_tokens_decoder": {"0": "x"}}, {"C326"}),
        ({"added_tokens_decoder": {"0": {"content": "a"}}}, set()),
        ({"extra_special_tokens": ["a", 1]}, {"C326"}),
        ({"extra_special_tokens": {"image": "<image>"}}, set()),
        ({"eos_token": {"content": "a"}}, {"C326"}),
        ({"eos_token": {"__type": "AddedToken", "content": "a"}, "pad_token": None}, set()),
        ({"model_input_names": None}, {"C326"}),
    ],
)
def test_settings_that_tokenizers_refuse(settings: dict[str, Any], codes_found: set[str], tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (folder / "tokenizer" / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    assert codes(audit(str(folder))) == codes_found


SCORED, NUMBERED = {"model": {"vocab": [["a", -1.0]]}}, {"model": {"vocab": {"a": 0}}}
PAIR: dict[str, Any] = {"vocab.json": {}, "merges.txt": {}}


@pytest.mark.parametrize(
    ("class_name", "files", "found"),
    [
        ("T5Tokenizer", {"tokenizer.json": NUMBERED}, {"N573"}),
        ("T5TokenizerFast", {"tokenizer.json": SCORED}, set()),
        ("CLIPTokenizer", {"tokenizer.json": SCORED}, set()),
        ("XLMRobertaTokenizer", {"tokenizer.json": NUMBERED}, {"N573"}),
        ("LlamaTokenizer", {"tokenizer.json": NUMBERED}, set()),
        ("PreTrainedTokenizerFast", PAIR, {"N573"}),
        ("PreTrainedTokenizerFast", {"tokenizer.json": NUMBERED}, set()),
        ("AutoTokenizer", PAIR, {"N573"}),
        ("AutoTokenizer", {**PAIR, "tokenizer_config.json": {"tokenizer_class": "CLIPTokenizer"}}, set()),
        ("AutoTokenizer", {**PAIR, "config.json": {"model_type": "gpt2"}}, set()),
        ("AutoTokenizer", {"tokenizer.json": NUMBERED}, set()),
        ("CLIPTokenizer", {**PAIR, "tokenizer_config.json": {"bos_token": None}}, {"C326"}),
        ("CLIPTokenizer", {**PAIR, "tokenizer_config.json": {"pad_token": None}}, set()),
        ("GPT2Tokenizer", {**PAIR, "tokenizer_config.json": {"add_prefix_space": None}}, {"C326"}),
        ("Qwen2Tokenizer", {**PAIR, "tokenizer_config.json": {"add_prefix_space": None}}, set()),
    ],
)
def test_tokenizers_that_a_class_does_not_read(
    class_name: str, files: dict[str, Any], found: set[str], tmp_path: Path
) -> None:
    """As transformers 5.23 loads these folders by these classes."""
    folder = pipeline(tmp_path, {**PARTS, "tokenizer": ["transformers", class_name]})
    (folder / "tokenizer" / "tokenizer.json").unlink()
    for name, values in files.items():
        (folder / "tokenizer" / name).write_text(json.dumps(values), encoding="utf-8")
    assert codes(audit(str(folder))) == found


def test_the_class_of_a_tokenizer_is_repaired(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, {**PARTS, "tokenizer": ["transformers", "T5Tokenizer"]})
    (folder / "tokenizer" / "tokenizer.json").write_text(json.dumps(NUMBERED), encoding="utf-8")
    named = {"tokenizer_class": "CLIPTokenizer"}
    (folder / "tokenizer" / "tokenizer_config.json").write_text(json.dumps(named), encoding="utf-8")
    assert mend(str(folder), write=True, format="json").code == 0
    assert audit(str(folder)).verdict == "clean"


@pytest.mark.parametrize(("lost", "found"), [("", set()), ("vocab.json", {"N416"}), ("merges.txt", {"N416"})])
def test_a_vocabulary_in_two_files_needs_both(lost: str, found: set[str], tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (folder / "tokenizer" / "tokenizer.json").unlink()
    for name in ("vocab.json", "merges.txt"):
        if name != lost:
            (folder / "tokenizer" / name).write_text("{}", encoding="utf-8")
    assert codes(audit(str(folder))) == found


def test_a_setting_of_a_scheduler_is_repaired(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    file = folder / "scheduler" / "scheduler_config.json"
    file.write_text('{"_class_name": "PNDMScheduler", "beta_schedule": "linearr"}', encoding="utf-8")
    (finding,) = audit(str(folder)).findings
    assert (finding.code, finding.place.file) == ("C326", "scheduler/scheduler_config.json")
    assert mend(str(folder), write=True, format="json").code == 0
    assert json.loads(file.read_text(encoding="utf-8"))["beta_schedule"] == "linear"
    assert audit(str(folder)).verdict == "clean"


@pytest.mark.parametrize("entries", [
    {"image_encoder": 3}, {"unet": ["torch", "UNet2DConditionModel"]}, {"unet": ["diffusers", "UNetOfMine"]},
    {"vae": [None, None]}, {"unet": [None, "UNet2DConditionModel"], "scheduler": None},
    {"_class_name": "StableDiffusionProPipeline"}, {"_class_name": "StableDifusionPipeline"},
])  # fmt: skip
def test_entries_are_repaired(entries: dict[str, Any], tmp_path: Path) -> None:
    folder = pipeline(tmp_path, {**PARTS, **entries})
    assert mend(str(folder), write=True, format="json").code == 0
    assert audit(str(folder)).verdict == "clean"


CONNECTED = {**PARTS, "_class_name": "KandinskyV22CombinedPipeline"}


@pytest.mark.parametrize(("readme", "found"), [(False, {"N435"}), (True, set())])
def test_components_named_in_a_readme_are_not_missing(readme: bool, found: set[str], tmp_path: Path) -> None:
    """diffusers takes the components that have no entry from the repositories that the README names."""
    folder = pipeline(tmp_path, CONNECTED)
    if readme:
        (folder / "README.md").write_text("---\nprior:\n- org/prior\n---\n", encoding="utf-8")
    audited = audit(str(folder))
    assert codes(audited) == found
    assert readme == any("movq" in one.check and not one.decisive for one in audited.skipped)


def test_components_that_the_pipeline_does_not_take_are_not_audited(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, {**PARTS, "extra": ["diffusers", "VQModel"], "noise": ["diffusers", "DDIMScheduler"]})
    write(folder / "extra", genuine(TEXT, "F16"), {"_class_name": "VQModel"})
    audited = audit(str(folder))
    assert audited.verdict == "clean" and "extra" not in audited.components
    assert [one.facts["components"] for one in audited.findings if one.code == "N478"] == [["extra", "noise"]]


def test_what_a_pipeline_of_an_unknown_class_needs_is_open(tmp_path: Path) -> None:
    audited = audit(str(pipeline(tmp_path, {**PARTS, "_class_name": "MyOwnPipeline"})))
    assert (audited.verdict, codes(audited)) == ("undecided", set())


def test_a_class_of_transformers_that_has_none_of_the_names(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, {**PARTS, "text_encoder": ["transformers", "T5EncoderModel"]})
    assert codes(audit(str(folder))) == {"N424"}


@pytest.mark.parametrize(("part", "entry", "config", "remedy"), [
    ("text_encoder", ["transformers", "T5EncoderModel"], {}, "name CLIPTextModel for text_encoder in model_index.json"),
    ("unet", ["diffusers", "UNet2DModel"], {}, "name UNet2DConditionModel for unet in model_index.json"),
    ("vae", PARTS["vae"], {"_class_name": "VQModel"}, "download this folder again"),
])  # fmt: skip
def test_the_class_that_a_pipeline_does_not_take_is_the_wrong_one(
    part: str, entry: list[str], config: dict[str, Any], remedy: str, tmp_path: Path
) -> None:
    folder = pipeline(tmp_path, {**PARTS, part: entry})
    stated = json.loads((folder / part / "config.json").read_text(encoding="utf-8"))
    (folder / part / "config.json").write_text(json.dumps({**stated, **config}), encoding="utf-8")
    (found,) = (one for one in audit(str(folder)).findings if one.code == "N424")
    assert found.help.startswith(remedy)
    for step in found.remedy().steps:
        index = json.loads((folder / "model_index.json").read_text(encoding="utf-8"))
        (folder / "model_index.json").write_text(json.dumps({**index, part: step.new}), encoding="utf-8")
        assert codes(audit(str(folder))) == set()


def test_weights_of_another_component_are_to_be_downloaded_again(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    vae = genuine({"_class_name": "AutoencoderKL"}, "F16")
    write(folder / "unet", vae)
    (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    (finding,) = audit(str(folder)).findings
    assert finding.help.startswith("download the weights of unet again")
    (left,) = json.loads(mend(str(folder), format="json").text)["left"]
    assert left["because"] == finding.help


@pytest.mark.parametrize(("width", "code"), [(48, "N458"), (40, "C310")])
def test_a_width_that_two_components_share(width: int, code: str, tmp_path: Path) -> None:
    """The UNet of another model: its config agrees with the text encoder, or nothing confirms it."""
    folder = pipeline(tmp_path, PARTS)
    write(folder / "unet", genuine({**UNET, "cross_attention_dim": 96}, "F16"), {**UNET, "cross_attention_dim": width})
    (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    audited = audit(str(folder))
    assert codes(audited) == {code}
    plan = json.loads(mend(str(folder), format="json").text)
    assert [step["finding"] for step in plan["steps"]] == ([code] if code == "C310" else [])


@pytest.mark.parametrize(
    ("swapped", "fits"), [("vae", "transformer.in_channels"), ("transformer", "vae.latent_channels")]
)
def test_latents_that_a_transformer_packs(swapped: str, fits: str, tmp_path: Path) -> None:
    """FLUX: four latents of 6 channels are one of 24; the weights of one component are of another model."""
    records = {
        (part, own): next(one for one in diffusers_records(name) if one["variant"] == variant)
        for part, name, own, variant in (
            ("vae", "AutoencoderKL", True, "latent_channels-6"), ("vae", "AutoencoderKL", False, ""),
            ("transformer", "FluxTransformer2DModel", True, "in_channels-24"),
            ("transformer", "FluxTransformer2DModel", False, ""),
        )
    }  # fmt: skip
    folder = Folder(texts={"model_index.json": {"_class_name": "FluxPipeline"}})
    for part, name in (("vae", "AutoencoderKL"), ("transformer", "FluxTransformer2DModel")):
        stored = WeightFile(spec_of(records[part, part != swapped]))
        folder.weights[f"{part}/diffusion_pytorch_model.safetensors"] = stored
        folder.texts[f"{part}/config.json"] = records[part, True]["config"]
        folder.texts["model_index.json"][part] = ["diffusers", name]
    found = [one for one in audit(str(write_folder(folder, tmp_path))).findings if one.code != "N435"]
    assert [(one.code, one.facts.get("agreeing")) for one in found] == [("N458", fits)]


def test_further_differences_in_weights_of_another_model_are_part_of_one_finding(tmp_path: Path) -> None:
    """FLUX's VAE in Stable Diffusion: more channels, and no convolutions around the latents."""
    own = {"_class_name": "AutoencoderKL", "latent_channels": 4}
    folder = pipeline(tmp_path, PARTS)
    flux = {**own, "latent_channels": 16, "use_quant_conv": False, "use_post_quant_conv": False}
    write(folder / "vae", genuine(flux, "F16"), own)
    (folder / "vae" / "model.safetensors").replace(folder / "vae" / "diffusion_pytorch_model.safetensors")
    assert codes(audit(str(folder))) == {"N458"}


def test_weights_that_fit_as_well_are_not_of_another_model() -> None:
    """16 channels of a transformer are 16 latents, or 4 that it packs."""
    wrong: Any = SimpleNamespace(key="latent_channels", stated=16, solved=4)
    parts: Any = {"transformer": SimpleNamespace(
        verdict="clean", checkpoint=SimpleNamespace(config=SimpleNamespace(values={"in_channels": 16})))}  # fmt: skip
    assert _agreeing("vae", wrong, parts, None) is None
    wrong.solved = 8
    assert _agreeing("vae", wrong, parts, None) == "transformer.in_channels"


PROJECTED: dict[str, Any] = {**TEXT, "architectures": ["CLIPTextModelWithProjection"], "projection_dim": 48}


def exchange(first: Path, second: Path) -> None:
    """Exchange two files."""
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


@pytest.mark.parametrize(("second", "one", "other"), [
    (PROJECTED, "text_encoder", "image_encoder"),
    pytest.param(PROJECTED, "unet", "image_encoder", marks=pytest.mark.slow),
    ({**PROJECTED, "hidden_size": 60, "intermediate_size": 100}, "image_encoder", "text_encoder"),
])  # fmt: skip
def test_exchanged_files_are_put_back(second: dict[str, Any], one: str, other: str, tmp_path: Path) -> None:
    """Two encoders of the same kind, in places that the pipeline has."""
    folder = pipeline(tmp_path, {**PARTS, "image_encoder": ["transformers", "CLIPTextModelWithProjection"]})
    write(folder / "image_encoder", genuine(second, "F16"), second)
    files = [next((folder / name).glob("*.safetensors")) for name in (one, other)]
    before = [file.read_bytes() for file in files]
    exchange(*files)
    (finding,) = audit(str(folder)).findings
    assert (finding.code, set(finding.facts["components"])) == ("N480", {one, other})
    assert mend(str(folder), write=True, format="json").code == 0
    assert [file.read_bytes() for file in files] == before and audit(str(folder)).verdict == "clean"


def test_a_lost_projection_is_not_taken_for_an_exchange(tmp_path: Path) -> None:
    """The second encoder without its projection: the first one has none either."""
    folder = pipeline(tmp_path, {**PARTS, "image_encoder": ["transformers", "CLIPTextModelWithProjection"]})
    left = {name: entry for name, entry in genuine(PROJECTED, "F16").items() if name != "text_projection.weight"}
    write(folder / "image_encoder", left, PROJECTED)
    assert "N480" not in codes(audit(str(folder)))


ADAPTERS = {
    "unet": "down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q.{}.weight",
    "text_encoder": "base_model.model.text_model.encoder.layers.0.self_attn.q_proj.{}.weight",
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_in_the_place_of_weights(name: str, tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (file,) = (folder / name).glob("*.safetensors")
    config = UNET if name == "unet" else TEXT
    width = 32 if name == "unet" else 48
    spec = {
        ADAPTERS[name].format(half): ("F32", shape) for half, shape in (("lora_A", (4, width)), ("lora_B", (width, 4)))
    }
    write(folder / name, spec, config)
    (folder / name / "model.safetensors").rename(file)
    assert codes(audit(str(folder))) == {"A950"}
    assert not json.loads(mend(str(folder), format="json").text)["steps"]


def test_a_lost_part_does_not_change_the_config(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    kept = {name: entry for name, entry in genuine(UNET, "F16").items() if not name.startswith("mid_block.")}
    write(folder / "unet", kept, UNET)
    (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    assert codes(audit(str(folder))) == {"N404"}


def test_a_lost_tensor_is_reported_with_its_component(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (folder / "text_encoder" / "config.json").write_text(json.dumps({**TEXT, "vocab_size": 104}), encoding="utf-8")
    audited = audit(str(folder))
    assert codes(audited) == {"C310"}
    assert audited.findings[0].title == "text_encoder: vocab_size"
    assert audited.components["unet"].verdict == "clean"


def test_lists_of_names_cover_the_components(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    assert inspector.audit(folder).missing == []
    text = genuine(TEXT, "F16")
    lost = sorted(name for name in text if name.endswith("fc1.weight"))[0]
    del text[lost]
    write(folder / "text_encoder", text, TEXT)
    assert inspector.audit(folder).missing == [f"text_encoder/{lost}"]


@pytest.mark.parametrize(("values", "words"), [
    ({"vocab_size": 104}, 'set "vocab_size": 103 in text_encoder/config.json'),
    ({"hidden_size": "48"}, 'set "hidden_size": 48 in text_encoder/config.json'),
    ({}, ""),
])  # fmt: skip
def test_advice_names_the_folder_of_the_component(values: dict[str, Any], words: str, tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (folder / "text_encoder" / "config.json").write_text(json.dumps({**TEXT, **values}), encoding="utf-8")
    assert [one.help for one in audit(str(folder)).findings] == [words] * bool(words)


def test_the_command_that_downloads_a_component_again_names_its_folder(tmp_path: Path) -> None:
    folder = pipeline(tmp_path / "models--org--name" / "snapshots" / "abc", PARTS)
    weights = next((folder / "unet").glob("*.safetensors"))
    os.truncate(weights, weights.stat().st_size - 100)
    (finding,) = audit(str(folder)).findings
    assert finding.help.startswith(f"hf download org/name unet/{weights.name} --revision abc")


def test_the_tensors_of_a_pipeline_are_listed_by_component(tmp_path: Path) -> None:
    audited = audit(str(pipeline(tmp_path, PARTS)))
    lines = list(every_tensor_text(audited))
    assert len(lines) == len(genuine(UNET)) + len(genuine(TEXT)) + len(genuine(VAE))
    assert [one for one in tensors_text(audited).splitlines() if one.endswith("/")] == [
        "unet/",
        "text_encoder/",
        "vae/",
    ]
    listed = json.loads("".join(every_tensor_json(audited)))["tensors"]
    assert [f"{one['file'].partition('/')[0]}/{one['name']}" for one in listed] == [one.split()[0] for one in lines]


def test_a_pipeline_says_which_component_has_no_formula(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    next((folder / "vae").glob("*.safetensors")).write_bytes(b"")
    assert "none for vae" in audit_text(audit(str(folder)))


def test_a_pipeline_without_folders_is_reported(tmp_path: Path) -> None:
    write(tmp_path, genuine(UNET, "F16"), TEXT)
    (tmp_path / "model_index.json").write_text(json.dumps(PARTS), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert {"N417", "N401"} <= codes(audited)


def test_the_config_of_a_model_under_the_name_of_an_index(tmp_path: Path) -> None:
    write(tmp_path, genuine(UNET, "F16"), UNET)
    (tmp_path / "config.json").rename(tmp_path / "model_index.json")
    audited = audit(str(tmp_path))
    assert codes(audited) == {"S221"}
    (step,) = audited.findings[0].remedy().steps
    assert (step.action, step.file, step.new) == ("move", "model_index.json", "config.json")


def test_a_compiled_component_is_named_by_its_config(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, {**PARTS, "unet": ["torch._dynamo.eval_frame", "OptimizedModule"]})
    (finding,) = [one for one in audit(str(folder)).findings if one.code == "N475"]
    assert finding.facts["meant"] == ["diffusers", "UNet2DConditionModel"]


def test_what_auto_classes_do_with_a_component_of_another_class_is_not_reported(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    config = {**base_record("t5", "ForConditionalGeneration")["config"], "architectures": None}
    tensors = {name: entry for name, entry in genuine(config, "F16").items() if not name.startswith("decoder.")}
    write(folder / "text_encoder", tensors, config)
    assert [one.code for one in audit(str(folder)).findings if one.severity == "error"] == ["N424"]


def test_folders_outside_are_not_opened(tmp_path: Path) -> None:
    parts = {**PARTS, "../unet": ["diffusers", "UNet2DConditionModel"], "..": ["diffusers", "UNet2DConditionModel"]}
    audited = audit(str(pipeline(tmp_path, parts)))
    assert set(audited.components) == {"unet", "text_encoder", "vae"}


def test_a_claim_for_a_pipeline_is_compared_with_its_sums_and_components(tmp_path: Path) -> None:
    folder = str(pipeline(tmp_path, PARTS))
    whole = audit(folder)
    unet, text, vae = (part.counts.unique_parameters for part in whole.components.values())
    for number, agrees, because in (
        (unet + text + vae, True, "unique parameters"),
        (unet, False, f"it counts unet alone ({unet:,})"),
        (text + unet + vae + 7, False, "7 more; no part of the formula explains it"),
    ):
        stated = read_claim(str(number))
        (claim,) = audit(folder, claim=stated).claims
        assert (claim.claimed, claim.true, claim.agrees, claim.because) == (number, unet + text + vae, agrees, because)


@pytest.mark.parametrize("index", ["{}", '{"_class_name": "X"}', '{"a": 1, "b": ["diffusers"], "c": [null, null]}'])
def test_an_index_without_components_is_an_error(tmp_path: Path, index: str) -> None:
    (tmp_path / "model_index.json").write_text(index, encoding="utf-8")
    audited = audit(str(tmp_path))
    assert (audited.verdict, [one.code for one in audited.findings]) == ("unreadable", ["R006"])


def modular(folder: Path, **changes: Any) -> Path:
    """A modular pipeline, as diffusers 0.42 stores it and `hf download` copies it: entries that name the repository."""
    pipeline(folder, PARTS)
    (folder / "model_index.json").unlink()
    values: dict[str, Any] = {"_class_name": "StableDiffusionXLModularPipeline", "_blocks_class_name": "Blocks"}
    for name, entry in PARTS.items():
        if isinstance(entry, list) and entry[0] is not None:
            place = {"type_hint": entry, "pretrained_model_name_or_path": "org/model", "subfolder": name}
            values[name] = [*entry, {**place, "variant": None, "revision": None, **changes.get(name, {})}]
    (folder / "modular_model_index.json").write_text(json.dumps(values), encoding="utf-8")
    return folder


def test_a_modular_pipeline(tmp_path: Path) -> None:
    found = audit(str(modular(tmp_path)))
    assert (found.verdict, codes(found), sorted(found.components)) == ("clean", set(), ["text_encoder", "unet", "vae"])
    assert found.counts.unique_parameters == found.counts.expected_parameters


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"type_hint": ["diffusers", "AutoencoderKLL"]}, {"N475"}),  # AttributeError
        ({"type_hint": None}, {"N476"}),  # KeyError
        ({"subfolder": "other"}, set()),  # taken from the repository; the folder belongs to no component
        ({"pretrained_model_name_or_path": None, "subfolder": "other"}, set()),  # not loaded
    ],
    ids=str,
)
def test_entries_of_a_modular_pipeline(entry: dict[str, Any], expected: set[str], tmp_path: Path) -> None:
    assert codes(audit(str(modular(tmp_path, vae=entry)))) == expected


def test_components_of_a_modular_pipeline_in_other_repositories(tmp_path: Path) -> None:
    modular(tmp_path)
    shutil.rmtree(tmp_path / "unet")
    found = audit(str(tmp_path))
    open_checks = [skip.because for skip in found.skipped if skip.decisive]
    assert (found.verdict, codes(found)) == ("undecided", set())
    assert open_checks == ["it is not in this folder: diffusers takes it from org/model/unet"]
    for name in ("vae", "text_encoder", "tokenizer", "scheduler"):
        shutil.rmtree(tmp_path / name)
    (none,) = audit(str(tmp_path)).findings
    assert (none.code, none.facts["elsewhere"][0]) == ("R003", "org/model/unet")


def test_the_index_of_a_modular_pipeline_under_another_name(tmp_path: Path) -> None:
    modular(tmp_path)
    (tmp_path / "modular_model_index.json").rename(tmp_path / "model_index.json")
    found = audit(str(tmp_path))
    assert codes(found) == {"S221"}
    (step,) = found.findings[0].remedy().steps
    (tmp_path / "model_index.json").rename(tmp_path / str(step.new))
    assert audit(str(tmp_path)).verdict == "clean"
    shutil.copy(tmp_path / str(step.new), tmp_path / "model_index.json")  # as repositories have both
    assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize(("entries", "null"), [
    ({"text_encoder": [None, None]}, ["text_encoder"]),
    ({"text_encoder": [None, None], "tokenizer": [None, None]}, []),
    ({"text_encoder_2": [None, None], "tokenizer_2": ["transformers", "T5TokenizerFast"]}, ["text_encoder_2"]),
    ({"text_encoder_3": [None, None], "tokenizer_3": ["transformers", "T5TokenizerFast"]}, []),
    ({"text_encoder_2": ["transformers", "T5EncoderModel"]}, []),
])  # fmt: skip
@pytest.mark.parametrize("name", ["StableDiffusionXLPipeline", "FluxPipeline", "StableDiffusion3Pipeline"])
def test_a_text_encoder_that_is_null_beside_its_tokenizer(
    name: str, entries: dict[str, Any], null: list[str], tmp_path: Path
) -> None:
    write(tmp_path / "image_encoder", genuine(TEXT, "F16"), TEXT)
    stated = {"image_encoder": ["transformers", "CLIPTextModel"], "tokenizer": ["transformers", "CLIPTokenizer"]}
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": name, **stated, **entries}))
    found = [one for one in audit(str(tmp_path)).findings if one.code == "N768"]
    assert [list(one.facts["components"]) for one in found] == ([null] if null else [])
