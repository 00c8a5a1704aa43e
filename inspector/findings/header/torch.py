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
    """A key beside the weights, and how many tensors are below it."""

    key: str
    tensors: int


class PickleRunsCode(Finding, frozen=True, kw_only=True):
    """A pickle would run code when it is loaded.

    What it means
        A pickle is a program. This one imports something that no state dict needs and that starts, opens,
        loads or evaluates things: `os.system`, `builtins.eval` and their like. Nothing of it was run here.

    Why it matters
        `torch.load` without `weights_only=True`, and every older loader, runs it with your rights. This is how
        malicious checkpoints work.

    Example
        error[H140] pickle-runs-code: pytorch_model.bin would call posix.system
          imports  1 name that no state dict needs
          help     do not load this file

    What to do
        Do not load the file. Take the weights as safetensors from whom you trust.
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
    """A pickle holds objects besides tensors.

    What it means
        To load the file, classes of other libraries have to be imported. What they are is named; they were not
        imported here, and the tensors beside them were read.

    Why it matters
        `torch.load` with `weights_only=True`, its default since 2.6, refuses the file.

    Example
        warning[H141] pickle-holds-objects: last.ckpt needs 2 classes imported
          classes  argparse.Namespace, pathlib.PosixPath
          help     save the state dict alone, best as safetensors

    What to do
        Save the state dict alone, best as safetensors.
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
        return Remedy("save the state dict alone, best as safetensors")


class PickleMalformed(Finding, frozen=True, kw_only=True):
    """A pickle cannot be read.

    What it means
        The program that a pickle is takes what is not there, ends before its end, or passes a limit: three
        million opcodes, 32,000,000 bytes, two hundred thousand values at once.

    Why it matters
        No loader gets at the tensors, or it uses memory without end on the way.

    Example
        error[H142] pickle-malformed: pytorch_model.bin: the pickle stops before its end
          position  byte 65,536 of the pickle
          help      fetch this file again

    What to do
        Fetch the file again; if it is the same there, do not use it.
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
        PyTorch and NumPy write zip archives, whose directory is at the end of the file. It is not there, or
        not what the archive says of it, or what belongs into such an archive is not in it.

    Why it matters
        A download that was cut has lost exactly this part, and with it every tensor.

    Example
        error[H143] archive-malformed: pytorch_model.bin: the archive has no end record: it is cut, or no zip at all
          stored  4,000,000,000 bytes
          help    fetch this file again

    What to do
        Fetch the file again.
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
    """A tensor reaches beyond its storage.

    What it means
        PyTorch stores numbers in storages and describes a tensor as a view: offset, shape, strides. The view
        ends behind the storage's last element.

    Why it matters
        torch refuses to load it, or reads memory that is not the tensor's.

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
    """Numbers of a tensor are not in the archive, or not all of them.

    What it means
        The state dict names storages that the archive does not hold, or that are shorter than the tensors need.

    Why it matters
        The tensors are declared, and their numbers are gone.

    Example
        error[H145] storage-missing: pytorch_model.bin: 1 tensor without all of the numbers
          storage  archive/data/3 is not there
          layers   3
          tensors  model.layers.3.mlp.up_proj.weight
          help     fetch this file again

    What to do
        Fetch the file again.
    """

    code = "H145"
    name = "storage-missing"

    storages: int
    members: tuple[str, ...]
    tensors: int
    names: tuple[str, ...]
    layers: str

    def headline(self) -> str:
        return f"{self.place.file}: {count(self.tensors, 'tensor')} without all of the numbers"

    def rows(self) -> Rows:
        layers = [("layers", self.layers)] if self.layers else []
        return [("storage", listed(self.members, 2)), *layers, ("tensors", listed(self.names, 3))]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)


class NoTensors(Finding, frozen=True, kw_only=True):
    """A PyTorch file holds no tensors.

    What it means
        The pickle was read to its end, and what it builds has no tensor in it: arguments of a training run, a
        tokenizer, a list of names.

    Why it matters
        There is nothing to audit in this file.

    Example
        error[H146] no-tensors: training_args.bin holds no tensors
          holds  an object of transformers.training_args.TrainingArguments
          help   point at the file that holds the weights

    What to do
        Point at the file that holds the weights.
    """

    code = "H146"
    name = "no-tensors"

    what: str

    def headline(self) -> str:
        return f"{self.place.file} holds no tensors"

    def rows(self) -> Rows:
        return [("holds", self.what)]

    def remedy(self) -> Remedy:
        return Remedy("point at the file that holds the weights")


class StorageShared(Finding, frozen=True, kw_only=True):
    """Tensors of a PyTorch file share their storage.

    What it means
        Two names for the same numbers are a tie (a head that is the embedding), stored once. Several views of
        one storage are slices of one matrix.

    Why it matters
        The tensors count by their names more than the file holds; safetensors stores such a tie once or refuses it.

    Example
        note[H147] storage-shared: pytorch_model.bin: 1 tie
          tied  model.embed_tokens.weight = lm_head.weight
          help  nothing needs doing where the model ties these weights

    What to do
        Nothing, where the model ties these weights.
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
        return Remedy("nothing needs doing where the model ties these weights")


class WeightsInside(Finding, frozen=True, kw_only=True):
    """The weights of a PyTorch file are below a key beside other things.

    What it means
        Training programs save more than the weights: the optimizer's state, averages, counters. The weights
        were found below one key and audited; the rest was only counted.

    Why it matters
        A loader that expects a state dict at the top does not find one, and the file is larger than the model.

    Example
        note[H148] weights-inside: last.ckpt: the weights are below 'state_dict'
          beside  optimizer_states: 290 tensors
          help    to publish the weights, save what is below this key by itself

    What to do
        Save what is below that key by itself, best as safetensors.
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
        return [("beside", f"{one.key}: {count(one.tensors, 'tensor')}") for one in self.beside[:4]]

    def remedy(self) -> Remedy:
        return Remedy("to publish the weights, save what is below this key by itself")
