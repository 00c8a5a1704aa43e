"""Findings on the components of a diffusion model in a single file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.unread_by_diffusers import UnreadByDiffusers
from inspector.findings.words import count, listed, number

VERSIONS: Final[Mapping[int, tuple[str, str]]] = {
    768: ("Stable Diffusion 1", "cldm_v15.yaml"),
    1024: ("Stable Diffusion 2", "cldm_v21.yaml"),
    2048: ("Stable Diffusion XL", ""),
}
"""Width of the text -> the models that read it, and the file of sd-webui-controlnet for their ControlNets."""


class SingleFileParts(Finding, frozen=True, kw_only=True):
    """A single file of a diffusion model lacks other components of its pipeline.

    What it means
        The file holds the network that removes noise, without an autoencoder or without any text encoder. Many such
        files are published: what is the same in all fine-tunes of a model is left out.

    Why it matters
        diffusers' `from_single_file` of a pipeline refuses a file without a component that it is not given; ComfyUI
        loads it as a diffusion model alone: from models/checkpoints its node Load Checkpoint gives no text encoder and
        no VAE of it, and older versions refuse it ("Could not detect model type").

    Example
        note[N495] single-file-parts: unet; no vae, no text encoder
          help  load the others from the base model, and pass them to from_single_file

    What to do
        Load the other components from the model that this one was made of.
    """

    code = "N495"
    severity = "note"
    advises = True

    present: tuple[str, ...]
    absent: tuple[str, ...]
    folder: str = ""
    """The folder of ComfyUI for whole pipelines, if the file is in it."""
    network: str = ""
    """The class of diffusers of a transformer that is alone in the file, if it is known."""

    remedy_text = "load the others from the base model, and pass them to from_single_file"

    def headline(self) -> str:
        return f"{listed(self.present)}; {', '.join(f'no {one}' for one in self.absent)}"

    def rows(self) -> Rows:
        return [("folder", f"{self.folder}, from which ComfyUI loads whole pipelines")] if self.folder else []

    def remedy(self) -> Remedy:
        if self.network and not self.folder:
            own = f"{self.network}.from_single_file in diffusers, Load Diffusion Model in ComfyUI"
            others = "the text encoders and the VAE are those of the base model"
            return Remedy(f"load it by itself, with {own} (from models/diffusion_models); {others}")
        if not self.folder:
            return super().remedy()
        own = "in ComfyUI move it to models/diffusion_models and load it with Load Diffusion Model"
        return Remedy(f"{own}, and load the text encoders and the VAE of the base model with their own nodes")


class SingleFileWithoutVae(SingleFileParts, frozen=True, kw_only=True):
    """A checkpoint in a single file has all components but the autoencoder.

    What it means
        The file holds the network that removes noise and its text encoders, and no VAE ("no VAE" or pruned releases, or
        a merge that lost it).

    Why it matters
        diffusers' `from_single_file` refuses the file unless it is given a VAE. ComfyUI and Forge have none to decode
        with; the web UI takes the one that is set.

    Example
        warning[N675] single-file-without-vae: unet, text_encoder; no vae
          help  load the VAE of the base model with it: vae= in from_single_file, a Load
                VAE node in ComfyUI, or the VAE setting of the web UI and Forge

    What to do
        Load the VAE of the model that this one was made of, or the file with a VAE from the same page.
    """

    code = "N675"
    severity = "warning"

    remedy_text = (
        "load the VAE of the base model with it: vae= in from_single_file, a Load VAE node in ComfyUI, or the VAE"
        " setting of the web UI and Forge"
    )


class SingleFileTextWidth(Finding, frozen=True, kw_only=True):
    """The text encoders in a single file do not give the text that its network reads.

    What it means
        The network's attention reads text of another width than the stored encoders give, alone or side by side. One
        encoder was left out, as the conversion script for Stable Diffusion 1 does with SDXL's second one, or the
        encoder is that of another model.

    Why it matters
        diffusers' `from_single_file` finds another kind of model than this network and refuses its shapes; ComfyUI
        has no text for it.

    Example
        error[N742] single-file-text-width: the UNet reads 2,048 numbers of each token
          text_encoder  gives 768
          help          convert the pipeline again with the script for Stable Diffusion
                        XL, or load its text encoders from the base model

    What to do
        Convert the pipeline again with the script for this model; until then load the text encoders of its base model
        beside the file.
    """

    code = "N742"

    wanted: int
    encoders: tuple[str, ...]
    widths: tuple[int, ...]

    headline_text = "the UNet reads {wanted} numbers of each token"

    def rows(self) -> Rows:
        return [(name, f"gives {number(width)}") for name, width in zip(self.encoders, self.widths, strict=True)]

    def remedy(self) -> Remedy:
        model = VERSIONS.get(self.wanted, ("this model", ""))[0]
        return Remedy(
            f"convert the pipeline again with the script for {model}, or load its text encoders from the base model"
        )


class SingleFileWithoutNetwork(Finding, frozen=True, kw_only=True):
    """A checkpoint in a single file has an autoencoder and a text encoder, but no network that removes noise.

    What it means
        No tensor has the prefix of the UNet (`model.diffusion_model.`). A file from which the wrong copy was removed
        has only the averages of its weights (`model_ema.`), whose names have no dots.

    Why it matters
        diffusers' `from_single_file` refuses the file (SingleFileComponentError, measured with 0.42), and ComfyUI finds
        no model in it: both look for the UNet's own names, also to find the averages.

    Example
        error[N704] single-file-without-network: vae, text_encoder; no network
          help  download or convert the whole checkpoint

    What to do
        Take the whole checkpoint. Averages can be renamed with the names in a checkpoint of the same model:
        `model_ema.` and the UNet's name after `model.` without its dots.
    """

    code = "N704"

    present: tuple[str, ...]
    averages: int
    """Tensors of the averages (`model_ema.`)."""

    def headline(self) -> str:
        return f"{listed(self.present)}; {'of the network only averages' if self.averages else 'no network'}"

    def rows(self) -> Rows:
        return [("stored", f"{count(self.averages, 'tensor')} of model_ema.")] if self.averages else []

    def remedy(self) -> Remedy:
        whole = "download or convert the whole checkpoint"
        if not self.averages:
            return Remedy(whole)
        return Remedy(
            f"{whole}, or rename the averages with the names of a checkpoint of the same model:"
            ' "model_ema." and the rest of a name after "model." without its dots'
        )


class ControlNetDifferences(UnreadByDiffusers, frozen=True, kw_only=True):
    """A ControlNet holds differences from the UNet instead of weights.

    What it means
        A tensor with the name `difference` marks a file to which the weights of the UNet were subtracted, as
        sd-webui-controlnet's `extract_controlnet_diff.py` does: with another UNet it controls that one.

    Why it matters
        sd-webui-controlnet and ComfyUI add the weights of the UNet that they use. diffusers loads the differences as
        weights, and the ControlNet has no useful effect.

    Example
        note[N554] control-net-differences: differences from the weights of a UNet
          marked by  difference
          help       load it with ComfyUI or sd-webui-controlnet; for diffusers, add the
                     UNet's weights to those that have its names

    What to do
        For diffusers, add the weights of the UNet that it was trained with, or take the ControlNet it was made from.
    """

    code = "N554"
    severity = "note"

    mark: str

    headline_text = "differences from the weights of a UNet"
    row_texts = (("marked by", "{mark}"),)
    remedy_text = (
        "load it with ComfyUI or sd-webui-controlnet; for diffusers, add the UNet's weights to those that have its"
        " names"
    )

    def behaviour(self) -> str:
        return "loads the differences as weights"


class DecoderChannelsDiffer(Finding, frozen=True, kw_only=True):
    """The decoder of an autoencoder gives another number of channels than the encoder reads.

    What it means
        Autoencoders of a published family give back the image that they read. A decoder with four times the channels
        gives an image of twice the width and height, once a program rearranges them.

    Why it matters
        Programs build the family's own autoencoder and refuse the file: "size mismatch" at the last convolution of the
        decoder. diffusers' `from_single_file` takes the config of the family, too.

    Example
        note[N644] decoder-channels-differ: the encoder reads 3, the decoder gives 12
          decoder  decoder.head.2.weight [12, 12, 3, 3, 3]
          help     load it with the program that it was made for, or use the family's
                   own autoencoder

    What to do
        Load it with its own program; for other programs take the autoencoder that it was made from.
    """

    code = "N644"
    severity = "note"

    read: int
    given: int
    shape: tuple[int, ...]

    headline_text = "the encoder reads {read}, the decoder gives {given}"
    remedy_text = "load it with the program that it was made for, or use the family's own autoencoder"

    def rows(self) -> Rows:
        return [("decoder", f"{self.place.tensor} {list(self.shape)}")]


class SingleFileEncoderRows(Finding, frozen=True, kw_only=True):
    """A text encoder in a single file has another number of tokens or positions than every published pipeline.

    What it means
        CLIP's text encoders read 77 positions and 49,408 tokens. An encoder with more positions (LongCLIP has 248) or
        with tokens of its own has a larger table.

    Why it matters
        diffusers' `from_single_file` builds the encoder with the config of the published pipeline and refuses the file:
        "expected shape". A folder in the format of diffusers states the numbers in its configs.

    Example
        warning[N703] single-file-encoder-rows: text_encoder: 248 rows, not 77
          table
            cond_stage_model.transformer.text_model.embeddings.position_embedding.weight
          help   load it in diffusers with from_single_file(FILE, config=FOLDER), the
                 folder of a pipeline with "max_position_embeddings": 248 in
                 text_encoder/config.json

    What to do
        Give diffusers the folder of a pipeline with these numbers, or save the model as such a folder.
    """

    code = "N703"
    severity = "warning"

    component: str
    key: str
    stored: int
    published: int

    headline_text = "{component}: {stored} rows, not {published}"
    row_texts = (("table", "{place.tensor}"),)

    def remedy(self) -> Remedy:
        return Remedy(
            "load it in diffusers with from_single_file(FILE, config=FOLDER), the folder of a pipeline with"
            f' "{self.key}": {self.stored} in {self.component}/config.json'
        )


class NetworkBlocksMissing(Finding, frozen=True, kw_only=True):
    """Blocks are absent from the numbered sequence of a UNet or ControlNet.

    What it means
        A UNet in the names of its first authors numbers its input blocks, the middle and its output blocks without
        gaps, and has as many output blocks as input blocks; a ControlNet has a convolution for each input block. Some
        numbers are absent.

    Why it matters
        diffusers' `from_single_file` and ComfyUI build the network with all blocks: they refuse the file, or run the
        absent ones with random values.

    Example
        error[N649] network-blocks-missing: unet: model.diffusion_model.input_blocks.2
          stored  7 other blocks
          help    download or convert the checkpoint again: no file contains this block

    What to do
        Download the file again, or repeat the conversion or merge that lost the blocks.
    """

    code = "N649"

    network: str
    blocks: tuple[str, ...]
    stored: int

    row_texts = (("stored", "{stored:count other block}"),)

    def headline(self) -> str:
        return f"{self.network}: {listed(self.blocks, 4)}"

    def remedy(self) -> Remedy:
        those = "this block" if len(self.blocks) == 1 else "these blocks"
        return Remedy(f"download or convert the checkpoint again: no file contains {those}")


class SingleFileSettingsDiffer(Finding, frozen=True, kw_only=True):
    """The YAML beside a single file is that of another model.

    What it means
        `NAME.yaml` beside the weights `NAME.safetensors` states another width of the text (`context_dim`) than the
        matrices that read it have: it is the YAML of another version of Stable Diffusion, often a copy of the one for
        version 1.

    Why it matters
        AUTOMATIC1111's web UI and sd-webui-controlnet build the model by this file, and refuse the weights (size
        mismatch for `attn2.to_k.weight`, and for `proj_in.weight`). ComfyUI and diffusers do not read it beside the
        weights.

    Example
        error[N689] single-file-settings-differ: control_v11p_sd21_depth.yaml
          stated  context_dim 768, as in Stable Diffusion 1
          stored  1,024 in 1 tensor, as in Stable Diffusion 2
          help    put the YAML of Stable Diffusion 2 in its place: cldm_v21.yaml for a
                  ControlNet

    What to do
        Put the YAML that belongs to the weights under the same name; without one, the web UI guesses the model by its
        tensors.
    """

    code = "N689"

    stated: int
    stored: int
    tensors: int
    """Matrices that read the text."""

    def headline(self) -> str:
        return self.place.file or ""

    def rows(self) -> Rows:
        stored = f"{number(self.stored)} in {count(self.tensors, 'tensor')}"
        return [
            ("stated", f"context_dim {number(self.stated)}{self._of(self.stated)}"),
            ("stored", f"{stored}{self._of(self.stored)}"),
        ]

    def remedy(self) -> Remedy:
        model, file = VERSIONS.get(self.stored, ("the model that these weights are of", ""))
        example = f": {file} for a ControlNet" if file else ""
        return Remedy(f"put the YAML of {model} in its place{example}")

    @staticmethod
    def _of(width: int) -> str:
        return f", as in {VERSIONS[width][0]}" if width in VERSIONS else ""
