"""What each verb does once its words are understood: run, tell, and the exit code. No option parsing here.

Exit codes: 0 nothing at or above --fail-on, 1 findings at or above it, 2 usage, 3 could not be read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.loader.sources.traffic import Progress
    from inspector.reconciler.claims import Stated

USAGE, UNREADABLE = 2, 3


class Where(TypedDict, total=False):
    """What a source's name leaves open: a repository's revision, folder and kind, or the cache alone."""

    revision: str | None
    subfolder: str | None
    repo_type: str | None
    cached: bool


REPORTS = ("text", "json", "markdown")
LEVELS = ("error", "warning", "note", "never")


def audit(
    source: str,
    *,
    claim: str | None = None,
    config: str | None = None,
    weights: str | None = None,
    format: str = "text",
    fail_on: str = "error",
    verbose: bool = False,
    values: bool = False,
    tensor: Sequence[str] = (),
    base: str | None = None,
    with_base: bool = False,
    **where: Unpack[Where],
) -> NoReturn:
    """Audits and tells."""
    if base is not None and with_base:
        usage("--base names a base and --with-base takes the one that the adapter names: give one of them")
    stated = None
    if claim is not None:
        from inspector.reconciler.claims import read_claim

        stated = read_claim(claim)
        if stated is None:
            usage(f"--claim: '{claim}' is no number of parameters; write 8030257152, 8.03B or 6607.34M")
    audited = _run(source, weights, config, stated, base, with_base, **where)
    if values or tensor:
        from inspector.auditing.values import with_values

        audited = _read(with_values, audited, tensor)
    if format == "json":
        from inspector.report.json_v1 import audit_json, dumped

        write(dumped(audit_json(audited)))
    elif format == "markdown":
        from inspector.report.markdown import audit_markdown

        write(audit_markdown(audited))
    else:
        from inspector.report.text import audit_text

        write(audit_text(audited, verbose=verbose, colour=colour()))
    severities = [finding.severity for finding in audited.findings]
    leave(UNREADABLE if audited.verdict == "unreadable" else severe(severities, fail_on))


def count(
    source: str,
    *,
    config: str | None = None,
    weights: str | None = None,
    format: str = "text",
    **where: Unpack[Where],
) -> NoReturn:
    """Counts and tells."""
    audited = _audited(source, config, weights, **where)
    from inspector.report.listing import count_json, count_text

    tell(format, lambda: count_json(audited), lambda: count_text(audited))
    leave(UNREADABLE if audited.verdict == "unreadable" else 0)


def tensors(
    source: str,
    *,
    every: bool = False,
    config: str | None = None,
    weights: str | None = None,
    format: str = "text",
    **where: Unpack[Where],
) -> NoReturn:
    """Lists families or tensors."""
    audited = _audited(source, config, weights, **where)
    from inspector.report.listing import tensors_json, tensors_text

    tell(format, lambda: tensors_json(audited, every=every), lambda: tensors_text(audited, every=every))
    leave(UNREADABLE if audited.verdict == "unreadable" else 0)


def formula(
    what: str,
    *,
    head: str | None = None,
    config: str | None = None,
    format: str = "text",
    **where: Unpack[Where],
) -> NoReturn:
    """Shows a definition."""
    from inspector.formulas import FormulaError
    from inspector.formulas import formula as run_formula

    try:
        shown = run_formula(what, head=head, config=config, **where)
    except FormulaError as problem:
        fail(str(problem), UNREADABLE if os.path.exists(what) and head is None else USAGE)
    from inspector.report.formula_text import formula_text
    from inspector.report.json_v1 import formula_json

    tell(format, lambda: formula_json(shown), lambda: formula_text(shown))
    leave(0)


def compare(
    source: str,
    target: str,
    *,
    expect: str | None = None,
    format: str = "text",
    fail_on: str = "error",
    hashes: bool = False,
    values: bool = False,
    tensor: Sequence[str] = (),
    **where: Unpack[Where],
) -> NoReturn:
    """Compares two checkpoints."""
    from inspector.comparing.checkpoints import compare as run_compare
    from inspector.report.progress import Bar

    bar = Bar(what="reading files" if hashes else "reading headers")
    try:
        compared = run_compare(
            source, target, expect=expect, hashes=hashes, places=_places(source, target, where), progress=bar
        )
    finally:
        bar.end()
    if values or tensor:
        from inspector.comparing.values import compared_with_values

        compared = _read(compared_with_values, compared, tensor)
    from inspector.report.compare_text import compare_text
    from inspector.report.json_v1 import compare_json

    tell(format, lambda: compare_json(compared), lambda: compare_text(compared, colour=colour()))
    severities = [finding.severity for finding in compared.findings]
    leave(UNREADABLE if compared.verdict == "unreadable" else severe(severities, fail_on))


def _places(source: str, target: str, where: Where) -> list[dict[str, Any]]:
    """The options of each side: what names a revision or a folder is for the one side that is no path here."""
    remote = [not os.path.exists(one) for one in (source, target)]
    if all(remote) and (where.get("revision") or where.get("subfolder")):
        usage("--revision and --subfolder are for one side: write org/name@REVISION and hf://org/name@REVISION/FOLDER")
    return [dict(where) if one else {} for one in remote]


NOTATION = "notation"
"""What `explain` prints beside findings: how architecture definitions are written."""


def explain(code: str, *, format: str = "text") -> NoReturn:
    """Shows the page of a finding, or that of the notation of definitions."""
    if code == NOTATION:
        from inspector.notation.page import page
        from inspector.report.listing import notation_json

        tell(format, notation_json, page)
        leave(0)
    from inspector.findings.registry import all_findings, finding_type
    from inspector.report.listing import explain_text, rules_json

    if code != "all" and finding_type(code) is None:
        words = [*all_findings(), *(finding.code for finding in all_findings().values())]
        hint = close(code.lower(), words) or close(code.upper(), words) or " ('inspector explain all' lists them)"
        usage(f"there is no finding '{code}'{hint}")
    tell(format, lambda: rules_json(code), lambda: explain_text(code))
    leave(0)


def architectures(name: str | None, *, format: str = "text") -> NoReturn:
    """Lists the definitions, or what one of them reads."""
    from inspector.architectures.catalog import modules
    from inspector.report.listing import architecture_text, architectures_json

    if name is not None and name not in modules():
        usage(f"there is no architecture '{name}'{close(name, list(modules()))}")
    tell(format, lambda: architectures_json(name), lambda: architecture_text(name))
    leave(0)


def _run(
    source: str,
    weights: str | None,
    config: str | None,
    claim: Stated | None = None,
    base: str | None = None,
    with_base: bool = False,
    **where: Unpack[Where],
) -> Audit:
    """The audit, with a bar on standard error while a network is waited for."""
    from inspector.auditing.start import audit as run_audit

    if os.path.exists(source) and not with_base and (base is None or os.path.exists(base)):
        return run_audit(source, weights=weights, config=config, claim=claim, base=base, **where)
    from inspector.report.progress import Bar

    bar = Bar()
    try:
        return run_audit(
            source, weights=weights, config=config, claim=claim, base=base, with_base=with_base, progress=bar, **where
        )
    finally:
        bar.end()


Reported = TypeVar("Reported")


def _read(
    read: Callable[[Reported, Sequence[str], Progress], Reported], reported: Reported, tensor: Sequence[str]
) -> Reported:
    """Numbers beside headers, with a bar on standard error."""
    from inspector.report.progress import Bar
    from inspector.values.result import NotNamed

    bar = Bar(what="reading values")
    try:
        return read(reported, tensor, bar)
    except NotNamed as problem:
        usage(f"--values: '{problem}' lies elsewhere; name the tensors to fetch with --tensor, or download it")
    finally:
        bar.end()


def _audited(source: str, config: str | None, weights: str | None, **where: Unpack[Where]) -> Audit:
    audited = _run(source, weights, config, **where)
    if audited.verdict == "unreadable":
        from inspector.report.text import finding_text

        sys.stderr.write("\n".join(finding_text(finding) for finding in audited.findings))
    return audited


def severe(severities: Sequence[str], fail_on: str) -> int:
    """1 where something is as severe as `fail_on` or worse."""
    if fail_on == "never":
        return 0
    limit = LEVELS.index(fail_on)
    return int(any(LEVELS.index(severity) <= limit for severity in severities))


def colour() -> bool:
    """Whether standard output is a terminal that wants colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def tell(format: str, as_json: Callable[[], dict[str, Any]], as_text: Callable[[], str]) -> None:
    """Prints a result in one of the two ways that every verb has."""
    if format == "json":
        from inspector.report.json_v1 import dumped

        write(dumped(as_json()))
    else:
        write(as_text())


def write(text: str) -> None:
    """Prints on standard output."""
    sys.stdout.write(text)


def close(word: str, words: list[str]) -> str:
    """'; did you mean …?' where something is spelled nearly so, else nothing."""
    from difflib import get_close_matches

    near = get_close_matches(word, words, 3, 0.6)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def usage(message: str) -> NoReturn:
    """Ends with a message on standard error and code 2."""
    fail(message, USAGE)


def fail(message: str, code: int) -> NoReturn:
    """Ends with a message on standard error."""
    from textwrap import fill

    from inspector.report.clean import clean

    written = fill(f"inspector: {clean(message, 400)}", 80, subsequent_indent="  ", break_on_hyphens=False)
    sys.stderr.write(f"{written}\n")
    leave(code)


def leave(code: int) -> NoReturn:
    """Ends at once: nothing that was read needs an orderly teardown."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.stderr.flush()
    os._exit(code)
