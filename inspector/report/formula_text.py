"""The chart of a definition as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.notation.roles import label
from inspector.report.clean import MOST_EXACT, clean, figure
from inspector.report.counts_text import rounded
from inspector.report.screen import PLAIN, Screen

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
    return "\n".join(parts).rstrip("\n") + "\n"


class _ModuleRows(Struct):
    """The tensors of one module; weight and bias share a line."""

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
    """The table: the tensors of the model, then those of extra components, which the formula does not count."""
    numbers = any(row.shape is not None for row in rows)
    shown = [row for row in rows if not row.optional and (row.tensors or not numbers or row.tensors is None)]
    own = [row for row in shown if not row.extra]
    components: dict[str, list[Row]] = {}
    for row in shown:
        if row.extra:
            components.setdefault(row.extra, []).append(row)
    table = _Table(numbers, _modules(shown), screen)
    yield table.headings()
    yield from table.lines(_modules(own))
    for name, members in components.items():
        yield ""
        yield f"{clean(name)} (an extra component, which the formula does not count)"
        yield from table.lines(_modules(members))


class _Table:
    """The columns of the table: names, then either roles and dims, or with a config shapes and elements."""

    __slots__ = ("left", "numbers", "roles", "screen")

    def __init__(self, numbers: bool, modules: Sequence[_ModuleRows], screen: Screen) -> None:
        self.numbers, self.screen = numbers, screen
        self.roles = max((len(label(one.rows[0].role)) for one in modules), default=0)
        wide = NUMBERS if numbers else max((len(self._words_of(one.rows)) for one in modules), default=0)
        most = max(min(screen.width - 2 - wide, 60 if numbers else 34), LEAST_NAME)
        self.left = min(most, max((len(m.name) + (2 if m.heading else 0) for m in modules), default=0))

    def headings(self) -> str:
        """The names of the columns."""
        if not self.numbers:
            return f"{'tensor':<{self.left}}  {'role':<{self.roles}}  dims"
        return f"{'tensor':<{self.left}}  {_cells('shape', 'each', 'all')}"

    def lines(self, modules: Sequence[_ModuleRows]) -> Iterator[str]:
        """The tensors, grouped below their numbered prefixes."""
        heading = ""
        for module in modules:
            if module.heading != heading:
                heading = module.heading
                if heading:
                    yield clean(heading)
            name = ("  " if heading else "") + clean(module.name)
            for place, row in enumerate(module.rows if self.numbers else module.rows[:1]):
                if place:
                    name = f"{'    ' if heading else '  '}{clean(row.suffix)}"
                yield from self._line(name, _numbers_of(row) if self.numbers else self._words_of(module.rows))

    def _line(self, name: str, text: str) -> Iterator[str]:
        beside = min(self.left, self.screen.width - 2 - len(text))
        if len(name) <= beside:
            yield f"{name:<{beside}}  {text}".rstrip()
        elif beside > 6:
            yield from (name, f"{'':<{beside}}  {text}".rstrip())
        else:
            yield name
            yield from self.screen.wrapped(text, first=" " * 6, rest=" " * 8)

    def _words_of(self, rows: Sequence[Row]) -> str:
        first = rows[0]
        said = "" if first.remark.startswith("extra") else first.remark
        remarks = ("with bias" if len(rows) > 1 and _is_linear(first) else "", said)
        remark = ", ".join(part for part in remarks if part)
        return f"{label(first.role):<{self.roles}}  {first.chart}{'  (' + remark + ')' if remark else ''}"


def _is_linear(row: Row) -> bool:
    return "->" in row.chart


def _numbers_of(row: Row) -> str:
    """Shape, elements of one tensor and of all tensors; dims that vary are given as symbols."""
    if row.shape is None or not row.tensors:
        return row.remark or "not stored"
    dims = ", ".join(
        name if dim is None or row.varies else str(dim) for name, dim in zip(row.dims, row.shape, strict=True)
    )
    total = figure(row.total) if row.total is not None else row.open_total
    if not row.counted:
        total = total if row.remark.startswith("extra") else row.remark
    each = ""
    if row.total is not None and row.tensors > 1 and row.total:
        each = "varies" if row.varies else figure(row.total // row.tensors)
    return _cells(f"[{dims}]", each, total)


def _cells(shape: str, each: str, total: str) -> str:
    return f"{shape}{each:>{max(NUMBERS - 17 - len(shape), len(each) + 1)}} {total:>16}"


LEAST_NAME = 24
"""Least columns for names; longer names get a line of their own."""
NUMBERS = 46
"""Columns for a shape, the elements of one tensor and the elements of all."""


OWN = "rest"
"""The name for the modules of a joined model outside its submodels: projectors and its head."""


def _formulas(shown: Formula, screen: Screen) -> Iterator[str]:
    named = {name or OWN: text for name, text in shown.formulas.items()}
    if len(named) > 1:
        yield from screen.wrapped(f"parameters = {' + '.join(named)}", rest="    ")
    for name, text in named.items():
        lead = f"{name if len(named) > 1 else 'parameters'} = "
        yield from screen.wrapped(lead + _divided(text, screen.width - 4), rest="    ")


def _symbols(shown: Formula, screen: Screen) -> Iterator[str]:
    """The symbols, one a line below the name of their submodel: value with a config, and the keys that give it."""
    submodels: dict[str, list[tuple[str, str, str]]] = {}
    for symbol in shown.symbols:
        value = _value(symbol.value) if shown.known and isinstance(symbol.value, int | float) else ""
        within, _, name = symbol.name.rpartition(".")
        definition = "" if symbol.definition == symbol.name else clean(symbol.definition)
        submodels.setdefault(within, []).append((name, value, definition))
    entries = [entry for members in submodels.values() for entry in members]
    wide, numbers = (max((len(entry[column]) for entry in entries), default=0) for column in (0, 1))
    wide, numbers = min(wide, LONGEST_SYMBOL), min(numbers, LONGEST_VALUE)
    for within, members in submodels.items():
        indent = "    " if within else "  "
        if within:
            yield f"  {within}"
        for name, value, definition in members:
            lead = f"{indent}{name:<{wide}}  {f'{value:>{numbers}}  ' if numbers else ''}"
            first, *rest = screen.wrapped(
                _divided(definition, screen.width - len(lead)), columns=screen.width - len(lead)
            )
            if any(len(lead) + len(line) > screen.width for line in (first, *rest)):
                yield lead.rstrip()
                yield from screen.wrapped(_divided(definition, screen.width - 6), first=" " * 6, rest=" " * 6)
                continue
            yield f"{lead}{first}".rstrip()
            yield from (" " * len(lead) + line for line in rest)


LONGEST_SYMBOL, LONGEST_VALUE = 12, 16
"""Columns for the names of symbols and for their values; longer ones move the definition to the right."""


def _divided(text: str, width: int) -> str:
    """An expression that may be broken after each product sign, if a word is wider than the line."""
    return " ".join(word.replace("*", "* ") if len(word) > width else word for word in text.split(" "))


def _value(value: int | float) -> str:
    return figure(value) if isinstance(value, int) and abs(value) >= MOST_EXACT else clean(value)


def _numbers(shown: Formula) -> Iterator[str]:
    """The sums by submodel and by group of roles, each with the total, then amounts outside a sum."""
    total = ("parameters", figure(shown.total) if shown.total is not None else _spaced(shown.open_total))
    sums = [[(name, _number(amount)) for name, amount in shown.groups.items()]]
    if len(shown.parts) > 1:
        sums.insert(0, [(name or OWN, _number(amount)) for name, amount in shown.parts.items()])
    besides = []
    if shown.total is not None and (usual := sum(row.total or 0 for row in shown.rows if row.usual)):
        besides.append(("files may lack", figure(usual)))
    if shown.per_layer is not None:
        besides.append(("one layer", figure(shown.per_layer)))
    if shown.matrices:
        besides.append(("matrices in layers", figure(shown.matrices)))
    width = max(len(number) for rows in (*sums, besides, [total]) for _, number in rows)
    short = f"    {rounded(shown.total)}" if shown.total is not None and shown.total < MOST_EXACT else ""
    for rows in sums:
        yield from (f"  {name:<20}{number:>{width}}" for name, number in rows)
        yield f"  {total[0]:<20}{total[1]:>{width}}{short}"
        yield ""
    yield from (f"  {name:<20}{number:>{width}}" for name, number in besides)


def _number(amount: Polynomial) -> str:
    return str(amount) if amount.number is None else figure(amount.number)


def _spaced(text: str) -> str:
    return " ".join(f"{int(part):,}" if part.isdigit() else part for part in text.split(" "))
