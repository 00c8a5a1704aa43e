"""Several sets of weights, and sets whose tensors are cut into slices."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.refetch import fetch_file
from inspector.findings.stored_set import StoredSet
from inspector.findings.words import count, first, listed, number, shape


class OtherWeights(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """Beside the audited weights lie other sets.

    What it means
        The folder holds more than one set of weights: variants, twins in another format, a consolidated
        file, the rest of an earlier save. One set is audited; the others are named with what they cost.

    Why it matters
        A download fetches all of them, and another program may load another set than the one audited here.

    Example
        note[S216] other-weights: audited is model.safetensors.index.json
          beside  consolidated.safetensors: safetensors, 1 file, 14,496,078,512 bytes
          total   14,496,078,512 bytes beside 14,496,447,870 audited
          help    choose with --weights NAME; what is not needed need not be fetched

    What to do
        Choose with `--weights NAME`; remove, or do not fetch, what is not needed.
    """

    code = "S216"
    name = "other-weights"
    severity = "note"

    audited: str
    audited_bytes: int
    sets: tuple[StoredSet, ...]
    count: int
    bytes: int
    loaded_first: str | None = None

    def headline(self) -> str:
        return f"audited is {self.audited}"

    def rows(self) -> Rows:
        rows = [("beside", stored.words()) for stored in self.sets[:8]]
        if self.count > 8:
            rows.append(("more", f"{number(self.count - 8)} further sets"))
        if self.loaded_first:
            rows.append(("careful", f"transformers loads {self.loaded_first} if it is there, not the index"))
        return [*rows, ("total", f"{number(self.bytes)} bytes beside {number(self.audited_bytes)} audited")]

    def remedy(self) -> Remedy:
        return Remedy("choose with --weights NAME; what is not needed need not be fetched")


class SliceDiffers(Finding, frozen=True, kw_only=True):
    """A file's slices do not fit those of the other files.

    What it means
        Each file of the set holds a slice of every matrix. In this one slices are absent, or have another
        shape or dtype than those of the others.

    Why it matters
        The slices cannot be put together: the file belongs to another model, or to another number of slices.

    Example
        error[S217] slice-differs: consolidated.01.pth
          slices  24 tensors: layers.0.attention.wq.weight, layers.0.attention.wk.weight and 22 more
          stored  BF16 [1024, 4096]
          others  BF16 [2048, 4096] in consolidated.00.pth
          help    fetch this file again

    What to do
        Fetch the file again, or take all files from the same save.
    """

    code = "S217"
    name = "slice-differs"

    tensors: int
    names: tuple[str, ...]
    stored: tuple[str, tuple[int, ...]] | None
    others: tuple[str, tuple[int, ...]]
    as_in: tuple[str, ...]

    def rows(self) -> Rows:
        stored, others = self.stored, self.others
        return [
            ("slices", f"{count(self.tensors, 'tensor')}: {first(self.names, self.tensors)}"),
            ("stored", "nothing" if stored is None else f"{stored[0]} {shape(stored[1])}"),
            ("others", f"{others[0]} {shape(others[1])} in {listed(self.as_in, 2)}"),
        ]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)


class SlicesJoined(Finding, frozen=True, kw_only=True):
    """The files hold slices of the same matrices.

    What it means
        The model was saved for several GPUs: each file holds a slice of every matrix, and norms and the like
        whole. The slices were put together by their shapes.

    Why it matters
        Nothing is wrong. The elements of all files are more than the model's: what lies whole in every file is
        counted once, and told as copies beyond that.

    Example
        note[S218] slices-joined: 2 files
          joined  282 matrices
          copies  82 tensors, 414,784 elements
          help    nothing: converters put the slices together

    What to do
        Nothing: a converter puts the slices together.
    """

    code = "S218"
    name = "slices-joined"
    severity = "note"

    files: int
    tensors: int
    copies: int
    elements: int
    bytes: int

    def headline(self) -> str:
        return count(self.files, "file")

    def rows(self) -> Rows:
        matrices = self.tensors
        copies = f"{count(self.copies, 'tensor')}, {count(self.elements, 'element')}"
        return [("joined", f"{number(matrices)} {'matrix' if matrices == 1 else 'matrices'}"), ("copies", copies)]

    def remedy(self) -> Remedy:
        return Remedy("nothing: converters put the slices together")
