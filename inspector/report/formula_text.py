"""The chart of a definition as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.notation.roles import label
from inspector.report.clean import MOST_EXACT, clean, figure
from inspector.report.screen import PLAIN, Screen
from inspector.report.text import rounded

if TYPE_CHECKING:
    from inspector.algebra.polynomial import Polynomial
    from inspector.formulas import Formula, Row


def formula_text(shown: Formula, screen: Screen = PLAIN) -> str:
    """Rows, formula, symbols and, with a config, the numbers."""
    head = f"{shown.name}{' · ' + shown.head if shown.head else ''}"
    parts = [clean(head), "", *_rows(shown.rows, screen), ""]
    parts.extend(_formulas(shown, screen))
    parts.extend(_symbols(shown, screen))
    if shown.known:
        parts.extend(["", *_numbers(shown)])
    return "\n".join(parts) + "\n"


class _ModuleRows(Struct):
    """The tensors of one module: weight and bias share a line."""

    heading: str
    name: str
    rows: list[Row]


def _modules(rows: Sequence[Row]) -> list[_ModuleRows]:
    modules: list[_ModuleRows] = []
    for row in rows:
        heading, name = _split(row.module)
        last = modules[-1] if modules else None
        if last is not None and (last.heading, last.name) == (heading, name):
            last.rows.append(row)
        else:
            modules.append(_ModuleRows(heading, name, [row]))
    return modules


def _split(path: str) -> tuple[str, str]:
    """A module's path as its last numbered prefix and the rest."""
    end = path.rfind("}")
    return (path[: end + 1], path[end + 2 :]) if end >= 0 and path[end + 1 : end + 2] == "." else ("", path)


def _rows(rows: Sequence[Row], screen: Screen) -> Iterator[str]:
    numbers = any(row.shape is not None for row in rows)
    modules = _modules(rows)
    most = screen.width - 2 - NUMBERS if numbers else 34
    left = min(most, max((len(m.name) + (2 if m.heading else 0) for m in modules), default=0))
    heading = ""
    for module in modules:
        if module.heading != heading:
            heading, beyond = module.heading, module.rows[0].remark
            if heading:
                yield clean(heading) + (f"   ({beyond})" if beyond.startswith("beyond") else "")
        name = ("  " if heading else "") + clean(module.name)
        for place, row in enumerate(module.rows if numbers else module.rows[:1]):
            if place:
                name = f"{'    ' if heading else '  '}{clean(row.suffix)}"
            text = _numbers_of(row) if numbers else _words_of(module.rows)
            beside = min(left, screen.width - 2 - len(text))
            if len(name) <= beside:
                yield f"{name:<{beside}}  {text}".rstrip()
            elif beside > 6:
                yield from (name, f"{'':<{beside}}  {text}".rstrip())
            else:
                yield name
                yield from screen.wrapped(text, first=" " * 6, rest=" " * 8)


def _words_of(rows: Sequence[Row]) -> str:
    first = rows[0]
    remark = ", ".join(
        part
        for part in ("with bias" if len(rows) > 1 and _is_linear(first) else "", first.remark)
        if part and not part.startswith("beyond")
    )
    return f"{label(first.role):<20}  {first.chart}{'  (' + remark + ')' if remark else ''}"


def _is_linear(row: Row) -> bool:
    return "->" in row.chart


def _numbers_of(row: Row) -> str:
    if row.shape is None or not row.tensors:
        return row.remark or "not stored"
    dims = ", ".join(name if dim is None else str(dim) for name, dim in zip(row.dims, row.shape, strict=True))
    total = figure(row.total) if row.total is not None else row.open_total
    if not row.counted:
        total = row.remark.partition(":")[0]  # what it is beyond is in the heading
    each = figure(row.total // row.tensors) if row.total is not None and row.tensors > 1 and row.counted else ""
    shape = f"[{dims}]"
    return f"{shape}{each:>{max(NUMBERS - 17 - len(shape), len(each) + 1)}} {total:>16}"


NUMBERS = 46
"""Columns of a shape, the elements of one tensor and those of all of them."""


OWN = "rest"
"""What a joined model has outside its submodels: projectors, its head."""


def _formulas(shown: Formula, screen: Screen) -> Iterator[str]:
    named = {name or OWN: text for name, text in shown.formulas.items()}
    if len(named) > 1:
        yield from screen.wrapped(f"parameters = {' + '.join(named)}", rest="    ")
    for name, text in named.items():
        lead = f"{name if len(named) > 1 else 'parameters'} = "
        whole = " ".join(word.replace("*", "* ") if len(word) > screen.width - 4 else word for word in text.split(" "))
        yield from screen.wrapped(lead + whole, rest="    ")


def _symbols(shown: Formula, screen: Screen) -> Iterator[str]:
    words = []
    for symbol in shown.symbols:
        value = f" = {_value(symbol.value)}" if shown.known and isinstance(symbol.value, int | float) else ""
        same = symbol.definition == symbol.name
        words.append(f"{symbol.name}{value}" if same else f"{symbol.name}{value} {clean(symbol.definition)}")
    joined = " · ".join(word.replace(" ", "\x00") if len(word) < screen.width // 2 else word for word in words)
    for line in screen.wrapped(joined, columns=screen.width - 2):
        yield "  " + line.replace("\x00", " ").removeprefix("· ").removesuffix(" ·")


def _value(value: int | float) -> str:
    return figure(value) if isinstance(value, int) and abs(value) >= MOST_EXACT else clean(value)


def _numbers(shown: Formula) -> Iterator[str]:
    rows = [(name, _number(amount)) for name, amount in shown.groups.items()]
    if len(shown.parts) > 1:
        rows[:0] = [(name or OWN, _number(amount)) for name, amount in shown.parts.items()]
    if shown.matrices:
        rows.append(("matrices in layers", figure(shown.matrices)))
    if shown.per_layer is not None:
        rows.append(("one layer", figure(shown.per_layer)))
    rows.append(("parameters", figure(shown.total) if shown.total is not None else _spaced(shown.open_total)))
    width = max(len(number) for _, number in rows)
    for name, number in rows:
        short = name == "parameters" and shown.total is not None and shown.total < MOST_EXACT
        beside = f"    {rounded(shown.total or 0)}" if short else ""
        yield f"  {name:<20}{number:>{width}}{beside}"


def _number(amount: Polynomial) -> str:
    return str(amount) if amount.number is None else figure(amount.number)


def _spaced(text: str) -> str:
    return " ".join(f"{int(part):,}" if part.isdigit() else part for part in text.split(" "))
