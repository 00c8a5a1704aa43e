"""Notes on names of adapter tensors that diffusers does not read."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.loading import SCALE_IN
from inspector.findings.unread_by_diffusers import UnreadByDiffusers
from inspector.findings.words import count

READER = "diffusers"
WRITER = "the program that wrote it"
MATRIX = ("outputs", "inputs")
"""The dims of the weight of a linear layer."""


class AdapterUnread(UnreadByDiffusers, frozen=True, kw_only=True):
    """Base of notes on adapters that diffusers refuses or leaves out, depending on the names."""

    refused: bool = False
    """True if `load_lora_weights` was measured to raise."""
    reads: str = "ComfyUI"
    """A program other than the one that wrote it that reads it; "" if none does."""

    def is_refused(self) -> bool:
        return self.refused

    def reader(self) -> str:
        return self.reads or WRITER

    def is_read_elsewhere(self) -> bool:
        return bool(self.reads)


class AdapterNamesUnread(AdapterUnread, frozen=True, kw_only=True):
    """diffusers finds no tensor of the adapter by its name.

    What it means
        The modules have diffusers' names, without `transformer.` or `unet.` in front, or with the adapter's name
        (`.default`) behind the matrix, or they have PEFT's prefix (`base_model.model.`), or they are named in a way
        that diffusers reads for other classes, such as `lora_transformer_`, `lora_down` or `alpha` for FLUX. ComfyUI,
        DiffSynth, OneTrainer and PEFT itself may read such names.

    Why it matters
        `load_lora_weights` of diffusers only warns (no LoRA keys, or unexpected keys): the pipeline runs as if there
        were no adapter. With `lora_transformer_` in front of an MLP or a norm of FLUX it refuses the file (KeyError),
        and so do most classes with scales or sd-scripts' endings after `transformer.`.

    Example
        note[A970] adapter-names-unread: diffusers finds none of 48 tensors
          stored  transformer.transformer_blocks.0.attn.to_q.lora_A.default.weight
          wanted  transformer.transformer_blocks.0.attn.to_q.lora_A.weight
          help    rename the tensors for diffusers

    What to do
        Rename the tensors if the adapter is for diffusers; nothing for a program that reads the names.
    """

    code = "A970"
    severity = "note"
    of_all_names = True

    tensors: int
    stored: str
    wanted: str
    renames: tuple[tuple[str, str], ...] = ()
    kind: str = ""
    """The class for which diffusers does not read these names, although it does for other classes."""
    scaled: bool = False
    """True if `alpha` is stored: diffusers then also refuses the names that it normally reads."""
    partly: bool = False
    """True if it finds other modules of the file and leaves these out."""

    def rows(self) -> Rows:
        return [("stored", self.stored), *([("wanted", self.wanted)] if self.wanted != self.stored else [])]

    def headline(self) -> str:
        return f"{READER} {self.behaviour()}"

    def behaviour(self) -> str:
        of_class = f" for {self.kind}" if self.kind else ""
        if self.refused:
            return f"refuses these names of modules{of_class}"
        found = "only some" if self.partly else "none"
        return f"finds {found} of {count(self.tensors, 'tensor')}{of_class}"

    def applies(self) -> bool:
        return not self.partly

    def remedy(self) -> Remedy:
        scale = f", {SCALE_IN}" if self.scaled else ""
        if self.scaled and self.wanted == self.stored:
            return Remedy(f"for {READER} {SCALE_IN}")
        return Remedy(
            f"rename the tensors for diffusers{scale}",
            tuple(Step(action="rename", old=stored, new=wanted) for stored, wanted in self.renames),
        )


class AdapterMethodUnread(AdapterUnread, frozen=True, kw_only=True):
    """diffusers reads only some of the adapter's tensors by their names.

    What it means
        The file holds LoHa, LoKr or another method of LyCORIS in Kohya's names, LoRA with cores of convolutions
        (`lora_mid`) or of HunyuanVideo's, HunyuanImage's and SD 3's modules, LoRA of T5 beside FLUX, or DoRA's
        magnitudes as ai-toolkit names them (`.magnitude`), or DoRA under names with which the base's class reads no
        LoRA, or embeddings beside LoRA (`bundle_emb.`, of OneTrainer), or modules of which some have `transformer.` and
        some `diffusion_model.` in front. The programs that write them read them, and ComfyUI does except for IA3, for
        OFT of sd-scripts (`oft_unet_`) and for SimpleTuner's LyCORIS of Wan, AuraFlow, Lumina 2, Z-Image, of FLUX.2's
        MLP and of joined matrices for q, k and v.

    Why it matters
        `load_lora_weights` of diffusers refuses the file (ValueError), or leaves these tensors out.

    Example
        note[A971] adapter-method-unread: diffusers reads no LoHa under these names
          such as  lora_unet_down_blocks_0_attentions_0_attn1_to_q.hada_w1_a
          help     load it with ComfyUI or the program that wrote it, or merge it there

    What to do
        For diffusers, merge the adapter into the weights with another program, or convert it to LoRA.
    """

    code = "A971"
    severity = "note"
    advises = True

    what: str
    such_as: str
    unread_by: str = ""
    """Another program that is known not to read it."""

    row_texts = (("such as", "{such_as}"), ("also", "{unread_by} does not read them either", "unread_by"))

    def headline(self) -> str:
        return f"{READER} {self.behaviour()}"

    def behaviour(self) -> str:
        return f"reads no {self.what} under these names"

    def remedy(self) -> Remedy:
        reader = f"{self.reads} or " if self.reads else ""
        return Remedy(f"load it with {reader}the program that wrote it, or merge it there")


class AdapterOfXlabs(Finding, frozen=True, kw_only=True):
    """The adapter for FLUX has XLabs' names, which ComfyUI does not read.

    What it means
        x-flux names the pairs by the processors of the attention. diffusers and XLabs' own nodes (x-flux-comfyui) read
        these names. ComfyUI itself reads them only if the last blocks of both kinds have pairs.

    Why it matters
        ComfyUI's LoRA loader warns "lora key not loaded" for every tensor, and the images are those of the base.

    Example
        note[A997] adapter-of-xlabs: ComfyUI finds none of 152 tensors
          stored  double_blocks.0.processor.proj_lora1.down.weight
          wanted  diffusion_model.double_blocks.0.img_attn.proj.lora_down.weight
          help    for ComfyUI load it with XLabs' nodes (x-flux-comfyui), or rename the
                  tensors

    What to do
        Nothing for diffusers. For ComfyUI use XLabs' nodes, or rename the tensors.
    """

    code = "A997"
    severity = "note"

    tensors: int
    stored: str
    wanted: str
    renames: tuple[tuple[str, str], ...] = ()

    headline_text = "ComfyUI finds none of {tensors:count tensor}"
    row_texts = (("stored", "{stored}"), ("wanted", "{wanted}"))

    def remedy(self) -> Remedy:
        steps = tuple(Step(action="rename", old=stored, new=wanted) for stored, wanted in self.renames)
        return Remedy("for ComfyUI load it with XLabs' nodes (x-flux-comfyui), or rename the tensors", steps)


class AdapterDimsUnread(UnreadByDiffusers, frozen=True, kw_only=True):
    """diffusers refuses matrices of a LoRA with another number of dims than the base's weight.

    What it means
        The matrices for a convolution of one point have two dims, or those for a linear layer four: the LoRA was
        trained for a UNet with the other kind of layer. ComfyUI and sd-scripts read both, as the numbers are the same.

    Why it matters
        `load_lora_weights` of diffusers builds the matrices as the base's layer has them, and refuses the file
        (RuntimeError: size mismatch).

    Example
        note[A972] adapter-dims-unread: diffusers refuses 2 dims for a convolution
          stored   lora_unet_down_blocks_0_attentions_0_proj_in.lora_down.weight [4, 32]
          modules  2
          help     load it with ComfyUI, or add or remove the last two dims of size 1

    What to do
        For diffusers, store these matrices with the dims of the base's weights.
    """

    code = "A972"
    severity = "note"
    refuses = True

    stored: str
    shape: tuple[int, ...]
    wanted: int
    modules: int

    remedy_text = "load it with ComfyUI, or add or remove the last two dims of size 1"

    def headline(self) -> str:
        return f"{READER} {self.behaviour()}"

    def behaviour(self) -> str:
        layer = "a linear layer" if self.wanted == len(MATRIX) else "a convolution"
        return f"refuses {count(len(self.shape), 'dim')} for {layer}"

    def rows(self) -> list[tuple[str, str]]:
        return [("stored", f"{self.stored} {list(self.shape)}"), ("modules", f"{self.modules:,}")]


class AdapterBlocksPartial(UnreadByDiffusers, frozen=True, kw_only=True):
    """diffusers refuses a LoRA of Wan in Kohya's names that does not change all modules of a block.

    What it means
        The blocks lack the pairs of some of their modules. A trainer that leaves them out writes no tensors for them.

    Why it matters
        For these names `load_lora_weights` of diffusers expects the query, key, value and output of both attentions and
        both matrices of the MLP in each block (KeyError). ComfyUI applies what is there.

    Example
        note[A975] adapter-blocks-partial: diffusers refuses LoRA of some modules of
          Wan's blocks under these names
          such as  lora_unet_blocks_0_self_attn_q.lora_down.weight
          absent   12 modules, first lora_unet_blocks_0_cross_attn_q
          help     rename the tensors for diffusers

    What to do
        For diffusers, give the tensors the names of Wan's authors behind `diffusion_model.`, which it reads one by one.
    """

    code = "A975"
    severity = "note"
    refuses = True

    such_as: str
    absent: str
    modules: int
    renames: tuple[tuple[str, str], ...] = ()

    row_texts = (("such as", "{such_as}"), ("absent", "{modules:count module}, first {absent}"))

    def headline(self) -> str:
        return f"{READER} {self.behaviour()}"

    def behaviour(self) -> str:
        return "refuses LoRA of some modules of Wan's blocks under these names"

    def remedy(self) -> Remedy:
        if not self.renames:
            return Remedy("load it with ComfyUI")
        return Remedy(
            "rename the tensors for diffusers",
            tuple(Step(action="rename", old=stored, new=wanted) for stored, wanted in self.renames),
        )
