"""Findings on an adapter with the names of another class than the one that its base's config declares."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy
from inspector.findings.words import number


class AdapterOfAnotherClass(Finding, frozen=True, kw_only=True):
    """The adapter's names belong to another class of the base than its config declares.

    What it means
        The adapter was trained around the base model without its head (`AutoModel`), and the config of the base
        declares a class with a head, or the other way round. The names of all modules then differ by a prefix.

    Why it matters
        The adapter works with the class of the training. Around the declared class PEFT finds none of its tensors: a
        warning lists missing keys, and the base runs as if there were no adapter.

    Example
        note[A988] adapter-of-another-class: PEFT finds none of 64 tensors around
          LlamaForCausalLM
          stored  base_model.model.layers.0.self_attn.q_proj.lora_A.weight
          help    load the base with AutoModel, as the names show, before
                  PeftModel.from_pretrained; for LlamaForCausalLM begin them with
                  base_model.model.model.

    What to do
        Load the base with the class of the training, or rename the tensors for the declared class.
    """

    code = "A988"
    severity = "note"
    advises = True

    tensors: int
    class_name: str
    stored: str
    root: str
    below: bool
    """True if the names lack the prefix `root` of the declared class, false if they have one that it lacks."""

    row_texts = (("stored", "{stored}"),)

    def headline(self) -> str:
        return f"PEFT finds none of {number(self.tensors)} tensors around {self.class_name}"

    def remedy(self) -> Remedy:
        whose = "AutoModel" if self.below else "a class that has a head, such as AutoModelForCausalLM"
        words = f"load the base with {whose}, as the names show, before PeftModel.from_pretrained"
        if self.below:
            words += f"; for {self.class_name} begin them with base_model.model.{self.root}"
        return Remedy(words)
