"""Files of libraries that are not read here."""

from __future__ import annotations

from inspector.findings.finding import Finding


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
