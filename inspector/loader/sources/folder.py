"""Reads local files: a folder, a single file, or a path inside the Hugging Face cache."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from inspector.loader.header import stated_length
from inspector.loader.signature import SNIFF_BYTES
from inspector.loader.sources.local_reading import CASELESS, kind_of, names_device, open_regular, read_at, refusal_of
from inspector.loader.sources.source import WEIGHT_ENDINGS, Listing, Opening, Refusal, is_plain_name

LISTED_LIMIT: Final = 100_000
"""Most weight and JSON files of one folder that are checked; a checkpoint has fewer."""
SIBLINGS_LIMIT: Final = 1_000
"""Most files of other kinds for which the sizes are read."""
_KEPT: Final = (*WEIGHT_ENDINGS, ".json", ".incomplete", ".aria2", ".part", ".crdownload")
_REFERENCE_LIMIT: Final = 200
REPOSITORY: Final = "models--"
"""Beginning of the name of a repository's folder in the Hub's cache."""
_CACHE: Final = r"models--([^/\\]+)[/\\]snapshots[/\\]([^/\\]+)"


class FolderSource(Struct, frozen=True):
    """A folder. Symbolic links are followed, as the Hugging Face cache needs, to regular files only."""

    folder: str
    title: str
    origin: tuple[str, str] | None = None

    def listing(self) -> Listing:
        """Names and sizes of files; other entries with their kind. Never recurses."""
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
                            continue
                    try:
                        found = entry.stat()
                    except OSError as error:
                        others[entry.name] = "broken link" if error.errno == errno.ENOENT else "unreadable link"
                        continue
                    if stat.S_ISREG(found.st_mode):
                        files[entry.name] = found.st_size
                    else:
                        others[entry.name] = kind_of(found.st_mode)
        except OSError as error:
            return Listing(files, {**others, ".": refusal_of(error).reason}, False)
        return Listing(dict(sorted(files.items())), others, complete)

    def inside(self, folder: str) -> FolderSource | Refusal:
        """The folder with exactly this name. Other spellings that the operating system treats as the
        same are refused.
        """
        path = os.path.join(self.folder, folder)
        if not is_plain_name(folder) or not os.path.isdir(path) or folder not in names_in(self.folder):
            return Refusal("absent", "no such folder")
        return _source(path)

    def read_whole(self, name: str, limit: int) -> bytes | Refusal:
        """A regular file of at most `limit` bytes."""
        opened = self._open(name)
        if isinstance(opened, Refusal):
            return opened
        descriptor, size = opened
        try:
            if size > limit:
                return Refusal("too-large", f"{size:,} bytes, the limit is {limit:,}", size)
            return read_at(descriptor, 0, size)
        except OSError as error:
            return refusal_of(error)
        finally:
            os.close(descriptor)

    def read_headers(self, names: Iterable[str]) -> Iterator[tuple[str, Opening | Refusal]]:
        """Reads the headers one by one: threads do not help with local files."""
        for name in names:
            yield name, self._header(name)

    def read_part(self, name: str, offset: int, length: int) -> bytes | Refusal:
        """Reads a range of a regular file."""
        opened = self._open(name)
        if isinstance(opened, Refusal):
            return opened
        descriptor, size = opened
        try:
            return read_at(descriptor, offset, max(0, min(length, size - offset)))
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
            first = read_at(descriptor, 0, 8)
            length = stated_length(first, size)
            if length is None:
                return Opening(size, read_at(descriptor, 0, SNIFF_BYTES), None)
            header = read_at(descriptor, 8, length)
            if len(header) < length:
                return Refusal("shrank", "the file became shorter while it was read", size)
            if header[:1] not in (b"{", b" ", b"\n", b"\r", b"\t"):
                first = read_at(descriptor, 0, SNIFF_BYTES)
            return Opening(size, first, header)
        except OSError as error:
            return refusal_of(error)
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> tuple[int, int] | Refusal:
        """Descriptor and size of a regular file directly in the folder."""
        if os.path.basename(name) != name or name in ("", ".", ".."):
            return Refusal("absent", "not a name within the folder")
        return open_regular(os.path.join(self.folder, name))


def locate(path: str) -> tuple[FolderSource, str | None] | Refusal:
    """The folder of a path, and the file name if the path is a single file.

    The folder of a model in the Hugging Face cache (`models--org--name`) means the snapshot
    that its `refs/main` names, or its only snapshot.
    """
    if names_device(path):
        return Refusal("not-regular", "device")
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        return refusal_of(error)
    if stat.S_ISDIR(found.st_mode):
        folder = _snapshot(path)
        return _source(folder), None
    if not stat.S_ISREG(found.st_mode):
        return Refusal("not-regular", kind_of(found.st_mode))
    folder, name = os.path.split(path)
    return _source(folder or "."), _as_listed(folder or ".", name) if CASELESS else name


def _as_listed(folder: str, name: str) -> str:
    """The name of an existing file as its folder lists it: the operating system may ignore case and accents."""
    listed = names_in(folder)
    if name in listed:
        return name
    from unicodedata import normalize

    def plain(written: str) -> str:
        return normalize("NFC", written).casefold()

    return next((one for one in listed if plain(one) == plain(name)), name)


def _source(folder: str) -> FolderSource:
    whole = os.path.abspath(folder)
    found = re.search(_CACHE, whole) if "models--" in whole else None
    if found is None:
        return FolderSource(folder, os.path.basename(whole) or whole)
    repository = found[1].replace("--", "/")
    inside = whole[found.end() :].replace(os.sep, "/").strip("/")
    return FolderSource(folder, f"{repository}/{inside}" if inside else repository, (repository, found[2]))


def _snapshot(path: str) -> str:
    """The snapshot for the folder of a repository in the cache, or for its folder of blobs; else the path itself."""
    whole = os.path.abspath(path)
    if os.path.basename(whole) == "blobs" and os.path.basename(os.path.dirname(whole)).startswith(REPOSITORY):
        found = _snapshot(os.path.dirname(whole))
        return path if found == os.path.dirname(whole) else found
    present = names_in(os.path.join(path, "snapshots"))
    if not present:
        return path
    main = reference_in(path, "main")
    chosen = main if main in present else present[0] if len(present) == 1 else ""
    return os.path.join(path, "snapshots", chosen) if chosen else path


def names_in(folder: str) -> list[str]:
    """The sorted names in a folder; empty if it cannot be listed."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def reference_in(repository: str, revision: str) -> str | None:
    """The commit that a reference of a cached repository meant when last fetched."""
    parts = revision.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return None
    opened = open_regular(os.path.join(repository, "refs", *parts))
    if isinstance(opened, Refusal):
        return None
    try:
        text = read_at(opened[0], 0, _REFERENCE_LIMIT).decode(errors="replace").strip()
    except OSError:
        return None
    finally:
        os.close(opened[0])
    return text if re.fullmatch(r"[0-9A-Za-z._-]{1,100}", text) and text not in (".", "..") else None
