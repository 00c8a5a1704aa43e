"""Names of weight files."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step


class FileNameUnknown(Finding, frozen=True, kw_only=True):
    """No loader looks for a weight file of this name.

    What it means
        The config shows which loader the folder is made for. It looks for weights under fixed names, and none of the
        files has one of them.

    Why it matters
        The loader reports that there are no weights, although they are stored and healthy.

    Example
        error[S221] file-name-unknown: model-finetuned.safetensors
          loader  transformers looks for model.safetensors
          help    rename model-finetuned.safetensors to model.safetensors

    What to do
        Rename the file. A variant (`model.fp16.safetensors`) is found if it is named: `variant="fp16"`.
    """

    code = "S221"
    name = "file-name-unknown"

    loader: str
    wanted: str
    single: bool
    variant: str

    def rows(self) -> Rows:
        return [("loader", f"{self.loader} looks for {self.wanted}")]

    def remedy(self) -> Remedy:
        named = f', or load it with variant="{self.variant}"' if self.variant else ""
        if not self.single:
            return Remedy(f"save the weights again, or rename the shards and write {self.wanted}{named}")
        step = Step(action="move", file=self.place.file, new=self.wanted)
        return Remedy(f"rename {self.place.file} to {self.wanted}{named}", (step,))
