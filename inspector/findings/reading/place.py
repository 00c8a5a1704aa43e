"""The named place could not be read, or holds no weights."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.stored_set import StoredSet
from inspector.findings.words import listed, number

_REASONS = {
    "absent": "there is no such file or folder",
    "loop": "it is a link that leads in a circle",
    "broken link": "it is a link to a file that does not exist",
}


class Unreadable(Finding, frozen=True, kw_only=True):
    """What the system said when the place was opened.

    reason: one word of the loader, "absent" or "permission". detail: the system's own words.
    """

    reason: str
    detail: str


class NotFound(Unreadable, frozen=True, kw_only=True):
    """Nothing is where the source says.

    What it means
        The path does not exist, a part of it is no folder, it is a link that leads nowhere or in a circle,
        or a file of the checkpoint vanished while it was read.

    Why it matters
        Nothing could be read, so nothing is said about the checkpoint.

    Example
        error[R001] not-found: the source
          because  there is no such file or folder
          help     check the spelling of the path

    What to do
        Check the spelling of the path. In the Hugging Face cache a broken link means that a blob was
        deleted: fetch the repository again.
    """

    code = "R001"
    name = "not-found"

    def headline(self) -> str:
        return str(self.place.file or "the source")

    def rows(self) -> Rows:
        return [("because", _REASONS.get(self.reason, self.detail or self.reason))]

    def remedy(self) -> Remedy:
        return Remedy("check the spelling of the path")


class NotPermitted(Unreadable, frozen=True, kw_only=True):
    """A file or folder may not be read.

    What it means
        The system refuses to open the file, or to list the folder, for the user who runs the tool.

    Why it matters
        What is in it is not known, and nothing is said about it.

    Example
        error[R002] not-permitted: model.safetensors
          because  Permission denied
          help     give yourself permission to read it

    What to do
        Change the permissions, or run the tool as a user who may read the file.
    """

    code = "R002"
    name = "not-permitted"

    def headline(self) -> str:
        return str(self.place.file or "the source")

    def rows(self) -> Rows:
        return [("because", self.detail or "permission denied")]

    def remedy(self) -> Remedy:
        return Remedy("give yourself permission to read it")


class NoWeights(Finding, frozen=True, kw_only=True):
    """The folder holds no weights that can be read.

    What it means
        No file ends in .safetensors and no index promises one, and there is no GGUF, PyTorch or NumPy file
        either. What other weights there are is listed: they are of a format that this audit does not open.

    Why it matters
        There is nothing to audit.

    Example
        error[R003] no-weights: no .safetensors file here
          instead  tf_model.h5: tensorflow, 1 file, 548,118,077 bytes
          help     point at the folder that holds the weights

    What to do
        Point at the folder that holds the weights: in a pipeline each component has a folder of its own.
        Weights in other formats can be saved as safetensors first.
    """

    code = "R003"
    name = "no-weights"

    sets: tuple[StoredSet, ...]
    count: int
    files: int
    complete: bool
    unfinished: tuple[str, ...]

    def headline(self) -> str:
        return "no .safetensors file here"

    def rows(self) -> Rows:
        rows = [("instead", stored.words()) for stored in self.sets[:8]]
        if self.unfinished:
            rows.append(("unfinished", listed(self.unfinished)))
        if not self.complete:
            rows.append(("listing", "too many files in this folder, not all were looked at"))
        return rows

    def remedy(self) -> Remedy:
        return Remedy("finish the download" if self.unfinished else "point at the folder that holds the weights")


class NotARegularFile(Unreadable, frozen=True, kw_only=True):
    """Under the name of a file lies something else.

    What it means
        The name belongs to a directory, a named pipe, a socket or a device. Only regular files, and links
        to regular files, are opened.

    Why it matters
        A named pipe makes other readers wait for ever; a device has no end.

    Example
        error[R004] not-a-regular-file: model.safetensors is a directory
          help  put a regular file in its place

    What to do
        Remove what is there and put the file in its place.
    """

    code = "R004"
    name = "not-a-regular-file"

    def headline(self) -> str:
        return f"{self.place.file or 'the source'} is a {self.detail or 'special file'}"

    def remedy(self) -> Remedy:
        return Remedy("put a regular file in its place")


class WeightsNotFound(Finding, frozen=True, kw_only=True):
    """The set of weights asked for is not there.

    What it means
        `--weights` names no file, no index, no set and no variant of this folder.

    Why it matters
        Another set is not audited in its place, since that would answer another question.

    Example
        error[R008] weights-not-found: no weights named fp8
          there  model.safetensors, model.fp16.safetensors
          help   take one of these names, or leave the option out

    What to do
        Take one of the names listed.
    """

    code = "R008"
    name = "weights-not-found"

    wanted: str
    there: tuple[str, ...]
    sets: int

    def headline(self) -> str:
        return f"no weights named {self.wanted}"

    def rows(self) -> Rows:
        return [("there", listed(self.there) or "no weights at all")]

    def remedy(self) -> Remedy:
        return Remedy("take one of these names, or leave the option out")


class ReadFailed(Unreadable, frozen=True, kw_only=True):
    """Reading a file failed in the middle.

    What it means
        The file was opened, and then the system or the network gave an error, or it became shorter while it
        was read.

    Why it matters
        What is in the file is not known.

    Example
        error[R009] read-failed: model.safetensors
          because  Input/output error
          help     try again; if it fails again, look at the disk or the connection

    What to do
        Try again; if it fails again, the disk or the connection is at fault.
    """

    code = "R009"
    name = "read-failed"

    def rows(self) -> Rows:
        return [("because", self.detail or self.reason)]

    def remedy(self) -> Remedy:
        return Remedy("try again; if it fails again, look at the disk or the connection")


class DownloadUnfinished(Finding, frozen=True, kw_only=True):
    """Beside the file lies the trace of a download that did not end.

    What it means
        Download programs keep a file of their own beside the target until they are done: `.aria2`,
        `.incomplete`, `.part`, `.crdownload`.

    Why it matters
        Such a target often has its full size already, with zeros where data is still to come, and looks
        whole by its header.

    Example
        error[R010] download-unfinished: model.safetensors
          trace  model.safetensors.aria2
          help   let the download finish, or remove the trace if it is an old one

    What to do
        Let the download program finish. If the trace is an old one, remove it.
    """

    code = "R010"
    name = "download-unfinished"

    trace: str

    def rows(self) -> Rows:
        return [("trace", self.trace)]

    def remedy(self) -> Remedy:
        return Remedy("let the download finish, or remove the trace if it is an old one")


class TooManyFiles(Finding, frozen=True, kw_only=True):
    """The set has more files than the tool opens.

    What it means
        One set of weights consists of more files than any genuine checkpoint has. The first ones were
        audited.

    Why it matters
        The limit keeps a hostile index from making the audit run for hours.

    Example
        error[R011] too-many-files: 100,000 files in one set
          limit  20,000 files
          help   merge the shards into fewer files

    What to do
        Merge the shards into fewer files.
    """

    code = "R011"
    name = "too-many-files"

    files: int
    limit: int

    def headline(self) -> str:
        return f"{number(self.files)} files in one set"

    def rows(self) -> Rows:
        return [("limit", f"{number(self.limit)} files")]

    def remedy(self) -> Remedy:
        return Remedy("merge the shards into fewer files")
