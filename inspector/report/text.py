"""The text report: 80 columns, exact integers, with rounded ones in addition."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from inspector.findings.finding import Finding
from inspector.notation.roles import label
from inspector.report.clean import clean, figure
from inspector.report.tables import role_rows
from inspector.report.values_text import values_text

if TYPE_CHECKING:
    from inspector.auditing.result import Audit

WIDTH = 80
_BAR = " ▏▎▍▌▋▊▉█"
COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[36m", "clean": "\x1b[1;32m",
           "quiet": "\x1b[2m", "bold": "\x1b[1m"}  # fmt: skip


def audit_text(audited: Audit, *, verbose: bool = False, colour: bool = False) -> str:
    """The whole report of an audit, ending in a line break."""
    paint = _painter(colour)
    blocks = [_title(audited, paint)]
    if audited.checkpoint.readable:
        blocks.append(_counts(audited))
        blocks.append(_components(audited) if audited.components else _roles(audited, paint))
        blocks.append(_packing(audited))
        blocks.append(_base(audited))
        blocks.append(_download(audited))
    blocks.append(_claims(audited))
    shown = [f for f in audited.findings if verbose or f.severity != "note"]
    blocks.extend(_finding(finding, paint) for finding in shown)
    blocks.append(_verdict(audited, paint, verbose))
    if verbose:
        blocks.append(_families(audited, paint))
    return "\n".join(block for block in blocks if block)


def finding_text(finding: Finding, *, colour: bool = False) -> str:
    """One finding with its lines."""
    return _finding(finding, _painter(colour))


def _painter(colour: bool) -> Painter:
    return lambda text, kind: f"{COLOURS[kind]}{text}\x1b[0m" if colour and kind in COLOURS else text


if TYPE_CHECKING:
    from collections.abc import Callable

    Painter = Callable[[str, str], str]


def _title(audited: Audit, paint: Painter) -> str:
    left = clean(audited.title, 60)
    architecture = audited.architecture
    right = ""
    if architecture is not None:
        likely = "" if architecture.confidence == "certain" else " (likely)"
        right = clean(architecture.name, 40) + likely
        if audited.class_name:
            right += f" · {clean(audited.class_name, 48)}"
    gap = WIDTH - len(left) - len(right)
    if gap >= 2 or not right:
        lines = [f"{paint(left, 'bold')}{' ' * max(gap, 0)}{right}".rstrip()]
    else:
        lines = [paint(left, "bold"), *(line.rjust(WIDTH) for line in textwrap.wrap(right, WIDTH))]
    lines.extend(_whence(audited))
    if audited.checkpoint.readable:
        lines.extend(textwrap.wrap(_inventory(audited), WIDTH))
    return "\n".join(lines) + "\n"


def _whence(audited: Audit) -> Iterator[str]:
    """What was read from where, and at what cost, where that is not plainly the path."""
    read = audited.checkpoint
    if read.commit is not None:
        where = f"{clean(read.address, 60)} at {read.commit[:12]}" + (", from the local cache" if read.cached else "")
        yield from textwrap.wrap(where + (f" · {read.traffic}" if read.traffic is not None else ""), WIDTH)
    elif read.traffic is not None:
        yield str(read.traffic)
    if read.shadows is not None:
        yield f"a local folder; use {clean(read.shadows, 45)} for the repository"


def _download(audited: Audit) -> str:
    """What a download brings, and what of it is not needed."""
    brings = audited.checkpoint.download
    if brings is None:
        return ""
    from inspector.findings.words import amount

    lines = [f"  download   {amount(brings.needed)} needed of {amount(brings.total)} in the repository"]
    for copy in brings.copies[:4]:
        noun = "file" if copy.files == 1 else "files"
        lines.append(
            f"             {amount(copy.bytes)} in {copy.files:,} {noun} of {copy.kind}: {clean(copy.example, 30)}"
        )
    command = clean(brings.command, 400)
    lines.extend(textwrap.wrap(command, WIDTH, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False))
    return "\n".join(lines) + "\n"


def _inventory(audited: Audit) -> str:
    counts = audited.counts
    dtypes: dict[str, int] = {}
    for line in audited.lines:
        dtypes[line.layout.dtype] = dtypes.get(line.layout.dtype, 0) + line.elements
    order = sorted(dtypes, key=lambda dtype: -dtypes[dtype])
    families = len({line.family for line in audited.lines})
    return " · ".join(
        [
            _plural(len(audited.checkpoint.files), "file"),
            _plural(counts.tensors, "tensor"),
            f"{families:,} {'family' if families == 1 else 'families'}",
            ", ".join(order[:3]) + (f" and {len(order) - 3} more" if len(order) > 3 else ""),
            f"{counts.stored_bytes:,} bytes of weights",
        ]
    )


def _plural(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def rounded(number: int) -> str:
    """8030261248 as '8.03B'."""
    for power, unit in ((12, "T"), (9, "B"), (6, "M"), (3, "K")):
        if number >= 10**power:
            return f"{number / 10**power:.2f}{unit}"
    return str(number)


def _counts(audited: Audit) -> str:
    counts = audited.counts
    rows: list[tuple[str, str, str]] = [("parameters", f"{counts.unique_parameters:,}", _parameters_remark(audited))]
    if counts.expected_parameters is None:
        why = "no formula for this architecture" if audited.architecture is None else "not all dims are known"
        if audited.base is None and _is_adapter(audited):
            why = "needs the base (--base)"
        rows.append(("formula", "-", why))
    else:
        rows.append(("formula", figure(counts.expected_parameters), _agreement(audited)))
    if audited.experts is not None:
        used = audited.experts
        rows.append(
            (
                "active",
                f"{used.parameters:,}",
                f"{rounded(used.parameters)}, {used.active} of {used.total} experts per token",
            )
        )
    rows.append(("stored elements", f"{counts.stored_elements:,}", ""))
    for name, number, meaning in (
        ("extra components", counts.extra_components, "parameters outside the class's model"),
        ("tied copies", counts.tied_copies, "stored twice, counted once"),
        ("buffers", counts.buffers, "stored, not parameters"),
        ("packing helpers", counts.packing_helpers, "scales, zero points ..., not parameters"),
        ("unexplained", counts.unexplained, "not in the architecture, not counted"),
    ):
        if number:
            rows.append((f"  {name}", f"{number:,}", meaning))
    if not any(claim.source.startswith("index") for claim in audited.claims):
        unread = any(skipped.check == "totals of the index" for skipped in audited.skipped)
        rows.append(("index, metadata", "not compared" if unread else "no total stated", ""))
    width = max(16, *(len(number) for _, number, _ in rows))
    return "\n".join(f"  {name:<17}{number:>{width}}    {remark}".rstrip() for name, number, remark in rows) + "\n"


def _is_adapter(audited: Audit) -> bool:
    if not audited.findings:
        return False
    from inspector.findings.adapters.whole import Adapter

    return any(isinstance(finding, Adapter) for finding in audited.findings)


def _head_is_tied(audited: Audit) -> bool:
    if not audited.findings:
        return False
    from inspector.findings.totals import HeadTied

    return any(isinstance(finding, HeadTied) for finding in audited.findings)


def _parameters_remark(audited: Audit) -> str:
    counts = audited.counts
    tied = counts.tied_copies or _head_is_tied(audited)
    return rounded(counts.unique_parameters) + (", ties counted once" if tied else "")


def _agreement(audited: Audit) -> str:
    counts = audited.counts
    assert counts.expected_parameters is not None
    difference = counts.unique_parameters - counts.expected_parameters
    if difference == 0:
        solved = audited.case is not None and audited.case.solved
        return "agrees; sizes solved from the shapes" if solved else "agrees, to the last parameter"
    return f"{figure(abs(difference))} {'fewer' if difference > 0 else 'more'} than stored"


def _packing(audited: Audit) -> str:
    """Bits per weight by role, where anything is packed."""
    if not audited.counts.packed_elements:
        return ""
    from inspector.report.packing_text import packing_text

    return packing_text(audited)


def _base(audited: Audit) -> str:
    """The base of an adapter and its own findings."""
    base = audited.base
    if base is None:
        return ""
    named = clean(base.checkpoint.address.removeprefix("hf://") or base.source, 44)
    what = clean(base.architecture.name, 24) if base.architecture is not None else "config only"
    lines = [f"  base       {named} · {what}"]
    if base.checkpoint.readable:
        share = audited.counts.unique_parameters / (base.counts.unique_parameters or 1)
        lines.append(f"             {base.counts.unique_parameters:,} parameters; the adapter adds {share:.3%}")
        reported = [finding for finding in base.findings if finding.severity != "note"]
        lines.append(
            f"             {base.verdict}" + (f": {_plural(len(reported), 'finding')} in the base" if reported else "")
        )
        lines.extend(
            f"             {finding.severity}[{finding.code}] {clean(finding.name, 50)}"
            for finding in reported[:BASE_SHOWN]
        )
    else:
        lines.append("             config only: shapes follow from its definition")
    return "\n".join(lines) + "\n"


BASE_SHOWN = 4
"""Findings of a base that are named in the adapter's report; all are in the base's own."""


COMPONENTS_SHOWN = 40
"""Parts of a pipeline that have a line; the JSON has all."""


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


def _roles(audited: Audit, paint: Painter) -> str:
    rows = role_rows(audited.lines)
    total = audited.counts.unique_parameters
    if audited.architecture is None or not rows or not total:
        return ""
    layers = [f"{row.per_layer:,}" if row.per_layer is not None else "" for row in rows]
    totals = [f"{row.total:,}" for row in rows]
    first = max(18, *(len(row.role) + 1 for row in rows))
    second, third = max(10, *map(len, layers)), max(14, *map(len, totals))
    lines = [f"  {'role':<{first}}{'per layer':>{second}}  {'total':>{third}}   share"]
    for row, layer, number in zip(rows, layers, totals, strict=True):
        share = row.total / total
        text = f"  {row.role:<{first}}{layer:>{second}}  {number:>{third}}  {share:>6.1%}  {_bar(share)}"
        lines.append(text.rstrip())
    if _head_is_tied(audited):
        lines.append(f"  {'head':<{first}}{'tied':>{second}}  {'0':>{third}}          is the embedding")
    return "\n".join(lines) + "\n"


def _bar(share: float) -> str:
    eighths = round(share * 160)
    return "█" * (eighths // 8) + (_BAR[eighths % 8] if eighths % 8 else "")


def _claims(audited: Audit) -> str:
    lines: list[str] = []
    for claim in audited.claims:
        if claim.source == "claim":
            verdict = "agrees with" if claim.agrees else "against"
            compared = claim.because if claim.agrees else f"the {claim.true:,} parameters"
            lines.append(f"claim {claim.claimed:,}: {verdict} {compared}" if isinstance(claim.claimed, int) else "")
            if not claim.agrees:
                lines.extend(textwrap.wrap(claim.because, WIDTH, initial_indent="  = ", subsequent_indent="    "))
        else:
            state = "agrees" if claim.agrees else "disagrees"
            lines.append(f"{claim.source} {clean(f'{claim.claimed:,}')}: {state} ({clean(claim.because)})")
    wrapped = [part for line in lines for part in (textwrap.wrap(line, WIDTH, subsequent_indent="    ") or [""])]
    return "\n".join(wrapped) + "\n" if wrapped else ""


def _finding(finding: Finding, paint: Painter) -> str:
    likely = " (likely)" if finding.confidence == "likely" else ""
    head = f"{finding.severity}[{finding.code}] {finding.name}: {clean(finding.title)}{likely}"
    first, *rest = textwrap.wrap(head, WIDTH, subsequent_indent="  ", break_on_hyphens=False) or [head]
    mark = f"{finding.severity}[{finding.code}]"
    lines = [first.replace(mark, paint(mark, finding.severity), 1), *rest]
    rows = [*finding.lines, *([("help", finding.help)] if finding.help else [])]
    lines.extend(_rows(rows))
    return "\n".join(lines) + "\n"


def _rows(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        lead = f"  {clean(name):<{width}}  "
        wrapped = textwrap.wrap(clean(text, 600), WIDTH - len(lead), break_on_hyphens=False) or [""]
        yield (lead + wrapped[0]).rstrip()
        for more in wrapped[1:]:
            yield " " * len(lead) + more


def verdict_line(audited: Audit) -> str:
    """The verdict, what was explained, and how many findings there are, in one line without a break."""
    if audited.verdict == "unreadable":
        return "unreadable: no header of the weights could be read"
    severities = [finding.severity for finding in audited.findings]
    errors, warnings, notes = (severities.count(kind) for kind in ("error", "warning", "note"))
    counts = audited.counts
    explained = counts.tensors - sum(line.tensors for line in audited.lines if line.kind == "unexplained")
    reported = f"{_plural(errors, 'error')}, {_plural(warnings, 'warning')}, {_plural(notes, 'note')}"
    checked = (
        f"{explained:,} of {counts.tensors:,} tensors explained"
        if audited.architecture is not None or audited.components
        else f"{_plural(counts.tensors, 'tensor')} counted, no formula for them"
    )
    if errors + warnings and audited.case is not None:
        reported += "; together they account for every difference"
    return f"{audited.verdict}: {checked}; {reported}"


def _verdict(audited: Audit, paint: Painter, verbose: bool) -> str:
    lines = textwrap.wrap(verdict_line(audited), WIDTH)
    kind = "clean" if audited.verdict == "clean" else "error"
    lines[0] = lines[0].replace(audited.verdict, paint(audited.verdict, kind), 1)
    if audited.verdict == "unreadable":
        return "\n".join(lines) + "\n"
    if audited.values is not None:
        lines.append(values_text(audited.values).rstrip("\n"))
    if audited.skipped:
        skipped = "; ".join(f"{skip.check} ({clean(skip.because)})" for skip in audited.skipped)
        lines.extend(textwrap.wrap(f"Not checked: {skipped}", WIDTH, subsequent_indent="  "))
    if not verbose:
        lines.extend(_note_lines([f for f in audited.findings if f.severity == "note"], paint))
    return "\n".join(lines) + "\n"


def _note_lines(notes: Iterable[Finding], paint: Painter) -> Iterator[str]:
    for note in notes:
        mark = f"note[{note.code}]"
        wrapped = textwrap.wrap(
            f"{mark} {note.name}: {clean(note.message, 400)}",
            WIDTH,
            subsequent_indent="  ",
            break_on_hyphens=False,
            max_lines=3,
            placeholder=" …",
        )
        wrapped[0] = wrapped[0].replace(mark, paint(mark, "note"), 1)
        yield from wrapped


def _families(audited: Audit, paint: Painter) -> str:
    from inspector.reconciler.wording import family_name, indices_in_words

    lines = ["families"]
    for line in audited.lines:
        shape = "[" + ", ".join(map(str, line.layout.shape)) + "]"
        lines.append(f"  {clean(family_name(line.family))}")
        where = indices_in_words(line.family, line.boxes)
        text = " · ".join(
            part
            for part in (label(line.role), f"{shape} {line.layout.dtype}", where, line.kind, f"{line.elements:,}")
            if part
        )
        lines.extend(textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    "))
    return "\n".join(lines) + "\n"
