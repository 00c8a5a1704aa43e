"""Findings on the index itself."""

from __future__ import annotations

from typing import Final

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.reading.place import OVER_NETWORK, UNREAD_REMEDIES
from inspector.findings.refetch import Refetch
from inspector.findings.words import count, listed, number, position_in_text

_FORMATS = {
    "git-lfs-pointer": "a git-lfs pointer",
    "html": "a web page",
    **dict.fromkeys(("refusal", "json-error", "xml-error"), "an HTTP error message"),
    "zeros": "filled with zeros",
}


def write_index(file: str | None) -> Remedy:
    """The remedy to write the index from the headers."""
    return Remedy("regenerate the index from the headers", (Step(action="write", file=file),) if file else ())


MERGE: Final = "merge conflicts"
"""Part of the problem of a file that was committed with merge conflicts: another download brings the same file."""


class IndexUnreadable(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """The shard index is not valid.

    What it means
        The index is not a JSON object with a `weight_map`: it is truncated, has unresolved merge conflicts, or
        is a git-lfs pointer or a web page.

    Why it matters
        Loaders find the shards through the index and fail. The audit uses the file names instead.

    Example
        error[S202] index-unreadable: model.safetensors.index.json contains unresolved
          git merge conflicts
          at    line 702, character 60,303
          help  take the file of a revision without the conflicts

    What to do
        Download the index again, or repair it at the given position; where all shards are there, generate it.
    """

    code = "S202"

    problem: str
    position: int | None
    what: str
    bytes: int
    shards: int = 0
    line: int | None = None
    reason: str = ""
    """Why no byte was read; "" if the content is at fault."""
    detail: str = ""

    @property
    def content_unknown(self) -> bool:
        """True if the network failed."""
        return self.reason in OVER_NETWORK

    def headline(self) -> str:
        return f"{self.place.file} {f'is {_FORMATS.get(self.what, self.what)}' if self.what else self.problem}"

    def rows(self) -> Rows:
        if self.reason:
            return [("because", self.detail or self.reason)]
        return [("at", position_in_text(self.position, self.line))] if self.position and not self.what else []

    def remedy(self) -> Remedy:
        if self.reason in UNREAD_REMEDIES:
            return Remedy(UNREAD_REMEDIES[self.reason])
        if self.what == "git-lfs-pointer":
            return Remedy("run `git lfs pull` in the folder")
        again = self.fetch_again()
        if MERGE in self.problem:
            again = Remedy("take the file of a revision without the conflicts")
        if not self.shards or self.remote or not str(self.place.file).endswith(".safetensors.index.json"):
            return again
        words = f"{again.words}, or generate it from the headers"
        if MERGE in self.problem:
            words = "generate it from the headers, or take it from a revision without the conflicts"
        return Remedy(words, (Step(action="write", file=self.place.file),))


class IndexStale(Finding, frozen=True, kw_only=True):
    """None of the shards listed in the index exists.

    What it means
        None of the files in the index exists, but there are other weights. They are audited instead.

    Why it matters
        Loaders that read the index (vLLM) find no weights, although they exist.

    Example
        warning[S211] index-stale: model.safetensors.index.json lists 4 files, all of
          them missing
          audited  model.safetensors
          help     move model.safetensors.index.json aside, or download its shards

    What to do
        Move the index aside, or download its shards.
    """

    code = "S211"
    severity = "warning"

    files: int
    tensors: int
    audited: str

    row_texts = (("audited", "{audited}"),)

    def headline(self) -> str:
        listed = f"{count(self.files, 'file')}, all of them missing" if self.files else "no file"
        return f"{self.place.file} lists {listed}"

    def remedy(self) -> Remedy:
        step = Step(action="move", file=self.place.file)
        return Remedy(f"move {self.place.file} aside" + ", or download its shards" * bool(self.files), (step,))


class IndexStaleTaken(IndexStale, frozen=True, kw_only=True):
    """None of the shards listed in the index exists, and the loader reads the index before the single file.

    What it means
        diffusers takes the index before a single file of the same name. None of the files in the index exists; the
        single file is audited instead.

    Why it matters
        diffusers fails on the missing shards, although complete weights are stored next to the index.

    Example
        error[S224] index-stale-taken: diffusion_pytorch_model.safetensors.index.json
          lists 4 files, all of them missing
          audited  diffusion_pytorch_model.safetensors
          help     move the index aside

    What to do
        Move the index aside, or download its shards.
    """

    code = "S224"
    severity = "error"

    def remedy(self) -> Remedy:
        step = Step(action="move", file=self.place.file)
        return Remedy("move the index aside", (step,))


class IndexWithoutMetadata(Finding, frozen=True, kw_only=True):
    """The index has no metadata.

    What it means
        The index has a `weight_map`, but no object `metadata`.

    Why it matters
        transformers and diffusers read `metadata` of every index and stop with a KeyError where it is absent.

    Example
        error[S225] index-without-metadata: model.safetensors.index.json
          loader  transformers stops with KeyError: 'metadata'
          help    set "metadata": {"total_size": 16060522496} in
                  model.safetensors.index.json

    What to do
        Add the object, with the bytes of all tensors as `total_size`.
    """

    code = "S225"

    loader: str
    bytes: int

    row_texts = (("loader", "{loader} stops with KeyError: 'metadata'"),)

    def remedy(self) -> Remedy:
        step = Step(action="set", file=self.place.file, key=("metadata",), new={"total_size": self.bytes})
        return Remedy(f'set "metadata": {{"total_size": {self.bytes}}} in {self.place.file}', (step,))


class IndexNamesNothing(Finding, frozen=True, kw_only=True):
    """The index names none of the stored tensors.

    What it means
        The `weight_map` of the index is empty, or all its names are of other tensors than those in the files. All
        files of the set were audited.

    Why it matters
        Loaders read the tensors that the index names: they load nothing, and leave the whole model uninitialized.

    Example
        error[S219] index-names-nothing: model.safetensors.index.json names 0 tensors,
          none of the 291 stored ones
          help  regenerate the index from the headers

    What to do
        Regenerate the index from the headers.
    """

    code = "S219"

    promised: int
    stored: int

    def headline(self) -> str:
        named = count(self.promised, "tensor")
        return f"{self.place.file} names {named}, none of the {number(self.stored)} stored ones"

    def remedy(self) -> Remedy:
        return write_index(self.place.file)


class IndexOfAnotherSave(Finding, frozen=True, kw_only=True):
    """The index lists files that do not exist, and all its tensors are in other files.

    What it means
        The index belongs to another save, in another number of shards: the files in the folder contain all tensors of
        the index, or they are all shards of one save.

    Why it matters
        Loaders look for the files that the index lists and fail.

    Example
        error[S226] index-of-another-save: model.safetensors.index.json
          lists   4 files that do not exist: model-00001-of-00004.safetensors,
                  model-00002-of-00004.safetensors and 2 more
          stored  57 tensors in 3 files: model-00001-of-00003.safetensors,
                  model-00002-of-00003.safetensors and 1 more
          help    regenerate the index from the headers

    What to do
        Regenerate the index from the headers. Nothing has to be downloaded.
    """

    code = "S226"

    files: int
    listed_files: tuple[str, ...]
    tensors: int
    stored_files: tuple[str, ...]
    stored_in: int
    nowhere: int = 0
    """Number of tensors that the index lists and no file contains."""

    row_texts = (
        ("lists", "{files:count file} that do not exist: {listed_files:first files}"),
        ("stored", "{tensors:count tensor} in {stored_in:count file}: {stored_files:first stored_in}"),
        ("not stored", "{nowhere:count tensor} of the index", "nowhere"),
    )

    def remedy(self) -> Remedy:
        return write_index(self.place.file)


class ShardTotalsDiffer(Finding, frozen=True, kw_only=True):
    """Shards of one set state different totals.

    What it means
        The number after `-of-` is how many shards the save has. Files of two numbers are of two saves, or were
        renamed.

    Why it matters
        Loaders that read every shard mix two models; those that read the index trust it to name the right ones.

    Example
        warning[S220] shard-totals-differ: shards of 2 totals: 4, 5
          shards  model-00001-of-00004.safetensors, model-00001-of-00005.safetensors
          help    keep the shards of one save, with its index

    What to do
        Keep the shards of one save, with its index.
    """

    code = "S220"
    severity = "warning"

    totals: tuple[int, ...]
    names: tuple[str, ...]

    row_texts = (("shards", "{names:listed 4}"),)
    remedy_text = "keep the shards of one save, with its index"

    def headline(self) -> str:
        return f"shards of {count(len(self.totals), 'total')}: {listed([number(one) for one in self.totals], 4)}"


class SavesMixed(ShardTotalsDiffer, frozen=True, kw_only=True):
    """The shards of several saves are in one folder, and no index lists a complete one.

    What it means
        The numbers after `-of-` differ, and tensors are stored more than once: a save did not remove the shards of the
        one before it, and no index says which belong together, or the index lists shards that are no longer there.
        `complete`: the totals of which all shards are there.

    Why it matters
        Loaders need the index of one save; an index of all shards mixes two models.

    Example
        error[N486] saves-mixed: shards of 2 totals: 2, 4
          shards  model-00001-of-00002.safetensors, model-00001-of-00004.safetensors
          twice   30 tensors
          help    keep the shards of one save and move the others aside, then generate
                  its index from the headers

    What to do
        Keep the shards of one save: of two complete ones only their dates and their values show which is newer.
    """

    code = "N486"
    severity = "error"

    tensors: int
    complete: tuple[int, ...]
    others: tuple[str, ...]
    wanted: str

    def rows(self) -> Rows:
        return [*super().rows(), ("twice", count(self.tensors, "tensor"))]

    def remedy(self) -> Remedy:
        if len(self.complete) != 1:
            words = "keep the shards of one save and move the others aside, then generate its index from the headers"
            return Remedy(words)
        aside = tuple(Step(action="move", file=name) for name in self.others)
        words = f"move the shards of other totals than {number(self.complete[0])} aside: only that save is complete"
        return Remedy(f"{words}; then generate its index", (*aside, Step(action="write", file=self.wanted)))


class IndexMissing(Finding, frozen=True, kw_only=True):
    """Shards without an index.

    What it means
        The files are numbered like shards but no `.index.json` lists them. All of them are audited.

    Why it matters
        Most loaders find shards through the index and report that there are no weights.

    Example
        warning[S212] index-missing: 2 shards without an index
          shards  model-00001-of-00002.safetensors, model-00002-of-00002.safetensors
          help    download the index, or generate one from the headers

    What to do
        Download the index, or generate one from the headers.
    """

    code = "S212"
    severity = "warning"

    files: int
    names: tuple[str, ...]

    headline_text = "{files:count shard} without an index"
    row_texts = (("shards", "{names:first files 3}"),)
    remedy_text = "download the index, or generate one from the headers"


class IndexRequired(Finding, frozen=True, kw_only=True):
    """The loader of this folder needs an index, and there is none.

    What it means
        The files are numbered like shards but no `.index.json` lists them. All of them are audited.

    Why it matters
        The loader that the config is made for finds shards through the index only: it reports that there are no
        weights.

    Example
        error[S222] index-required: 2 shards without an index
          shards  model-00001-of-00002.safetensors, model-00002-of-00002.safetensors
          loader  transformers looks for model.safetensors.index.json
          help    download model.safetensors.index.json, or generate it from the headers

    What to do
        Download the index, or generate one from the headers.
    """

    code = "S222"

    files: int
    names: tuple[str, ...]
    loader: str
    wanted: str
    lacking: bool = False
    """True if shards are missing as well, which an index of the others would hide."""

    headline_text = "{files:count shard} without an index"
    row_texts = (("shards", "{names:first files 3}"), ("loader", "{loader} looks for {wanted}"))

    def remedy(self) -> Remedy:
        if self.lacking:
            return Remedy(f"download {self.wanted}; or generate it from the headers, when all shards are there")
        step = Step(action="write", file=self.wanted)
        return Remedy(f"download {self.wanted}, or generate it from the headers", (step,))
