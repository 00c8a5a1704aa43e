"""Carries out the steps of a plan in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from inspector.loader.config_file import QUANTO_FILE
from inspector.mending.headers import NotCopied, data_bytes, header_of, write_with_header
from inspector.mending.indexes import index_text
from inspector.mending.json_text import NotEditable, with_value, without_key
from inspector.mending.patterns import renamed
from inspector.mending.places import Folder
from inspector.mending.plan import MendStep
from inspector.mending.refusals import INDEXES

MARK: Final = "\ufeff"
METADATA: Final = "__metadata__"
CONTENT: Final = frozenset({"set", "remove", "rename", "truncate"})
MADE: Final = frozenset({QUANTO_FILE})
"""Files that steps with their values create: every value in them follows from the weights."""
FAILURES: Final = (OSError, ValueError, NotCopied, NotEditable)


class Digest(msgspec.Struct, frozen=True):
    """A file with a rewritten header: the number of bytes of its tensors and their SHA-256, which did not change."""

    file: str
    bytes: int
    sha256: str


class Executed(msgspec.Struct, frozen=True):
    """The steps with their results, and the digests of the rewritten files."""

    steps: tuple[MendStep, ...]
    digests: tuple[Digest, ...]

    @property
    def failure(self) -> str | None:
        """The first error."""
        return next((f"{step.file}: {step.error}" for step in self.steps if step.error is not None), None)


def execute(steps: Sequence[MendStep], folder: Folder, shards: Callable[[str], Iterable[str]]) -> Executed:
    """Carries out the steps and stops at the first failure. shards: the files that an index covers."""
    done: list[MendStep] = []
    digests: list[Digest] = []
    left = list(steps)
    while left:
        first = left[0]
        together = [step for step in left if step.action in CONTENT and step.file == first.file]
        together = together if first.action in CONTENT else [first]
        left = [step for step in left if step not in together]
        try:
            backup = _changed(together, folder, shards, digests)
            done.extend(replace(step, done=True, backup=backup) for step in together)
        except FAILURES as problem:
            error = getattr(problem, "strerror", None) or str(problem)
            done.extend(replace(step, error=error) for step in together)
            done.extend(left)
            break
    return Executed(tuple(done), tuple(digests))


def space_needed(steps: Sequence[MendStep], folder: Folder) -> int:
    """The bytes that the new files need as long as the old ones are kept."""
    files = {step.file for step in steps if step.action in CONTENT or step.action == "write"}
    return sum(os.path.getsize(folder.at(file)) for file in files if os.path.exists(folder.at(file)))


def _changed(
    steps: Sequence[MendStep], folder: Folder, shards: Callable[[str], Iterable[str]], digests: list[Digest]
) -> str | None:
    """Carries out the steps on the content of one file, or a single other step; returns the name of the old file."""
    first = steps[0]
    if first.action == "move":
        return folder.aside(first.file) if first.new is msgspec.UNSET else folder.move(first.file, str(first.new))
    if first.action == "write" and first.file.endswith(INDEXES):
        _write_text(folder, first.file, _index(folder, first.file, shards(first.file)))
    elif first.action == "write":
        _write_text(folder, first.file, _in_utf8(folder, first.file))
    elif first.file.endswith(".json"):
        text = _text(folder, first.file)
        for step in steps:
            text = without_key(text, step.key) if step.action == "remove" else with_value(text, step.key, step.new)
        _write_text(folder, first.file, text)
    else:
        copied = write_with_header(
            folder.at(first.file), folder.temporary(first.file), lambda header: _new_header(header, steps)
        )
        digests.append(Digest(first.file, copied.bytes, copied.sha256))
    return folder.put(first.file)


def _text(folder: Folder, name: str) -> str:
    """The text of a JSON file; that of an empty object for a file that a remedy writes anew."""
    if name in MADE and not os.path.lexists(folder.at(name)):
        return "{}"
    with open(folder.at(name), encoding="utf-8", newline="") as file:
        return file.read()


def _index(folder: Folder, name: str, shards: Iterable[str]) -> str:
    before = None
    if os.path.exists(folder.at(name)):
        with open(folder.at(name), encoding="utf-8", errors="replace") as file:
            before = file.read()
    return index_text(folder.path, shards, before)


def _in_utf8(folder: Folder, name: str) -> str:
    """The text of a file in UTF-16, or in UTF-8 with a byte order mark; without the mark.

    Raises NotEditable if the file is UTF-8 without a mark, UnicodeDecodeError if it is neither.
    """
    with open(folder.at(name), "rb") as file:
        raw = file.read()
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16")
    if raw[:2].count(0) == 1:  # JSON begins with an ASCII character, which has exactly one zero byte in UTF-16
        return raw.decode("utf-16-be" if raw[0] == 0 else "utf-16-le")
    text = raw.decode("utf-8")
    if not text.startswith(MARK):
        raise NotEditable("it has no byte order mark")
    return text.removeprefix(MARK)


def _write_text(folder: Folder, name: str, text: str) -> None:
    with open(folder.temporary(name), "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _new_header(header: dict[str, Any], steps: Sequence[MendStep]) -> dict[str, Any]:
    """The header after all steps on its file. The renamings of one finding apply together."""
    for finding in dict.fromkeys(step.finding for step in steps):
        changes = [(step.old, step.new) for step in steps if step.finding == finding and step.action == "rename"]
        if changes:
            header = {name if name == METADATA else renamed(name, changes): entry for name, entry in header.items()}
    for step in steps:
        if step.action == "set" and step.key[:1] == (METADATA,):
            header = {METADATA: {**(header.get(METADATA) or {}), step.key[1]: step.new}, **_tensors(header)}
    return header


def _tensors(header: dict[str, Any]) -> dict[str, Any]:
    return {name: entry for name, entry in header.items() if name != METADATA}


def stored_bytes(path: str) -> int:
    """The bytes of a safetensors file up to its last tensor."""
    header, start = header_of(path)
    return start + data_bytes(header)
