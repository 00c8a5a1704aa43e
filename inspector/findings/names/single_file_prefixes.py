"""Findings on prefixes in a single file of a diffusion model that programs do not read."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step
from inspector.findings.words import count


class TextEncoderMisplaced(Finding, frozen=True, kw_only=True):
    """A text encoder is stored under the prefix of another kind.

    What it means
        Below `text_encoders.t5xxl.` are the tensors of a CLIP, or below `text_encoders.clip_l.` those of a T5: two
        files were exchanged when the checkpoint was put together.

    Why it matters
        ComfyUI and stable-diffusion.cpp look for the names of T5 there: they miss this encoder.

    Example
        error[N551] text-encoder-misplaced: text_encoders.t5xxl. holds CLIP
          stored
            196 tensors, such as
            text_encoders.t5xxl.transformer.text_model.embeddings.token_embedding.weight
          help    rename the tensors: text_encoders.clip_l. for text_encoders.t5xxl.

    What to do
        Rename the tensors, or put the checkpoint together again with the files in their places.
    """

    code = "N551"

    prefix: str
    kind: str
    tensors: int
    wanted: str

    def headline(self) -> str:
        return f"{self.prefix} holds {self.kind}"

    def rows(self) -> list[tuple[str, str]]:
        return [("stored", f"{count(self.tensors, 'tensor')}, such as {self.place.tensor}")]

    def remedy(self) -> Remedy:
        if not self.wanted:
            return Remedy("put the checkpoint together again, with each text encoder under its own prefix")
        step = Step(action="rename", old=f"{self.prefix}*", new=f"{self.wanted}*")
        return Remedy(f"rename the tensors: {self.wanted} for {self.prefix}", (step,))


class ComponentPrefixUnread(Finding, frozen=True, kw_only=True):
    """The names of a component begin with a prefix that programs do not read.

    What it means
        A script added a prefix to names that had one, or used the name of the folder as the prefix.

    Why it matters
        diffusers' `from_single_file` and ComfyUI look for fixed prefixes: they find no network, or no autoencoder.

    Example
        error[N552] component-prefix-unread: unet: model.model.diffusion_model.
          stored  162 tensors, such as
                  model.model.diffusion_model.input_blocks.0.0.weight
          help    rename the tensors: model.diffusion_model. for
                  model.model.diffusion_model.

    What to do
        Rename the tensors.
    """

    code = "N552"

    component: str
    prefix: str
    wanted: str
    tensors: int

    def headline(self) -> str:
        return f"{self.component}: {self.prefix}"

    def rows(self) -> list[tuple[str, str]]:
        return [("stored", f"{count(self.tensors, 'tensor')}, such as {self.place.tensor}")]

    def remedy(self) -> Remedy:
        step = Step(action="rename", old=f"{self.prefix}*", new=f"{self.wanted}*")
        return Remedy(f"rename the tensors: {self.wanted} for {self.prefix}", (step,))


class ComponentPrefixRepeated(ComponentPrefixUnread, frozen=True, kw_only=True):
    """The names of a component have their prefix twice.

    What it means
        A script added the prefix to names that had it.

    Why it matters
        diffusers' `from_single_file` removes every repeat of the prefix and loads the component; ComfyUI removes the
        first and does not find it.

    Example
        warning[N553] component-prefix-repeated: unet:
          model.diffusion_model.model.diffusion_model.
          stored  162 tensors, such as
                  model.diffusion_model.model.diffusion_model.input_blocks.0.0.weight
          help    rename the tensors: model.diffusion_model. for
                  model.diffusion_model.model.diffusion_model.

    What to do
        Rename the tensors.
    """

    code = "N553"
    severity = "warning"


class ComponentPrefixIncomplete(ComponentPrefixUnread, frozen=True, kw_only=True):
    """The text encoder of a single file lacks the part of the prefix by which diffusers finds it.

    What it means
        Old releases of transformers, and files merged with them, have `cond_stage_model.transformer.embeddings.` in
        place of `cond_stage_model.transformer.text_model.embeddings.`.

    Why it matters
        ComfyUI and the web UI add what is absent. diffusers' `from_single_file` finds no text encoder and raises
        "Failed to load CLIPTextModel"; converters report missing keys of CLIPTextModel.

    Example
        warning[N660] component-prefix-incomplete: text_encoder:
          cond_stage_model.transformer.
          stored  196 tensors, such as
                  cond_stage_model.transformer.embeddings.token_embedding.weight
          help    rename the tensors: cond_stage_model.transformer.text_model. for
                  cond_stage_model.transformer.

    What to do
        Rename the tensors; ComfyUI and the web UI read both.
    """

    code = "N660"
    severity = "warning"


class TextEncoderNamesUnread(Finding, frozen=True, kw_only=True):
    """The text encoder of a single file has names that ComfyUI and the web UI do not read for this model.

    What it means
        The text encoder of Stable Diffusion 2 and of SDXL's refiner is one of OpenCLIP, and single files have it in
        OpenCLIP's names. Here it has those of transformers, as a converter for Stable Diffusion 1 writes them.

    Why it matters
        ComfyUI drops these tensors and goes on with random values ("clip missing"); the web UI reports missing keys.

    Example
        warning[R086] text-encoder-names-unread: 388 tensors of Stable Diffusion 2
          stored
            cond_stage_model.transformer.text_model.embeddings.token_embedding.weight
          wanted  cond_stage_model.model.token_embedding.weight
          help    convert the model again with diffusers'
                  convert_diffusers_to_original_stable_diffusion.py, or load the file
                  with diffusers, which reads both

    What to do
        Convert the model again. To rename is not enough: OpenCLIP has query, key and value in one matrix.
    """

    code = "R086"
    severity = "warning"

    tensors: int
    wanted: str
    model: str
    by_diffusers: bool

    headline_text = "{tensors:count tensor} of {model}"
    row_texts = (("stored", "{place.tensor}"), ("wanted", "{wanted}token_embedding.weight"))

    def remedy(self) -> Remedy:
        again = "convert the model again with a converter that writes OpenCLIP's names"
        if not self.by_diffusers:
            return Remedy(again)
        again = "convert the model again with diffusers' convert_diffusers_to_original_stable_diffusion.py"
        return Remedy(f"{again}, or load the file with diffusers, which reads both")
