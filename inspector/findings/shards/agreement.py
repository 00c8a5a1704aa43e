"""Tensors of which the index and the headers say different things."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, first, listed, number


class TensorsOfFile(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """Tensors of one file, or of `files` further files. names: the first tensors, or the first files."""

    tensors: int
    names: tuple[str, ...]
    index: str | None
    files: int | None = None
    label: ClassVar[str]

    def headline(self) -> str:
        return f"{number(self.files)} further files" if self.files else str(self.place.file) or "(an empty name)"

    def rows(self) -> Rows:
        tensors = count(self.tensors, "tensor")
        rows = [(self.label, tensors if self.files else f"{tensors}: {first(self.names, self.tensors)}")]
        return [*rows, ("index", self.index)] if self.index else rows


class TensorUnlisted(TensorsOfFile, frozen=True, kw_only=True):
    """A shard holds tensors that the index does not list.

    What it means
        The header of the shard names tensors for which the index has no entry.

    Why it matters
        Loaders that go by the index never read them and leave the weights at random values, or report them
        as missing.

    Example
        error[S205] tensor-unlisted: model-00003-of-00004.safetensors
          unlisted  1 tensor: lm_head.weight
          index     model.safetensors.index.json
          help      write the index again from the headers

    What to do
        Write the index again from the headers.
    """

    code = "S205"
    name = "tensor-unlisted"
    label = "unlisted"

    def remedy(self) -> Remedy:
        return Remedy("write the index again from the headers")


class TensorAbsent(TensorsOfFile, frozen=True, kw_only=True):
    """The index promises tensors that no header holds.

    What it means
        The shard is there and readable, and neither it nor any other shard has the tensors.

    Why it matters
        Loaders fail, or fill the weights with random numbers.

    Example
        error[S206] tensor-absent: model-00003-of-00004.safetensors
          absent  1 tensor: model.norm.weight
          index   model.safetensors.index.json
          help    the shard and the index come from two saves: fetch both again

    What to do
        The shard and the index come from two saves: fetch both again.
    """

    code = "S206"
    name = "tensor-absent"
    label = "absent"

    def remedy(self) -> Remedy:
        return Remedy("the shard and the index come from two saves: fetch both again")


class TensorInAnotherShard(TensorsOfFile, frozen=True, kw_only=True, omit_defaults=True):
    """Tensors are in another shard than the index says.

    What it means
        The index puts the tensors into this file; the headers show them in another one.

    Why it matters
        Loaders that fetch single tensors by the index fail, those that read whole shards do not notice.

    Example
        error[S207] tensor-in-another-shard: model-00003-of-00004.safetensors
          moved     2 tensors: model.norm.weight, lm_head.weight
          found in  model-00004-of-00004.safetensors
          index     model.safetensors.index.json
          help      write the index again from the headers

    What to do
        Write the index again from the headers.
    """

    code = "S207"
    name = "tensor-in-another-shard"
    label = "moved"

    found_in: tuple[str, ...] | None = msgspec.field(default=None, name="in")

    def rows(self) -> Rows:
        moved, *index = super().rows()
        return [moved, ("found in", listed(self.found_in)), *index] if self.found_in else [moved, *index]

    def remedy(self) -> Remedy:
        return Remedy("write the index again from the headers")


class TensorDoubled(TensorsOfFile, frozen=True, kw_only=True):
    """Tensors are in two shards, with the same shape.

    What it means
        The file repeats tensors that another file of the set holds with the same dtype and shape.

    Why it matters
        The values may differ, which headers cannot show; loaders take the one that they read last. Bytes
        are wasted at least.

    Example
        warning[S208] tensor-doubled: model-00003-of-00004.safetensors
          doubled  1 tensor: lm_head.weight
          help     keep one of the two

    What to do
        Keep one of the two; the index says which is read.
    """

    code = "S208"
    name = "tensor-doubled"
    severity = "warning"
    label = "doubled"

    def remedy(self) -> Remedy:
        return Remedy("keep one of the two")


class ShardNameUnsafe(TensorsOfFile, frozen=True, kw_only=True):
    """The index names a file outside of the checkpoint.

    What it means
        A file name in the index is a path, a URL, a drive letter or holds characters that no plain file
        name has. Such a file is never looked up.

    Why it matters
        A loader that joins it to its folder reads, or writes, elsewhere on the disk.

    Example
        error[S209] shard-name-unsafe: model-00003-of-00004.safetensors
          promised  1 tensor: lm_head.weight
          index     model.safetensors.index.json
          help      do not use this index; file names in it must be plain names

    What to do
        Do not use the index before its writer has been asked.
    """

    code = "S209"
    name = "shard-name-unsafe"
    label = "promised"

    def remedy(self) -> Remedy:
        return Remedy("do not use this index; file names in it must be plain names")


class TensorContradicted(TensorsOfFile, frozen=True, kw_only=True):
    """Tensors are in two shards, with different shapes or dtypes.

    What it means
        The file holds tensors that another file of the set holds too, with another shape or dtype.

    Why it matters
        Which of the two a loader takes depends on the order of its reading. The audit goes by the one that
        the index names, else by the first.

    Example
        error[S210] tensor-contradicted: model-00003-of-00004.safetensors
          differs  1 tensor: lm_head.weight
          help     remove the stale one of the two shards

    What to do
        Find out which shard is the stale one and remove it.
    """

    code = "S210"
    name = "tensor-contradicted"
    label = "differs"

    def remedy(self) -> Remedy:
        return Remedy("remove the stale one of the two shards")
