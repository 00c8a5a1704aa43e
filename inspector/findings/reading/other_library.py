"""Findings on files of unsupported libraries."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy


class AdapterOfLibrary(Finding, frozen=True, kw_only=True):
    """An adapter of the library `adapters` (AdapterHub).

    What it means
        Its adapter_config.json has the same name as PEFT's and other keys (`config`, `model_name`), and its tensors
        other names. They are counted, and not compared with a formula.

    Why it matters
        PEFT and transformers do not load it.

    Example
        note[R050] adapter-of-library: an adapter of the library adapters, for
          bert-base-uncased
          help  load it with model.load_adapter of the library adapters: PEFT does not
                read it

    What to do
        Load it with the library `adapters`, in the class that `model_class` names.
    """

    code = "R050"
    severity = "note"

    base: str

    remedy_text = "load it with model.load_adapter of the library adapters: PEFT does not read it"

    def headline(self) -> str:
        return f"an adapter of the library adapters{f', for {self.base}' if self.base else ''}"


class TunedByLitgpt(Finding, frozen=True, kw_only=True):
    """A litgpt file contains only what was trained on top of a base model.

    What it means
        litgpt saves the tensors of a LoRA or LLaMA-Adapter in a separate file with a special name. The base
        model is the `lit_model.pth` of another folder.

    Why it matters
        No other program reads this file, and under another name it would be mistaken for a whole model.

    Example
        error[R051] tuned-by-litgpt: lit_model.pth.lora holds a LoRA of litgpt
          help  merge it into its base: litgpt merge_lora FOLDER; it writes
                lit_model.pth

    What to do
        Merge a LoRA into its base with litgpt. LLaMA-Adapters cannot be merged: litgpt has no conversion for
        them.
    """

    code = "R051"
    unreadable = True

    file: str
    method: str
    command: str
    merges: bool

    headline_text = "{file} holds {method} of litgpt"

    def remedy(self) -> Remedy:
        if self.merges:
            return Remedy(f"merge it into its base: {self.command}; it writes lit_model.pth")
        return Remedy(f"load it together with its base with {self.command}: litgpt has no conversion for it")
