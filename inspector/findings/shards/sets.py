"""Findings on several sets of weights, and on sets of files with slices of tensors."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
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
        Mistral publishes models twice: `consolidated*.safetensors` in the names of its own code is what vLLM and
        mistral-inference read, the other set is for transformers. Early vLLM (0.4.2) read both and failed.

    Example
        note[S216] other-weights: audited model.safetensors.index.json
          also     consolidated.safetensors: safetensors, 1 file, 14,496,078,512 bytes
          read by  vLLM and mistral-inference consolidated.safetensors, transformers
                   model.safetensors.index.json
          total    14,496,078,512 bytes in addition to 14,496,447,870 audited
          help     choose with --weights NAME; download only the set you need

    What to do
        Choose with `--weights NAME`; remove the sets you do not need, or exclude them from the download.
    """

    code = "S216"
    severity = "note"

    audited: str
    audited_bytes: int
    sets: tuple[StoredSet, ...]
    count: int
    bytes: int
    consolidated: str = ""
    """A file in Mistral's format among the other sets, if the audited set has none."""
    heads: tuple[str, ...] = ()
    """The heads of a BGE-M3 model among the other sets."""

    headline_text = "audited {audited}"
    remedy_text = "choose with --weights NAME; download only the set you need"

    def rows(self) -> Rows:
        rows = [("also", stored.words()) for stored in self.sets[:8]]
        if self.count > 8:
            rows.append(("more", f"{number(self.count - 8)} further sets"))
        if self.consolidated:
            rows.append(("read by", f"vLLM and mistral-inference {self.consolidated}, transformers {self.audited}"))
        if self.heads:
            rows.append(("heads", f"{listed(self.heads)} of BGE-M3: FlagEmbedding reads them, transformers does not"))
        return [*rows, ("total", f"{number(self.bytes)} bytes in addition to {number(self.audited_bytes)} audited")]


class TrainedBesideAdapter(OtherWeights, frozen=True, kw_only=True, omit_defaults=True):
    """Modules that were trained with an adapter are in a file of their own.

    What it means
        LLaVA and programs made from it train the projector next to a LoRA and write it, and all else that was trained
        whole, into `non_lora_trainables.bin`.

    Why it matters
        PEFT reads the adapter alone. With a projector that was not trained with it the model does not understand
        images.

    Example
        note[S241] trained-beside-adapter: what was trained with
          adapter_model.safetensors is in another file
          also   non_lora_trainables.bin: pytorch, 1 file, 41,978,453 bytes
          total  41,978,453 bytes in addition to 639,692,768 audited
          help   download both: LLaVA's load_pretrained_model with the base model reads
                 them; PEFT reads the adapter alone

    What to do
        Load both with the program that trained them.
    """

    code = "S241"
    headline_text = "what was trained with {audited} is in another file"
    remedy_text = (
        "download both: LLaVA's load_pretrained_model with the base model reads them; PEFT reads the adapter alone"
    )


class SetsDiffer(Finding, frozen=True, kw_only=True):
    """Two sets of weights that the same loader could take are not the same.

    What it means
        A single file and shards with an index have the same name: transformers takes the single file, diffusers the
        index. Or a set of PyTorch files lies next to safetensors, which both take first. The two sets have other
        tensors: one of them is left from an earlier save. Sets of both formats are compared only where the one that
        is loaded does not fit the config, or none of its shards is stored.

    Why it matters
        The loader reads one of them without a message, which may be the old one; other programs read the other.

    Example
        error[S223] sets-differ: model.safetensors and model.safetensors.index.json
          loaded   model.safetensors: transformers takes a single file before an index
          instead  model.safetensors.index.json: 24 files, 12,570,755,976 bytes
          differs  169 tensors only in model.safetensors.index.json
          fits     only model.safetensors.index.json fits the config
          help     move model.safetensors aside

    What to do
        Move the set aside that is not meant: the one that does not fit the config, or else the older one.
    """

    code = "S223"

    loader: str
    loaded: StoredSet
    instead: StoredSet
    only_loaded: int
    only_instead: int
    layouts: int
    fits: str
    aside: tuple[str, ...]
    problems: tuple[str, ...] = ()

    def headline(self) -> str:
        return f"{self.loaded.name} and {self.instead.name}"

    def rows(self) -> Rows:
        first_taken = "a single file before an index"
        if self.loaded.kind != self.instead.kind:
            first_taken = f"{self.loaded.kind} before {self.instead.kind}"
        elif self.loaded.name.endswith(".json"):
            first_taken = "an index before a single file"
        differs = [
            f"{count(self.only_loaded, 'tensor')} only in {self.loaded.name}" * bool(self.only_loaded),
            f"{count(self.only_instead, 'tensor')} only in {self.instead.name}" * bool(self.only_instead),
            f"{count(self.layouts, 'tensor')} of another shape or dtype" * bool(self.layouts),
        ]
        if not self.loaded.files:
            differs = ["every shard that it lists is missing"]
        files = f"{count(self.instead.files, 'file')}, {number(self.instead.bytes)} bytes"
        rows = [
            ("loaded", f"{self.loaded.name}: {self.loader} takes {first_taken}"),
            ("instead", f"{self.instead.name}: {files}"),
            ("differs", "; ".join(part for part in differs if part)),
        ]
        if self.fits:
            rows.append(("fits", f"only {self.fits} fits the config"))
        return rows

    def remedy(self) -> Remedy:
        steps = tuple(Step(action="move", file=name) for name in self.aside) if self.fits else ()
        old = self.loaded.name if self.fits == self.instead.name else self.instead.name
        unless = "" if self.fits else f", or {self.loaded.name} if that is the older one"
        return Remedy(f"move {old} aside{unless}", steps)


class SetUnreadable(Finding, frozen=True, kw_only=True):
    """The set of weights that another loader takes cannot be read.

    What it means
        A single file and an index have the same name. The set that is not audited cannot be read: its index lists
        files that are not weights, such as itself, or its file is damaged.

    Why it matters
        transformers takes the single file, diffusers and vLLM the index: one of them fails, although complete weights
        are stored.

    Example
        warning[S230] set-unreadable: model.safetensors.index.json
          problem  R005 not-a-checkpoint
          audited  model.safetensors
          help     move model.safetensors.index.json aside

    What to do
        Move the set aside that cannot be read, or download it again.
    """

    code = "S230"
    severity = "warning"

    audited: str
    problems: tuple[str, ...]

    def rows(self) -> Rows:
        from inspector.findings.registry import finding_type

        named = ((code, finding_type(code)) for code in self.problems)
        shown = ", ".join(code if kind is None else f"{code} {kind.name}" for code, kind in named)
        return [("problem", shown), ("audited", self.audited)]

    def remedy(self) -> Remedy:
        return Remedy(f"move {self.place.file} aside", (Step(action="move", file=self.place.file),))


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
    severity = "note"

    files: int
    tensors: int
    copies: int
    elements: int
    bytes: int

    headline_text = "{files:count file}"
    remedy_text = "no action needed: converters merge the slices"

    def rows(self) -> Rows:
        matrices = self.tensors
        copies = f"{count(self.copies, 'tensor')}, {count(self.elements, 'element')}"
        return [("joined", f"{number(matrices)} {'matrix' if matrices == 1 else 'matrices'}"), ("copies", copies)]
