"""The interface of all sources of checkpoints: folders, the Hub and others.

A source names files by plain relative names and opens only files that are requested by such a
name. A file that cannot be read gives a `Refusal`; exceptions are bugs.
Readers of other formats need only `read_part`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Protocol, runtime_checkable

from msgspec import Struct

WEIGHT_ENDINGS: Final = (
    ".safetensors",
    ".bin",
    ".gguf",
    ".pt",
    ".pth",
    ".torch",
    ".th",
    ".ckpt",
    ".h5",
    ".msgpack",
    ".onnx",
    ".npz",
)
"""Ends of the names of files that may have weights."""


class Listing(Struct, frozen=True):
    """Names in a source. files: name -> bytes; others: name -> kind ("directory", "named pipe", ...).

    complete: all weight and JSON files are listed. If a place cannot be listed, others has the reason under ".".
    """

    files: Mapping[str, int]
    others: Mapping[str, str] = {}
    complete: bool = True


class RepositoryFile(Struct, frozen=True):
    """A file in the tree of the Hub.

    size in bytes. sha256: of the content, for large files only; oid: git hash of the content of small files.
    """

    size: int
    sha256: str | None = None
    oid: str | None = None


class Refusal(Struct, frozen=True):
    """Why a file was not read.

    reason: "absent", "permission", "loop", "not-regular", "too-large", "shrank", "input-output"; over a network
    also "network", "incomplete", "changed", "malformed".
    detail: the kind of file, the limit that it exceeds, or the message of the system.
    folder: the folder that denies access to it; "" if the file itself does.
    """

    reason: str
    detail: str = ""
    size: int | None = None
    folder: str = ""


NOT_REFUSED: Final = Refusal("")
"""Stands for a file that was read."""


class Opening(Struct, frozen=True):
    """The beginning of a safetensors file.

    size: bytes of the whole file, None if unknown. header: the complete JSON; None if the length in the first eight
    bytes is impossible; `first` then has more bytes for recognising the file.
    """

    size: int | None
    first: bytes
    header: bytes | None


class Source(Protocol):
    """A place with files. Names are plain and relative; any other name is refused."""

    @property
    def title(self) -> str:
        """The name of the place: of a folder, or the id of a repository."""

    @property
    def origin(self) -> tuple[str, str] | None:
        """Repository id and revision on the Hub that the place records as its origin."""

    def listing(self) -> Listing:
        """The files of the place; called once."""

    def inside(self, folder: str) -> Source | Refusal:
        """The folder with exactly this name in the listing; refused if there is none.

        The name may come from a file of the place. It is only looked up, and never used as a path or an address.
        """

    def read_whole(self, name: str, limit: int) -> bytes | Refusal:
        """Reads a small file; refused without reading if it is longer than `limit` bytes."""

    def read_headers(self, names: Iterable[str]) -> Iterator[tuple[str, Opening | Refusal]]:
        """The beginnings of many files, in any order; a source may request hundreds in parallel."""

    def read_part(self, name: str, offset: int, length: int) -> bytes | Refusal:
        """Reads a range of a file, fewer bytes at its end; used by the readers of other formats."""


@runtime_checkable
class Forewarned(Protocol):
    """A source that needs fewer or smaller requests if it knows which tensors an index lists in each file."""

    def expect(self, weight_map: Mapping[str, str]) -> None:
        """Called before the headers are read: tensor -> file, by the index."""


_MARKS = frozenset('/\\:*?"<>|')
"""Characters that a file name of Windows cannot have."""
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"}
)


def is_reserved(name: str) -> bool:
    """True if Windows treats a name as a device, with any suffix: `aux.txt`, `NUL`.

    Microsoft, "Naming Files, Paths, and Namespaces".
    """
    return name.partition(".")[0].partition(":")[0].rstrip(" ").lower() in _RESERVED


def is_plain_name(name: str) -> bool:
    """True if a name from a file may be looked up in a source: one component by POSIX and Windows rules."""
    if not name or len(name) > 255 or name in (".", "..") or name[-1] in " .":
        return False
    if not name.isprintable() or not _MARKS.isdisjoint(name):
        return False
    return not is_reserved(name)
