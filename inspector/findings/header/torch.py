"""Files of PyTorch: archives and pickles."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.header.entries import Entries, ShapeEntry
from inspector.findings.refetch import fetch_file
from inspector.findings.words import count, listed, number


class ViewEntry(ShapeEntry, frozen=True, kw_only=True):
    """reach: last element of the storage that the tensor needs. elements: how many the storage has."""

    reach: int
    elements: int


class OtherKey(msgspec.Struct, frozen=True):
    """Another top-level key, and the number of tensors below it."""

    key: str
    tensors: int


class PickleRunsCode(Finding, frozen=True, kw_only=True):
    """A pickle would run code when loaded.

    What it means
        A pickle is a program. This one imports functions that no state dict needs and that start programs, open
        files, load or evaluate code: `os.system`, `builtins.eval` and similar. Inspector did not run any of it.

    Why it matters
        `torch.load` without `weights_only=True` executes it with your permissions. Malicious checkpoints work
        this way.

    Example
        error[H140] pickle-runs-code: pytorch_model.bin would call posix.system
          imports  1 name that no state dict needs
          help     do not load this file

    What to do
        Do not load the file. Get the weights as safetensors from a trusted source.
    """

    code = "H140"
    name = "pickle-runs-code"

    names: tuple[str, ...]
    count: int

    def headline(self) -> str:
        return f"{self.place.file} would call {listed(self.names, 3)}"

    def rows(self) -> Rows:
        return [("imports", f"{count(self.count, 'name')} that no state dict needs")]

    def remedy(self) -> Remedy:
        return Remedy("do not load this file")


class PickleHoldsObjects(Finding, frozen=True, kw_only=True):
    """A pickle contains objects other than tensors.

    What it means
        Loading the file requires classes of other libraries. They are listed but were not imported; the tensors
        were read.

    Why it matters
        `torch.load` with `weights_only=True`, its default since 2.6, rejects the file.

    Example
        warning[H141] pickle-holds-objects: last.ckpt needs 2 classes imported
          classes  argparse.Namespace, pathlib.PosixPath
          help     save only the state dict, preferably as safetensors

    What to do
        Save only the state dict, preferably as safetensors.
    """

    code = "H141"
    name = "pickle-holds-objects"
    severity = "warning"

    names: tuple[str, ...]
    count: int

    def headline(self) -> str:
        return f"{self.place.file} needs {count(self.count, 'class').replace('classs', 'classes')} imported"

    def rows(self) -> Rows:
        return [("classes", listed(self.names, 4))]

    def remedy(self) -> Remedy:
        return Remedy("save only the state dict, preferably as safetensors")


class PickleMalformed(Finding, frozen=True, kw_only=True):
    """A pickle cannot be read.

    What it means
        The pickle program is invalid, truncated, or exceeds a limit: three million opcodes, 32,000,000 bytes,
        two hundred thousand values at once.

    Why it matters
        No loader can read the tensors, or it runs out of memory.

    Example
        error[H142] pickle-malformed: pytorch_model.bin: the pickle stops before its end
          position  byte 65,536 of the pickle
          help      download this file again

    What to do
        Download the file again; if the error remains, do not use it.
    """

    code = "H142"
    name = "pickle-malformed"

    problem: str
    position: int

    def headline(self) -> str:
        return f"{self.place.file}: the pickle {self.problem}"

    def rows(self) -> Rows:
        return [("position", f"byte {number(self.position)} of the pickle")]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)


class ArchiveMalformed(Finding, frozen=True, kw_only=True):
    """A zip archive of weights cannot be read.

    What it means
        PyTorch and NumPy write zip archives with a directory at the end of the file. The directory is missing
        or inconsistent, or a required member is missing.

    Why it matters
        A truncated download loses the directory first, and with it every tensor.

    Example
        error[H143] archive-malformed: pytorch_model.bin: the archive has no end record:
          it is truncated or not a zip file
          stored  4,000,000,000 bytes
          help    download this file again

    What to do
        Download the file again.
    """

    code = "H143"
    name = "archive-malformed"

    problem: str
    cut: bool
    stored: int

    def headline(self) -> str:
        return f"{self.place.file}: {self.problem}"

    def rows(self) -> Rows:
        return [("stored", f"{number(self.stored)} bytes")]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)


class TensorBeyondStorage(Entries, frozen=True, kw_only=True):
    """A tensor extends past its storage.

    What it means
        PyTorch describes a tensor as a view of a storage: offset, shape, strides. This view ends after the last
        element of the storage.

    Why it matters
        torch rejects the file, or reads memory of other tensors.

    Example
        error[H144] tensor-beyond-storage: pytorch_model.bin: 1 tensor
          entry  fc.weight: F32 [10, 10] to element 100 of 64
          help   save the model again

    What to do
        Do not use the file; save the model again.
    """

    code = "H144"
    name = "tensor-beyond-storage"

    cases: tuple[ViewEntry, ...]

    def entries(self) -> list[str]:
        return [
            f"{case.tensor}: {case.layout} to element {number(case.reach)} of {number(case.elements)}"
            for case in self.cases
        ]

    def remedy(self) -> Remedy:
        return Remedy("save the model again")


class StorageMissing(Finding, frozen=True, kw_only=True):
    """The data of a tensor is missing or incomplete.

    What it means
        The state dict refers to storages that are missing in the archive, or shorter than the tensors need.

    Why it matters
        The tensors are declared, but their values are not stored.

    Example
        error[H145] storage-missing: pytorch_model.bin: 1 tensor with missing data
          storage  archive/data/3 is missing
          layers   3
          tensors  model.layers.3.mlp.up_proj.weight
          help     download this file again

    What to do
        Download the file again.
    """

    code = "H145"
    name = "storage-missing"

    storages: int
    members: tuple[str, ...]
    tensors: int
    names: tuple[str, ...]
    layers: str

    def headline(self) -> str:
        return f"{self.place.file}: {count(self.tensors, 'tensor')} with missing data"

    def rows(self) -> Rows:
        layers = [("layers", self.layers)] if self.layers else []
        return [("storage", listed(self.members, 2)), *layers, ("tensors", listed(self.names, 3))]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)


class NoTensors(Finding, frozen=True, kw_only=True):
    """A PyTorch file contains no tensors.

    What it means
        The pickle was read to its end and builds no tensor: it contains training arguments, a tokenizer or a
        list of names.

    Why it matters
        There is nothing to audit in this file.

    Example
        error[H146] no-tensors: training_args.bin contains no tensors
          holds  an object of transformers.training_args.TrainingArguments
          help   pass the file that contains the weights

    What to do
        Pass the file that contains the weights.
    """

    code = "H146"
    name = "no-tensors"

    what: str

    def headline(self) -> str:
        return f"{self.place.file} contains no tensors"

    def rows(self) -> Rows:
        return [("holds", self.what)]

    def remedy(self) -> Remedy:
        return Remedy("pass the file that contains the weights")


class StorageShared(Finding, frozen=True, kw_only=True):
    """Tensors of a PyTorch file share a storage.

    What it means
        Two names for one storage are a tie (a head tied to the embedding), stored once. Several views of one
        storage are slices of one matrix.

    Why it matters
        Counted by name, the tensors have more elements than the file stores; safetensors stores such a tie once
        or rejects it.

    Example
        note[H147] storage-shared: pytorch_model.bin: 1 tie
          tied  model.embed_tokens.weight = lm_head.weight
          help  no action needed if the model ties these weights

    What to do
        Nothing, if the model ties these weights.
    """

    code = "H147"
    name = "storage-shared"
    severity = "note"

    ties: tuple[tuple[str, ...], ...]
    tied: int
    storages: int
    views: int
    names: tuple[str, ...]

    def headline(self) -> str:
        tied = f"{count(self.tied, 'tie')}" if self.tied else ""
        views = f"{number(self.views)} views of {count(self.storages, 'storage')}" if self.storages else ""
        return f"{self.place.file}: {', '.join(text for text in (tied, views) if text)}"

    def rows(self) -> Rows:
        ties = [("tied", " = ".join(names)) for names in self.ties[:4]]
        return ties + ([("views", listed(self.names, 4))] if self.names else [])

    def remedy(self) -> Remedy:
        return Remedy("no action needed if the model ties these weights")


class WeightsInside(Finding, frozen=True, kw_only=True):
    """The weights of a PyTorch file are nested below a key.

    What it means
        Training programs save more than the weights: optimizer state, averages, counters. The weights were
        found below one key and audited; the rest was only counted.

    Why it matters
        A loader that expects a state dict at the top level fails, and the file is larger than the model.

    Example
        note[H148] weights-inside: last.ckpt: the weights are below 'state_dict'
          also  optimizer_states: 290 tensors
          help  to publish the weights, save the content of this key separately

    What to do
        Save the content of this key as a separate file, preferably as safetensors.
    """

    code = "H148"
    name = "weights-inside"
    severity = "note"

    inside: str
    beside: tuple[OtherKey, ...]
    count: int

    def headline(self) -> str:
        return f"{self.place.file}: the weights are below {self.inside!r}"

    def rows(self) -> Rows:
        return [("also", f"{one.key}: {count(one.tensors, 'tensor')}") for one in self.beside[:4]]

    def remedy(self) -> Remedy:
        return Remedy("to publish the weights, save the content of this key separately")
