"""The finding on modules of a component under the names of a wrapper."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step
from inspector.findings.words import count


class AdapterModulesWrapped(Finding, frozen=True, kw_only=True):
    """The modules of a component have the names that a wrapper gives them.

    What it means
        The adapter is for a component of a pipeline. Between the name of the component and those of its modules there
        is the name of a wrapper (PEFT's model, DataParallel, FSDP): its state dict was saved instead of that of the
        component inside it.

    Why it matters
        diffusers and ComfyUI look for the modules without it, and find none.

    Example
        error[N521] adapter-modules-wrapped: base_model.model. in 4 tensors
          stored
            transformer.base_model.model.single_transformer_blocks.0.attn.to_k.lora_A.weight
          wanted  transformer.single_transformer_blocks.0.attn.to_k.lora_A.weight
          help    rename: key.replace("transformer.base_model.model.", "transformer.")

    What to do
        Rename the tensors in the file, or save the adapter again without the wrapper.
    """

    code = "N521"

    component: str
    wrapper: str
    tensors: int
    stored: str
    wanted: str

    row_texts = (("stored", "{stored}"), ("wanted", "{wanted}"))

    def headline(self) -> str:
        return f"{self.wrapper} in {count(self.tensors, 'tensor')}"

    def remedy(self) -> Remedy:
        old = f"{self.component}{self.wrapper}"
        step = Step(action="rename", old=f"{old}*", new=f"{self.component}*")
        return Remedy(f'rename: key.replace("{old}", "{self.component}")', (step,))
