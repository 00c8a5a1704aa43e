"""The line of the report on what loaders do with the checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.report.clean import clean
from inspector.report.screen import Screen

if TYPE_CHECKING:
    from inspector.loading.outcome import Load

WORDS = {
    "complete": "complete",
    "altered": "other numbers than stored",
    "refuses": "refuses",
    "unsupported": "does not support it",
    "unknown": "not known",
}
"""Outcome -> its words, except for tensors that stay random."""


INDENT = " " * 19


def loads_text(loads: Sequence[Load], screen: Screen, *, every: bool = False, reasons: bool = False) -> str:
    """What loaders do, in one line, if any of them fails. every: also if none fails.

    reasons: include the reason of each failure that no finding gives.
    """
    from inspector.loading.outcome import FAILURES, UNSUPPORTED

    line = loads_line(loads, every=every)
    if not line:
        return ""
    known = _known(loads)
    lines = screen.wrapped(line, first="  loads            ", rest=INDENT)
    because: dict[str, list[str]] = {}
    for one in known if reasons else ():
        if one.outcome in FAILURES and one.outcome != UNSUPPORTED and one.because and not one.excuse:
            because.setdefault(one.because, []).append(f"{one.loader} {one.version or ''}".strip())
    for reason, names in because.items():
        lines.extend(screen.wrapped(f"{', '.join(names)}: {clean(reason, 400)}", first=INDENT, rest=f"{INDENT}  "))
    return "\n".join(lines) + "\n"


def loads_line(loads: Sequence[Load], *, every: bool = False) -> str:
    """What loaders do, on a single line; "" if none fails, unless `every` is set."""
    from inspector.loading.outcome import FAILURES

    if not any(one.outcome in FAILURES and not one.excuse for one in loads) and not every:
        return ""
    parts = [f"{one.loader}{f' {one.version}' if one.version else ''}: {_words(one)}" for one in _known(loads)]
    return clean("; ".join(parts), 400)


def _known(loads: Sequence[Load]) -> Sequence[Load]:
    """The loaders with known behaviour, or all if it is unknown for all of them."""
    return [one for one in loads if one.outcome != "unknown"] or loads


def _words(load: Load) -> str:
    if load.outcome != "random":
        return WORDS[load.outcome]
    return f"{load.missing:,} tensor{'' if load.missing == 1 else 's'} random" if load.missing else "tensors random"
