"""Standard output and standard error on every platform: encodings without our symbols, readers that went away."""

from __future__ import annotations

import codecs
import errno
import sys
from typing import Final

IN_ASCII: Final = {
    "·": "|", "…": "...", "→": "->", "×": "x", "²": "^2", "Σ": "sum",
    **dict.fromkeys("▏▎▍", "-"), **dict.fromkeys("▌▋▊▉", "="), "█": "#",
}  # fmt: skip
"""Symbols of the reports -> their replacements where the encoding of a stream lacks them."""


def prepare() -> None:
    """Makes both streams take any text: symbols in ASCII, other characters as escapes, where the encoding lacks them.

    On Windows that is the code page of what output is redirected to; a console takes all characters.
    """
    codecs.register_error("inspector", _without)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="inspector")


def _without(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    lacking = problem.object[problem.start : problem.end]
    escaped = (IN_ASCII.get(char) or char.encode("ascii", "backslashreplace").decode() for char in lacking)
    return "".join(escaped), problem.end


def write(text: str) -> None:
    """Writes to standard output. BrokenPipeError where its reader went away, for which Windows says EINVAL."""
    try:
        sys.stdout.write(text)
    except OSError as problem:
        if problem.errno == errno.EINVAL:
            raise BrokenPipeError from None
        raise
