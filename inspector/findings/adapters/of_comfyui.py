"""The note on an adapter under names that diffusers reads and ComfyUI does not."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step


class AdapterUnreadByComfyui(Finding, frozen=True, kw_only=True):
    """ComfyUI does not read these names of modules, which diffusers reads.

    What it means
        The file has diffusers' names of a UNet's attention (`unet.*.attn1.to_q`), of which ComfyUI only knows the older
        ones with `processor`; or it is LoRA of Z-Image as musubi-tuner saves it, with `lora_unet_` before the names of
        separate matrices for q, k and v, which ComfyUI reads only after other prefixes.

    Why it matters
        ComfyUI's LoRA loader warns "lora key not loaded" for each of these tensors: the images show nothing of them.

    Example
        note[A965] adapter-unread-by-comfyui: ComfyUI finds 0 of 4 tensors
          stored
            unet.mid_block.attentions.0.transformer_blocks.0.attn1.to_q.lora.down.weight
          wanted
            lora_unet_mid_block_attentions_0_transformer_blocks_0_attn1_to_q.lora_down.weight
          help    for ComfyUI rename the tensors; diffusers reads both names

    What to do
        Nothing for diffusers. For ComfyUI rename the tensors, or convert the file with the program that wrote it.
    """

    code = "A965"
    severity = "note"
    advises = True

    tensors: int
    """Those that ComfyUI does not find."""
    of: int
    stored: str
    wanted: str
    """The name that both programs read; "" if it is not known for all tensors."""
    renames: tuple[tuple[str, str], ...] = ()
    converter: str = ""
    """A program that converts such files."""

    row_texts = (("stored", "{stored}"), ("wanted", "{wanted}", "wanted"))

    def headline(self) -> str:
        return f"ComfyUI finds {self.of - self.tensors:,} of {self.of:,} tensors"

    def remedy(self) -> Remedy:
        steps = tuple(Step(action="rename", old=stored, new=wanted) for stored, wanted in self.renames)
        if self.converter:
            other = ", or rename the tensors; diffusers reads both names" if steps else ""
            return Remedy(f"for ComfyUI convert it with {self.converter}{other}", steps)
        if steps:
            return Remedy("for ComfyUI rename the tensors; diffusers reads both names", steps)
        return Remedy("for ComfyUI save it in Kohya's names, such as with convert_state_dict_to_kohya of diffusers")
