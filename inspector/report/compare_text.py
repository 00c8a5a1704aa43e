"""The text report on the comparison of two checkpoints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from inspector.findings.words import count
from inspector.report.clean import clean
from inspector.report.screen import PLAIN, Screen
from inspector.report.text import finding_text, severities_text
from inspector.report.values_text import values_of_role, values_text

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.comparing.result import Comparison, Files, RoleDifference


def compare_text(compared: Comparison, *, screen: Screen = PLAIN) -> str:
    """The verdict and the findings, then the table of roles and the totals."""
    worse = [one for one in compared.findings if one.severity != "note"]
    parts = [_verdict(compared, screen), *(finding_text(one, screen) for one in worse)]
    if compared.verdict != "unreadable":
        parts.append("\n".join(_table(role_cells(compared), screen)) + "\n")
        if compared.relation == "conversion":
            parts.append("\n".join(_sums(compared, screen)) + "\n")
    if compared.files is not None:
        parts.append("\n".join(lines_of_files(compared.files)) + "\n")
    if compared.values is not None:
        parts.append(values_text(compared.values))
    parts.extend(finding_text(one, screen) for one in compared.findings if one.severity == "note")
    return "\n".join(parts)


def _verdict(compared: Comparison, screen: Screen) -> str:
    """The verdict, and what headers do not show or no definition covers."""
    lines = screen.wrapped(verdict_line(compared), rest="  ")
    word, colon, rest = lines[0].partition(":")
    kind = "clean" if compared.verdict == "clean" else "error"
    lines[0] = f"{screen.paint(word, kind if colon else 'bold')}{colon}{rest}"
    if compared.skipped and compared.verdict != "unreadable":
        missed = "; ".join(f"{skip.check} ({skip.because})" for skip in compared.skipped)
        lines.extend(screen.wrapped(f"Not checked: {clean(missed, 2000)}", rest="  "))
    return "\n".join(lines) + "\n"


def _titles(compared: Comparison) -> tuple[str, str]:
    return clean(compared.source.title, 20), clean(compared.target.title, 20)


def role_cells(compared: Comparison) -> list[Cells]:
    """The table of roles: its head, a row for each role, and the totals. A conversion has no column of differences."""
    if compared.relation == "conversion":
        return _conversion_rows(compared)
    rows: list[Cells] = [("role", *_titles(compared), "difference", "because")]
    rows.extend(
        (row.role, f"{row.source:,}", f"{row.target:,}", _signed(row.difference), row.because) for row in compared.roles
    )
    left, right = compared.parameters
    rows.append(("parameters", f"{left:,}", f"{right:,}", _signed(right - left), ""))
    return rows


def _conversion_rows(compared: Comparison) -> list[Cells]:
    """For each role how it was converted, then the totals of both sides."""
    rows: list[Cells] = [("role", *_titles(compared), "", "how")]
    rows.extend(
        (clean(row.role, 40), f"{row.source:,}", f"{row.target:,}", "", _how(row, compared)) for row in compared.roles
    )
    left, right = compared.parameters
    rows.append(("parameters", f"{left:,}", f"{right:,}", "", ""))
    return rows


def ledger(compared: Comparison) -> list[str]:
    """The sums of both sides of a conversion: source = carried + dropped, target = carried + added."""
    left, right = compared.parameters
    carried, dropped, invented = (
        f"{number or 0:,}" for number in (compared.carried, compared.dropped, compared.invented)
    )
    sums = [
        ("source", f"{left:,}", carried, dropped, "dropped"),
        ("target", f"{right:,}", carried, invented, "added"),
    ]
    total, part = (max(len(row[column]) for row in sums) for column in (1, 3))
    lines = [
        f"{name}  {whole:>{total}} = {carried} carried + {rest:>{part}} {word}" for name, whole, _, rest, word in sums
    ]
    moved = sum(_renamed(compared).values())
    kind = "dropped" if compared.dropped else "added"
    if moved:
        lines.append(f"{moved:,} of the {kind} are stored under other names")
    lines.extend(f"{sum(rows.values()):,} of the {kind} are {word}" for word, rows in _joined(compared).items())
    lines.extend(f"beyond these sums: {change}" for change in _beyond(compared))
    lines.extend(
        f"  {clean(one.path, 60)}: {one.carried:,} carried, {one.dropped:,} dropped, {one.invented:,} added"
        for one in compared.targets
    )
    return lines


def _sums(compared: Comparison, screen: Screen) -> list[str]:
    """The sums of both sides, and how much of each is only declared in headers."""
    lines = ledger(compared)
    for name, side in (("source", compared.source), ("target", compared.target)):
        lost = side.incomplete.tensors
        if lost:
            beyond = f"{name}: declared in its headers; {count(lost, 'tensor')} cut off by the end of the file"
            lines.extend(screen.wrapped(beyond, rest="  "))
    for name, side, word in (("source", compared.source, "added"), ("target", compared.target, "dropped")):
        for file in _unread_weights(side):
            lines.extend(
                screen.wrapped(f"{name}: {clean(file, 60)} was not read; its tensors count as {word}", rest="  ")
            )
    return lines


def _unread_weights(side: Audit) -> list[str]:
    """The weight files that the network did not deliver."""
    listed = (one.place.file for one in side.findings if one.content_unknown and one.place.file is not None)
    return [file for file in listed if not file.endswith(".json")]


def verdict_line(compared: Comparison) -> str:
    """The result of the comparison in one line."""
    if compared.verdict == "unreadable":
        sides = [side for side in (compared.source, compared.target) if side.verdict == "unreadable"]
        return f"unreadable: {' and '.join(clean(side.source, 200) for side in sides)}"
    if compared.relation != "conversion":
        if compared.verdict == "clean":
            return "different models; no conversion was checked"
        return f"findings: different models; {severities_text(compared.findings, zeros=False)}"
    changed = bool(compared.dropped or compared.invented)
    if compared.verdict != "clean":
        return f"findings: {_changes(compared)}; {severities_text(compared.findings, zeros=False)}"
    if changed:
        return "clean: a conversion; only the padding of the vocabulary differs"
    return f"clean: {_same(compared) or 'a conversion; nothing was dropped or added'}"


def _changes(compared: Comparison) -> str:
    """What a conversion changed, in numbers of parameters."""
    dropped, invented, renamed = compared.dropped or 0, compared.invented or 0, sum(_renamed(compared).values())
    if not dropped + invented:
        return f"a conversion; {' and '.join(_beyond(compared)) or 'nothing was dropped or added'}"
    joined = {word: sum(rows.values()) for word, rows in _joined(compared).items()}
    if dropped + invented == renamed + sum(joined.values()):
        named = {"renamed": renamed, **joined} if renamed else joined
        moved = [f"{count(number, 'parameter')} {word}" for word, number in named.items()]
        return f"a conversion; {' and '.join(moved)}"
    words = [f"{word} or not read" if _unread_weights(side) else word
             for word, side in (("dropped", compared.target), ("added", compared.source))]  # fmt: skip
    changes = [f"{count(number, 'parameter')} {word}" for number, word in zip((dropped, invented), words, strict=True)]
    return f"a conversion; {' and '.join(one for one in changes if not one.startswith('0 '))}"


def _beyond(compared: Comparison) -> list[str]:
    """The change of each component that neither class has: its parameters are part of no total."""
    from inspector.findings.conversion.relation import ComponentDiffers

    return [
        f"{count(abs(one.source - one.target), 'parameter')} of {clean(one.component, 40)} "
        f"{'dropped' if one.target < one.source else 'added'}"
        for one in compared.findings
        if isinstance(one, ComponentDiffers)
    ]


def _renamed(compared: Comparison) -> Counter[str]:
    """Number of parameters that are stored under names unknown to the definition, by row of the table of roles."""
    found: Counter[str] = Counter()
    if compared.dropped or compared.invented:
        from inspector.findings.conversion.parameters import NamesChanged

        for one in compared.findings:
            found.update(one.roles if isinstance(one, NamesChanged) else {})
    return found


JOINED: Final = {True: "stored joined", False: "stored apart"}


def _joined(compared: Comparison) -> dict[str, Counter[str]]:
    """Number of parameters that are stored in a joint matrix, or in parts, under names that the class does not have, by
    row of the table of roles.
    """
    found: dict[str, Counter[str]] = {}
    if compared.dropped or compared.invented:
        from inspector.comparing.symbols import row_of
        from inspector.findings.names.joined import ProjectionsJoined

        for one in (one for one in compared.findings if isinstance(one, ProjectionsJoined)):
            for role, number in one.roles.items():
                found.setdefault(JOINED[one.joined], Counter())[row_of(role)] += number
    return found


def _same(compared: Comparison) -> str:
    """What two identical checkpoints have in common; "" if a conversion changed something."""
    carriage = (*compared.carriage, *compared.uncounted.comparable())
    if compared.findings or compared.targets or any(one.steps != ("same",) for one in carriage):
        return ""
    if any(one.source.name != one.target.name for one in compared.tensors()):
        return ""
    values = compared.values
    tensors = sum(one.tensors for one in carriage)
    read = values is not None and not any(compared.uncounted.skipped())
    identical = read and values is not None and values.count("equal") == tensors
    return f"the same tensors with {'identical values' if identical else 'the same shapes'}"


def _how(row: RoleDifference, compared: Comparison) -> str:
    """What happened to a role, such as 'packed BF16 → Q8_0'; for a role with losses only these, with the symbol."""
    moved = _renamed(compared)[row.role]
    if moved and moved == (row.dropped or 0) + (row.invented or 0):
        return f"{moved:,} renamed"
    for word, rows in _joined(compared).items():
        if rows[row.role] and rows[row.role] == (row.dropped or 0) + (row.invented or 0):
            return f"{rows[row.role]:,} {word}"
    lost = [f"{number:,} {word}" for number, word in ((row.dropped, "dropped"), (row.invented, "added")) if number]
    if lost:
        return ", ".join((*lost, row.because) if row.because else lost)
    read = values_of_role(compared.values, row) if compared.values is not None else None
    if row.how == ("same",) and read is not None and not read.whole:
        return " ".join(("same shapes", row.because)).rstrip() + (f", {read.words}" if read.words else "")
    if row.how == ("same",) and read is not None and read.words:
        return read.words
    if row.how == ("same",) and compared.values is None:
        return f"same shapes {row.because}".rstrip()
    changed = " ".join((", ".join(row.how), row.because)).rstrip()
    return f"{changed}, {read.words}" if read is not None and read.words else changed


def lines_of_files(files: Files) -> list[str]:
    """How many files match, and how much of their content was compared."""
    from inspector.findings.words import amount

    where = f"{clean(files.reference, 44)} at {files.commit[:12]}"
    lines = [f"files: {files.same:,} of {files.of:,} match {where}"]
    lines.append(f"  content of {files.proven:,} verified by the Hub's hashes")
    if files.unproven:
        how = "their hashes are of different kinds" if not files.local else "use --hashes"
        noun = "file" if files.unproven == 1 else "files"
        lines.append(f"Not checked: content of {files.unproven:,} large {noun}, {amount(files.unproven_bytes)} ({how})")
    return lines


Cells = tuple[str, str, str, str, str]


def _signed(difference: int) -> str:
    return f"{difference:+,}" if difference else "same"


LONGEST_REASON = 40
"""Widest column of reasons; longer reasons are wrapped."""


def _table(rows: list[Cells], screen: Screen) -> Iterator[str]:
    """The table, with columns as wide as needed. Reasons are wrapped in the rest of the line, or below it."""
    filled = [column for column in range(4) if any(row[column] for row in rows)]
    widths = {column: max(len(row[column]) for row in rows) for column in filled}
    used = sum(widths.values()) + 2 * len(filled)
    room = screen.width - used
    longest = max((len(reason) + 1 for row in rows for reason in row[4].split(", ")), default=0)
    fits_in_line = room >= min(longest, LONGEST_REASON)
    for row in rows:
        cells = [f"{row[column]:{'<' if not column else '>'}{widths[column]}}" for column in filled]
        line = "  ".join(cells)
        if fits_in_line:
            reason, *more = _reasons(row[4], room, screen)
            yield f"{line}  {reason}".rstrip()
            yield from (" " * used + one for one in more)
        else:
            yield line
            reason = "" if row[4] in ("because", "how") else row[4]
            yield from (f"    {part}" for part in _reasons(reason, screen.width - 4, screen) if part)


def _reasons(text: str, width: int, screen: Screen) -> list[str]:
    """The reasons as lines; a single reason is not broken."""
    whole = ", ".join(reason.replace(" ", "\x00") for reason in text.split(", "))
    return [line.replace("\x00", " ") for line in screen.wrapped(whole, columns=width)]
