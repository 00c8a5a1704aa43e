"""Findings on tensors for which the index and the headers disagree."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.refetch import fetch_file
from inspector.findings.shards.index import write_index
from inspector.findings.shards.sizes import SizeOfShard, sizes_of_shard
from inspector.findings.words import count, first, listed, number


class TensorsOfFile(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """Tensors of one file, or of `files` files. names: the first tensors, or the first files."""

    tensors: int
    names: tuple[str, ...]
    index: str | None
    files: int | None = None
    label: ClassVar[str]

    def headline(self) -> str:
        return f"{number(self.files)} files" if self.files else str(self.place.file) or "(an empty name)"

    def rows(self) -> Rows:
        tensors = count(self.tensors, "tensor")
        rows = [(self.label, tensors if self.files else f"{tensors}: {first(self.names, self.tensors)}")]
        if self.files:
            rows.append(("files", first(self.names, self.files)))
        return [*rows, ("index", self.index)] if self.index else rows


class TensorUnlisted(TensorsOfFile, frozen=True, kw_only=True):
    """A shard contains tensors that the index does not list.

    What it means
        The header of the shard contains tensors without an entry in the index.

    Why it matters
        Loaders that use the index never read them; the weights keep random values or are reported as missing.

    Example
        error[S205] tensor-unlisted: model-00003-of-00004.safetensors
          unlisted  1 tensor: lm_head.weight
          index     model.safetensors.index.json
          help      regenerate the index from the headers

    What to do
        Regenerate the index from the headers.
    """

    code = "S205"
    label = "unlisted"

    def remedy(self) -> Remedy:
        return write_index(self.index)

    @classmethod
    def milder(cls) -> type[Finding] | None:
        return TensorReadUnlisted


class TensorReadUnlisted(TensorUnlisted, frozen=True, kw_only=True):
    """A shard contains tensors that the index does not list, which its loader reads all the same.

    What it means
        The header of the shard contains tensors without an entry in the index. The loader that the folder is made for
        reads all listed shards as a whole, and loads every tensor.

    Why it matters
        transformers 4 and programs that read single tensors by the index leave these randomly initialized, or fail.

    Example
        warning[S238] tensor-read-unlisted: model-00003-of-00004.safetensors
          unlisted  1 tensor: lm_head.weight
          index     model.safetensors.index.json
          help      regenerate the index from the headers

    What to do
        Regenerate the index from the headers.
    """

    code = "S238"
    severity = "warning"


class TensorAbsent(TensorsOfFile, frozen=True, kw_only=True):
    """The index lists tensors that no shard contains.

    What it means
        The shard is readable, but neither it nor any other shard contains the tensors.

    Why it matters
        Loaders fail, or fill the weights with random values.

    Example
        error[S206] tensor-absent: model-00003-of-00004.safetensors
          absent  1 tensor: model.norm.weight
          index   model.safetensors.index.json
          help    download both again: shard and index come from different saves

    What to do
        Download both again: the shard and the index come from different saves.
    """

    code = "S206"
    label = "absent"
    remedy_text = "download both again: shard and index come from different saves"

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding:
        return self.listed_in_vain() if outcome == "complete" and self.index else self

    def listed_in_vain(self) -> Finding:
        """The finding if no model needs these tensors."""
        return TensorListedInVain(**self.stated_fields())


class TensorInAnotherShard(TensorsOfFile, frozen=True, kw_only=True, omit_defaults=True):
    """The index lists the wrong shard for some tensors.

    What it means
        According to the index the tensors are in this file; the headers show them in another one.

    Why it matters
        Loaders that read single tensors by the index fail; those that read whole shards do not notice.

    Example
        error[S207] tensor-in-another-shard: model-00003-of-00004.safetensors
          moved     2 tensors: model.norm.weight, lm_head.weight
          found in  model-00004-of-00004.safetensors
          index     model.safetensors.index.json
          help      regenerate the index from the headers

    What to do
        Regenerate the index from the headers.
    """

    code = "S207"
    label = "moved"

    found_in: tuple[str, ...] | None = msgspec.field(default=None, name="in")

    def rows(self) -> Rows:
        moved, *index = super().rows()
        return [moved, ("found in", listed(self.found_in)), *index] if self.found_in else [moved, *index]

    def remedy(self) -> Remedy:
        return write_index(self.index)

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding:
        return TensorListedElsewhere(**self.stated_fields()) if outcome == "complete" and self.index else self


class TensorListedElsewhere(TensorInAnotherShard, frozen=True, kw_only=True, omit_defaults=True):
    """The index lists the wrong shard for some tensors, which its loader does not notice.

    What it means
        According to the index the tensors are in this file; the headers show them in another one that is listed too.
        The loader that the folder is made for reads all listed shards as a whole, and loads every tensor.

    Why it matters
        Programs that read single tensors by the index fail.

    Example
        warning[S227] tensor-listed-elsewhere: model-00003-of-00004.safetensors
          moved     2 tensors: model.norm.weight, lm_head.weight
          found in  model-00004-of-00004.safetensors
          index     model.safetensors.index.json
          help      regenerate the index from the headers

    What to do
        Regenerate the index from the headers.
    """

    code = "S227"
    severity = "warning"


class TensorListedInVain(TensorAbsent, frozen=True, kw_only=True, omit_defaults=True):
    """The index lists tensors that no shard contains and that its loader does not need.

    What it means
        Neither this shard nor any other contains the tensors. The class of the config has none of these names, or
        leaves their part of the model out; the loader that the folder is made for ignores the entries.

    Why it matters
        Programs that read single tensors by the index fail.

    Example
        warning[S228] tensor-listed-in-vain: model-00003-of-00004.safetensors
          absent  1 tensor: extra.weight
          index   model.safetensors.index.json
          help    regenerate the index from the headers

    What to do
        Regenerate the index from the headers. Tensors of a part that other programs read, such as layers that predict
        further tokens, were lost with this file: download it again.
    """

    code = "S228"
    severity = "warning"

    of_part: bool = False
    """True if they belong to a part of the model that this loader leaves out."""

    def remedy(self) -> Remedy:
        if self.of_part and self.place.file:
            words = "download this file again: the tensors belong to a part of the model that other programs read"
            return Remedy(words, (Step(action="fetch", file=self.place.file),))
        return write_index(self.index)


class ShardOfAnotherSave(TensorAbsent, frozen=True, kw_only=True):
    """A shard comes from another save than the others.

    What it means
        The file has the name of a shard that the index lists, but other contents: it lacks tensors that the index
        lists for it, repeats tensors of other shards, or has tensors that the index does not list. It is a shard of
        another revision, or of a model of another size.

    Why it matters
        The tensors that it lacks are lost, and the others are those of another model or another step of its training.

    Example
        error[N483] shard-of-another-save: model-00002-of-00003.safetensors
          absent    1 tensor: model.layers.1.self_attn.v_proj.weight
          index     model.safetensors.index.json
          repeated  2 tensors of other shards
          help      download this file again

    What to do
        Download this shard again from the revision that the others are of.
    """

    code = "N483"

    repeated: int
    unlisted: int = 0
    sizes: tuple[SizeOfShard, ...] = ()
    """Sizes of the model that the shapes in this file show, where they differ from the config."""

    def rows(self) -> Rows:
        rows = super().rows() if self.tensors else [("index", str(self.index))]
        if self.repeated:
            rows.append(("repeated", f"{count(self.repeated, 'tensor')} of other shards"))
        if self.unlisted:
            rows.append(("unlisted", count(self.unlisted, "tensor")))
        return [*rows, *sizes_of_shard(self.sizes)]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding:
        return self


class TensorDoubled(TensorsOfFile, frozen=True, kw_only=True):
    """Tensors are stored in two shards, with the same shape.

    What it means
        The file repeats tensors that another file of the set contains with the same dtype and shape.

    Why it matters
        The values may differ, which headers cannot show; loaders use the copy that they read last. Space is
        wasted in any case.

    Example
        warning[S208] tensor-doubled: model-00003-of-00004.safetensors
          doubled  1 tensor: lm_head.weight
          help     compare the two copies, which headers do not show, and remove one:
                   the index names one file, and transformers keeps the copy of the last
                   file

    What to do
        Compare the two copies and remove one. Where they differ, the index names the file that should have the tensor;
        transformers reads all files and keeps the copy of the last one.
    """

    code = "S208"
    severity = "warning"
    label = "doubled"

    def remedy(self) -> Remedy:
        words = "compare the two copies, which headers do not show, and remove one"
        if str(self.place.file or self.names[0]).endswith(".gguf"):
            return Remedy(words)
        return Remedy(f"{words}: the index names one file, and transformers keeps the copy of the last file")


class ShardNameUnsafe(TensorsOfFile, frozen=True, kw_only=True):
    """The index lists a file outside of the checkpoint.

    What it means
        A file name in the index is a path, a URL, a drive letter or contains characters that are not allowed in
        plain file names. It is never opened.

    Why it matters
        A loader that joins it to its folder could read or write elsewhere on the disk.

    Example
        error[S209] shard-name-unsafe: model-00003-of-00004.safetensors
          promised  1 tensor: lm_head.weight
          index     model.safetensors.index.json
          help      do not use this index; file names in it must be plain names

    What to do
        Do not use the index until its author has confirmed it. Where the files of these names are in the folder,
        generate the index again.
    """

    code = "S209"
    label = "promised"

    here: bool = False

    def remedy(self) -> Remedy:
        words = "do not use this index; file names in it must be plain names"
        if not self.here or not str(self.index).endswith(".safetensors.index.json"):
            return Remedy(words)
        return Remedy(
            "generate the index from the headers: the shards are in this folder",
            (Step(action="write", file=self.index),),
        )


class TensorContradicted(TensorsOfFile, frozen=True, kw_only=True):
    """Tensors are stored in two shards, with different shapes or dtypes.

    What it means
        The file contains tensors that another file of the set contains too, with another shape or dtype. Where there
        is an index, it lists them for the other file.

    Why it matters
        Which one a loader uses depends on its reading order. The audit uses the one that the index lists, else
        the first.

    Example
        error[S210] tensor-contradicted: model-00003-of-00004.safetensors
          differs  1 tensor: lm_head.weight
          help     remove the stale shard

    What to do
        Find out which shard is stale and remove it; one that the index lists must be downloaded again.
    """

    code = "S210"
    label = "differs"

    def remedy(self) -> Remedy:
        if self.index is None or self.files:
            return Remedy("remove the stale shard")
        return fetch_file(self.place, "download this file again: the index lists these tensors for other shards")
