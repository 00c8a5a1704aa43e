"""Findings on PyTorch files: archives, storages and their content."""

from __future__ import annotations

import json

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.header.entries import Entries, ShapeEntry
from inspector.findings.refetch import fetch_file
from inspector.findings.words import count, listed, number


class ViewEntry(ShapeEntry, frozen=True, kw_only=True):
    """reach: last element of the storage that the tensor needs. elements: number of elements of the storage."""

    reach: int
    elements: int


class RepeatEntry(ShapeEntry, frozen=True, kw_only=True):
    """elements: most elements of the storage that the tensor can reach."""

    elements: int


class OtherKey(msgspec.Struct, frozen=True):
    """Another top-level key, and the number of tensors below it."""

    key: str
    tensors: int


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
    unreadable = True

    cases: tuple[ViewEntry, ...]

    remedy_text = "save the model again"

    def entries(self) -> list[str]:
        return [
            f"{case.tensor}: {case.layout} to element {number(case.reach)} of {number(case.elements)}"
            for case in self.cases
        ]


class MemoryRepeated(Entries, frozen=True, kw_only=True):
    """A tensor of a PyTorch file repeats the memory it is stored in.

    What it means
        PyTorch describes a tensor as a view of a storage: offset, shape, strides. These strides reach the same
        elements again and again, as after `expand`: the tensor has more elements than the file stores for it.

    Why it matters
        The elements are counted by the shape, as the model counts them, and are not in the file that often. A few
        bytes can state any number of parameters; making a copy of such a tensor takes all the memory.

    Example
        warning[H149] memory-repeated: pytorch_model.bin: 1 tensor
          entry  fc.weight: F32 [1000, 1000] repeats 1,000 elements
          help   save the model again, with contiguous tensors

    What to do
        If the shape is right, save the model again with contiguous tensors (`tensor.contiguous()`).
    """

    code = "H149"
    severity = "warning"

    cases: tuple[RepeatEntry, ...]

    remedy_text = "save the model again, with contiguous tensors"

    def entries(self) -> list[str]:
        return [f"{case.tensor}: {case.layout} repeats {count(case.elements, 'element')}" for case in self.cases]


class KeysNotStrings(Finding, frozen=True, kw_only=True):
    """Keys of a state dict are not strings.

    What it means
        A state dict maps names to tensors. Here tensors are stored under numbers, tuples or other values, which
        were replaced by a text in this report.

    Why it matters
        `load_state_dict` fails on keys that are not strings, and safetensors cannot store them.

    Example
        error[H152] keys-not-strings: pytorch_model.bin: 2 keys of the state dict are
          not strings
          keys  0, 1
          help  save the model again, with the names of its parameters

    What to do
        Save `model.state_dict()`, or rename the keys.
    """

    code = "H152"
    unreadable = True

    keys: tuple[str, ...]
    count: int

    row_texts = (("keys", "{keys:listed 4}"),)
    remedy_text = "save the model again, with the names of its parameters"

    def headline(self) -> str:
        verb = "is not a string" if self.count == 1 else "are not strings"
        return f"{self.place.file}: {count(self.count, 'key')} of the state dict {verb}"


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
    unreadable = True

    storages: int
    members: tuple[str, ...]
    tensors: int
    names: tuple[str, ...]
    layers: str

    headline_text = "{place.file}: {tensors:count tensor} with missing data"
    row_texts = (
        ("storage", "{members:first storages 2}"),
        ("layers", "{layers}", "layers"),
        ("tensors", "{names:first tensors 3}"),
    )

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
    unreadable = True

    what: str

    headline_text = "{place.file} contains no tensors"
    row_texts = (("holds", "{what}"),)
    remedy_text = "pass the file that contains the weights"


