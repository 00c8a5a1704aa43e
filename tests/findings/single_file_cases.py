"""Folders and files of diffusion models that have a finding about their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import Spec, genuine, write_file
from tests.dialects.test_image_programs import SD_VAE
from tests.dialects.test_single_file import model, whole
from tests.test_pipelines import PARTS, pipeline

OWN_MODULE = "mvdiffusion.models_unclip.unet_mv2d_condition"


def of_file(spec: Spec, *, folder: bool = False) -> Audit:
    """A single file, given by itself or as the only one of its folder."""
    with TemporaryDirectory() as place:
        write_file(Path(place) / "model.safetensors", spec)
        return audit(place if folder else f"{place}/model.safetensors")


def half(name: str = "decoder") -> Audit:
    """One half of an autoencoder."""
    return of_file({key: one for key, one in model("tiny")[0]["vae"][1].items() if key.startswith(f"{name}.")})


def with_second_projection(name: str = "text_projection.weight") -> Audit:
    """SDXL with its text projection under two names."""
    spec = whole(model("tiny-xl")[0])
    prefix = "conditioner.embedders.1.model."
    dtype, (inputs, outputs) = spec[f"{prefix}text_projection"]
    return of_file({**spec, f"{prefix}{name}": (dtype, (outputs, inputs))})


def with_own_class(module: str = OWN_MODULE) -> Audit:
    """A pipeline whose UNet has a class of its authors' code."""
    with TemporaryDirectory() as place:
        entries = {**PARTS, "unet": [module, "UNetMV2DConditionModel"]}
        return audit(str(pipeline(Path(place), entries)))


FOLDERS: dict[str, Callable[[], Audit]] = {
    "autoencoder-half": half,
    "projection-stored-twice": with_second_projection,
    "vae-names-of-diffusers": lambda: of_file(genuine(SD_VAE)),
    "single-file-in-folder": lambda: of_file(whole(model("tiny")[0]), folder=True),
    "entry-code-absent": with_own_class,
}
"""Name of a finding -> a source that has it."""
