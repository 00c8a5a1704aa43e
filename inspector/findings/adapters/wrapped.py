"""Findings on adapters whose modules or tensors have the names of a wrapper."""

from __future__ import annotations

import json
from typing import ClassVar

from inspector.findings.finding import Finding, Remedy, RowTexts, Step
from inspector.findings.words import count, number


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


class AdapterNamesWrapped(Finding, frozen=True, kw_only=True):
    """PEFT does not find the adapter's tensors by these names.

    What it means
        PEFT looks for `base_model.model.`, the module's name and the method's suffix. These names lack that prefix, or
        that of the class with a head, are those of an older transformers, or contain the name of a wrapper
        (torch.compile, FSDP, activation checkpointing) or of an adapter other than `default`, are misspelled, or number
        the layers otherwise.

    Why it matters
        PEFT reports missing keys in a warning and leaves every module at its initial values: the base runs as if there
        were not an adapter.

    Example
        error[A919] adapter-names-wrapped: PEFT finds none of 128 tensors
          stored
            _orig_mod.base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight
          wanted  base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight
          help    rename the tensors, or unwrap the model and save the adapter again

    What to do
        Rename the tensors in the file, or save the adapter again after removing the wrappers. An expression in
        `target_modules` has to fit the new names: PEFT refuses one that fits no module.
    """

    code = "A919"

    tensors: int
    of: int
    stored: str
    wanted: str
    renames: tuple[tuple[str, str], ...] = ()
    excluded: str = ""
    """An expression for the parts of the base outside the language model, if only that was trained."""
    targets: str = ""
    """An expression for the renamed modules, if the stated one fits none of them."""

    row_texts: ClassVar[RowTexts] = (("stored", "{stored}"), ("wanted", "{wanted}"))

    def remedy(self) -> Remedy:
        steps = tuple(Step(action="rename", old=stored, new=wanted) for stored, wanted in self.renames)
        if self.targets:
            step = Step(action="set", file="adapter_config.json", key=("target_modules",), new=self.targets)
            words = f'rename the tensors and set "target_modules": {json.dumps(self.targets)} in adapter_config.json'
            return Remedy(words, (*steps, step) if steps else ())
        if not self.excluded:
            around = len(self.stored) > len(self.wanted)  # a wrapper adds to the names
            again = ", or unwrap the model and save the adapter again" if around else " as wanted"
            return Remedy(f"rename the tensors{again}", steps)
        step = Step(action="set", file="adapter_config.json", key=("exclude_modules",), new=self.excluded)
        stated = f'"exclude_modules": {json.dumps(self.excluded)}'
        words = f"load it into the class of the language model; or rename the tensors and set {stated}"
        return Remedy(f"{words} in adapter_config.json", (*steps, step) if steps else ())

    def headline(self) -> str:
        found = "none" if self.tensors == self.of else f"{number(self.of - self.tensors)}"
        return f"PEFT finds {found} of {count(self.of, 'tensor')}"


class AdapterNamesOlder(AdapterNamesWrapped, frozen=True, kw_only=True):
    """The adapter has names of an older transformers, which only a part of the loaders renames.

    What it means
        transformers 4.52 put the layers of some multimodal models below `language_model`. The adapter was saved with an
        earlier version. The class of its base, from colpali-engine, renames such tensors in its `from_pretrained`, and
        PEFT's `PeftModel.from_pretrained` uses the same table.

    Why it matters
        `load_adapter` on the loaded model does not rename them: it reports missing keys and leaves these modules at
        their initial values.

    Example
        warning[A998] adapter-names-older: 56 of 56 tensors have names of before
          transformers 4.52
          stored  base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight
          wanted
            base_model.model.language_model.layers.0.self_attn.q_proj.lora_A.weight
          loader  from_pretrained of ColQwen2 and of PEFT rename them, with
                  colpali-engine 0.3.14 or newer; load_adapter leaves these modules at
                  their initial values
          help    rename the tensors as wanted

    What to do
        Rename the tensors in the file: every loader finds the new names.
    """

    code = "A998"
    severity = "warning"

    class_name: str

    row_texts: ClassVar[RowTexts] = (
        *AdapterNamesWrapped.row_texts,
        ("loader", "from_pretrained of {class_name} and of PEFT rename them, with colpali-engine 0.3.14 or newer; "
                   "load_adapter leaves these modules at their initial values"),
    )  # fmt: skip

    def headline(self) -> str:
        return f"{number(self.tensors)} of {count(self.of, 'tensor')} have names of before transformers 4.52"
