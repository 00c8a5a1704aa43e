"""The command line: verbs, options, exit codes, and nothing else.

Exit codes: 0 nothing at or above --fail-on, 1 findings at or above it, 2 usage, 3 could not be read.
"""

from __future__ import annotations

import gc
import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from inspector.audit import Audit

USAGE, UNREADABLE = 2, 3


class Format(StrEnum):
    """How the result is told."""

    text = "text"
    json = "json"


class ReportFormat(StrEnum):
    """How an audit is told."""

    text = "text"
    json = "json"
    markdown = "markdown"


class Level(StrEnum):
    """From which severity on the exit code is 1."""

    error = "error"
    warning = "warning"
    note = "note"
    never = "never"


class Expectation(StrEnum):
    """What a comparison is expected to be."""

    conversion = "conversion"


app = typer.Typer(
    name="inspector",
    help="Verify the parameter count of a checkpoint against its real weights, from headers alone.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Source = Annotated[str, typer.Argument(help="A folder, a file, an index, or a place in the Hugging Face cache.")]
Weights = Annotated[str | None, typer.Option("--weights", help="Which set of weights, where there are several.")]
ConfigFile = Annotated[str | None, typer.Option("--config", help="A config.json to use instead of the one there.")]
AsFormat = Annotated[Format, typer.Option("--format", help="text, or JSON on standard output.")]


@app.command(epilog="Example: inspector audit ./Llama-3.2-1B --claim 1.24B")
def audit(
    source: Source,
    claim: Annotated[str | None, typer.Option(help="A total to explain: 8030257152, 8.03B, 6607.34M.")] = None,
    config: ConfigFile = None,
    weights: Weights = None,
    format: Annotated[ReportFormat, typer.Option(help="text, markdown, or JSON.")] = ReportFormat.text,
    fail_on: Annotated[Level, typer.Option(help="Severity from which the exit code is 1.")] = Level.error,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also every family and every note in full.")] = False,
    debug: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Say whether a checkpoint is complete and is what its config says, to the last parameter."""
    from inspector.audit import audit as run_audit
    from inspector.reconciler.claims import read_claim

    stated = None
    if claim is not None:
        stated = read_claim(claim)
        if stated is None:
            _usage(f"--claim: '{claim}' is no number of parameters; write 8030257152, 8.03B or 6607.34M")
    audited = run_audit(source, weights=weights, config=config, claim=stated)
    if format is ReportFormat.json:
        from inspector.report.json_v1 import audit_json, dumped

        _write(dumped(audit_json(audited)))
    elif format is ReportFormat.markdown:
        from inspector.report.markdown import audit_markdown

        _write(audit_markdown(audited))
    else:
        from inspector.report.text import audit_text

        _write(audit_text(audited, verbose=verbose, colour=_colour()))
    _leave(_code(audited, fail_on))


@app.command(epilog="Example: inspector count model.safetensors")
def count(source: Source, config: ConfigFile = None, weights: Weights = None, format: AsFormat = Format.text) -> None:
    """The four counts of a checkpoint, each with what it means."""
    audited = _audited(source, config, weights)
    if format is Format.json:
        from inspector.report.json_v1 import counts_json, dumped

        _write(dumped({"schema": "inspector.count/1", "source": source, "counts": counts_json(audited.counts)}))
    else:
        from inspector.report.listing import count_text

        _write(count_text(audited))
    _leave(UNREADABLE if audited.verdict == "unreadable" else 0)


@app.command(epilog="Example: inspector tensors ./Mixtral-8x7B --all")
def tensors(
    source: Source,
    every: Annotated[bool, typer.Option("--all", help="Every single tensor instead of families.")] = False,
    config: ConfigFile = None,
    weights: Weights = None,
    format: AsFormat = Format.text,
) -> None:
    """The families of a checkpoint with role, shape, dtype and index sets."""
    audited = _audited(source, config, weights)
    if format is Format.json:
        from inspector.report.json_v1 import dumped
        from inspector.report.listing import tensors_json

        _write(dumped(tensors_json(audited, every=every)))
    else:
        from inspector.report.listing import tensors_text

        _write(tensors_text(audited, every=every))
    _leave(UNREADABLE if audited.verdict == "unreadable" else 0)


@app.command(epilog="Example: inspector formula llama; inspector formula ./params.json")
def formula(
    what: Annotated[str, typer.Argument(help="An architecture's name, a config or params.json, or a checkpoint.")],
    head: Annotated[str | None, typer.Option(help="The task class: Model, ForCausalLM, …")] = None,
    config: ConfigFile = None,
    format: AsFormat = Format.text,
) -> None:
    """The card of an architecture as a chart, its formula, and with a config the numbers."""
    from inspector.formula import FormulaError
    from inspector.formula import formula as run_formula

    try:
        shown = run_formula(what, head=head, config=config)
    except FormulaError as problem:
        from inspector.report.clean import clean

        _fail(clean(problem, 400), UNREADABLE if os.path.exists(what) and head is None else USAGE)
    if format is Format.json:
        from inspector.report.json_v1 import dumped, formula_json

        _write(dumped(formula_json(shown)))
    else:
        _write(str(shown))


@app.command(epilog="Example: inspector compare ./Llama-2-7b ./Meta-Llama-3-8B")
def compare(
    source: Annotated[str, typer.Argument(help="The checkpoint before.")],
    target: Annotated[str, typer.Argument(help="The checkpoint after.")],
    expect: Annotated[Expectation | None, typer.Option(help="Make two different models an error.")] = None,
    format: AsFormat = Format.text,
    fail_on: Annotated[Level, typer.Option(help="Severity from which the exit code is 1.")] = Level.error,
) -> None:
    """Two checkpoints role by role, and which symbol makes the difference."""
    from inspector.compare import compare as run_compare

    compared = run_compare(source, target, expect=expect.value if expect else None)
    if format is Format.json:
        from inspector.report.json_v1 import compare_json, dumped

        _write(dumped(compare_json(compared)))
    else:
        from inspector.report.compare_text import compare_text

        _write(compare_text(compared, colour=_colour()))
    if compared.verdict == "unreadable":
        _leave(UNREADABLE)
    _leave(_severe([finding.severity for finding in compared.findings], fail_on))


@app.command(epilog="Example: inspector explain D501")
def explain(
    code: Annotated[str, typer.Argument(help="A finding's code or name; 'all' lists them.")],
    format: AsFormat = Format.text,
) -> None:
    """What a finding means, why it matters, and what to do."""
    from inspector.report.listing import explain_text, rules_json
    from inspector.rules.registry import page

    if format is Format.json:
        from inspector.report.json_v1 import dumped

        _write(dumped(rules_json(code)))
        return
    if code != "all" and page(code) is None:
        _usage(f"there is no finding '{code}'{_near(code)}")
    _write(explain_text(code))


@app.command(epilog="Example: inspector architectures llama")
def architectures(
    name: Annotated[str | None, typer.Argument(help="One model type.")] = None, format: AsFormat = Format.text
) -> None:
    """The architectures that have a card, or what one of them reads."""
    from inspector.report.listing import architecture_text, architectures_json, known_architecture

    if name is not None and not known_architecture(name):
        from inspector.architectures.catalog import modules

        _usage(f"there is no architecture '{name}'{_close(name, list(modules()))}")
    if format is Format.json:
        from inspector.report.json_v1 import dumped

        _write(dumped(architectures_json(name)))
    else:
        _write(architecture_text(name))


def _version(asked: bool) -> None:
    if asked:
        from inspector import __version__

        typer.echo(f"inspector {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Verify the parameter count of a checkpoint against its real weights, from headers alone."""


def run() -> None:
    """Runs the command line; whatever goes wrong inside ends in one line."""
    gc.disable()  # one audit builds what it needs and ends; nothing it makes is worth collecting
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except BrokenPipeError:
        _quit(0)
    except KeyboardInterrupt:
        _quit(130)
    except (typer.Exit, SystemExit):
        raise
    except Exception as problem:
        if "--debug" in sys.argv:
            raise
        from inspector.report.clean import clean

        what = f"{type(problem).__name__}: {problem}"
        sys.stderr.write(
            f"inspector: internal error: {clean(what, 300)}\n"
            "This is a fault of the tool, not of the checkpoint; --debug shows where.\n"
        )
        _quit(UNREADABLE)


def _audited(source: str, config: str | None, weights: str | None) -> Audit:
    from inspector.audit import audit as run_audit

    audited = run_audit(source, weights=weights, config=config)
    if audited.verdict == "unreadable":
        from inspector.report.text import finding_text

        sys.stderr.write("\n".join(finding_text(finding) for finding in audited.findings))
    return audited


def _code(audited: Audit, fail_on: Level) -> int:
    if audited.verdict == "unreadable":
        return UNREADABLE
    return _severe([finding.severity for finding in audited.findings], fail_on)


def _severe(severities: list[str], fail_on: Level) -> int:
    order = ("error", "warning", "note")
    if fail_on is Level.never:
        return 0
    limit = order.index(fail_on.value)
    return int(any(order.index(severity) <= limit for severity in severities))


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _write(text: str) -> None:
    sys.stdout.write(text)


def _near(code: str) -> str:
    from inspector.rules.registry import files

    names = [name for name, _ in files().items()] + [entry[0] for entry in files().values()]
    return _close(code.lower(), names) or _close(code.upper(), names) or " ('inspector explain all' lists them)"


def _close(word: str, words: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, words, 3, 0.6)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _usage(message: str) -> NoReturn:
    from inspector.report.clean import clean

    _fail(clean(message, 400), USAGE)


def _fail(message: str, code: int) -> NoReturn:
    from textwrap import fill

    sys.stderr.write(fill(f"inspector: {message}", 80, subsequent_indent="  ", break_on_hyphens=False) + "\n")
    raise typer.Exit(code)


def _leave(code: int) -> None:
    """Ends at once with a code: nothing that was read needs an orderly teardown."""
    sys.stdout.flush()
    sys.stderr.flush()
    if "pytest" in sys.modules:
        raise typer.Exit(code)
    os._exit(code)


def _quit(code: int) -> NoReturn:
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    os._exit(code)
