"""The result of mending as Markdown."""

from __future__ import annotations

from inspector.mending.mend import Mended
from inspector.report.markdown import code, escaped
from inspector.report.mend_text import STEPS_SHOWN, alike, headline, verdicts, words_of


def mend_markdown(mended: Mended) -> str:
    """The plan or the completed steps as lists, the remaining findings, and the verdicts before and after."""
    written = any(step.done for step in mended.steps)
    lines = [f"# {code(mended.source)}: {escaped(headline(mended, written))}", ""]
    groups = alike(mended.steps)
    for group in groups[:STEPS_SHOWN]:
        error = f": {escaped(group[0].error)}" if group[0].error is not None else ""
        state = "" if not written else "done: " if group[0].done else "not done: "
        lines.append(f"- {state}{code(words_of(group))}{error}")
    if len(groups) > STEPS_SHOWN:
        lines.append(f"- and {len(groups) - STEPS_SHOWN:,} more steps")
    lines += [""] if groups else []
    if mended.left:
        lines += ["## Remains", ""]
        for one in mended.left:
            lines += [f"- {one.finding}: {code(one.title)}", f"  - help: {escaped(one.because)}"]
        lines.append("")
    if mended.failure is not None:
        lines += [f"Failed: {escaped(mended.failure)}", ""]
    lines += [f"{escaped(' '.join(line.split()))}  " for line in verdicts(mended)]
    return "\n".join(lines).rstrip() + "\n"
