"""The result of mending as text and as the object of schema `inspector.mend/1`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from inspector.auditing.result import Audit
from inspector.findings.finding import as_json
from inspector.findings.words import count, first, value
from inspector.mending.mend import Mended
from inspector.mending.plan import MendStep, plan_of
from inspector.report.clean import clean
from inspector.report.screen import PLAIN, Screen

STEPS_SHOWN = 40
LONGEST_COMMAND: Final = 10_000
"""Most characters of a command; a command with a truncated path would be useless."""


def mend_json(mended: Mended) -> dict[str, Any]:
    """The object of schema `inspector.mend/1`."""
    return {
        "schema": "inspector.mend/1",
        "source": mended.source,
        "target": mended.target,
        "steps": [_step_json(step) for step in mended.steps],
        "left": [msgspec.to_builtins(one) for one in mended.left],
        "digests": [msgspec.to_builtins(one) for one in mended.digests],
        "failure": mended.failure,
        "before": None if mended.before is None else mended.before.verdict,
        "after": None if mended.after is None else mended.after.verdict,
    }


def _step_json(step: MendStep) -> dict[str, Any]:
    shown: dict[str, Any] = {"action": step.action, "file": step.file, "key": list(step.key)}
    if step.old is not msgspec.UNSET:
        shown["from"] = as_json(step.old)
    if step.new is not msgspec.UNSET:
        shown["to"] = as_json(step.new)
    rest = {"finding": step.finding, "backup": step.backup, "done": step.done, "error": step.error}
    return {**shown, **rest}


def mend_line(audited: Audit, command: str, screen: Screen = PLAIN) -> str:
    """The sentence that `inspector mend` can repair errors and warnings of an audit; "" if it cannot."""
    bad = {finding.code for finding in audited.findings if finding.severity != "note"}
    plan = plan_of(audited)
    if not any(step.finding in bad for step in plan.steps):
        return ""
    what = f"what can be repaired; {count(len(plan.left), 'finding')} will remain" if plan.left else "the repair"
    words = clean(f"{command} prints the steps of {what}", LONGEST_COMMAND)
    return "".join(f"{line}\n" for line in screen.wrapped(words, rest="  "))


def mend_text(mended: Mended, screen: Screen = PLAIN) -> str:
    """The plan or the completed steps, the remaining findings, and the verdicts before and after."""
    written = any(step.done for step in mended.steps)
    lines = screen.wrapped(clean(f"{mended.source}: {headline(mended, written)}"), rest="  ")
    if mended.steps:
        lines.append("")
    groups = alike(mended.steps)
    for group in groups[:STEPS_SHOWN]:
        lines += screen.wrapped(clean(words_of(group)), first=f"  {_mark(group[0], written)}", rest="        ")
        if group[0].error is not None:
            lines += screen.wrapped(clean(group[0].error), first="        ", rest="        ")
    if len(groups) > STEPS_SHOWN:
        more = len(groups) - STEPS_SHOWN
        lines.append(f"  and {more:,} more steps (-f json lists all)")
    if mended.left:
        planned = mended.steps and mended.after is None
        lines += ["", "remains, unless it follows from what the steps mend:" if planned else "remains:"]
    for one in mended.left:
        lines += screen.wrapped(clean(one.title), first=f"  {one.finding}  ", rest="        ")
        lines += screen.wrapped(clean(one.because), first="        help  ", rest="              ")
    if mended.failure is not None:
        lines += ["", *screen.wrapped(clean(f"failed: {mended.failure}"), rest="  ")]
    lines += ["", *verdicts(mended)]
    return "".join(f"{line}\n" for line in lines)


def headline(mended: Mended, written: bool) -> str:
    """The plan or the result in a few words. written: True if any step was carried out."""
    if mended.before is None:
        return f"{count(len(alike(mended.steps)), 'change')} undone" if mended.steps else "nothing to undo"
    if not mended.steps:
        nothing = "nothing that mend can change" if mended.left else "nothing to mend"
        return nothing if mended.into is None else f"{nothing}; {mended.into} was not written"
    if written:
        groups = alike(mended.steps)
        done = sum(group[0].done for group in groups)
        return f"{done:,} of {count(len(groups), 'step')} done"
    optional = "" if _has_faults(mended.before) else ", which a note suggests and nothing requires"
    return f"{count(len(alike(mended.steps)), 'step')}{optional}; nothing was written"


def _has_faults(audited: Audit) -> bool:
    return any(finding.severity != "note" for finding in audited.findings)


def _mark(step: MendStep, written: bool) -> str:
    if not written:
        return ""
    return "done  " if step.done else "not   "


def alike(steps: Iterable[MendStep]) -> list[list[MendStep]]:
    """The steps in groups of those that do the same to the tensors of one family or to several files."""
    groups: dict[object, list[MendStep]] = {}
    for number, step in enumerate(steps):
        old, new = (one if isinstance(one, str) else "" for one in (step.old, step.new))
        numbers = NUMBER.findall(old)
        if step.action == "rename" and numbers == NUMBER.findall(new):
            what: object = (NUMBER.sub("{n}", old), NUMBER.sub("{n}", new))
        elif step.action == "move":
            what = step.new is msgspec.UNSET or number
        else:
            what = (step.key, value(as_json(step.new))) if step.key[:1] == (METADATA,) else number
        key = (step.action, what, step.finding, step.done, step.error)
        groups.setdefault(key, []).append(step)
    return list(groups.values())


NUMBER = re.compile(r"\d+")
METADATA = "__metadata__"


def words_of(group: list[MendStep]) -> str:
    """A group of steps in words, with the files that were kept and the code of its finding."""
    code = f"  [{group[0].finding}]" if group[0].finding else ""
    kept = list(dict.fromkeys(step.backup for step in group if step.backup))
    files = "the old file is" if len(kept) == 1 else "the old files are"
    return f"{_change(group)}{f', {files} {first(kept, len(kept))}' if kept else ''}{code}"


def _change(group: list[MendStep]) -> str:
    step = group[0]
    key, files = ".".join(step.key), list(dict.fromkeys(one.file for one in group))
    file = step.file if len(files) == 1 else count(len(files), "file")
    if step.action == "set":
        before = "" if step.old is msgspec.UNSET else f" ({'was' if step.done else 'now'} {value(step.old)})"
        return f"set {key} to {value(step.new)} in {file}{before}"
    if step.action == "remove":
        return f"remove {key} from {file}" if key else f"remove {file}"
    if step.action == "rename":
        return _renaming(group, file)
    if step.action == "move":
        aside = f"{file}: {first(files, len(files))}" if len(files) > 1 else file
        return f"move aside {aside}" if step.new is msgspec.UNSET else f"rename {file} to {step.new}"
    if step.action == "truncate":
        return f"cut {file} after its last tensor"
    return f"write {file} from the headers" if file.endswith(".index.json") else f"write {file} in UTF-8"


def _renaming(group: list[MendStep], file: str) -> str:
    names = list(dict.fromkeys((str(step.old), str(step.new)) for step in group))
    old, new = names[0]
    if len(names) > 1:
        return f"rename {count(len(names), 'tensor')} {NUMBER.sub('{n}', old)} to {NUMBER.sub('{n}', new)} in {file}"
    return f"rename tensor{'s' if '*' in old else ''} {old} to {new} in {file}"


def verdicts(mended: Mended) -> list[str]:
    """The verdicts before and after, and how to carry out the plan, one a line."""
    if mended.before is None:
        return []
    if not mended.steps:
        return [f"verdict  {mended.before.verdict}"]
    lines = [f"before  {mended.before.verdict}"]
    if mended.after is not None:
        lines.append(f"after   {mended.after.verdict}")
    if mended.digests:
        tensors = sum(one.bytes for one in mended.digests)
        lines.append(f"tensors {tensors:,} bytes copied, SHA-256 as before")
    if mended.after is None and mended.steps and mended.failure is None:
        lines.append(_how_to_write(mended))
    return lines


def _how_to_write(mended: Mended) -> str:
    """The options that carry out a plan that was only printed."""
    if not mended.left:
        return "add --write to carry this out"
    if mended.asked:
        return "nothing was written, since findings remain: add --partial to carry out these steps"
    return "add --write --partial to carry this out"
