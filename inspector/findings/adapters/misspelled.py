"""The finding on names of adapter tensors that no program reads."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step
from inspector.findings.words import count


class AdapterNamesMisspelled(Finding, frozen=True, kw_only=True):
    """No program recognizes these names of adapter tensors.

    What it means
        Programs compare whole names. In this file a matrix name is in lower case (`.lora_a.weight`), a module
        name in Kohya's scheme ends with an underscore or contains dots, modules of a text encoder have the prefix
        of the UNet (`lora_unet_clip_g_transformer_`), or a PEFT name lacks `.lora` or `.weight`. The last
        happens when the adapter itself was named `lora`: PEFT removed that word from the names when it saved them
        (`q_proj_A.weight`).

    Why it matters
        diffusers refuses such a file or ignores the tensors, and so does ComfyUI (`lora key not loaded`): the
        base runs without the adapter. PEFT warns about missing keys and continues with newly initialized
        matrices. ComfyUI divides `dora_scale` by a column of norms, so that it must be a column as well.

    Example
        error[A937] adapter-names-misspelled: 9 of 9 tensors
          stored  lora_unet_down_blocks_0_attentions_0_attn1_to_q_.lora_down.weight
          wanted  lora_unet_down_blocks_0_attentions_0_attn1_to_q.lora_down.weight
          help    rename the tensors

    What to do
        Rename the tensors in the file.
    """

    code = "A937"

    tensors: int
    of: int
    stored: str
    wanted: str
    renames: tuple[tuple[str, str], ...] = ()
    flat: bool = False
    """True if magnitudes of DoRA among them have one dimension."""

    row_texts = (("stored", "{stored}"), ("wanted", "{wanted}"))

    def headline(self) -> str:
        return f"{self.tensors:,} of {count(self.of, 'tensor')}"

    def remedy(self) -> Remedy:
        column = ", and for ComfyUI reshape each dora_scale to [rows, 1]" if self.flat else ""
        return Remedy(
            f"rename the tensors{column}",
            tuple(Step(action="rename", old=stored, new=wanted) for stored, wanted in self.renames),
        )


class VectorsExchanged(Finding, frozen=True, kw_only=True):
    """The vectors of a textual inversion are stored under the names of each other's text encoders.

    What it means
        SDXL and Stable Diffusion 3 have two CLIP encoders: `clip_l` has a width of 768, `clip_g` one of 1,280. The
        vectors in the file have the other one's width.

    Why it matters
        ComfyUI ignores vectors of another width than the encoder's, and diffusers and the web UI fail when they add
        them to the table of tokens.

    Example
        error[A987] vectors-exchanged: clip_l has 1,280 columns, clip_g 768
          help  exchange the names clip_l and clip_g

    What to do
        Exchange the two names, or save the vectors again.
    """

    code = "A987"

    first: int
    second: int

    headline_text = "clip_l has {first} columns, clip_g {second}"
    remedy_text = "exchange the names clip_l and clip_g"


class AdapterExpertsStacked(Finding, frozen=True, kw_only=True):
    """The adapter has the matrices of all experts in one tensor.

    What it means
        Tinker saves the adapter of a mixture of experts like this: `experts.w1`, `w2` and `w3`, with a first dim of the
        experts, or of size 1 for a matrix that all of them share. SGLang reads these names.

    Why it matters
        PEFT and vLLM look for other names. PEFT warns and goes on without these matrices: the experts stay as they are
        in the base.

    Example
        error[A986] adapter-experts-stacked: 144 modules, such as
          base_model.model.model.layers.0.mlp.experts.w1
          lora_A  [1, 32, 2048]
          lora_B  [128, 768, 32]
          help    convert the adapter with tinker_cookbook's build_lora_adapter, or
                  merge it with its build_hf_model

    What to do
        Convert the adapter to the format of PEFT, or merge it into the base. Nothing is wrong for SGLang.
    """

    code = "A986"

    modules: int
    such_as: str
    down: tuple[int, ...]
    up: tuple[int, ...]

    headline_text = "{modules:count module}, such as {such_as}"
    remedy_text = "convert the adapter with tinker_cookbook's build_lora_adapter, or merge it with its build_hf_model"

    def rows(self) -> list[tuple[str, str]]:
        return [("lora_A", f"{list(self.down)}"), ("lora_B", f"{list(self.up)}")]


class AdapterMergedLinear(Finding, frozen=True, kw_only=True):
    """The adapter is that of a joint matrix, as the first versions of PEFT saved it.

    What it means
        Until version 0.2 PEFT had a layer for matrices of queries, keys and values together (`MergedLinear`,
        `enable_lora` in the config): the rows of lora_A are those of each changed part, and lora_B is a convolution in
        as many groups, with a third dim of size 1.

    Why it matters
        PEFT has had no such layer since then and refuses the file: both matrices have other shapes.

    Example
        error[A938] adapter-merged-linear: 2 modules, such as
          base_model.model.transformer.h.0.attn.c_attn
          lora_A  [32, 768]: 2 parts of rank 16
          lora_B  [1536, 16, 1]
          help    write each lora_B as a matrix of zeros [outputs, 32] with the block of
                  each changed part in its rows and its 16 columns, and set "r": 32 and
                  twice the lora_alpha; or train the adapter again

    What to do
        Write the matrices of all parts into one that has zeros elsewhere, with the rank of all parts together; the
        scale `lora_alpha / r` must stay the same.
    """

    code = "A938"

    modules: int
    such_as: str
    down: tuple[int, ...]
    up: tuple[int, ...]

    headline_text = "{modules:count module}, such as {such_as}"

    @property
    def parts(self) -> int:
        """The parts of the joint matrix that the adapter changes."""
        return self.down[0] // self.up[1]

    def rows(self) -> list[tuple[str, str]]:
        return [
            ("lora_A", f"{list(self.down)}: {count(self.parts, 'part')} of rank {self.up[1]}"),
            ("lora_B", f"{list(self.up)}"),
        ]

    def remedy(self) -> Remedy:
        rank, times = self.down[0], "twice" if self.parts == 2 else f"{self.parts} times"
        return Remedy(
            f"write each lora_B as a matrix of zeros [outputs, {rank}] with the block of each changed part in its rows "
            f'and its {self.up[1]} columns, and set "r": {rank} and {times} the lora_alpha; or train the adapter again'
        )
