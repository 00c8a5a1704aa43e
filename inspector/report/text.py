"""The text report: the verdict, the counts and the findings, then the details of the counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from inspector.findings.finding import Finding
from inspector.findings.words import amount, count, shape
from inspector.notation.roles import label
from inspector.report.answers_text import answers_text
from inspector.report.clean import clean
from inspector.report.counts_text import counts_text, head_is_tied
from inspector.report.role_text import role_text
from inspector.report.screen import PLAIN, Screen
from inspector.report.values_text import values_text

if TYPE_CHECKING:
    from inspector.auditing.result import Audit, Skipped
    from inspector.reconciler.claims import TotalClaim
    from inspector.reconciler.ledger import Line


def audit_text(
    audited: Audit, *, verbose: bool = False, screen: Screen = PLAIN, mend: str = "", every_load: bool = False
) -> str:
    """The whole report of an audit, ending in a line break.

    mend: the command that prints the steps of the remedies; "" if the report shall not name it. every_load: report what
    loaders do even if none fails, as `verbose` does.
    """
    blocks = [_title(audited, screen), _verdict(audited, screen)]
    if audited.checkpoint.readable:
        blocks.append(counts_text(audited, screen) + _loads(audited, screen, every=verbose or every_load))
    blocks.append(_claims(audited, screen) + _reference(audited))
    shown = [one for one in audited.findings if verbose or one.severity != "note"]
    blocks.extend(finding_text(one, screen) for one in shown[:FINDINGS_SHOWN])
    if len(shown) > FINDINGS_SHOWN:
        blocks.append(f"and {len(shown) - FINDINGS_SHOWN:,} more findings\n")
    if mend and shown:
        from inspector.report.mend_text import mend_line

        blocks.append(mend_line(audited, mend, screen))
    if audited.checkpoint.readable:
        blocks.append(
            _components(audited)
            if audited.components
            else role_text(audited, screen, head_is_tied=head_is_tied(audited))
        )
        blocks.append(answers_text(audited.answers, screen, verbose=verbose))
        blocks.append(_packing(audited, screen))
        if audited.base is not None:
            from inspector.report.base_text import base_text

            blocks.append(base_text(audited, screen))
        blocks.append(_download(audited, screen))
    if audited.values is not None:
        blocks.append(values_text(audited.values))
    if not verbose:
        advised = audited.verdict != "undecided" or any(one.help for one in shown)
        notes = [one for one in audited.findings if one.severity == "note"]
        blocks.append(_notes(notes, screen, helping=not advised))
    else:
        blocks.append(_families(audited, screen))
    return "\n".join(block for block in blocks if block)


FINDINGS_SHOWN = 200
"""Most findings in a report; the JSON has more."""


def _loads(audited: Audit, screen: Screen, *, every: bool) -> str:
    if not audited.loads:
        return ""
    from inspector.report.loads_text import loads_text

    said = any(one.severity != "note" or one.of_loader for one in audited.findings)
    return loads_text(audited.loads, screen, every=every, reasons=not said)


MOST_APART = 100
"""Most columns between the two ends of a title."""


def _title(audited: Audit, screen: Screen) -> str:
    left = clean(audited.title, 60)
    architecture = audited.architecture
    right = ""
    if architecture is not None:
        likely = "" if architecture.confidence == "certain" else " (likely)"
        right = clean(architecture.name, 40) + likely
        if audited.class_name and audited.class_name != architecture.name:
            right += f" · {clean(audited.class_name, 48)}"
    gap = min(screen.width, MOST_APART) - len(left) - len(right)
    if gap >= 2 or not right:
        lines = [f"{screen.paint(left, 'bold')}{' ' * max(gap, 0)}{right}".rstrip()]
    else:
        lines = [screen.paint(left, "bold"), *(line.rjust(screen.width) for line in screen.wrapped(right))]
    lines.extend(_whence(audited, screen))
    if audited.checkpoint.readable:
        lines.extend(screen.wrapped(_inventory(audited)))
    return "\n".join(lines) + "\n"


def _whence(audited: Audit, screen: Screen) -> Iterator[str]:
    """What was read from where, and the traffic; empty for a plain path."""
    read = audited.checkpoint
    if read.commit is not None:
        where = f"{clean(read.address, 60)} at {read.commit[:12]}" + (", from the local cache" if read.cached else "")
        yield from screen.wrapped(where + (f" · {read.traffic}" if read.traffic is not None else ""))
    elif read.traffic is not None:
        yield str(read.traffic)


def _download(audited: Audit, screen: Screen) -> str:
    """What a download fetches, and which files are not needed."""
    brings = audited.checkpoint.download
    if brings is None:
        return ""
    lines = [f"  download   {amount(brings.needed)} needed of {amount(brings.total)} in the repository"]
    for copy in brings.copies[:4]:
        noun = "file" if copy.files == 1 else "files"
        lines.append(
            f"             {amount(copy.bytes)} in {copy.files:,} {noun} of {copy.kind}: {clean(copy.example, 30)}"
        )
    command = clean(brings.command, 400)
    lines.extend(screen.wrapped(command, first="  ", rest="      "))
    return "\n".join(lines) + "\n"


def _inventory(audited: Audit) -> str:
    counts = audited.counts
    dtypes: dict[str, int] = {}
    for line in audited.lines:
        dtypes[line.layout.dtype] = dtypes.get(line.layout.dtype, 0) + line.elements
    order = sorted(dtypes, key=lambda dtype: -dtypes[dtype])
    families = sum(line.families for line in {line.family: line for line in audited.lines}.values())
    stated = (
        count(len(audited.checkpoint.files), "file"),
        count(counts.tensors, "tensor"),
        f"{families:,} {'family' if families == 1 else 'families'}",
        ", ".join(order[:3]) + (f" and {len(order) - 3} more" if len(order) > 3 else ""),
        f"{counts.stored_bytes:,} bytes {'declared' if audited.incomplete.tensors else 'of weights'}",
    )
    return " · ".join(filter(None, stated))


def omitted_text(line: Line) -> str:
    """The line for families that are not listed."""
    return f"and {line.families:,} more families: {line.tensors:,} tensors, {line.elements:,} elements"


def _packing(audited: Audit, screen: Screen) -> str:
    """Bits per weight by role, if any weight is quantized."""
    if not audited.counts.packed_elements:
        return ""
    from inspector.report.packing_text import packing_text

    return packing_text(audited, screen)


COMPONENTS_SHOWN = 40
"""Most components of a pipeline that get a line; the JSON has all."""


def _components(audited: Audit) -> str:
    """The parts of a pipeline, a line each."""
    rows = [
        (
            name,
            clean(part.architecture.name if part.architecture else part.class_name or "unknown", 32),
            f"{part.counts.unique_parameters:,}",
            part.verdict,
        )
        for name, part in islice(audited.components.items(), COMPONENTS_SHOWN)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [f"  {a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}  {d}" for a, b, c, d in rows]
    if len(audited.components) > COMPONENTS_SHOWN:
        lines.append(f"  and {len(audited.components) - COMPONENTS_SHOWN:,} more components")
    return "\n".join(lines) + "\n"


def _roles(audited: Audit, screen: Screen) -> str:
    return role_text(audited, screen, head_is_tied=head_is_tied(audited))


def _claims(audited: Audit, screen: Screen) -> str:
    lines: list[str] = []
    for claim in audited.claims:
        if claim.source == "claim":
            lines.append(claim_text(claim))
            if not claim.agrees:
                lines.extend(screen.wrapped(claim.because, first="  = ", rest="    "))
        else:
            state = "agrees" if claim.agrees else "disagrees"
            if claim.agrees and audited.incomplete.tensors:
                state += " with the headers"
            lines.append(f"{claim.source} {clean(f'{claim.claimed:,}')}: {state} ({clean(claim.because)})")
    wrapped = [part for line in lines for part in screen.wrapped(line, rest="    ")]
    return "\n".join(wrapped) + "\n" if wrapped else ""


def claim_text(claim: TotalClaim) -> str:
    """The result for a claimed total, in one line."""
    stated = clean(claim.stated) or f"{claim.claimed:,}"
    if not claim.agrees:
        return f"claim {stated}: differs from the {claim.true:,} parameters"
    if claim.matched is not None and claim.matched != claim.claimed:
        return f"claim {stated}: agrees after rounding with {claim.because} ({claim.matched:,})"
    return f"claim {stated}: agrees with {claim.because}"


def quiet_line(audited: Audit) -> str:
    """The verdict, and the result for a claimed total, in one line."""
    claims = (
        claim_text(claim) + ("" if claim.agrees else f" ({clean(claim.because)})")
        for claim in audited.claims
        if claim.source == "claim"
    )
    return "; ".join((verdict_line(audited), *claims))


def _reference(audited: Audit) -> str:
    """The answers of the reference reader, if it opened every file."""
    asked = audited.reference
    if asked is None or not asked.every:
        return ""
    opened = sum(file.opens for file in asked.files)
    return f"{asked.reader} opens {opened:,} of {count(len(asked.files), 'file')}\n"


def finding_text(finding: Finding, screen: Screen = PLAIN) -> str:
    """One finding with its lines."""
    likely = " (likely)" if finding.confidence == "likely" else ""
    mark = f"{finding.severity}[{finding.code}]"
    first, *rest = screen.wrapped(f"{mark} {finding.name}: {clean(finding.title)}{likely}", rest="  ")
    lines = [first.replace(mark, screen.paint(mark, finding.severity), 1), *rest]
    lines.extend(_rows([*finding.lines, *([("help", finding.help)] if finding.help else [])], screen))
    return "\n".join(lines) + "\n"


def _rows(rows: Sequence[tuple[str, str]], screen: Screen, most: int | None = None, least: int = 0) -> Iterator[str]:
    """Named rows. most: lines of each. least: width of the names where longer ones are above."""
    width = max(least, *(len(name) for name, _ in rows), 0)
    for name, text in rows:
        lead = f"  {clean(name):<{width}}  "
        first, *rest = screen.wrapped(clean(text, 600), columns=screen.width - len(lead), most=most)
        if any(len(lead) + len(line) > screen.width for line in (first, *rest)):  # a name, which is not broken
            yield f"  {screen.paint(clean(name), 'quiet')}"
            yield from screen.wrapped(clean(text, 600), first="    ", rest="    ")
            continue
        yield f"  {screen.paint(f'{clean(name):<{width}}', 'quiet')}  {first}".rstrip()
        yield from (" " * len(lead) + more for more in rest)


def severities_text(findings: Sequence[Finding], *, zeros: bool = True) -> str:
    """The number of findings of each severity. zeros: include severities without findings."""
    severities = [finding.severity for finding in findings]
    counted = {kind: severities.count(kind) for kind in ("error", "warning", "note")}
    return ", ".join(count(number, kind) for kind, number in counted.items() if number or zeros)


def verdict_line(audited: Audit) -> str:
    """The verdict, the explained tensors and the number of findings, in one line."""
    if audited.verdict == "unreadable":
        return "unreadable: no header of the weights could be read"
    counts = audited.counts
    explained = counts.tensors - sum(line.tensors for line in audited.lines if line.kind == "unexplained")
    reported = severities_text(audited.findings)
    checked = (
        f"{explained:,} of {counts.tensors:,} tensors explained"
        if audited.architecture is not None or audited.components or counts.expected_parameters is not None
        else f"{count(counts.tensors, 'tensor')} counted, no formula for them"
    )
    if any(finding.severity != "note" for finding in audited.findings) and _differs(audited):
        reported += "; together they account for every difference"
    lost = audited.incomplete.tensors
    if lost:
        checked += f", {lost:,} of them cut off"
    return f"{audited.verdict}: {checked}; {reported}"


def _differs(audited: Audit) -> bool:
    """True if the stored tensors are not what the formula requires."""
    counts, case = audited.counts, audited.case
    if case is None or counts.expected_parameters is None:
        return False
    found = case.placement
    return counts.expected_parameters != counts.unique_parameters or bool(
        counts.unexplained or found.missing or found.mismatched
    )


def _verdict(audited: Audit, screen: Screen) -> str:
    """The verdict, and the checks that it does not cover."""
    lines = screen.wrapped(verdict_line(audited), rest="  ")
    kind = {"clean": "clean", "undecided": "warning"}.get(audited.verdict, "error")
    lines[0] = lines[0].replace(audited.verdict, screen.paint(audited.verdict, kind), 1)
    decisive = [skip for skip in audited.skipped if skip.decisive and audited.verdict == "undecided"]
    others = [skip for skip in audited.skipped if skip not in decisive and audited.verdict != "unreadable"]
    lines.extend((*_checks("Open", decisive, screen), *_checks("Not checked", others, screen)))
    return "\n".join(lines) + "\n"


def _checks(label: str, skipped: Sequence[Skipped], screen: Screen) -> list[str]:
    """Checks that were not made, after a label."""
    checks = "; ".join(f"{clean(skip.check)} ({clean(skip.because)})" for skip in skipped)
    return screen.wrapped(f"{label}: {checks}", rest="  ") if checks else []


def _notes(notes: Sequence[Finding], screen: Screen, *, helping: bool) -> str:
    """The notes in a few lines each. helping: include the help of all, and not only of those that advise."""
    lines: list[str] = []
    for note in notes:
        mark = f"note[{note.code}]"
        text = f"{mark} {note.name}: {clean(note.message, 400)}"
        beneath = note.lines if len(text) > NOTE_LINES * screen.width - 2 else ()
        if beneath:
            text = f"{mark} {note.name}: {clean(note.title)}"
        first, *rest = screen.wrapped(text, rest="  ")
        lines.extend((first.replace(mark, screen.paint(mark, "note"), 1), *rest))
        lines.extend(_rows(beneath, screen, most=NOTE_LINES))
        advised = note.help and (helping or note.advises)
        width = max((len(name) for name, _ in beneath), default=0)
        lines.extend(_rows([("help", note.help)], screen, least=width) if advised else ())
    return "\n".join(lines) + "\n" if lines else ""


NOTE_LINES = 2
"""Most lines of a note without rows, and of each row of a longer note; `--verbose` prints all."""


def _families(audited: Audit, screen: Screen) -> str:
    from inspector.report.bounded import Room

    lines = Room().lines(audited.lines, {})
    shown = (text for line in lines for text in family_text(line, screen, line.kind, indent="  ", whole=False))
    return "".join(f"{text}\n" for text in ("families", *shown))


def _elements(line: Line) -> str:
    """The number of elements of a line; for quantized weights also the parameters that they represent."""
    if line.packed is None or line.parameters in (0, line.elements):
        return f"{line.elements:,}"
    return f"{line.parameters:,} parameters ({line.elements:,} stored)"


def family_text(line: Line, screen: Screen, kind: str, *, indent: str = "", whole: bool = True) -> Iterator[str]:
    """A line of the ledger: the family, and below it role, shape and dtype, indices, kind and elements.

    whole: print names that are wider than the screen without shortening them.
    """
    from inspector.reconciler.wording import family_name, indices_in_words

    if line.families != 1:
        yield f"{indent}{omitted_text(line)}"
        return
    name = f"{indent}{clean(family_name(line.family))}"
    yield name if whole else screen.fitted(name)
    stored = f"{shape(line.layout.shape)} {line.layout.dtype}"
    parts = (label(line.role), stored, indices_in_words(line.family, line.boxes), kind, _elements(line))
    yield from screen.wrapped(" · ".join(filter(None, parts)), first="    ", rest="    ")
