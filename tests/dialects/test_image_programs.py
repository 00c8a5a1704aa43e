"""A network or a VAE alone in a file: which programs for images read its names, and from which folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import Spec, genuine, write_file
from tests.dialects import single_file
from tests.dialects.test_writers import FLUX, SD3, WAN, WAYS
from tests.judged import diffusers_records, spec_of

SD_VAE: dict[str, Any] = {
    "_class_name": "AutoencoderKL", "block_out_channels": [32, 64, 64, 64], "layers_per_block": 2, "latent_channels": 4,
    "in_channels": 3, "out_channels": 3, "norm_num_groups": 32,
    "down_block_types": ["DownEncoderBlock2D"] * 4, "up_block_types": ["UpDecoderBlock2D"] * 4,
}  # fmt: skip
WIDER: dict[str, Any] = {**SD_VAE, "block_out_channels": [32, 32, 96, 96]}
SIXTEEN: dict[str, Any] = {**SD_VAE, "latent_channels": 16, "use_quant_conv": False, "use_post_quant_conv": False}


def stored(path: Path, spec: Spec) -> Audit:
    path.parent.mkdir(parents=True)
    write_file(path, spec)
    return audit(str(path))


@pytest.mark.parametrize("config", [SD_VAE, WIDER])
def test_a_vae_under_the_names_of_diffusers_has_a_note(config: dict[str, Any], tmp_path: Path) -> None:
    audited = stored(tmp_path / "VAE/mine.safetensors", genuine(config))
    (found,) = (one for one in audited.findings if one.code == "N756")
    assert (audited.verdict, found.severity) == ("clean", "note")


@pytest.mark.parametrize(
    "name, spec",
    [
        ("VAE/mine.safetensors", single_file.vae(SD_VAE)),
        ("VAE/mine.safetensors", genuine(SIXTEEN)),
        ("vae/diffusion_pytorch_model.fp16.safetensors", genuine(SD_VAE)),
    ],
)
def test_other_names_channels_and_files_have_none(name: str, spec: Spec, tmp_path: Path) -> None:
    assert "N756" not in {one.code for one in stored(tmp_path / name, spec).findings}


@pytest.mark.parametrize("below", ["", "flux/"])
def test_a_network_alone_in_the_folder_of_whole_files(below: str, tmp_path: Path) -> None:
    path = tmp_path / f"ComfyUI/models/checkpoints/{below}mine.safetensors"
    audited = stored(path, genuine(FLUX))
    for one in (audited, audit(str(path.parent))):
        (found,) = (finding for finding in one.findings if finding.code == "N495")
        assert "Load Diffusion Model" in str(found.help)
    elsewhere = stored(tmp_path / "ComfyUI/models/diffusion_models/mine.safetensors", genuine(FLUX))
    assert "N495" not in {one.code for one in elsewhere.findings}


AUTHORS = {"flux": FLUX, "sd3": SD3, "wan": WAN}
"""A way of writing -> the config of a network that its authors publish alone."""


def of_authors(way: str) -> Spec:
    return WAYS[way][0](genuine(AUTHORS[way]))


@pytest.mark.parametrize("place", ["Downloads", "runs/checkpoints"])
@pytest.mark.parametrize("way", AUTHORS)
def test_a_network_under_the_names_of_its_authors_belongs_to_others(way: str, place: str, tmp_path: Path) -> None:
    audited = stored(tmp_path / place / "mine.safetensors", of_authors(way))
    (found,) = (one for one in audited.findings if one.code == "N495")
    assert f"{AUTHORS[way]['_class_name']}.from_single_file" in found.help
    assert "models/diffusion_models" in found.help
    assert (audited.verdict, found.severity) == ("clean", "note")


@pytest.mark.parametrize("name", [
    "diffusion_models/mine.safetensors", "unet/mine.safetensors", "transformer_2/mine.safetensors",
    "models/diffusion_pytorch_model.safetensors",
])  # fmt: skip
@pytest.mark.parametrize("way", AUTHORS)
def test_a_network_in_its_own_folder_or_under_the_name_of_diffusers_has_no_note(
    way: str, name: str, tmp_path: Path
) -> None:
    assert "N495" not in {one.code for one in stored(tmp_path / name, of_authors(way)).findings}


@pytest.mark.parametrize("way", AUTHORS)
def test_the_names_of_diffusers_and_a_file_beside_say_nothing(way: str, tmp_path: Path) -> None:
    path = tmp_path / "some/mine.safetensors"
    assert "N495" not in {one.code for one in stored(path, genuine(AUTHORS[way])).findings}
    write_file(path, of_authors(way))
    write_file(path.with_name("ae.safetensors"), single_file.vae(SD_VAE))
    assert "N495" not in {one.code for one in audit(str(path.parent)).findings}


@pytest.mark.parametrize(("folder", "found"), [
    ("ComfyUI/models/checkpoints", True), ("ComfyUI/models/unet", False), ("stable-diffusion/unet", False),
])  # fmt: skip
def test_a_unet_of_diffusers_in_the_folder_of_whole_files(folder: str, found: bool, tmp_path: Path) -> None:
    record = diffusers_records("UNet2DConditionModel")[0]
    audited = stored(tmp_path / folder / "tuned.safetensors", spec_of(record))
    assert [one.message.partition(";")[0] for one in audited.findings if one.code == "N495"] == ["unet"] * found
