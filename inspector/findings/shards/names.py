"""Names of weight files."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import count, first


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


class ShardRenamed(Finding, frozen=True, kw_only=True):
    """A shard is stored under another name than the index lists.

    What it means
        The index lists a file that does not exist, and another file of the folder contains exactly the tensors that
        it should contain: a second download (`(1)`), another spelling, a copy.

    Why it matters
        Loaders look for the name in the index and refuse the checkpoint, although its weights are complete.

    Example
        error[S231] shard-renamed: model-00003-of-00004.safetensors
          stored   model-00003-of-00004 (1).safetensors
          tensors  87 tensors, all that the index lists for it
          help     rename model-00003-of-00004 (1).safetensors to
                   model-00003-of-00004.safetensors

    What to do
        Rename the file.
    """

    code = "S231"
    name = "shard-renamed"

    listed: tuple[str, ...]
    stored: tuple[str, ...]
    tensors: int

    def headline(self) -> str:
        return self.listed[0] if len(self.listed) == 1 else f"{len(self.listed):,} files"

    def rows(self) -> Rows:
        whose = "it" if len(self.listed) == 1 else "them"
        return [
            ("stored", first(self.stored, len(self.stored))),
            ("tensors", f"{count(self.tensors, 'tensor')}, all that the index lists for {whose}"),
        ]

    def remedy(self) -> Remedy:
        pairs = list(zip(self.stored, self.listed, strict=True))
        steps = tuple(Step(action="move", file=stored, new=listed) for stored, listed in pairs)
        if len(pairs) == 1:
            return Remedy(f"rename {pairs[0][0]} to {pairs[0][1]}", steps)
        return Remedy(f"rename each to the name in the index: {pairs[0][0]} to {pairs[0][1]}", steps)