class StateDictEmpty(Finding, frozen=True, kw_only=True):
    """The state dict of a training checkpoint is empty.

    What it means
        The file has a key for the weights and nothing below it. FSDP and ZeRO-3 split the parameters among the
        processes; a strategy that does not gather them before saving writes an empty state dict.

    Why it matters
        The weights are not in this file: every parameter keeps the value that it is initialised with.

    Example
        error[H160] state-dict-empty: last.ckpt: 'state_dict' is empty
          beside  optimizer_states
          help    the weights cannot be restored from this file: use an earlier
                  checkpoint that has them, or train and save again with the weights
                  gathered (FSDPStrategy(state_dict_type="full") of Lightning,
                  StateDictType.FULL_STATE_DICT of torch)

    What to do
        Use an earlier checkpoint that has the weights, or train again and gather them before saving.
    """

    code = "H160"
    unreadable = True

    key: str
    beside: tuple[str, ...]
    """Other keys of the file with tensors below them."""

    row_texts = (("beside", "{beside:listed}", "beside"),)
    remedy_text = (
        "the weights cannot be restored from this file: use an earlier checkpoint that has them, or train and save "
        'again with the weights gathered (FSDPStrategy(state_dict_type="full") of Lightning, '
        "StateDictType.FULL_STATE_DICT of torch)"
    )

    def headline(self) -> str:
        return f"{self.place.file}: {self.key!r} is empty"


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
    severity = "note"

    ties: tuple[tuple[str, ...], ...]
    tied: int
    storages: int
    views: int
    names: tuple[str, ...]

    remedy_text = "no action needed if the model ties these weights"

    def headline(self) -> str:
        tied = f"{count(self.tied, 'tie')}" if self.tied else ""
        views = f"{number(self.views)} views of {count(self.storages, 'storage')}" if self.storages else ""
        return f"{self.place.file}: {', '.join(text for text in (tied, views) if text)}"

    def rows(self) -> Rows:
        ties = [("tied", " = ".join(names)) for names in self.ties[:4]]
        return ties + ([("views", listed(self.names, 4))] if self.names else [])


class WeightsBelowKey(Finding, frozen=True, kw_only=True):
    """The weights of a PyTorch file are nested below a key, and the loader of this folder does not look there.

    What it means
        The file is what a training script saved: a dict with the state dict under one key and other values next to it.
        transformers and diffusers take the top level for the state dict.

    Why it matters
        They find none of the names: every tensor stays random, with a warning at most. Where the config states no
        dtype, transformers 5 asks the first entry at the top level, which is not a tensor, and raises an exception.
        `keys`: entries at the top level; `floats_first`: whether floats come first there.

    Example
        error[H157] weights-below-key: pytorch_model.bin: the weights are below
          'model_state_dict'
          also    optimizer_state_dict: 290 tensors
          loader  transformers reads the top level of the file
          help    save them alone: torch.save(torch.load("pytorch_model.bin",
                  map_location="cpu")["model_state_dict"], "pytorch_model.bin")

    What to do
        Save the content of the key as a file of its own, preferably as safetensors.
    """

    code = "H157"

    inside: str
    beside: tuple[OtherKey, ...]
    loader: str
    wanted: str
    keys: int = 1
    floats_first: bool = False

    def headline(self) -> str:
        return f"{self.place.file}: the weights are below {self.inside!r}"

    def rows(self) -> Rows:
        others = [("also", f"{one.key}: {count(one.tensors, 'tensor')}") for one in self.beside[:4]]
        return [*others, ("loader", f"{self.loader} reads the top level of the file")]

    def remedy(self) -> Remedy:
        read = f'torch.load({json.dumps(self.place.file)}, map_location="cpu")[{json.dumps(self.inside)}]'
        return Remedy(f'save them alone: torch.save({read}, "{self.wanted}")')


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
    severity = "note"

    inside: str
    beside: tuple[OtherKey, ...]
    count: int
    keys: int = 1
    floats_first: bool = False

    remedy_text = "to publish the weights, save the content of this key separately"

    def headline(self) -> str:
        return f"{self.place.file}: the weights are below {self.inside!r}"

    def rows(self) -> Rows:
        return [("also", f"{one.key}: {count(one.tensors, 'tensor')}") for one in self.beside[:4]]
