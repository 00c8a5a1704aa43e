"""Where the bytes of a checkpoint come from: the one shape that folders, the Hub and others have.

A source names files by plain relative names and never opens anything it was not asked for by such a
name. What it cannot give is a `Refusal`, which is data: only a fault of the program is an exception.
A reader of another format needs no more than `read_part`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, runtime_checkable

from msgspec import Struct


class Listing(Struct, frozen=True):
    """Names in a source. files: name -> bytes; others: name -> what it is ("directory", "named pipe", ...).

    complete: whether all names are there. A place that cannot be listed has the reason in others under ".".
    """

    files: Mapping[str, int]
    others: Mapping[str, str] = {}
    complete: bool = True


class RepositoryFile(Struct, frozen=True):
    """A file as the Hub's tree states it.

    size in bytes. sha256: of the content, of large files only; oid: git's name of the content of small ones.
    """

    size: int
    sha256: str | None = None
    oid: str | None = None


class Refusal(Struct, frozen=True):
    """Why a file was not read.

    reason: "absent", "permission", "loop", "not-regular", "too-large", "shrank", "input-output"; over a network
    also "network", "incomplete", "changed", "malformed".
    detail: what kind of file it is, the limit that it passes, or the system's own words.
    """

    reason: str
    detail: str = ""
    size: int | None = None


class Opening(Struct, frozen=True):
    """The beginning of a safetensors file.

    size: bytes of the whole file, None where the source cannot tell. header: the JSON, whole; None where
    the length in the first eight bytes cannot be true, and then `first` has more to recognise the file by.
    """

    size: int | None
    first: bytes
    header: bytes | None


class Source(Protocol):
    """A place with files. Names are plain and relative; a source refuses any other."""

    @property
    def title(self) -> str:
        """What the place is called: a folder's name, a repository's id."""

    @property
    def origin(self) -> tuple[str, str] | None:
        """Repository id and revision on the Hub that the place records as its origin."""

    def listing(self) -> Listing:
        """The files of the place, asked for once."""

    def inside(self, folder: str) -> Source | Refusal:
        """The folder directly below that the listing has under exactly this name; refused where it has none.

        The name may come from a file of the place: it is only ever looked up, never taken for a path or an address.
        """

    def read_whole(self, name: str, limit: int) -> bytes | Refusal:
        """A small file; refused when it is longer than `limit` bytes, without reading that far."""

    def read_headers(self, names: Iterable[str]) -> Iterator[tuple[str, Opening | Refusal]]:
        """The beginnings of many files, in any order; a source may ask for hundreds at once."""

    def read_part(self, name: str, offset: int, length: int) -> bytes | Refusal:
        """Bytes from within a file, fewer where it ends: for readers of other formats."""


@runtime_checkable
class Forewarned(Protocol):
    """A source that asks for less, or only once, when it knows what an index promises in each file."""

    def expect(self, weight_map: Mapping[str, str]) -> None:
        """Called before the headers are read: tensor -> file, as the index states it."""


_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"}
)


def is_reserved(name: str) -> bool:
    """Whether Windows takes a name for a device, whatever its ending: `aux.txt`, `NUL`.

    Microsoft, "Naming Files, Paths, and Namespaces".
    """
    return name.partition(".")[0].partition(":")[0].rstrip(" ").lower() in _RESERVED


def is_plain_name(name: str) -> bool:
    """Whether a name from a file may be looked up in a source: one component, by POSIX and Windows rules."""
    if not name or len(name) > 255 or name in (".", "..") or name[-1] in " .":
        return False
    if not name.isprintable() or any(mark in name for mark in '/\\:*?"<>|'):
        return False
    return not is_reserved(name)
