"""Shards that are missing, cut or unlisted."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.refetch import Refetch
from inspector.findings.words import count, first, listed, number


class ShardMissing(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """A shard is not there.

    What it means
        The index puts tensors into a file that does not exist, or the numbers in the names (`-of-00004`)
        show that a shard is absent.

    Why it matters
        The tensors in it are lost to every loader; some fill them with random numbers and go on.

    Example
        error[S201] shard-missing: model-00003-of-00004.safetensors
          lost    87 tensors: model.layers.16.input_layernorm.weight, model.layers.16.mlp.gate.weight and 85 more
          layers  16-24
          help    fetch this file again

    What to do
        Fetch the file again.
    """

    code = "S201"
    name = "shard-missing"

    tensors: int | None
    names: tuple[str, ...]
    index: str | None = None
    layers: str | None = None
    link: bool = False
    files: int | None = None
    of: int | None = None

    def headline(self) -> str:
        return str(self.place.file or f"{number(self.files)} shards")

    def rows(self) -> Rows:
        rows: Rows = []
        if self.tensors is not None:
            lost = count(self.tensors, "tensor")
            # Where many files are absent the names are those of the files.
            rows.append(("lost", lost if self.files else f"{lost}: {first(self.names, self.tensors)}"))
        if self.layers:
            rows.append(("layers", self.layers))
        if self.files:
            rows.append(("files", listed(self.names)))
        if self.link:
            rows.append(("link", "the name is a link to a file that does not exist"))
        return rows


class ShardCut(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """The data of a file is cut off.

    What it means
        The header is whole, and the file ends before the last byte that the header promises: a download or
        a copy that broke off.

    Why it matters
        The tensors behind the cut are lost, and no reader that only lists headers notices.

    Example
        error[S203] shard-cut: model-00003-of-00004.safetensors
          declared  4,915,916,176 bytes
          stored    3,221,225,472 bytes
          lost      layers 24-31 in part: 47 tensors, 1,694,690,704 bytes
          help      fetch this file again

    What to do
        Fetch this file again; the others need not be fetched.
    """

    code = "S203"
    name = "shard-cut"

    declared: int
    stored: int
    lost_bytes: int
    tensors: int
    names: tuple[str, ...]
    layers: str

    def rows(self) -> Rows:
        return [
            ("declared", f"{number(self.declared)} bytes"),
            ("stored", f"{number(self.stored)} bytes"),
            (
                "lost",
                (f"layers {self.layers} in part: " if self.layers else "")
                + f"{count(self.tensors, 'tensor')}, {number(self.lost_bytes)} bytes",
            ),
        ]


class ShardUnlisted(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """A shard is in no index.

    What it means
        The name of the file is that of a shard, and the index does not list it: left over from an earlier
        save with another number of shards, or forgotten when the index was written.

    Why it matters
        Loaders that go by the index do not read it; those that take every file in the folder do.

    Example
        warning[S204] shard-unlisted: model-00005-of-00005.safetensors
          holds  21 tensors, 21 of them in other shards too
          index  model.safetensors.index.json
          help   remove the file if its tensors are in the other shards, else write the index again

    What to do
        If its tensors are repeated elsewhere, remove it; if they are not, write the index again.
    """

    code = "S204"
    name = "shard-unlisted"
    severity = "warning"

    index: str
    tensors: int | None
    repeated: int | None = None
    contradicted: int | None = None
    names: tuple[str, ...] | None = None
    files: int | None = None

    def headline(self) -> str:
        return str(self.place.file or f"{number(self.files)} further files")

    def rows(self) -> Rows:
        if self.tensors is None:
            return [("index", self.index)]
        contradicted = self.contradicted or 0
        repeated = f"{number((self.repeated or 0) + contradicted)} of them in other shards too"
        other = f", {number(contradicted)} with another shape" if contradicted else ""
        return [("holds", f"{count(self.tensors, 'tensor')}, {repeated}{other}"), ("index", self.index)]

    def remedy(self) -> Remedy:
        return Remedy("remove the file if its tensors are in the other shards, else write the index again")
