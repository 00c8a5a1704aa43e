"""A diffusers pipeline in its folders: sums, the missing component, and one that lost its folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import inspector
from inspector.auditing.start import audit
from inspector.cli.verbs import mend
from inspector.reconciler.claims import read_claim
from inspector.report.json_v1 import audit_json
from inspector.report.text import audit_text
from tests.checkpoints import genuine, write
from tests.judged import codes, diffusers_records, spec_of
from tests.loads.damage import Folder, WeightFile
from tests.loads.damage import write as write_folder

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
PARTS = {
    "_class_name": "StableDiffusionPipeline",
    "_diffusers_version": "0.30.0",
    "unet": ["diffusers", "UNet2DConditionModel"],
    "text_encoder": ["transformers", "CLIPTextModel"],
    "tokenizer": ["transformers", "CLIPTokenizer"],
    "scheduler": ["diffusers", "PNDMScheduler"],
    "safety_checker": [None, None],
    "requires_safety_checker": True,
}


def pipeline(folder: Path, parts: dict[str, Any]) -> Path:
    """A pipeline of a UNet and a text encoder."""
    write(folder / "unet", genuine(UNET, "F16"), UNET)
    (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    write(folder / "text_encoder", genuine(TEXT, "F16"), TEXT)
    (folder / "model_index.json").write_text(json.dumps(parts), encoding="utf-8")
    (folder / "scheduler").mkdir()
    (folder / "scheduler" / "scheduler_config.json").write_text('{"_class_name": "PNDMScheduler"}', encoding="utf-8")
    return folder


def test_components_are_audited_and_added_up(tmp_path: Path) -> None:
    audited = audit(str(pipeline(tmp_path, PARTS)))
    assert audited.verdict == "clean", audited.findings
    assert list(audited.components) == ["unet", "text_encoder"]
    sums = [part.counts.unique_parameters for part in audited.components.values()]
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == sum(sums)
    reported: Any = audit_json(audited)
    assert reported["components"]["unet"]["schema"] == "inspector.audit/1"
    assert reported["components"]["text_encoder"]["verdict"] == "clean"
    assert "text_encoder  clip_text_model" in audit_text(audited)


def test_a_component_without_its_folder_is_missing(tmp_path: Path) -> None:
    audited = audit(str(pipeline(tmp_path, {**PARTS, "vae": ["diffusers", "AutoencoderKL"]})))
    assert codes(audited) == {"N416"}
    assert audited.verdict == "findings"


def test_many_missing_components_are_one_finding(tmp_path: Path) -> None:
    many = {f"part_{number}": ["diffusers", "AutoencoderKL"] for number in range(5000)}
    audited = audit(str(pipeline(tmp_path, {**PARTS, **many})))
    (finding,) = audited.findings
    assert (finding.code, finding.title) == ("N416", "5,000 components")
    assert len(audit_text(audited).splitlines()) < 40


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
        ("MyOwnUNet", UNET, None),
    ],
)
def test_a_component_of_another_class_is_reported_once(
    index: str, config: dict[str, Any], code: str | None, tmp_path: Path
) -> None:
    folder = pipeline(tmp_path, {**PARTS, "unet": ["diffusers", index]})
    (folder / "unet" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert codes(audit(str(folder))) == ({code} if code else set())


def test_another_components_weights_are_reported(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    text = (folder / "text_encoder" / "model.safetensors").read_bytes()
    (folder / "unet" / "diffusion_pytorch_model.safetensors").write_bytes(text)
    assert codes(audit(str(folder))) == {"N401"}


def test_a_scheduler_without_its_config_is_missing(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    (folder / "scheduler" / "scheduler_config.json").unlink()
    assert codes(audit(str(folder))) == {"N416"}


def test_one_variant_of_all_components_is_one_finding(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    for path in list(folder.glob("*/*.safetensors")):
        path.rename(path.with_suffix(".fp16.safetensors"))
    audited = audit(str(folder))
    (finding,) = audited.findings
    assert (finding.code, finding.facts["components"]) == ("S233", ["unet", "text_encoder"])
    assert mend(str(folder), write=True, format="json").code == 0
    assert audit(str(folder)).verdict == "clean"


def test_what_a_pipeline_of_an_unknown_class_needs_is_open(tmp_path: Path) -> None:
    audited = audit(str(pipeline(tmp_path, {**PARTS, "_class_name": "MyOwnPipeline"})))
    assert (audited.verdict, codes(audited)) == ("undecided", set())


def test_a_class_of_transformers_that_has_none_of_the_names(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, {**PARTS, "text_encoder": ["transformers", "T5EncoderModel"]})
    assert codes(audit(str(folder))) == {"N424"}


def test_weights_of_another_component_are_to_be_downloaded_again(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    vae = genuine({"_class_name": "AutoencoderKL"}, "F16")
    write(folder / "unet", vae)
    (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    (finding,) = audit(str(folder)).findings
    assert finding.help.startswith("download the weights of unet again")


@pytest.mark.parametrize(("width", "code"), [(48, "N458"), (40, "C310")])
def test_a_width_that_two_components_share(width: int, code: str, tmp_path: Path) -> None:
    """The UNet of another model: its config agrees with the text encoder, or nothing says that it is right."""
    folder = pipeline(tmp_path, PARTS)
    write(folder / "unet", genuine({**UNET, "cross_attention_dim": 96}, "F16"), {**UNET, "cross_attention_dim": width})
    (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    assert codes(audit(str(folder))) == {code}


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
    found = [one for one in audit(str(write_folder(folder, tmp_path))).findings if one.severity == "error"]
    assert [(one.code, one.facts.get("agreeing")) for one in found] == [("N458", fits)]


def test_a_lost_part_is_not_solved_into_the_config(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    kept = {name: entry for name, entry in genuine(UNET, "F16").items() if not name.startswith("mid_block.")}
    write(folder / "unet", kept, UNET)
    (folder / "unet" / "model.safetensors").rename(folder / "unet" / "diffusion_pytorch_model.safetensors")
    assert codes(audit(str(folder))) == {"N404"}


def test_a_wound_is_reported_with_its_component(tmp_path: Path) -> None:
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


def test_a_pipeline_without_folders_is_reported(tmp_path: Path) -> None:
    write(tmp_path, genuine(UNET, "F16"), TEXT)
    (tmp_path / "model_index.json").write_text(json.dumps(PARTS), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert {"N417", "N401"} <= codes(audited)


def test_folders_outside_are_not_opened(tmp_path: Path) -> None:
    parts = {**PARTS, "../unet": ["diffusers", "UNet2DConditionModel"], "..": ["diffusers", "UNet2DConditionModel"]}
    audited = audit(str(pipeline(tmp_path, parts)))
    assert set(audited.components) == {"unet", "text_encoder"}


def test_a_claim_of_a_pipeline_is_set_against_its_sums_and_parts(tmp_path: Path) -> None:
    folder = str(pipeline(tmp_path, PARTS))
    whole = audit(folder)
    unet, text = (part.counts.unique_parameters for part in whole.components.values())
    for number, agrees, because in (
        (unet + text, True, "unique parameters"),
        (unet, False, f"it counts unet alone ({unet:,})"),
        (text + unet + 7, False, "7 more; no part of the formula explains it"),
    ):
        stated = read_claim(str(number))
        (claim,) = audit(folder, claim=stated).claims
        assert (claim.claimed, claim.true, claim.agrees, claim.because) == (number, unet + text, agrees, because)


@pytest.mark.parametrize("index", ["{}", '{"_class_name": "X"}', '{"a": 1, "b": ["diffusers"], "c": [null, null]}'])
def test_an_index_without_components_is_an_error(tmp_path: Path, index: str) -> None:
    (tmp_path / "model_index.json").write_text(index, encoding="utf-8")
    audited = audit(str(tmp_path))
    assert (audited.verdict, [one.code for one in audited.findings]) == ("unreadable", ["R006"])
