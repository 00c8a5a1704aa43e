"""The result of mending as text and as the object of schema `inspector.mend/1`."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import as_json
from inspector.findings.words import count, value
from inspector.mending.mend import Mended
from inspector.mending.plan import MendStep
from inspector.report.clean import clean
from inspector.report.screen import PLAIN, Screen

STEPS_SHOWN = 40


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


def mend_text(mended: Mended, screen: Screen = PLAIN) -> str:
    """The plan or what was done, what remains, and the verdicts before and after."""
    written = any(step.done for step in mended.steps)
    lines = screen.wrapped(clean(f"{mended.source}: {_headline(mended, written)}"), rest="  ")
    if mended.steps:
        lines.append("")
    for step in mended.steps[:STEPS_SHOWN]:
        lines += screen.wrapped(clean(_words(step)), first=f"  {_mark(step, written)}", rest="        ")
        if step.error is not None:
            lines += screen.wrapped(clean(step.error), first="        ", rest="        ")
    if len(mended.steps) > STEPS_SHOWN:
        lines.append(f"  and {len(mended.steps) - STEPS_SHOWN:,} more steps (-f json lists all)")
    if mended.left:
        lines += ["", "remains:"]
    for one in mended.left:
        lines += screen.wrapped(clean(one.because), first=f"  {one.finding}  ", rest="        ")
    if mended.failure is not None:
        lines += ["", *screen.wrapped(clean(f"failed: {mended.failure}"), rest="  ")]
    lines += ["", *_verdicts(mended)]
    return "".join(f"{line}\n" for line in lines)


def _headline(mended: Mended, written: bool) -> str:
    if mended.before is None:
        return f"{count(len(mended.steps), 'change')} taken back" if mended.steps else "nothing to take back"
    if not mended.steps:
        return "nothing that mend can change" if mended.left else "nothing to mend"
    if written:
        done = sum(step.done for step in mended.steps)
        return f"{done:,} of {count(len(mended.steps), 'step')} done"
    return f"{count(len(mended.steps), 'step')}; nothing was written"


def _mark(step: MendStep, written: bool) -> str:
    if not written:
        return ""
    return "done  " if step.done else "not   "


def _words(step: MendStep) -> str:
    code = f"  [{step.finding}]" if step.finding else ""
    kept = f", the old file is {step.backup}" if step.backup else ""
    return f"{_change(step)}{kept}{code}"


def _change(step: MendStep) -> str:
    key, file = ".".join(step.key), step.file
    if step.action == "set":
        before = "" if step.old is msgspec.UNSET else f" (now {value(step.old)})"
        return f"set {key} to {value(step.new)} in {file}{before}"
    if step.action == "remove":
        return f"remove {key} from {file}" if key else f"remove {file}"
    if step.action == "rename":
        return f"rename tensors {step.old} to {step.new} in {file}"
    if step.action == "move":
        return f"move {file} aside" if step.new is msgspec.UNSET else f"rename {file} to {step.new}"
    if step.action == "truncate":
        return f"cut {file} after its last tensor"
    return f"write {file} from the headers"


def _verdicts(mended: Mended) -> list[str]:
    if mended.before is None:
        return []
    lines = [f"before  {mended.before.verdict}"]
    if mended.after is not None:
        lines.append(f"after   {mended.after.verdict}")
    if mended.digests:
        tensors = sum(one.bytes for one in mended.digests)
        lines.append(f"tensors {tensors:,} bytes copied, SHA-256 as before")
    if mended.after is None and mended.steps and mended.failure is None:
        lines.append("add --write to carry this out" if not mended.left else "add --write --partial to carry this out")
    return lines
