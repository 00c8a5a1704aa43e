"""The notes on names of an adapter's tensors that diffusers does not find."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step
from inspector.findings.words import count


class AdapterNamesUnread(Finding, frozen=True, kw_only=True):
    """diffusers finds no tensor of the adapter by its name.

    What it means
        The modules have diffusers' names, without `transformer.` or `unet.` in front, or with the adapter's name
        (`.default`) behind the matrix. ComfyUI, DiffSynth and PEFT itself may read such names.

    Why it matters
        `load_lora_weights` of diffusers only warns (no LoRA keys, or unexpected keys): the pipeline runs as if there
        were no adapter.

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

    tensors: int
    stored: str
    wanted: str
    renames: tuple[tuple[str, str], ...] = ()

    row_texts = (("stored", "{stored}"), ("wanted", "{wanted}"))

    def headline(self) -> str:
        return f"diffusers finds none of {count(self.tensors, 'tensor')}"

    def remedy(self) -> Remedy:
        return Remedy(
            "rename the tensors for diffusers",
            tuple(Step(action="rename", old=stored, new=wanted) for stored, wanted in self.renames),
        )


class AdapterMethodUnread(Finding, frozen=True, kw_only=True):
    """diffusers reads a part of the adapter under no such names.

    What it means
        The file holds LoHa or LoKr in Kohya's names, or DoRA's magnitudes as ai-toolkit names them (`.magnitude`).
        ComfyUI reads them, and so do the programs that write them.

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

    what: str
    such_as: str

    headline_text = "diffusers reads no {what} under these names"
    row_texts = (("such as", "{such_as}"),)
    remedy_text = "load it with ComfyUI or the program that wrote it, or merge it there"
