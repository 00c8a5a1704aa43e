"""Findings on sources that could not be read or contain no weights."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import listed

_REASONS = {
    "absent": "no such file or folder",
    "loop": "it is a circular link",
    "broken link": "it is a link to a file that does not exist",
}


OVER_NETWORK = ("network", "incomplete", "changed", "malformed")
"""Reasons for which a file that exists was not read and another attempt may succeed."""
TRY_AGAIN = "try again; if it fails again, check the disk or the connection"


class Unreadable(Finding, frozen=True, kw_only=True):
    """Error of the operating system for a source.

    reason: "absent", "permission", "loop" ... detail: the system's message.
    """

    reason: str
    detail: str


class NotFound(Unreadable, frozen=True, kw_only=True, omit_defaults=True):
    """The source does not exist.

    What it means
        The path does not exist, a part of it is not a folder, it is a broken or circular link, or a file of the
        checkpoint disappeared while it was read.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R001] not-found: the source
          because  no such file or folder
          help     check the spelling of the path

    What to do
        Check the spelling of the path. Replace a circular link with the file that it should name. In the Hugging Face
        cache a broken link means that a blob was deleted: download the repository again.
    """

    code = "R001"

    repository: str = ""
    """The text as the address of a Hub repository; "" if it cannot be one."""

    given: str = ""
    """The path as written by the user."""
    similar: tuple[str, ...] = ()
    """Existing paths next to it with similar spelling."""

    def headline(self) -> str:
        return self.place.file or self.given or "the source"

    def rows(self) -> Rows:
        rows: Rows = [("because", _REASONS.get(self.reason, self.detail or self.reason))]
        return [*rows, ("similar", listed(self.similar))] if self.similar else rows

    def remedy(self) -> Remedy:
        if self.reason == "broken link":
            return Remedy(
                "download it again; where a folder of the Hub's cache was copied, copy it again with the links "
                "followed (cp -rL)"
            )
        if self.reason == "loop":
            return Remedy("replace the link with the file, or download it again")
        hint = f"; for a repository of the Hub write {self.repository}" if self.repository else ""
        return Remedy(f"check the spelling of the path{hint}")


READABLE = "make the file readable (chmod u+r)"


class NotPermitted(Unreadable, frozen=True, kw_only=True, omit_defaults=True):
    """A file or folder is not readable.

    What it means
        The operating system denies access to the file or folder for the current user.

    Why it matters
        Its content is unknown and was not checked.

    Example
        error[R002] not-permitted: model.safetensors
          because  Permission denied
          help     make the file readable (chmod u+r)

    What to do
        Change the permissions, or run inspector as a user with read access. A folder must be readable and also
        executable, or none of its files can be opened.
    """

    code = "R002"

    folder: str = ""
    """The folder that denies access; "" if the file itself does."""

    def headline(self) -> str:
        return self.place.file or self.folder or "the source"

    def rows(self) -> Rows:
        rows: Rows = [("because", self.detail or "Permission denied")]
        return [*rows, ("folder", self.folder)] if self.folder and self.place.file else rows

    def remedy(self) -> Remedy:
        return Remedy("make the folder readable (chmod u+rx)" if self.folder else READABLE)


class ListingIncomplete(Finding, frozen=True, kw_only=True):
    """The list of the files was cut off.

    What it means
        The folder or the repository has more files than are listed, or the server's list leads to another host or
        does not end. What was listed was audited.

    Why it matters
        Shards, configs or other sets of weights may be among the files that were not listed.

    Example
        warning[R013] listing-incomplete: 100,000 files are listed, there are more
          help  remove what does not belong to the checkpoint, or audit a copy without
                it

    What to do
        Remove the files that do not belong to the checkpoint, or audit a copy without them.
    """

    code = "R013"
    severity = "warning"

    files: int

    headline_text = "{files:count file} are listed, there are more"
    remedy_text = "remove what does not belong to the checkpoint, or audit a copy without it"


FILE = "replace it with a regular file"

UNREAD_REMEDIES = dict.fromkeys((*OVER_NETWORK, "input-output", "shrank"), TRY_AGAIN) | {
    "permission": f"{READABLE}, and its folder (chmod u+rx)",
    "not-regular": FILE,
}
"""Reason for which a small file was not read -> what to do."""


class NotARegularFile(Unreadable, frozen=True, kw_only=True):
    """The path is not a regular file.

    What it means
        The path is a directory, a named pipe, a socket or a device. Only regular files, and links to them, are
        opened. DeepSpeed's zero_to_fp32.py writes a folder of shards under the name that it is given.

    Why it matters
        Reading a named pipe never returns; a device has no end.

    Example
        error[R004] not-a-regular-file: model.safetensors is a directory
          help  pass model.safetensors, or move the files in it one level up

    What to do
        Pass the folder, or replace it with a regular file.
    """

    code = "R004"
    headline_text = "{place.file:or the source} is a {detail:or special file}"

    def remedy(self) -> Remedy:
        if self.detail == "directory":
            return Remedy(f"pass {self.place.file}, or move the files in it one level up" if self.place.file else FILE)
        return Remedy(FILE)


class WeightsNotFound(Finding, frozen=True, kw_only=True):
    """The requested set of weights does not exist.

    What it means
        `--weights` does not name a file, an index, a set or a variant in this folder. The weights of a pipeline are in
        the folders of its components, each of which `--subfolder` names.

    Why it matters
        Nothing was checked; no other set is audited instead.

    Example
        error[R008] weights-not-found: no weights named fp8
          available  model.safetensors, model.fp16.safetensors
          help       use one of these names, or omit --weights

    What to do
        Use one of the listed names; for a component of a pipeline pass its folder with `--subfolder`.
    """

    code = "R008"

    wanted: str
    there: tuple[str, ...]
    sets: int
    components: tuple[str, ...] = ()

    headline_text = "no weights named {wanted}"

    def rows(self) -> Rows:
        if self.components:
            return [("components", listed(self.components))]
        return [("available", listed(self.there) or "no weights")]

    def remedy(self) -> Remedy:
        if not self.components:
            return Remedy("use one of these names, or omit --weights")
        first = self.wanted.partition("/")[0]
        main = next((one for one in ("transformer", "unet") if one in self.components), self.components[0])
        meant = first if first in self.components else main
        return Remedy(f"omit --weights for the whole pipeline, or pass --subfolder {meant} for a component")


class ReadFailed(Unreadable, frozen=True, kw_only=True):
    """Reading a file failed.

    What it means
        The file was opened, but then the system or the network reported an error, or the file became shorter or
        changed while it was read.

    Why it matters
        The content of the file is unknown.

    Example
        error[R009] read-failed: model.safetensors
          because  Input/output error
          help     try again; if it fails again, check the disk or the connection

    What to do
        Try again; if it fails again, check the disk or the connection.
    """

    code = "R009"
    remedy_text = TRY_AGAIN

    @property
    def content_unknown(self) -> bool:
        """True if the network failed."""
        return self.reason in OVER_NETWORK

    def rows(self) -> Rows:
        return [("because", self.detail or self.reason)]


class DownloadUnfinished(Finding, frozen=True, kw_only=True):
    """An unfinished download of this file exists.

    What it means
        Download programs keep a temporary file next to the target until they are done: `.aria2`, `.incomplete`,
        `.part`, `.crdownload`.

    Why it matters
        The target often has its full size already, with zeros for the missing data, and its header looks
        complete.

    Example
        error[R010] download-unfinished: model.safetensors
          trace  model.safetensors.aria2
          help   let aria2 finish it (aria2c -c), or download the file again: zeros
                 stand for what is missing

    What to do
        Let the download finish, or download the file again. A temporary file next to a complete one is stale:
        delete it, unless it is one of aria2, which writes into the file itself.
    """

    code = "R010"

    trace: str

    row_texts = (("trace", "{trace}"),)

    def remedy(self) -> Remedy:
        if self.trace.endswith(".aria2"):
            return Remedy(
                "let aria2 finish it (aria2c -c), or download the file again: zeros stand for what is missing"
            )
        return Remedy("let the download finish, or delete the stale partial file")


class TooManyFiles(Finding, frozen=True, kw_only=True):
    """The set has more files than inspector opens.

    What it means
        The set of weights consists of more files than any real checkpoint. Only the first ones were audited.

    Why it matters
        The limit keeps a malicious index from making the audit run for hours.

    Example
        error[R011] too-many-files: 100,000 files in one set
          limit  20,000 files
          help   merge the shards into fewer files

    What to do
        Merge the shards into fewer files.
    """

    code = "R011"

    files: int
    limit: int

    headline_text = "{files} files in one set"
    row_texts = (("limit", "{limit} files"),)
    remedy_text = "merge the shards into fewer files"
