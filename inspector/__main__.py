"""Start of the command.

--version is answered before anything is imported, and a plain audit before the option parser is: the
parser costs more than reading a small checkpoint. Every other word goes to `inspector.cli.options`, whose answers
are the same; a test keeps the two alike.
"""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VALUES: Mapping[str, str] = {
    "--claim": "claim",
    "--config": "config",
    "--weights": "weights",
    "--format": "format",
    "--fail-on": "fail_on",
}
"""Options of `audit` with a value that are understood here -> the argument of the verb."""
CHOICES: Mapping[str, tuple[str, ...]] = {
    "format": ("text", "json", "markdown"),
    "fail_on": ("error", "warning", "note", "never"),
}
VERBOSE = ("--verbose", "-v")


def main() -> None:
    """Runs the command line and exits; whatever goes wrong inside ends in one line."""
    words = sys.argv[1:]
    if words in (["--version"], ["-V"]):
        from inspector import __version__

        print(f"inspector {__version__}")
        return
    gc.disable()  # one command builds what it needs and ends; nothing it makes is worth collecting
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _run(words)
    except BrokenPipeError:
        _leave(0)
    except KeyboardInterrupt:
        _leave(130)
    except Exception as problem:
        if "--debug" in words:
            raise
        from inspector.report.clean import clean

        what = f"{type(problem).__name__}: {problem}"
        sys.stderr.write(
            f"inspector: internal error: {clean(what, 300)}\n"
            "This is a fault of the tool, not of the checkpoint; --debug shows where.\n"
        )
        _leave(3)


def _run(words: Sequence[str]) -> None:
    understood = plain_audit(words)
    if understood is not None:
        from inspector.cli import verbs

        source, options, verbose = understood
        verbs.audit(
            source,
            claim=options.get("claim"),
            config=options.get("config"),
            weights=options.get("weights"),
            format=options.get("format", "text"),
            fail_on=options.get("fail_on", "error"),
            verbose=verbose,
        )
    from inspector.cli.options import run

    run()


def plain_audit(words: Sequence[str]) -> tuple[str, dict[str, str], bool] | None:
    """(source, options, verbose) of an audit without any doubt in its words; None leaves them to the parser."""
    if not words or words[0] != "audit":
        return None
    sources: list[str] = []
    options: dict[str, str] = {}
    verbose = False
    rest = iter(words[1:])
    for word in rest:
        name, equals, value = word.partition("=")
        if name in VALUES:
            value = value if equals else next(rest, "-")
            if value.startswith("-") or VALUES[name] in options:
                return None
            options[VALUES[name]] = value
        elif word in VERBOSE:
            verbose = True
        elif word.startswith("-"):
            return None
        else:
            sources.append(word)
    right = all(options.get(name, allowed[0]) in allowed for name, allowed in CHOICES.items())
    return (sources[0], options, verbose) if right and len(sources) == 1 else None


def _leave(code: int) -> None:
    from inspector.cli.verbs import leave

    leave(code)


if __name__ == "__main__":
    main()
