"""Standard output and standard error on every platform: encodings that lack symbols, and readers that
closed the pipe.
"""

from __future__ import annotations

import codecs
import errno
import sys
from itertools import islice

TYPE_CHECKING = False  # typing itself takes longer to import than --version to answer
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

IN_ASCII: Final = {
    "·": "|", "…": "...", "→": "->", "×": "x", "²": "^2", "Σ": "sum",
    **dict.fromkeys("▏▎▍", "-"), **dict.fromkeys("▌▋▊▉", "="), "█": "#",
}  # fmt: skip
"""Symbols of the reports -> their replacements if the encoding of a stream lacks them."""


def prepare() -> None:
    """Makes both streams accept any text: symbols that the encoding lacks become ASCII, other characters escapes.

    On Windows the encoding is the code page if output is redirected; a console accepts all characters.
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


NOT_TAKEN: Final = (errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG)
"""Errors of a stream that accepts no more output."""


PIECES: Final = 512
"""Number of pieces of a text that are written at once: a write takes longer than a line of a listing."""


class Unwritable(Exception):
    """Raised if standard output accepts no more: it is closed, or the disk is full. The message is the reason."""


def write(text: str | Iterable[str]) -> None:
    """Writes to standard output, whole or piece by piece, and waits until it has been taken.

    Raises
    ------
    BrokenPipeError
        If its reader went away, for which Windows says EINVAL.
    Unwritable
        If it takes no more.
    """
    if sys.stdout is None:
        raise Unwritable("it is closed")
    try:
        pieces = iter((text,) if isinstance(text, str) else text)
        while together := "".join(islice(pieces, PIECES)):
            sys.stdout.write(together)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as problem:
        if problem.errno == errno.EINVAL:
            raise BrokenPipeError from None
        raise Unwritable(problem.strerror or str(problem)) from None
    except ValueError:  # the file object is closed
        raise Unwritable("it is closed") from None


def complain(text: str) -> None:
    """Writes to standard error, if possible."""
    if sys.stderr is not None:
        from contextlib import suppress

        with suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()
