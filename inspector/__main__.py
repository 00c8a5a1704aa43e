"""Entry point of the command; every run ends here.

--version is answered before anything is imported. Unambiguous calls run without the option parser, since importing it
takes longer than auditing a small checkpoint.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, NoReturn


def main() -> None:
    """Runs the command line and exits. Any internal error ends in one line."""
    try:
        signal.signal(signal.SIGTERM, _terminated)
        _leave(_answer(sys.argv[1:]))
    except KeyboardInterrupt:
        _leave(130)
    except Terminated:
        _leave(143)


class Terminated(BaseException):
    """Raised if the system asks the process to end (SIGTERM)."""


def _terminated(number: int, frame: object) -> NoReturn:
    raise Terminated


def _answer(words: list[str]) -> int:
    """Runs the command line and returns the exit code."""
    from inspector.cli import streams

    try:
        if words in (["--version"], ["-V"]):
            from inspector import __version__

            streams.write(f"inspector {__version__}\n")
            return 0
        gc.disable()  # a single command builds what it needs and ends, so nothing needs to be collected
        streams.prepare()
        _import_msgspec()
        return _run(words)
    except BrokenPipeError:
        return 0
    except streams.Unwritable as problem:
        return _refuse(f"standard output: {problem}", 2)
    except Exception as problem:
        if "--debug" in words:
            raise
        from inspector.report.clean import clean

        if isinstance(problem, OSError) and problem.filename is None and problem.errno in streams.NOT_TAKEN:
            return _refuse(f"standard output: {problem.strerror}", 2)
        what = f"{type(problem).__name__}: {problem}"
        streams.complain(
            f"inspector: internal error: {clean(what, 300)}\nThis is a bug in inspector; rerun with --debug.\n"
        )
        return 3


def _import_msgspec() -> None:
    """Imports msgspec without typing_extensions, which it would otherwise import: a ninth of the time
    of a small audit.
    """
    preferred = "typing_extensions"
    if preferred in sys.modules:
        return
    sys.modules[preferred] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[preferred]


def _run(words: Sequence[str]) -> int:
    from inspector.cli import streams
    from inspector.cli.plain import surplus, understood

    if words and words[0] == "help" and not os.path.exists(words[0]):
        words = [*words[1:2], "--help"]
    if words and _is_source(words[0]):
        words = ["audit", *words]
    call = understood(words)
    if call is not None:
        return _carry_out(*call)
    if words and not words[0].startswith("-") and not _is_verb(words[0]):
        from inspector.cli.suggestions import no_verb

        return _refuse(no_verb(words[0]), 2)
    more = surplus(words)
    if more is not None:
        from inspector.cli.suggestions import too_many

        return _refuse(too_many(*more), 2)
    from inspector.cli.app import app_of

    try:
        app_of(_carry_out)(words, prog_name="inspector")
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0
        if {"-h", "--help"}.intersection(words) and status != 2:
            streams.write("")  # the parser does not report that its help cannot be written
            return 0
        return status
    return 0


def _is_verb(word: str) -> bool:
    from inspector.cli.table import VERBS

    return any(word == verb.name for verb in VERBS)


def _is_source(word: str) -> bool:
    """True if the first word is a checkpoint instead of a command: `inspector ./model` is an audit."""
    named = "/" in word or os.sep in word or os.path.exists(word)
    return named and not word.startswith("-") and not _is_verb(word)


def _carry_out(verb: str, values: dict[str, Any]) -> int:
    """Runs a command, prints its output, and returns the exit code."""
    from itertools import chain

    from inspector.budget import Exceeded
    from inspector.cli import streams, terminal, verbs
    from inspector.cli.runs import Failure

    output = values.pop("output", None)
    screen = terminal.screen_of(values.pop("color", None), output)
    values.pop("debug", None)
    try:
        with _access(values.pop("token", None), values.pop("cache_dir", None)):
            outcome = getattr(verbs, verb)(screen=screen, **values)
        code = int(outcome.code)
        if output is None:
            streams.write(chain((outcome.text,), outcome.pieces))
        else:
            _write(chain((outcome.text,), outcome.pieces), output)
    except BrokenPipeError:
        return code
    except Failure as failure:
        return _refuse(failure.message, failure.code)
    except Exceeded as exceeded:
        return _refuse(f"the input is too large: {exceeded}", 3)
    streams.complain(outcome.errors)
    return code


def _access(token: str | None, cache_dir: str | None) -> AbstractContextManager[None]:
    """Context manager that applies the given token and cache folder."""
    from contextlib import nullcontext

    if token is None and cache_dir is None:
        return nullcontext()
    from inspector.loader.sources.access import access

    return access(token, cache_dir)


def _refuse(message: str, code: int) -> int:
    from textwrap import fill

    from inspector.cli.streams import complain
    from inspector.report.clean import clean

    words = f"inspector: {clean(message, 400)}"
    complain(fill(words, 80, subsequent_indent="  ", break_on_hyphens=False) + "\n")
    return code


def _write(pieces: Iterable[str], path: str) -> None:
    from inspector.cli.runs import Failure

    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(pieces)
    except OSError as problem:
        raise Failure(f"--output: {problem.strerror or problem}: '{path}'") from None


def _leave(code: int) -> NoReturn:
    """Ends the process at once: nothing that was read needs an orderly teardown."""
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        # the reader of the pipe has closed it, or the stream is closed
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
