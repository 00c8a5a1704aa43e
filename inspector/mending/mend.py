"""Mends a checkpoint: audits it, plans the remedies, carries them out on request, and audits the result."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from inspector.auditing.result import FINDINGS, UNREADABLE, Audit
from inspector.loader.sources.source import WEIGHT_ENDINGS
from inspector.mending.execute import Digest, Executed, execute, space_needed
from inspector.mending.places import TEMPORARY, Folder, JournalEntry, clear, downloads_in_progress, link, recorded, undo
from inspector.mending.plan import Left, MendPlan, MendStep, plan_of

MOST_ROUNDS: Final = 4
"""Most rounds of audit and repair: a remedy can reveal what another one repairs, such as a wrong config
below a prefix.
"""


class Mended(msgspec.Struct, frozen=True):
    """The result of mending. before, after: the audits; after is None if nothing was written.

    left: the remaining findings. failure: why nothing, or not everything, was written. target: the written folder.
    into: the requested new folder. asked: True if the plan should be carried out.
    """

    source: str
    before: Audit | None
    after: Audit | None
    steps: tuple[MendStep, ...]
    left: tuple[Left, ...]
    digests: tuple[Digest, ...] = ()
    failure: str | None = None
    target: str | None = None
    into: str | None = None
    asked: bool = False

    @property
    def code(self) -> int:
        """The exit code: 0 nothing remains, 1 findings remain, 3 writing failed or nothing could be read."""
        if self.failure is not None or (not self.steps and self.before is not None and _unreadable(self.before)):
            return 3
        remains = self.left or (self.after is not None and self.after.verdict in (FINDINGS, UNREADABLE))
        return 1 if remains else 0


def _unreadable(audited: Audit) -> bool:
    return audited.verdict == UNREADABLE


AuditAgain = Callable[[str], Audit]
"""Audits the checkpoint at a path with the options of the first audit."""


def mend(
    source: str,
    audited: Audit,
    again: AuditAgain,
    *,
    write: bool = False,
    partly: bool = False,
    into: str | None = None,
) -> Mended:
    """The plan for an audited checkpoint, carried out with `write` or `into`.

    partly: also if findings will remain. into: write a new folder instead of changing this one.
    """
    plan = plan_of(audited)
    planned = Mended(source, audited, None, plan.steps, plan.left, into=into, asked=write or into is not None)
    if not (write or into) or not plan.steps or (plan.left and not partly):
        return planned
    folder = _folder_of(source, audited)
    failure = _refused(folder, plan.steps, audited, into)
    if failure is not None or folder is None:
        return replace(planned, failure=failure)
    if into is not None:
        return _into(planned, folder, into.rstrip("/" + os.sep), again)
    clear(folder)
    return _rounds(planned, Folder(folder, keep=True), source, again, partly)


def undone(source: str) -> Mended:
    """Reverts the changes of earlier runs."""
    folder = source if os.path.isdir(source) else os.path.dirname(source) or "."
    try:
        entries = undo(folder) if recorded(folder) else []
    except (OSError, ValueError, msgspec.MsgspecError) as problem:
        return Mended(source, None, None, (), (), failure=str(problem))
    return Mended(source, None, None, tuple(_restored(entry) for entry in reversed(entries)), (), target=folder)


def _restored(entry: JournalEntry) -> MendStep:
    if entry.backup is None:
        return MendStep(action="remove", file=entry.file, finding="", done=True)
    return MendStep(action="move", file=entry.backup, new=entry.file, finding="", done=True)


def _folder_of(source: str, audited: Audit) -> str | None:
    """The local folder of a checkpoint; None for a repository or another remote place."""
    address = audited.checkpoint.folder or audited.checkpoint.address or source
    if os.path.isdir(address):
        return address
    return os.path.dirname(address) or "." if os.path.isfile(address) else None


def _refused(folder: str | None, steps: Sequence[MendStep], audited: Audit, into: str | None) -> str | None:
    """Why nothing is written; None if writing is possible."""
    if folder is None:
        return "the source is not a local folder: download it first (hf download), then mend the folder"
    if into is not None and os.path.lexists(into) and not (os.path.isdir(into) and not os.listdir(into)):
        return f"{into} exists and is not an empty folder"
    linked = None if into is not None else _linked_file(folder, steps)
    if into is None and audited.checkpoint.commit is not None:
        return "the files belong to the Hub's cache: write a new folder with --into DIR"
    if linked is not None:
        return f"{linked[0]} is a link to {linked[1]}: write a new folder with --into DIR"
    busy = downloads_in_progress(folder)
    if busy:
        return f"a download is in progress: {busy[0]}"
    place = folder if into is None else _existing(os.path.dirname(os.path.abspath(into)))
    needed, free = space_needed(steps, Folder(folder, keep=False)), shutil.disk_usage(place).free
    return f"{needed:,} bytes are needed and {free:,} are free" if needed > free else None


def _existing(path: str) -> str:
    """The path, or the nearest folder above it that exists: the folders between them are created with the copy."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path


