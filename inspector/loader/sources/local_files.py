"""Lists all files below a local folder, and computes their digests in bounded memory."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from typing import Final

from inspector.loader.sources.local_reading import names_device, open_regular, read_at, refusal_of
from inspector.loader.sources.source import Refusal

ENTRIES_LIMIT: Final = 200_000
PIECE: Final = 4_000_000
"""Bytes per read for a digest."""
_OWN: Final = frozenset({".git", ".cache"})
"""Folders of git and of the Hub's client, which are skipped."""


def files_below(folder: str) -> tuple[dict[str, int], bool]:
    """(relative path with slashes -> bytes of every regular file, whether the list is complete).

    Links to files are followed, as the Hugging Face cache needs; links to folders are not.
    """
    found: dict[str, int] = {}
    entries = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if one not in _OWN)
        for name in sorted(names):
            entries += 1
            if entries > ENTRIES_LIMIT:
                return found, False
            path = os.path.join(place, name)
            if names_device(name):
                continue
            try:
                seen = os.stat(path)
            except OSError:
                continue
            if stat.S_ISREG(seen.st_mode):
                found[os.path.relpath(path, folder).replace(os.sep, "/")] = seen.st_size
    return found, True


def git_digest(path: str, size: int) -> str | Refusal:
    """The git hash of a file: SHA-1 of a header and the bytes."""
    digest = hashlib.sha1(usedforsecurity=False)
    digest.update(f"blob {size}\0".encode())
    return _digest(path, digest, size, None)


def content_digest(path: str, size: int, read: Callable[[int], None] | None = None) -> str | Refusal:
    """SHA-256 of a file, as the Hub states it for large files. read: called with the number of bytes of each piece."""
    return _digest(path, hashlib.sha256(), size, read)


def _digest(path: str, digest: hashlib._Hash, size: int, read: Callable[[int], None] | None) -> str | Refusal:
    opened = open_regular(path)
    if isinstance(opened, Refusal):
        return opened
    descriptor, done = opened[0], 0
    try:
        while done < size:
            piece = read_at(descriptor, done, min(size - done, PIECE))
            if not piece:
                return Refusal("shrank", "the file became shorter while it was read")
            digest.update(piece)
            done += len(piece)
            if read is not None:
                read(len(piece))
    except OSError as error:
        return refusal_of(error)
    finally:
        os.close(descriptor)
    return digest.hexdigest()
