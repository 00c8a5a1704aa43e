"""The commands: each runs, reports, and returns an exit code.

Exit codes: 0 nothing at or above --fail-on, 1 findings at or above it or a wrong --claim, 2 usage, 3 could not be read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from inspector.cli.runs import USAGE, Failure, check_loader, for_loader, read, run, run_for, severe
from inspector.report.screen import PLAIN, Screen

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.loader.sources.address import Where

UNREADABLE = 3


class Outcome(NamedTuple):
    """The output of a command on standard output and on standard error, and its exit code.

    pieces: text that follows, created while it is written.
    """

    text: str
    code: int = 0
    errors: str = ""
    pieces: Iterable[str] = ()


def audit(
    source: str,
    *,
    claim: str | None = None,
    config: str | None = None,
    weights: str | None = None,
    format: str = "text",
    fail_on: str = "error",
    loader: str | None = None,
    require: str | None = None,
    quiet: bool = False,
    verbose: bool = False,
    values: bool = False,
    tensor: Sequence[str] = (),
    sample: bool = False,
    reference: bool = False,
    base: Sequence[str] = (),
    with_base: bool = False,
    screen: Screen = PLAIN,
    **where: Unpack[Where],
) -> Outcome:
    """Audits and reports."""
    if base and with_base:
        raise Failure("--base and --with-base exclude each other")
    stated = None
    if claim is not None:
        from inspector.reconciler.stated_total import read_claim

        stated = read_claim(claim)
        if stated is None:
            raise Failure(f"--claim: '{claim}' is not a parameter count; write 8030257152, 8.03B or 6607.34M")
    check_loader(loader)
    audited = run(source, weights, config, stated, base, with_base, **where)
    if base:
        _require_adapter(audited)
    audited = run_for(loader, audited, lambda own: run(source, own, config, stated, base, with_base, **where))
    audited = for_loader(_with_data(audited, reference, values, tensor, sample), loader)
    severities = [finding.severity for finding in audited.findings]
    failed = severe(severities, fail_on) or int(require is not None and audited.verdict != require)
    refuted = fail_on != "never" and any(one.source == "claim" and not one.agrees for one in audited.claims)
    code = UNREADABLE if audited.verdict == "unreadable" else failed or int(refuted)
    apart = config or weights or where.get("subfolder") or not os.path.exists(source)
    if format == "text" and not quiet:
        from shlex import quote

        from inspector.report.text import audit_text

        options = [f"--base {quote(one)}" for one in base] + ([f"--for {loader}"] if loader is not None else [])
        mend = "" if apart else " ".join(("inspector mend", quote(source), *options))
        report = audit_text(audited, verbose=verbose, screen=screen, mend=mend, every_load=loader is not None)
        if audited.verdict == "unreadable" and not apart:
            report += _each_folder(audited, source)
    else:
        report = _audit_report(audited, format, quiet)
    return Outcome(report, code)


def _each_folder(audited: Audit, source: str) -> str:
    """Commands that audit the models in the folders of a folder, one a line."""
    from shlex import quote

    from inspector.findings.reading.no_weights import NoWeights

    found = next((one for one in audited.findings if isinstance(one, NoWeights)), None)
    if found is None or found.components or len(found.weights_in) < 2:
        return ""
    commands = (f"  inspector audit {quote(os.path.join(source, name))}\n" for name in found.weights_in)
    return "\n" + "".join(commands)


def _require_adapter(audited: Audit) -> None:
    """Refuses a base that does not exist, and one for a checkpoint that neither is nor holds an adapter."""
    from inspector.auditing.start import NO_ADAPTER
    from inspector.findings.adapters.image_prompt import AdapterInTraining
    from inspector.findings.adapters.saved import AdapterNotMerged
    from inspector.findings.adapters.whole import AdapterBaseUnread

    holds_one = any(isinstance(one, AdapterInTraining | AdapterNotMerged) for one in audited.findings)
    if NO_ADAPTER in audited.skipped and audited.checkpoint.adapter is None and not holds_one:
        raise Failure(f"--base: '{audited.source}' is not an adapter; compare two models with `inspector compare`")
    unread = [one for one in audited.findings if isinstance(one, AdapterBaseUnread)]
    absent = next((one for one in unread if one.because.startswith("not-found:")), None)
    if absent is not None:
        raise Failure(f"--base: '{absent.source}' does not exist")


def _with_data(audited: Audit, reference: bool, values: bool, tensor: Sequence[str], sample: bool) -> Audit:
    """The audit with the requested reading of tensor data."""
    if reference or values or tensor or audited.is_damaged:
        from inspector.auditing.files.reference import with_reference

        every = reference or values or bool(tensor)
        audited = with_reference(audited, every=every, requested=reference)
    if values or tensor:
        from inspector.auditing.values import with_values

        audited = read(with_values, audited, tensor)
    elif sample:
        from inspector.auditing.samples import with_samples

        audited = with_samples(audited)
    return audited


def _audit_report(audited: Audit, format: str, quiet: bool) -> str:
    """The report in a format other than the complete text."""
    if format == "json":
        from inspector.report.json_v1 import audit_json, dumped

        return dumped(audit_json(audited))
    if quiet:
        from inspector.report.text import quiet_line

        return f"{quiet_line(audited)}\n"
    from inspector.report.markdown import audit_markdown

    return audit_markdown(audited)


def count(
    source: str,
    *,
    config: str | None = None,
    weights: str | None = None,
    format: str = "text",
    screen: Screen = PLAIN,
    **where: Unpack[Where],
) -> Outcome:
    """Counts and reports."""
    from inspector.report.listing import count_json, count_markdown, count_text

    audited = run(source, weights, config, **where)
    text = (
        ""
        if format == "text" and audited.verdict == "unreadable"
        else _report(format, lambda: count_json(audited), lambda: count_text(audited), lambda: count_markdown(audited))
    )
    listed = _listed(audited, text, screen)
    return listed._replace(errors=listed.errors or _not_whole(audited, screen))


def _not_whole(audited: Audit, screen: Screen) -> str:
    """The remark on the counts of a checkpoint with errors: they may be incomplete."""
    errors = sum(one.severity == "error" for one in audited.findings)
    if not errors:
        return ""
    from inspector.findings.words import count as counted

    held = "the headers declare" if audited.incomplete.tensors else "is stored and readable"
    found = f"`inspector audit` finds {counted(errors, 'error')}: these are the counts of what {held}"
    return "\n".join(screen.wrapped(found, first="inspector: ", rest="  ")) + "\n"


def tensors(
    source: str,
    *,
    every: bool = False,
    config: str | None = None,
    weights: str | None = None,
    format: str = "text",
    screen: Screen = PLAIN,
    **where: Unpack[Where],
) -> Outcome:
    """Lists families or tensors."""
    from inspector.report.listing import every_tensor_json, every_tensor_text, tensors_json, tensors_text

    audited = run(source, weights, config, **where)
    if every:
        pieces = every_tensor_json(audited) if format == "json" else every_tensor_text(audited)
        return _listed(audited, "", screen)._replace(pieces=pieces)
    text = _report(format, lambda: tensors_json(audited), lambda: tensors_text(audited, screen))
    return _listed(audited, text, screen)


def formula(
    what: str,
    *,
    head: str | None = None,
    config: str | None = None,
    format: str = "text",
    screen: Screen = PLAIN,
    **where: Unpack[Where],
) -> Outcome:
    """Shows a definition."""
    from inspector.formulas import FormulaError
    from inspector.formulas import formula as run_formula

    try:
        shown = run_formula(what, head=head, config=config, **where)
    except FormulaError as problem:
        if problem.findings:
            from inspector.report.text import finding_text

            return Outcome("", UNREADABLE, "\n".join(finding_text(one, screen) for one in problem.findings))
        raise Failure(str(problem), UNREADABLE if os.path.exists(what) and head is None else USAGE) from None
    from inspector.report.formula_text import formula_text
    from inspector.report.json_v1 import formula_json

    return Outcome(_report(format, lambda: formula_json(shown), lambda: formula_text(shown, screen)))


def compare(
    source: str,
    target: str,
    projector: str | None = None,
    *,
    expect: str | None = None,
    format: str = "text",
    fail_on: str = "error",
    quiet: bool = False,
    hashes: bool = False,
    values: bool = False,
    tensor: Sequence[str] = (),
    screen: Screen = PLAIN,
    **where: Unpack[Where],
) -> Outcome:
    """Compares two checkpoints."""
    from inspector.comparing.checkpoints import compare as run_compare
    from inspector.report.progress import Bar

    sides = (source, target, projector)
    places = _places(sides, where)
    if hashes and not any(places):
        raise Failure("--hashes needs a Hub repository on one side")
    with Bar(what="reading files" if hashes else "reading headers") as bar:
        compared = run_compare(*sides, expect=expect, hashes=hashes, places=places, progress=bar)
    if values or tensor:
        from inspector.comparing.values import compared_with_values

        compared = read(compared_with_values, compared, tensor)
    from inspector.report.compare_text import compare_text, verdict_line
    from inspector.report.json_v1 import compare_json

    def text() -> str:
        return f"{verdict_line(compared)}\n" if quiet else compare_text(compared, screen=screen)

    def markdown() -> str:
        from inspector.report.compare_markdown import compare_markdown

        return text() if quiet else compare_markdown(compared)

    severities = [finding.severity for finding in compared.findings]
    code = UNREADABLE if compared.verdict == "unreadable" else severe(severities, fail_on)
    return Outcome(_report(format, lambda: compare_json(compared), text, markdown), code)


def _places(sides: Sequence[str | None], where: Where) -> list[dict[str, Any]]:
    """The location options of each side: revision and subfolder apply to the side that is not a local path."""
    remote = [one is not None and not os.path.exists(one) for one in sides]
    if remote[0] and any(remote[1:]) and (where.get("revision") or where.get("subfolder")):
        raise Failure(
            "--revision and --subfolder apply to one side: write org/name@REVISION and hf://org/name@REVISION/FOLDER"
        )
    named = [f"--{name}" for name in ("revision", "subfolder") if where.get(name)]
    if named and not any(remote):
        raise Failure(f"{' and '.join(named)} {'need' if named[1:] else 'needs'} a Hub repository on one side")
    return [dict(where) if one else {} for one in remote]


def mend(
    source: str,
    *,
    write: bool = False,
    partial: bool = False,
    into: str | None = None,
    undo: bool = False,
    loader: str | None = None,
    base: Sequence[str] = (),
    format: str = "text",
    screen: Screen = PLAIN,
    **where: Unpack[Where],
) -> Outcome:
    """Prints the plan of all remedies, carries it out, or reverts it."""
    from inspector.mending.mend import mend as run_mend
    from inspector.mending.mend import undone
    from inspector.report.mend_markdown import mend_markdown
    from inspector.report.mend_text import mend_json, mend_text

    check_loader(loader)
    if (undo and (write or into)) or (write and into):
        raise Failure("--write, --into and --undo exclude each other")
    if undo:
        mended = undone(source)
    else:
        audited = for_loader(run(source, None, None, base=base, **where), loader)
        if base:
            _require_adapter(audited)

        def again(path: str) -> Audit:
            return for_loader(run(path, None, None, base=base), loader)

        mended = run_mend(source, audited, again, write=write, partly=partial, into=into)
    text = _report(format, lambda: mend_json(mended), lambda: mend_text(mended, screen), lambda: mend_markdown(mended))
    repaired = mended.after is not None and mended.after.verdict != "unreadable"
    if mended.before is not None and mended.before.verdict == "unreadable" and not repaired:
        if format == "text" and not mended.steps:
            text = ""  # the findings contain all of it
        return _listed(mended.before, text, screen)._replace(code=mended.code)
    return Outcome(text, mended.code)


def explain(code: str, *, format: str = "text", screen: Screen = PLAIN) -> Outcome:
    """Shows the page of a finding or of a topic."""
    from inspector.cli.topics import TOPICS, topic_json, topic_text

    if code in TOPICS:
        return Outcome(_report(format, lambda: topic_json(code), lambda: topic_text(code)))
    from inspector.findings.registry import finding_type
    from inspector.report.listing import explain_text, rules_json

    if code != "all" and finding_type(code) is None:
        from inspector.cli.suggestions import no_page

        raise Failure(no_page(code))
    return Outcome(_report(format, lambda: rules_json(code), lambda: explain_text(code, screen)))


def schema(name: str | None = None, *, screen: Screen = PLAIN) -> Outcome:
    """Lists the JSON documents, or prints the schema of one of them, which is not wrapped."""
    from inspector.report.schemas import schema_names, schema_text

    names = schema_names()
    if name is None:
        return Outcome("".join(f"{command}\n" for command in names))
    if name not in names:
        from inspector.cli.suggestions import close

        raise Failure(f"unknown document '{name}'{close(name, names) or '; use ' + ', '.join(names)}")
    return Outcome(schema_text(name))


def architectures(name: str | None = None, *, format: str = "text", screen: Screen = PLAIN) -> Outcome:
    """Lists the definitions, or what one of them reads."""
    from inspector.report.listing import architecture_text, architectures_json

    if name is not None:
        from inspector.findings.words import either
        from inspector.matcher.named import similar_types, type_named

        known = type_named(name)
        if known is None:
            near = similar_types(name)
            raise Failure(f"unknown architecture '{name}'" + (f"; did you mean {either(near)}?" if near else ""))
        name = known
    return Outcome(_report(format, lambda: architectures_json(name), lambda: architecture_text(name, screen)))


def _listed(audited: Audit, text: str, screen: Screen) -> Outcome:
    """A list of what was read; the findings if nothing could be read."""
    if audited.verdict != "unreadable":
        return Outcome(text)
    from inspector.report.text import finding_text

    return Outcome(text, UNREADABLE, "\n".join(finding_text(finding, screen) for finding in audited.findings))


def _report(
    format: str,
    as_json: Callable[[], Mapping[str, object]],
    as_text: Callable[[], str],
    as_markdown: Callable[[], str] | None = None,
) -> str:
    if format == "json":
        from inspector.report.json_v1 import dumped

        return dumped(as_json())
    return as_markdown() if format == "markdown" and as_markdown is not None else as_text()