def _linked_file(folder: str, steps: Sequence[MendStep]) -> tuple[str, str] | None:
    """The first file to change that is a link, and its target, which others may use as well."""
    place = Folder(folder, keep=False)
    linked = (step.file for step in steps if os.path.islink(place.at(step.file)))
    return next(((file, os.path.realpath(place.at(file))) for file in linked), None)


def _into(planned: Mended, folder: str, into: str, again: AuditAgain) -> Mended:
    """Writes a new folder with the changed files and links to the others. It gets its name when it is complete."""
    building = into + TEMPORARY
    shutil.rmtree(building, ignore_errors=True)
    try:
        _linked(folder, building)
        mended = _rounds(planned, Folder(building, keep=False), building, again, partly=True)
        if mended.failure is None:
            if os.path.isdir(into):
                os.rmdir(into)
            os.rename(building, into)
    except OSError as problem:
        return replace(planned, failure=f"{into}: {problem.strerror or problem}")
    finally:
        shutil.rmtree(building, ignore_errors=True)
    after = None if mended.failure is not None else again(into)
    return replace(mended, after=after, target=into)


def _linked(folder: str, target: str) -> None:
    """Creates a folder with the same files: weights as links if possible, other files as copies that may be edited."""
    for place, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [one for one in folders if not one.startswith(".")]
        inner = os.path.normpath(os.path.join(target, os.path.relpath(place, folder)))
        os.makedirs(inner, exist_ok=True)
        for name in files:
            path = os.path.join(place, name)
            if not name.startswith(".") and os.path.isfile(path):
                (link if name.endswith(WEIGHT_ENDINGS) else shutil.copy2)(path, os.path.join(inner, name))


def _rounds(planned: Mended, folder: Folder, source: str, again: AuditAgain, partly: bool) -> Mended:
    """Carries out the plan, then the plan for the result, until nothing more can be repaired."""
    steps: list[MendStep] = []
    digests: list[Digest] = []
    audited, plan = planned.before, MendPlan(planned.steps, planned.left)
    for _ in range(MOST_ROUNDS):
        if audited is None or not plan.steps or (plan.left and not partly):
            break
        executed: Executed = execute(plan.steps, folder, partial(_shards, folder, audited, plan.steps))
        steps.extend(executed.steps)
        digests.extend(executed.digests)
        if executed.failure is not None:
            clear(folder.path)
            return replace(planned, steps=tuple(steps), digests=tuple(digests), failure=executed.failure)
        moved: dict[str, Any] = {step.file: step.new for step in plan.steps if step.action == "move"}
        source = _path_after(source, moved)
        audited = again(source)
        plan = plan_of(audited)
    return replace(
        planned, after=audited, steps=tuple(steps), left=plan.left, digests=tuple(digests), target=folder.path
    )


def _path_after(source: str, moved: dict[str, Any]) -> str:
    """The path of the source after files were moved."""
    name = os.path.basename(source)
    new = moved.get(name)
    return os.path.join(os.path.dirname(source), new) if isinstance(new, str) and not os.path.exists(source) else source


def _shards(folder: Folder, audited: Audit, steps: Sequence[MendStep], index: str) -> Iterable[str]:
    """The files that an index covers: those of the audited set, without files that were moved away."""
    inner = index.rpartition("/")[0]
    part = audited.components.get(inner, audited) if inner else audited
    moved = {step.file: step.new for step in steps if step.action == "move"}
    files = [f"{inner}/{file.name}" if inner else file.name for file in part.checkpoint.files]
    after = [moved.get(name, name) for name in files]
    return [name for name in after if isinstance(name, str) and os.path.isfile(folder.at(name))]
