"""Files on this machine: a folder, a single file, or a path inside the Hugging Face cache."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from inspector.loader.header import wanted_length
from inspector.loader.signature import SNIFF_BYTES
from inspector.loader.sources.source import Listing, Opening, Refusal

LISTED_LIMIT: Final = 100_000
"""Weight and JSON files of one folder that are looked at; more is no checkpoint."""
SIBLINGS_LIMIT: Final = 1_000
"""Files of other kinds whose sizes are asked for."""
_KEPT: Final = (
    ".safetensors",
    ".json",
    ".bin",
    ".gguf",
    ".pt",
    ".pth",
    ".ckpt",
    ".h5",
    ".msgpack",
    ".onnx",
    ".npz",
    ".incomplete",
    ".aria2",
    ".part",
    ".crdownload",
)
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_REFERENCE_LIMIT: Final = 200
_CACHE: Final = re.compile(r"models--([^/\\]+)[/\\]snapshots[/\\]([^/\\]+)")


class FolderSource(Struct, frozen=True):
    """A folder. Symbolic links are followed, as the Hugging Face cache needs, to regular files only."""

    folder: str
    title: str
    origin: tuple[str, str] | None = None

    def listing(self) -> Listing:
        """Names and sizes; entries that are no regular files under what they are. Never recurses."""
        files: dict[str, int] = {}
        others: dict[str, str] = {}
        kept = rest = 0
        complete = True
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if entry.name.endswith(_KEPT):
                        kept += 1
                        if kept > LISTED_LIMIT:
                            complete = False
                            break
                    else:
                        rest += 1
                        if rest > SIBLINGS_LIMIT:
                            complete = False
                            continue
                    try:
                        found = entry.stat()
                    except OSError as error:
                        others[entry.name] = "broken link" if error.errno == errno.ENOENT else "unreadable link"
                        continue
                    if stat.S_ISREG(found.st_mode):
                        files[entry.name] = found.st_size
                    else:
                        others[entry.name] = _kind(found.st_mode)
        except OSError as error:
            return Listing(files, {**others, ".": refusal_of(error).reason}, False)
        return Listing(dict(sorted(files.items())), others, complete)

    def read_whole(self, name: str, limit: int) -> bytes | Refusal:
        """A regular file of at most `limit` bytes."""
        opened = self._open(name)
        if isinstance(opened, Refusal):
            return opened
        descriptor, size = opened
        try:
            if size > limit:
                return Refusal("too-large", f"{size:,} bytes, the limit is {limit:,}", size)
            return _read(descriptor, 0, size)
        except OSError as error:
            return refusal_of(error)
        finally:
            os.close(descriptor)

    def read_headers(self, names: Iterable[str]) -> Iterator[tuple[str, Opening | Refusal]]:
        """One after the other: threads do not help with local files."""
        for name in names:
            yield name, self._header(name)

    def read_part(self, name: str, offset: int, length: int) -> bytes | Refusal:
        """Bytes from within a regular file."""
        opened = self._open(name)
        if isinstance(opened, Refusal):
            return opened
        descriptor, size = opened
        try:
            return _read(descriptor, offset, max(0, min(length, size - offset)))
        except OSError as error:
            return refusal_of(error)
        finally:
            os.close(descriptor)

    def _header(self, name: str) -> Opening | Refusal:
        opened = self._open(name)
        if isinstance(opened, Refusal):
            return opened
        descriptor, size = opened
        try:
            first = os.pread(descriptor, 8, 0)
            length = wanted_length(first, size)
            if length is None:
                return Opening(size, os.pread(descriptor, SNIFF_BYTES, 0), None)
            header = os.pread(descriptor, length, 8)
            if len(header) < length:
                header += _read(descriptor, 8 + len(header), length - len(header))
                if len(header) < length:
                    return Refusal("shrank", "the file became shorter while it was read", size)
            if header[:1] not in (b"{", b" ", b"\n", b"\r", b"\t"):
                first = os.pread(descriptor, SNIFF_BYTES, 0)
            return Opening(size, first, header)
        except OSError as error:
            return refusal_of(error)
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> tuple[int, int] | Refusal:
        """Descriptor and size of a regular file; a FIFO does not block and is refused."""
        if os.path.basename(name) != name or name in ("", ".", ".."):
            return Refusal("absent", "not a name within the folder")
        try:
            descriptor = os.open(os.path.join(self.folder, name), _FLAGS)
        except (OSError, ValueError) as error:
            return refusal_of(error)
        try:
            found = os.fstat(descriptor)
        except OSError as error:
            os.close(descriptor)
            return refusal_of(error)
        if not stat.S_ISREG(found.st_mode):
            os.close(descriptor)
            return Refusal("not-regular", _kind(found.st_mode))
        return descriptor, found.st_size


def locate(path: str) -> tuple[FolderSource, str | None] | Refusal:
    """The folder of a path, and the name in it where the path is that of a single file.

    The folder of a whole model in the Hugging Face cache (`models--org--name`) stands for the snapshot
    that its `refs/main` names, or for the only one there is.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        return refusal_of(error)
    if stat.S_ISDIR(found.st_mode):
        folder = _snapshot(path)
        return _source(folder), None
    if not stat.S_ISREG(found.st_mode):
        return Refusal("not-regular", _kind(found.st_mode))
    folder, name = os.path.split(path)
    return _source(folder or "."), name


