"""Several sets of weights, and sets of files with slices of tensors."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.refetch import fetch_file
from inspector.findings.stored_set import StoredSet
from inspector.findings.words import count, first, listed, number, shape


class OtherWeights(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """The folder contains other sets of weights.

    What it means
        The folder contains more than one set of weights: variants, other formats, a consolidated file, remains
        of an earlier save. One set is audited; the others are listed with their size.

    Why it matters
        A download includes all of them, and another program may load a different set than the one audited here.

    Example
        note[S216] other-weights: audited model.safetensors.index.json
          also   consolidated.safetensors: safetensors, 1 file, 14,496,078,512 bytes
          total  14,496,078,512 bytes in addition to 14,496,447,870 audited
          help   choose with --weights NAME; download only the set you need

    What to do
        Choose with `--weights NAME`; remove the sets you do not need, or exclude them from the download.
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
        return f"audited {self.audited}"

    def rows(self) -> Rows:
        rows = [("also", stored.words()) for stored in self.sets[:8]]
        if self.count > 8:
            rows.append(("more", f"{number(self.count - 8)} further sets"))
        if self.loaded_first:
            rows.append(("careful", f"transformers loads {self.loaded_first} if it exists, not the index"))
        return [*rows, ("total", f"{number(self.bytes)} bytes in addition to {number(self.audited_bytes)} audited")]

    def remedy(self) -> Remedy:
        return Remedy("choose with --weights NAME; download only the set you need")


class SliceDiffers(Finding, frozen=True, kw_only=True):
    """The slices in one file do not match those in the other files.

    What it means
        Each file of the set contains a slice of every matrix. In this file slices are missing, or have another
        shape or dtype than in the others.

    Why it matters
        The slices cannot be merged: the file belongs to another model, or to another number of slices.

    Example
        error[S217] slice-differs: consolidated.01.pth
          slices  24 tensors: layers.0.attention.wq.weight, layers.0.attention.wk.weight
                  and 22 more
          stored  BF16 [1024, 4096]
          others  BF16 [2048, 4096] in consolidated.00.pth
          help    download this file again

    What to do
        Download the file again, or use files from one save.
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
    """The files contain slices of the same matrices.

    What it means
        The model was saved for several GPUs: each file contains a slice of every matrix, and complete copies of
        norms and other small tensors. The slices were merged by their shapes.

    Why it matters
        Nothing is wrong. The files contain more elements than the model: tensors that every file repeats are
        counted once and reported as copies.

    Example
        note[S218] slices-joined: 2 files
          joined  282 matrices
          copies  82 tensors, 414,784 elements
          help    no action needed: converters merge the slices

    What to do
        Nothing; converters merge the slices.
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
        return Remedy("no action needed: converters merge the slices")
