"""Plans what `inspector mend` does: the steps of all remedies of an audit, by file, and the findings that remain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from inspector.algebra.names import key_of
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Step
from inspector.mending.patterns import renamed
from inspector.mending.refusals import refusal_of

WEIGHT: Final = ".weight"
BY_PROGRAM: Final = frozenset({"set", "remove", "rename", "write", "move", "truncate"})
"""Actions that mend carries out. `fetch` needs the network and is left to the user."""


class MendStep(msgspec.Struct, frozen=True, kw_only=True):
    """One change of one file, with the fields of schema `inspector.mend/1`.

    backup: the name under which the old file is kept; None if there was none. error: why the step was not carried out.
    """

    action: str
    file: str
    key: tuple[str, ...] = ()
    old: Any = msgspec.UNSET
    new: Any = msgspec.UNSET
    finding: str
    backup: str | None = None
    done: bool = False
    error: str | None = None


class Left(msgspec.Struct, frozen=True):
    """A finding that mend does not repair, and what to do about it."""

    finding: str
    because: str
    title: str = ""


class MendPlan(msgspec.Struct, frozen=True):
    """The steps in the order in which they are carried out, and the remaining findings."""

    steps: tuple[MendStep, ...]
    left: tuple[Left, ...]


def plan_of(audited: Audit) -> MendPlan:
    """The plan for an audit; for a pipeline the plan for all its components."""
    steps: list[MendStep] = []
    left: list[Left] = []
    for folder, part in (("", audited), *audited.components.items()):
        some, rest = _part(part, list(_own_findings(audited, folder)))
        steps.extend(replace(step, file=_inside(folder, step.file), new=_moved(folder, step)) for step in some)
        left.extend(rest)
    return MendPlan(tuple(steps), tuple(left))


def _own_findings(audited: Audit, folder: str) -> Iterator[Finding]:
    """The findings of a pipeline's audit on one of its components, with places inside the component; "" for the
    pipeline.

    The component's own audit does not have these: only other components show which of its files is wrong.
    """
    for one in audited.findings:
        if one.from_component is None and not folder:
            yield one
        elif one.from_component is not None and one.from_component.name == folder:
            yield one.of_component()


def _inside(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _moved(folder: str, step: MendStep) -> Any:
    return _inside(folder, step.new) if step.action == "move" and isinstance(step.new, str) else step.new


def _part(audited: Audit, findings: Iterable[Finding]) -> tuple[list[MendStep], list[Left]]:
    steps: list[MendStep] = []
    left: list[Left] = []
    findings = list(findings)
    able = BY_PROGRAM - {"write"} if any(one.incomplete for one in findings) else BY_PROGRAM
    for finding in findings:
        remedy = finding.remedy()
        mendable = bool(remedy.steps) and all(step.action in able for step in remedy.steps)
        if finding.severity == "note" and not (mendable and finding.mended):
            continue
        made = list(_expanded(audited, finding.code, remedy.steps, steps)) if mendable else []
        refused = next((step.error for step in made if step.error is not None), None)
        if not mendable or refused is not None or not made:
            words = remedy.words or finding.headline()
            words += "; more than one remedy fits: choose one" if remedy.choice else ""
            because = f"{words} ({refused})" if refused else words
            left.append(Left(finding.code, because, f"{finding.name}: {finding.title}"))
        else:
            steps.extend(step for step in made if step not in steps)
    return _with_index(audited, steps), left


def _expanded(audited: Audit, code: str, steps: Iterable[Step], before: Iterable[MendStep]) -> Iterator[MendStep]:
    """The steps of a remedy for each file they apply to. Steps that cannot be carried out have an error."""
    taken = {(step.file, step.key): step.new for step in before if step.action == "set"}
    for step in steps:
        made = MendStep(
            action=step.action, file=step.file or "", key=step.key, old=step.old, new=step.new, finding=code
        )
        if step.file is None:
            made = _with_helpers(audited, made)
            every = (
                _in_every_file(audited, made, before) if step.action == "rename" else _in_every_header(audited, made)
            )
            yield from every
            continue
        other = taken.get((made.file, made.key), made.new)
        if made.action == "set" and other != made.new:
            made = replace(made, error=f"another finding asks for {other!r}")
        yield replace(made, error=made.error or refusal_of(made.action, made.file, made.new))


def _with_helpers(audited: Audit, step: MendStep) -> MendStep:
    """A renaming of the weight of a quantized module as one of all its tensors: its scales follow it."""
    old, new = step.old, step.new
    ends = isinstance(old, str) and isinstance(new, str) and old.endswith(WEIGHT) and new.endswith(WEIGHT)
    if step.action != "rename" or audited.unpacked is None or not ends:
        return step
    module = key_of(old.removesuffix(WEIGHT).replace("*", "0"))[0]
    if not any(helper.key.startswith(f"{module}.") for helper in audited.unpacked.helpers):
        return step
    return replace(step, old=f"{old.removesuffix(WEIGHT)}.*", new=f"{new.removesuffix(WEIGHT)}.*")


def _in_every_file(audited: Audit, step: MendStep, before: Iterable[MendStep]) -> Iterator[MendStep]:
    """A renaming in each file of the audited set that has matching names, after the renamings before it."""
    files: dict[str, list[str]] = {}
    checkpoint = audited.checkpoint
    only = checkpoint.files[0].name if len(checkpoint.files) == 1 else ""
    for name in checkpoint.tensors:
        files.setdefault(checkpoint.file_of.get(name, only), []).append(name)
    for file, names in sorted(files.items()):
        earlier = [(one.old, one.new) for one in before if one.action == "rename" and one.file == file]
        names = [renamed(name, earlier) for name in names] if earlier else names
        if any(renamed(name, [(step.old, step.new)]) != name for name in names):
            yield replace(step, file=file, error=refusal_of(step.action, file))


def _in_every_header(audited: Audit, step: MendStep) -> Iterator[MendStep]:
    """A metadata value to set in each file of the audited set that lacks it."""
    for file in audited.checkpoint.files:
        if step.key[-1] not in file.metadata and file.tensors:
            yield replace(step, file=file.name, error=refusal_of(step.action, file.name))


def _with_index(audited: Audit, steps: list[MendStep]) -> list[MendStep]:
    """The steps, followed by one that rewrites the index if names or files change."""
    index = audited.checkpoint.index
    named = frozenset() if index is None else frozenset(index.files)
    changes = [step for step in steps if step.action == "rename" or (step.action == "move" and step.file in named)]
    written = [step for step in steps if step.action == "write"]
    others = [step for step in steps if step.action != "write"]
    if index is not None and changes and not written:
        moved = any(step.action == "move" and step.file == index.file for step in steps)
        if not moved:
            written = [MendStep(action="write", file=index.file, finding=changes[0].finding)]
    return [*others, *{step.file: step for step in reversed(written)}.values()]
