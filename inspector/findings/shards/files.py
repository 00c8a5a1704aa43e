"""Findings on shards that are missing, truncated or unlisted."""

from __future__ import annotations

from msgspec.structs import replace

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.refetch import Refetch
from inspector.findings.words import count, first, number


class ShardMissing(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """A shard is missing.

    What it means
        The index lists a file that does not exist, or the numbers in the file names (`-of-00004`) show that a
        shard is missing.

    Why it matters
        Its tensors are lost; some loaders fill them with random values and continue.

    Example
        error[S201] shard-missing: model-00003-of-00004.safetensors
          lost    87 tensors: model.layers.16.input_layernorm.weight,
                  model.layers.16.mlp.gate.weight and 85 more
          layers  16-24
          help    download this file again

    What to do
        Download the file again, or move it to the index where it is in a folder below. Trainers that leave out the
        layers for multi-token prediction may keep the original index: the model then needs an index of its own files.
    """

    code = "S201"
    incomplete = True

    tensors: int | None
    names: tuple[str, ...]
    index: str | None = None
    layers: str | None = None
    link: bool = False
    files: int | None = None
    of: int | None = None
    below: str = ""
    """The folder below that contains all these files; "" if there is none."""
    holds: str = ""
    """The only part of the model that is in the missing shards, which loaders leave out; "" if it is unknown."""

    def headline(self) -> str:
        return str(self.place.file or f"{number(self.files)}{f' of {number(self.of)}' if self.of else ''} shards")

    def rows(self) -> Rows:
        rows: Rows = []
        if self.tensors is not None:
            lost = count(self.tensors, "tensor")
            # If many files are absent, the names are those of the files.
            rows.append(("lost", lost if self.files else f"{lost}: {first(self.names, self.tensors)}"))
        if self.layers:
            rows.append(("layers", self.layers))
        if self.files:
            rows.append(("files", first(self.names, self.files)))
        if self.holds:
            rows.append(("holds", f"only {self.holds}: the model is complete without it"))
        if self.link:
            what = "these names are links to files" if self.files else "the name is a link to a file"
            rows.append(("link", f"{what} that do{'' if self.files else 'es'} not exist"))
        if self.below:
            rows.append(("stored", f"in the folder {self.below}"))
        return rows

    def remedy(self) -> Remedy:
        """The remedy to move the files from a folder below, or else to download them again."""
        if not self.below:
            again = self.fetch_again()
            rest = "write the index anew from the headers of the files that are there" if self.holds else ""
            return Remedy(f"{again.words}; or, if {self.holds} was never saved, {rest}") if rest else again
        several, names = self.lost_files()
        names = names if several else (str(self.place.file),)
        steps = tuple(Step(action="move", file=f"{self.below}/{name}", new=name) for name in names)
        what = "these files" if several else "this file"
        return Remedy(f"move {what} from {self.below} here, next to the index", steps if len(steps) >= several else ())

    def lost_files(self) -> tuple[int, tuple[str, ...]]:
        """(number of missing shards, the first of them)."""
        return (self.files or 0, self.names) if self.place.file is None else (0, ())

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"failed to load GGUF split from {self.place.file or 'the parts that are absent'}"


class ShardCut(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """A shard is truncated.

    What it means
        The header is complete, but the file ends before the last tensor does: an interrupted download or copy.

    Why it matters
        The tensors after the cut are lost; readers that only list headers do not notice.

    Example
        error[S203] shard-cut: model-00003-of-00004.safetensors
          declared  4,915,916,176 bytes
          stored    3,221,225,472 bytes
          lost      parts of layers 24-31: 47 tensors, 1,694,690,704 bytes
          help      download this file again

    What to do
        Download this file again; the other files are not affected.
    """

    code = "S203"
    unreadable = True

    declared: int
    stored: int
    lost_bytes: int
    tensors: int
    names: tuple[str, ...]
    layers: str
    files: int | None = None
    file_names: tuple[str, ...] = ()

    def headline(self) -> str:
        return str(self.place.file or f"{number(self.files)} shards")

    def lost_files(self) -> tuple[int, tuple[str, ...]]:
        """(number of truncated shards, the first of them)."""
        return (self.files or 0, self.file_names) if self.place.file is None else (0, ())

    def rows(self) -> Rows:
        rows = [("files", first(self.file_names, self.files or 0))] if self.files else []
        return [
            *rows,
            ("declared", f"{number(self.declared)} bytes"),
            ("stored", f"{number(self.stored)} bytes"),
            (
                "lost",
                (f"parts of layer{'' if self.layers.isdecimal() else 's'} {self.layers}: " if self.layers else "")
                + f"{count(self.tensors, 'tensor')}, {number(self.lost_bytes)} bytes",
            ),
        ]

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"the data of {next(iter(self.names), 'a tensor')} is not within the file bounds"


class ShardHoldsAnother(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """A shard has the tensors of another one in the place of its own.

    What it means
        The file is whole, but it holds the tensors that the index lists for another shard: a copy was saved under the
        wrong name, or a download was resumed into the wrong file.

    Why it matters
        Its own tensors are in no file: loaders refuse the checkpoint, or leave these weights random.

    Example
        error[S232] shard-holds-another: model-00002-of-00003.safetensors
          holds   the tensors of model-00001-of-00003.safetensors
          lost    87 tensors: model.layers.9.input_layernorm.weight,
                  model.layers.9.mlp.down_proj.weight and 85 more
          layers  9-18
          help    download this file again

    What to do
        Download the file again.
    """

    code = "S232"
    incomplete = True

    holds: str
    tensors: int
    names: tuple[str, ...]
    layers: str | None = None

    row_texts = (
        ("holds", "the tensors of {holds}"),
        ("lost", "{tensors:count tensor}: {names:first tensors}"),
        ("layers", "{layers}", "layers"),
    )


class ShardUnlisted(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """A shard is not listed in the index.

    What it means
        The file is named like a shard, but the index does not list it: it is left over from an earlier save, or
        was forgotten when the index was written.

    Why it matters
        Loaders that use the index do not read it; those that read every file in the folder do.

    Example
        warning[S204] shard-unlisted: model-00005-of-00005.safetensors
          holds  21 tensors, 21 of them also in other shards
          index  model.safetensors.index.json
          help   move model-00005-of-00005.safetensors aside: its tensors are in other
                 shards

    What to do
        Remove it if its tensors are in other shards; otherwise regenerate the index.
    """

    code = "S204"
    severity = "warning"

    index: str
    tensors: int | None
    repeated: int | None = None
    contradicted: int | None = None
    names: tuple[str, ...] | None = None
    files: int | None = None
    file_names: tuple[str, ...] = ()
    needed: bool = True

    def headline(self) -> str:
        return str(self.place.file or f"{number(self.files)} shards")

    def rows(self) -> Rows:
        contradicted = self.contradicted or 0
        again = (self.repeated or 0) + contradicted
        repeated = f"{number(again)} of them also in other shards" if again else "none of them in another shard"
        other = f", {number(contradicted)} with another shape" if contradicted else ""
        rows = [("holds", f"{count(self.tensors or 0, 'tensor')}, {repeated}{other}"), ("index", self.index)]
        return [("files", first(self.file_names, len(self.file_names))), *rows] if self.file_names else rows

    def remedy(self) -> Remedy:
        repeated = (self.repeated or 0) + (self.contradicted or 0)
        files = self.file_names or ((self.place.file,) if self.place.file else ())
        if self.tensors and repeated == self.tensors and files:
            steps = tuple(Step(action="move", file=file) for file in files)
            what = f"{files[0]} aside: its" if len(files) == 1 else "these files aside: their"
            return Remedy(f"move {what} tensors are in other shards", steps)
        if not repeated and not self.needed:
            what = files[0] if len(files) == 1 else "these files"
            words = (
                f"move {what} aside; or, if the model is to have these tensors, regenerate the index from the headers"
            )
            return Remedy(words)
        if not repeated:
            return Remedy("regenerate the index from the headers", (Step(action="write", file=self.index),))
        return Remedy("keep the shards of one save, with its index")

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """An error if the loader needs tensors that only these files contain; superfluous files if it needs none."""
        if self.repeated or self.contradicted or outcome not in ("random", "complete"):
            return self
        return ShardForgotten(**self.stated_fields()) if outcome == "random" else replace(self, needed=False)


class ShardForgotten(ShardUnlisted, frozen=True, kw_only=True, omit_defaults=True):
    """The index lists all shards but one, or some, that the model needs.

    What it means
        The file is there and whole, no other shard has its tensors, and the index has no entry for them: it was written
        for a part of the shards, or edited.

    Why it matters
        Loaders read the files that the index lists. The tensors of this one keep random values.

    Example
        error[S234] shard-forgotten: model-00002-of-00003.safetensors
          holds  11 tensors, none of them in another shard
          index  model.safetensors.index.json
          help   regenerate the index from the headers

    What to do
        Regenerate the index from the headers.
    """

    code = "S234"
    severity = "error"

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """The finding itself, whatever the loader does."""
        return self
