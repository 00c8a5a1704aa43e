"""The finding on models in the folders below weights of another kind."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy
from inspector.findings.words import listed


class ModelsBelow(Finding, frozen=True, kw_only=True):
    """Models are in folders below weights that no loader looks for.

    What it means
        The audited file has no config and a name of its own, as a state dict that a script of a training saved. A
        folder below, such as the checkpoint of a step, has a config.json and weights under the names of a loader.

    Why it matters
        `from_pretrained` refuses this folder and loads the one below.

    Example
        note[R092] models-below: a model is in checkpoint-500
          audited  asr.pt, which no loader looks for
          help     pass checkpoint-500 to the loader, and audit it

    What to do
        Pass the folder with the model.
    """

    code = "R092"
    severity = "note"
    advises = True

    file: str
    folders: tuple[str, ...]
    count: int

    row_texts = (("audited", "{file}, which no loader looks for"),)

    def headline(self) -> str:
        more = f" and {self.count - 3:,} more" if self.count > 3 else ""
        return f"{'a model is' if self.count == 1 else 'models are'} in {listed(self.folders[:3])}{more}"

    def remedy(self) -> Remedy:
        return Remedy(f"pass {self.folders[0]}{' or another' if self.count > 1 else ''} to the loader, and audit it")
