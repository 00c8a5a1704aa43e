"""Opens local regular files and reads at a position, on Linux, macOS and Windows.

Every local file that the package reads is opened here, so that no named pipe blocks, no device is opened, and
Windows translates no line ends.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import Final

from inspector.loader.sources.source import Refusal, is_reserved

_FLAGS: Final = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_NONBLOCK", "O_CLOEXEC", "O_NOINHERIT", "O_NOCTTY")
)
"""Flags for opening. O_BINARY and O_NOINHERIT exist only on Windows, the others only on POSIX."""
AT_ONCE: Final = 1 << 30
"""Most bytes per call: Linux returns at most 2 GB, and macOS refuses to read more."""
WINDOWS: Final = os.path.__name__ == "ntpath"
"""True if paths follow the rules of Windows: drives, two separators, device names."""
CASELESS: Final = WINDOWS or sys.platform == "darwin"
"""True if the usual file systems ignore the case of names."""


def open_regular(path: str) -> tuple[int, int] | Refusal:
    """Opens a regular file, following links: (descriptor, bytes). The caller closes the descriptor with `os.close`."""
    if names_device(path):
        return Refusal("not-regular", "device")
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        return refusal_of(error)
    try:
        found = os.fstat(descriptor)
    except OSError as error:
        os.close(descriptor)
        return refusal_of(error)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        return Refusal("not-regular", kind_of(found.st_mode))
    return descriptor, found.st_size


def read_at(descriptor: int, offset: int, length: int) -> bytes:
    """Reads bytes from `offset`, fewer at the end of the file. OSError if the system cannot read them.

    Windows has no `os.pread`: reading moves the position of the descriptor, so a descriptor is never shared between
    threads.
    """
    parts = []
    while length > 0:
        once = min(length, AT_ONCE)
        if hasattr(os, "pread"):
            part = os.pread(descriptor, once, offset)
        else:
            os.lseek(descriptor, offset, os.SEEK_SET)
            part = os.read(descriptor, once)
        if not part:
            break
        parts.append(part)
        offset += len(part)
        length -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_into(descriptor: int, offset: int, memory: memoryview) -> int:
    """Reads bytes from `offset` into memory; returns their number, fewer at the end of the file.
    OSError as `read_at`.
    """
    length = len(memory)
    if not hasattr(os, "preadv"):
        found = read_at(descriptor, offset, length)
        memory[: len(found)] = found
        return len(found)
    done = os.preadv(descriptor, [memory], offset) if 0 < length <= AT_ONCE else 0
    while done < length:
        count = os.preadv(descriptor, [memory[done : done + AT_ONCE]], offset + done)
        if not count:
            break
        done += count
    return done


def names_device(path: str) -> bool:
    r"""True if a path is a device on Windows (CON, `models\aux.txt`, `\\.\pipe\x`), in any folder."""
    if not WINDOWS:
        return False
    whole = path.replace("/", "\\")
    return whole.startswith("\\\\.\\") or is_reserved(whole.rstrip("\\").rpartition("\\")[2])


def refusal_of(error: OSError | ValueError) -> Refusal:
    """The refusal for an error of the system."""
    if not isinstance(error, OSError):
        return Refusal("absent", "no file can have this name")
    words = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in _ABSENT:
        return Refusal("absent", words)
    if error.errno in (errno.EACCES, errno.EPERM):
        return Refusal("permission", words, folder=closed_folder(error.filename))
    if error.errno == errno.ELOOP:
        return Refusal("loop", words)
    if error.errno in (errno.ENXIO, errno.ENODEV):
        return Refusal("not-regular", "socket or device")
    return Refusal("input-output", words)


def closed_folder(path: object) -> str:
    """The outermost folder of a path that may not be entered, or the path itself if it may not be listed; else ""."""
    closed, folder, needed = "", path if isinstance(path, str) else "", os.R_OK | os.X_OK
    while folder:
        if os.path.isdir(folder) and not os.access(folder, needed):
            closed = folder
        above = os.path.dirname(folder)
        folder, needed = (above, os.X_OK) if above != folder else ("", 0)
    return closed


_ABSENT: Final = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, *([errno.EINVAL] if WINDOWS else ()))
"""Errors of absent files. EINVAL is Windows' error for an impossible file name, such as `https://host/x`."""


def kind_of(mode: int) -> str:
    """The kind of an entry of a folder, by its mode."""
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