def refusal_of(error: OSError | ValueError) -> Refusal:
    """The system's refusal in our few words."""
    if not isinstance(error, OSError):
        return Refusal("absent", "no file can have this name")
    words = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return Refusal("absent", words)
    if error.errno in (errno.EACCES, errno.EPERM):
        return Refusal("permission", words)
    if error.errno == errno.ELOOP:
        return Refusal("loop", words)
    if error.errno in (errno.ENXIO, errno.ENODEV):
        return Refusal("not-regular", "socket or device")
    return Refusal("input-output", words)


def _source(folder: str) -> FolderSource:
    whole = os.path.abspath(folder)
    found = _CACHE.search(whole)
    if found is None:
        return FolderSource(folder, os.path.basename(whole) or whole)
    repository = found[1].replace("--", "/")
    inside = whole[found.end() :].strip("/\\")
    return FolderSource(folder, f"{repository}/{inside}" if inside else repository, (repository, found[2]))


def _snapshot(path: str) -> str:
    present = names_in(os.path.join(path, "snapshots"))
    if not present:
        return path
    main = reference_in(path, "main")
    chosen = main if main in present else present[0] if len(present) == 1 else ""
    return os.path.join(path, "snapshots", chosen) if chosen else path


def names_in(folder: str) -> list[str]:
    """The names of what is in a folder, in order; none where it cannot be listed."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def reference_in(repository: str, revision: str) -> str | None:
    """The commit that a reference of a repository in the cache was at when it was last fetched."""
    parts = revision.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return None
    try:
        descriptor = os.open(os.path.join(repository, "refs", *parts), _FLAGS)
    except OSError:
        return None
    try:
        text = os.read(descriptor, _REFERENCE_LIMIT).decode(errors="replace").strip()
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return text if re.fullmatch(r"[0-9A-Za-z._-]{1,100}", text) and text not in (".", "..") else None


def _read(descriptor: int, offset: int, length: int) -> bytes:
    """Reads until `length` or the end of the file; one call of the system gives at most 2 GB."""
    parts = []
    while length > 0:
        part = os.pread(descriptor, length, offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
        length -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _kind(mode: int) -> str:
    for test, word in (
        (stat.S_ISDIR, "directory"),
        (stat.S_ISFIFO, "named pipe"),
        (stat.S_ISSOCK, "socket"),
        (stat.S_ISCHR, "device"),
        (stat.S_ISBLK, "device"),
    ):
        if test(mode):
            return word
    return "special file"
