"""What programs for images do with a network or an autoencoder alone in a file, by its names and its folder.

Source: ComfyUI, `VAE.__init__` (it converts diffusers' names) and `load_state_dict_guess_config` (a file without other
parts is loaded as a diffusion model alone); `_load_vae_dict` of AUTOMATIC1111's web UI, which loads the state dict
strictly into its own class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import PurePath
from typing import Final

from inspector.auditing.result import Audit
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint

VAE: Final = "AutoencoderKL"
OF_DIFFUSERS: Final = "decoder.up_blocks.0.resnets.0.norm1.weight"
"""The name by which ComfyUI recognises diffusers' names."""
FIRST: Final = "decoder.conv_in.weight"
LATENT_CHANNELS: Final = 4
"""Those of Stable Diffusion 1, 2 and XL, for which the web UI reads single files of a VAE."""
OWN_STEM: Final = "diffusion_pytorch_model"
"""The beginning of the file's name in diffusers' own folders."""
NETWORKS: Final[Mapping[str, str]] = {**dict.fromkeys((
    "AuraFlowTransformer2DModel", "ChromaTransformer2DModel", "CosmosTransformer3DModel", "Flux2Transformer2DModel",
    "FluxTransformer2DModel", "HiDreamImageTransformer2DModel", "HunyuanVideoTransformer3DModel",
    "LTXVideoTransformer3DModel", "Lumina2Transformer2DModel", "MochiTransformer3DModel", "QwenImageTransformer2DModel",
    "SD3Transformer2DModel", "WanTransformer3DModel", "WanVACETransformer3DModel", "ZImageTransformer2DModel",
), "transformer"), "UNet2DConditionModel": "unet"}  # fmt: skip
"""Network that is published without text encoders and autoencoder, and that ComfyUI loads -> what pipelines call it."""
FOLDER: Final = ("models", "checkpoints")
"""The folder of ComfyUI for files with all parts of a pipeline."""
OWN_FOLDERS: Final = ("diffusion_models", "transformer", "unet")
"""Beginnings of the names of folders for networks alone, of ComfyUI and of diffusers."""


def of_image_programs(audited: Audit) -> Iterator[Finding]:
    """The notes on a file without a config whose names show what it is."""
    checkpoint, architecture = audited.checkpoint, audited.architecture
    if checkpoint.config is not None or architecture is None or checkpoint.partial or checkpoint.lost:
        return
    if checkpoint.names_in_file:  # a component under other names than those of the file
        return
    if architecture.name == VAE and _is_of_diffusers(checkpoint):
        from inspector.findings.names.single_vae import VaeNamesOfDiffusers

        yield VaeNamesOfDiffusers()
    elif architecture.name in NETWORKS:
        yield from _network_alone(audited, architecture.name)


def _network_alone(audited: Audit, name: str) -> Iterator[Finding]:
    """The note on a network without the other parts of its pipeline: in the folder for whole files, or under the names
    of its authors in no folder that is one for networks.
    """
    from inspector.findings.names.single_file import SingleFileParts

    checkpoint = audited.checkpoint
    folder = whole_folder(checkpoint)
    if any(isinstance(one, SingleFileParts) for one in audited.findings) or not (folder or _is_of_authors(audited)):
        return
    yield SingleFileParts(present=(NETWORKS[name],), absent=("vae", "text encoder"), folder=folder, network=name)


def _is_of_authors(audited: Audit) -> bool:
    """True if a file alone has the names of the network's authors, and its place does not say what it is."""
    checkpoint, case = audited.checkpoint, audited.case
    if case is None or not case.reading.writer or checkpoint.is_gguf or checkpoint.other_sets:
        return False
    parts = (*PurePath(checkpoint.source).parts, *PurePath(checkpoint.set_name).parts)
    return not any(part.lower().startswith((*OWN_FOLDERS, OWN_STEM)) for part in parts)


def whole_folder(checkpoint: Checkpoint) -> str:
    """ComfyUI's folder for files with all parts if the file is in it, or below it; else ""."""
    parts = tuple(part.lower() for part in PurePath(checkpoint.source).parts)
    return "/".join(FOLDER) if not checkpoint.commit and FOLDER in pairwise(parts) else ""


def _is_of_diffusers(checkpoint: Checkpoint) -> bool:
    first = checkpoint.tensors.get(FIRST)
    own = checkpoint.set_name.startswith(OWN_STEM)
    return not own and OF_DIFFUSERS in checkpoint.tensors and first is not None and (
        first.shape[1:2] == (LATENT_CHANNELS,))  # fmt: skip
