"""Changes files without loss: a new file is completed under a temporary name, and the old file is kept under another.

Each change is recorded in a journal before it is made, so that `--undo` can revert it even if a run was interrupted.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from typing import Final

import msgspec

from inspector.findings.finding import UNFINISHED
from inspector.loader.lost_files import DOWNLOAD_FOLDER

TEMPORARY: Final = ".mend-tmp"
JOURNAL: Final = ".inspector-mend.json"


class JournalEntry(msgspec.Struct, frozen=True):
    """A change in the journal: a file, and the name under which the old file is kept; None if the file is new."""

    file: str
    backup: str | None


class Folder(msgspec.Struct, frozen=True):
    """A folder in which files are changed. keep: keep old files and record the changes."""

    path: str
    keep: bool

    def at(self, name: str) -> str:
        """The path of a file of the folder."""
        return os.path.join(self.path, *name.split("/"))

    def temporary(self, name: str) -> str:
        """The path under which a file is written until it is complete."""
        return self.at(name) + TEMPORARY

    def put(self, name: str) -> str | None:
        """Replaces a file by its complete temporary file, with the same permissions; returns the name of the old file
        if it is kept.
        """
        backup = self._kept(name)
        if os.path.exists(self.at(name)):
            shutil.copymode(self.at(name), self.temporary(name))
        os.replace(self.temporary(name), self.at(name))
        return backup

    def aside(self, name: str) -> str | None:
        """Moves a file away; returns its new name if it is kept."""
        backup = self._kept(name)
        os.unlink(self.at(name))
        return backup

    def move(self, name: str, new: str) -> str | None:
        """Renames a file; returns the name under which the old file is kept. Raises OSError if `new` exists."""
        if os.path.lexists(self.at(new)) and not _is_same_name(self.at(name), self.at(new)):
            raise FileExistsError(f"{new} exists")
        if not self.keep:
            os.rename(self.at(name), self.at(new))
            return None
        backup = self._kept(name)
        _record(self.path, JournalEntry(new, None))
        os.rename(self.at(name), self.at(new))
        return backup

    def _kept(self, name: str) -> str | None:
        """Gives a file that is about to change a second name, and records it in the journal."""
        path = self.at(name)
        if not self.keep or not os.path.lexists(path):
            if self.keep:
                _record(self.path, JournalEntry(name, None))
            return None
        free = (one for one in _backups(name) if not os.path.lexists(self.at(one)) or _is_same(path, self.at(one)))
        backup = next(free)
        _record(self.path, JournalEntry(name, backup))
        if not os.path.lexists(self.at(backup)):
            link(path, self.at(backup))
        return backup


def link(source: str, target: str) -> None:
    """Gives a file a second name, or copies it if the file system has no links. The result is complete or absent."""
    source = os.path.realpath(source)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target + TEMPORARY)
        os.replace(target + TEMPORARY, target)


def undo(folder: str) -> list[JournalEntry]:
    """Restores the old files, the last change first; returns the changes."""
    entries = recorded(folder)
    place = Folder(folder, keep=False)
    for entry in reversed(entries):
        if entry.backup is not None and os.path.lexists(place.at(entry.backup)):
            os.replace(place.at(entry.backup), place.at(entry.file))
        elif entry.backup is None and os.path.lexists(place.at(entry.file)):
            os.unlink(place.at(entry.file))
    clear(folder)
    if entries:
        os.unlink(os.path.join(folder, JOURNAL))
    return entries


def recorded(folder: str) -> list[JournalEntry]:
    """The journal of a folder; empty if there is none. Raises OSError, ValueError."""
    try:
        with open(os.path.join(folder, JOURNAL), "rb") as file:
            return msgspec.json.decode(file.read(), type=list[JournalEntry])
    except FileNotFoundError:
        return []


def clear(folder: str) -> None:
    """Removes the temporary files of an interrupted run."""
    for place, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if not one.startswith(".")]
        for name in files:
            if name.endswith(TEMPORARY):
                os.unlink(os.path.join(place, name))


def _record(folder: str, entry: JournalEntry) -> None:
    entries = [*recorded(folder), entry]
    path = os.path.join(folder, JOURNAL)
    with open(path + TEMPORARY, "wb") as file:
        file.write(json.dumps([msgspec.to_builtins(one) for one in entries], indent=1).encode())
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + TEMPORARY, path)


def _backups(name: str) -> Iterator[str]:
    yield f"{name}.orig"
    number = 2
    while True:
        yield f"{name}.orig-{number}"
        number += 1


def _is_same(one: str, other: str) -> bool:
    """True if two names refer to the same file, as after a run that was interrupted between two changes."""
    return os.path.exists(other) and os.path.samefile(one, other)


def _is_same_name(one: str, other: str) -> bool:
    """True if two names differ only in case and refer to the same file, as on Windows and macOS."""
    return one != other and one.casefold() == other.casefold() and os.path.samefile(one, other)


def downloads_in_progress(folder: str) -> list[str]:
    """Files that a download program is still writing."""
    found: list[str] = []
    for place in (folder, os.path.join(folder, *DOWNLOAD_FOLDER)):
        for path, _, names in os.walk(place):
            found.extend(
                os.path.relpath(os.path.join(path, name), folder) for name in names if name.endswith(UNFINISHED)
            )
            if place == folder:
                break
    return sorted(found)
