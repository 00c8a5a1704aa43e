"""Pickles: what they would call, and what loaders refuse of them."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.refetch import fetch_file
from inspector.findings.words import count, listed, number


class PickleRunsCode(Finding, frozen=True, kw_only=True):
    """Loading a pickle would call something dangerous.

    What it means
        A pickle is a program. This one imports functions that start programs, open files, connect to servers, import
        or evaluate code: `os.system`, `builtins.eval` and everything else of the standard library and of some
        packages that does not belong into a checkpoint. Inspector did not run any of it.

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
    name = "pickle-runs-code"
    unreadable = True

    names: tuple[str, ...]
    count: int

    def headline(self) -> str:
        return f"{self.place.file} would call {listed(self.names, 3)}"

    def rows(self) -> Rows:
        return [("imports", f"{count(self.count, 'name')} that no state dict needs")]

    def remedy(self) -> Remedy:
        return Remedy("do not load this file")


class _ErrorIfNotAllowed:
    """An error where a pickle calls what is on no list; of the class itself, the severity of what is known."""

    def __get__(self, finding: PickleHoldsObjects | None, of: type) -> str:
        return "error" if finding is not None and finding.not_allowed else "warning"


class PickleHoldsObjects(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """A pickle contains objects other than tensors, which a loader with weights_only refuses.

    What it means
        Loading the file imports classes that are not on the list of what a state dict needs. They were not imported
        here; the tensors were read. Classes that only hold values (`argparse.Namespace`, paths, dates, NumPy arrays)
        are a warning. What is on no list at all (`not allowed`) is an error: nobody knows what calling it does.

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
    name = "pickle-holds-objects"
    severity = _ErrorIfNotAllowed()

    names: tuple[str, ...]
    count: int
    not_allowed: tuple[str, ...] = ()

    def headline(self) -> str:
        if self.not_allowed:
            return f"{self.place.file} would call {listed(self.not_allowed, 3)}, not on the list of what is allowed"
        return f"{self.place.file} needs {count(self.count, 'class').replace('classs', 'classes')} imported"

    def rows(self) -> Rows:
        return [("classes", listed(self.names, 4))]

    def remedy(self) -> Remedy:
        return Remedy("save only the state dict, preferably as safetensors")


class PickleProtocolRefused(Finding, frozen=True, kw_only=True):
    """A pickle uses opcodes that a loader with weights_only refuses.

    What it means
        `torch.save` writes protocol 2. This pickle was written with a later one (`pickle_protocol=4`), whose opcodes
        the restricted loader does not have. The tensors were read.

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
    name = "pickle-protocol-refused"
    severity = "warning"

    protocol: int
    opcodes: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.place.file} is pickled with protocol {self.protocol}"

    def rows(self) -> Rows:
        return [("opcodes", listed(self.opcodes, 4))]

    def remedy(self) -> Remedy:
        return Remedy("save it again with the default protocol, preferably as safetensors")


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
    unreadable = True

    problem: str
    position: int

    def headline(self) -> str:
        return f"{self.place.file}: the pickle {self.problem}"

    def rows(self) -> Rows:
        return [("position", f"byte {number(self.position)} of the pickle")]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)
