"""Findings on pickles: what they would call, and what loaders refuse in them."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from inspector.findings.finding import UNREAD, Finding, Remedy, Rows
from inspector.findings.refetch import fetch_file
from inspector.findings.severity import SeverityIf
from inspector.findings.words import count, first, listed

ASIDE = [("where", "in a pickle of the file that torch.load does not read")]
"""The row of a finding on a pickle without weights."""
OF_TORCHAO: Final = {
    "older": "load it with the version of torchao that saved it",
    "unstated": "load it in a program that imports torchao first, or restore quantization_config of its config.json",
}
"""Why the objects of torchao are refused -> what reads them."""
WRITTEN_PROTOCOL = 2
"""The protocol that `torch.save` writes."""


class OfPickle(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """Base of findings on what the pickles of a file require."""

    unreadable = True

    def is_aside(self) -> bool:
        """True if loaders of the state dict do not read the pickle of the finding."""
        return False

    @property
    def closes_file(self) -> bool:
        return not self.is_aside()


class PickleRunsCode(OfPickle, frozen=True, kw_only=True, omit_defaults=True):
    """Loading a pickle would call something dangerous.

    What it means
        A pickle is a program. This one imports functions that start programs, open files, connect to servers, import
        or evaluate code: `os.system`, `builtins.eval` and everything else of the standard library and of some
        packages that does not belong into a checkpoint. Inspector did not run any of it. `aside`: only pickles of the
        file that `torch.load` does not read contain them.

    Why it matters
        `torch.load` with `weights_only=False`, the default before 2.6, and `pickle.load` execute it with your
        permissions. Malicious checkpoints work this way.

    Example
        error[H140] pickle-runs-code: pytorch_model.bin would call posix.system
          imports  1 name that no state dict needs
          help     do not load this file

    What to do
        Do not load the file. Get the weights as safetensors from a trusted source.
    """

    code = "H140"
    names: tuple[str, ...]
    count: int
    aside: bool = False

    headline_text = "{place.file} would call {names:listed 3}"
    remedy_text = "do not load this file"

    def is_aside(self) -> bool:
        return self.aside

    def rows(self) -> Rows:
        imports: Rows = [("imports", f"{count(self.count, 'name')} that no state dict needs")]
        return [*imports, *(ASIDE if self.aside else ())]


class RefusedByTorch(OfPickle, frozen=True, kw_only=True, omit_defaults=True):
    """Base of findings on files that PyTorch can open, but not with weights_only, the default since 2.6.

    refused_by: the intended loader, if it reads such files.
    """

    severity = SeverityIf(
        lambda finding: finding.refused_by or finding.calls_unknown(), "error", "warning", usual="warning"
    )
    """A finding that is an error if the intended loader refuses the file, else a warning."""

    refused_by: str = ""

    row_texts = (("refused by", "{refused_by}", "refused_by"),)

    def calls_unknown(self) -> bool:
        """True if loading the file would call an unknown function."""
        return False

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding:
        refused = self.closes_file and UNREAD in because
        return msgspec.structs.replace(self, refused_by=loader) if refused else self


class PickleHoldsObjects(RefusedByTorch, frozen=True, kw_only=True, omit_defaults=True):
    """A pickle contains objects other than tensors, which a loader with weights_only refuses.

    What it means
        Loading the file imports classes that are not on the list of what a state dict needs. They were not imported
        here; the tensors were read. Classes that only hold values (`argparse.Namespace`, paths, dates, NumPy arrays)
        are a warning, and an error where the loader that the checkpoint is made for refuses it. What is on no list at
        all (`not allowed`) is an error: what calling it does is unknown. `aside`: only pickles of the file that
        `torch.load` does not read contain them. `torchao`: the tensors are objects of torchao, of an `older` version
        or without the method in the config (`unstated`), which makes loaders import torchao.

    Why it matters
        `torch.load` with `weights_only=True`, its default since 2.6, rejects the file. Without it, the named classes
        and functions are imported and called.

    Example
        warning[H141] pickle-holds-objects: last.ckpt needs 2 classes imported
          classes  argparse.Namespace, pathlib.PosixPath
          help     save only the state dict, preferably as safetensors

    What to do
        Save only the state dict, preferably as safetensors. Do not load a file from others that calls what you do not
        know.
    """

    code = "H141"

    names: tuple[str, ...]
    count: int
    not_allowed: tuple[str, ...] = ()
    aside: bool = False
    read_by: str = ""
    """The library that saves its settings as such objects, and needs them."""
    torchao: Literal["", "older", "unstated"] = ""
    """older: the tensors are objects of torchao that its present version does not have. unstated: it has them, but the
    config does not name its method, so that no loader imports it."""

    def remedy(self) -> Remedy:
        if self.torchao:
            needed = OF_TORCHAO[self.torchao]
            return Remedy(f"{needed}, or quantize the original model again")
        if not self.read_by:
            return Remedy("save only the state dict, preferably as safetensors")
        own = (
            f"keep the file for {self.read_by}, which needs them: torch before 2.6, or weights_only=False if you trust"
        )
        return Remedy(f"{own} its source; for other programs save only the state dict")

    def calls_unknown(self) -> bool:
        return bool(self.not_allowed)

    def is_aside(self) -> bool:
        return self.aside

    def headline(self) -> str:
        if self.not_allowed:
            called = self.not_allowed[0] if len(self.not_allowed) == 1 else count(len(self.not_allowed), "name")
            return f"{self.place.file} would call {called}, not on the list of what is allowed"
        return f"{self.place.file} needs {count(self.count, 'class').replace('classs', 'classes')} imported"

    def rows(self) -> Rows:
        names = dict.fromkeys((*self.not_allowed, *self.names))
        return [("classes", listed(tuple(names), 4)), *(ASIDE if self.aside else ()), *super().rows()]


class PickleNeedsTorchao(Finding, frozen=True, kw_only=True):
    """The tensors of a pickle are objects of torchao.

    What it means
        The weights were quantized with torchao and saved as a pickle. The named classes hold the packed values; they
        were not imported here. torch reads them with `weights_only=True` as soon as torchao is imported, which
        transformers and diffusers do, since config.json names the method.

    Why it matters
        Without torchao, or without its block in config.json, `torch.load` rejects the file. Sizes and dtypes of the
        packed values were not checked.

    Example
        note[H162] pickle-needs-torchao: pytorch_model.bin holds objects of torchao
          classes  torchao.quantization.Int8Tensor
          help     nothing to do where torchao is installed

    What to do
        Install torchao (`pip install torchao`) where the model is loaded.
    """

    code = "H162"
    severity = "note"

    names: tuple[str, ...]

    headline_text = "{place.file} holds objects of torchao"
    remedy_text = "nothing to do where torchao is installed"

    def rows(self) -> Rows:
        return [("classes", listed(self.names, 4))]


class PickleProtocolRefused(RefusedByTorch, frozen=True, kw_only=True, omit_defaults=True):
    """A pickle uses opcodes that a loader with weights_only refuses.

    What it means
        `torch.save` writes protocol 2. This pickle was written with a later one (`pickle_protocol=4`), or by another
        program, and has opcodes that the restricted loader does not have. The tensors were read.

    Why it matters
        `torch.load` with `weights_only=True`, its default since 2.6, rejects the file.

    Example
        warning[H154] pickle-protocol-refused: pytorch_model.bin is pickled with
          protocol 4
          opcodes  FRAME, MEMOIZE, SHORT_BINUNICODE, STACK_GLOBAL
          help     save it again with the default protocol, preferably as safetensors

    What to do
        Save the state dict again with the default protocol, preferably as safetensors.
    """

    code = "H154"

    protocol: int
    opcodes: tuple[str, ...]

    remedy_text = "save it again with the default protocol, preferably as safetensors"

    def headline(self) -> str:
        if self.protocol > WRITTEN_PROTOCOL:
            return f"{self.place.file} is pickled with protocol {self.protocol}"
        return f"{self.place.file} has opcodes that torch.save does not write"

    def rows(self) -> Rows:
        return [("opcodes", listed(self.opcodes, 4)), *super().rows()]


class TorchscriptProgram(RefusedByTorch, frozen=True, kw_only=True, omit_defaults=True):
    """A file of weights is a TorchScript program.

    What it means
        `torch.jit.save` wrote it: it contains code besides the tensors, which were read. `torch.jit.load` opens it.
        An error where the loader that the checkpoint is made for does not.

    Why it matters
        `torch.load` with `weights_only=True`, its default since 2.6, rejects TorchScript.

    Example
        warning[H155] torchscript-program: pytorch_model.bin is a TorchScript program
          help  save only its state dict, preferably as safetensors

    What to do
        Save its state dict, preferably as safetensors; or load it with `torch.jit.load`.
    """

    code = "H155"
    headline_text = "{place.file} is a TorchScript program"
    remedy_text = "save only its state dict, preferably as safetensors"


class TensorsNotDense(RefusedByTorch, frozen=True, kw_only=True, omit_defaults=True):
    """Tensors of a state dict are sparse or nested, and are not counted.

    What it means
        They have a layout other than rows of numbers (`to_sparse`, `torch.nested`). Their values are stored, but
        not as the tensor that a model needs; they are not in the counts. An error where the loader that the checkpoint
        is made for refuses the file.

    Why it matters
        `load_state_dict` cannot copy them into the parameters of a model.

    Example
        warning[H156] tensors-not-dense: pytorch_model.bin: 1 tensor is not dense
          tensors  lm_head.weight (sparse)
          help     make them dense (`tensor.to_dense()`) and save them again

    What to do
        Make them dense with `tensor.to_dense()` and save the state dict again.
    """

    code = "H156"

    tensors: tuple[str, ...]
    count: int

    remedy_text = "make them dense (`tensor.to_dense()`) and save them again"

    def headline(self) -> str:
        return f"{self.place.file}: {count(self.count, 'tensor')} {'is' if self.count == 1 else 'are'} not dense"

    def rows(self) -> Rows:
        return [("tensors", listed(self.tensors, 4)), *super().rows()]


class TensorsWithoutData(OfPickle, frozen=True, kw_only=True, omit_defaults=True):
    """Tensors of a state dict were saved without their data.

    What it means
        They were on the device "meta" when `torch.save` ran: modules that `device_map` had offloaded to the disk, or a
        model that was built under `torch.device("meta")`. The file has their shapes and no numbers.

    Why it matters
        torch loads the file, and copying these tensors into a model fails: "Cannot copy out of meta tensor; no data!".

    Example
        error[H158] tensors-without-data: pytorch_model.bin: 3 tensors on the device
          "meta"
          tensors  model.layers.2.mlp.up_proj.weight, lm_head.weight and 1 more
          help     save them again with save_pretrained, which fetches offloaded
                   modules, or with the whole model in memory

    What to do
        Load the model without offloading, or with a disk folder that still exists, and save it with `save_pretrained`.
    """

    code = "H158"

    tensors: tuple[str, ...]
    count: int

    remedy_text = (
        "save them again with save_pretrained, which fetches offloaded modules, or with the whole model in memory"
    )

    def headline(self) -> str:
        return f'{self.place.file}: {count(self.count, "tensor")} on the device "meta"'

    def rows(self) -> Rows:
        return [("tensors", first(self.tensors, self.count, 2))]


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
    unreadable = True

    problem: str
    position: int

    headline_text = "{place.file}: the pickle {problem}"
    row_texts = (("position", "byte {position} of the pickle"),)

    def remedy(self) -> Remedy:
        return fetch_file(self.place)
