"""Turns a definition into a chart and one symbolic formula: its counted rows, nested like their holes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct, field

from inspector.algebra.expression import Alternatives, Guarded, Node, Word, parse, show, substitute, words
from inspector.algebra.polynomial import Polynomial, constant, polynomial
from inspector.notation.binding import Plan
from inspector.notation.holes import bases, holes_in
from inspector.notation.scope import Scope
from inspector.notation.slots import Slot, scope_of
from inspector.notation.ties import Ties
from inspector.notation.written import holes_written_out

NO_TOWER = ""


class Nesting(Struct):
    """Terms of one nesting level of holes: its direct sum, and the inner brackets."""

    hole: str = ""
    summed: bool = False  # the body depends on the index: written as a sum
    own: Polynomial = field(default_factory=lambda: constant(0))
    inner: dict[str, Nesting] = {}

    def text(self) -> str:
        """'2*V*d + d + L*(…)'; a body that depends on its index is Σ{S}(…)."""
        parts = [str(self.own)] if self.own or not self.inner else []
        for bracket in self.inner.values():
            lead = f"Σ{{{bracket.hole}}}" if bracket.summed else f"{bracket.hole}*"
            parts.append(f"{lead}({bracket.text()})")
        return " + ".join(parts)


def shown_slots(plan: Plan) -> Iterator[Slot]:
    """The rows of a chart: all with true predicates, and only the chosen side of each `either`."""
    for slot in (row.slot for row in plan.rows):
        if all(_holds(plan.scope, slot, condition.scope, condition.node) for condition in slot.whens):
            yield slot


def _holds(scope: Scope, slot: Slot, path: tuple[str, ...], node: Node) -> bool:
    scope = scope.below(path)
    if holes_in(scope.definition, node):
        return True
    return bool(scope.evaluate(node))


def counted(plan: Plan) -> Iterator[Slot]:
    """The rows that the formula counts: no buffers, no tied copies, no extra rows, and of the optional rows only usual
    ones.
    """
    ties = Ties(plan.scope, plan.unrolled.slots)
    for slot in shown_slots(plan):
        if not slot.tensor.counted or not slot.built or slot.extra:
            continue
        if ties.target(slot, True) is None:
            yield slot


def formulas(plan: Plan, stored: Collection[int] | None = None) -> dict[str, str]:
    """Path of a submodel -> its formula; '' is the path of the model itself.

    stored: ids of the slots that have tensors, if that is known: other slots are left out of the sums.
    """
    towers: dict[str, list[Slot]] = {}
    for slot in counted(plan):
        if stored is None or id(slot) in stored:
            towers.setdefault(".".join(slot.scope), []).append(slot)
    named = sorted(towers, key=lambda name: name == NO_TOWER)
    return {name: _bracket(plan, towers[name]).text() for name in named}


def _bracket(plan: Plan, slots: Iterable[Slot]) -> Nesting:
    top = Nesting()
    for slot in slots:
        scope = scope_of(plan.scope, slot)
        dims = [plainer(scope, chosen(scope, node)) for node in slot.dims]
        summed = holes_written_out(slot, scope) & _holes_of(scope, slot, dims)
        at = top
        for hole in slot.holes:
            at = at.inner.setdefault(hole, Nesting(hole))
            at.summed = at.summed or hole in summed
        term = constant(1)
        for node in dims:
            term = term * polynomial(node)
        at.own = at.own + term
    return top


def _holes_of(scope: Scope, slot: Slot, dims: list[Node]) -> frozenset[str]:
    """The holes of a slot, or the extents that they were cut from, that its dims, extents or predicates name."""
    named: set[str] = set()
    for node in (*dims, *(parse(scope.symbols[hole]) for hole in slot.holes if hole in scope.symbols)):
        named.update(holes_in(scope.definition, node))
    for condition in slot.whens:
        named.update(holes_in(scope.definition, condition.node))
    return frozenset(hole for hole in slot.holes if named & {hole, *bases(scope.definition, hole)})


def plainer(scope: Scope, node: Node) -> Node:
    """Simplifies a dim: removes symbols that could vary by layer and that no config key varies."""
    renames: dict[str, Node] = {}
    for path in words(node):
        text = scope.symbols.get(path[0])
        if text is None or len(path) > 1 or not holes_in(scope.definition, node):
            continue
        definition = parse(text)
        options = definition.options if isinstance(definition, Alternatives) else ()
        silent = [option for option in options[:-1] if not _speaks(scope, option)]
        if options and len(silent) == len(options) - 1 and isinstance(options[-1], Word):
            renames[path[0]] = options[-1]
    return substitute(node, renames) if renames else node


def _speaks(scope: Scope, option: Node) -> bool:
    """True if a key, or a symbol that reads it, is present and makes an option depend on the index."""
    own = [path for path in words(option) if path[0] not in scope.symbols]
    if not own:
        return bool(holes_in(scope.definition, option))
    return any(bool(scope.word(path)) for path in own)


def chosen(scope: Scope, node: Node) -> Node:
    """A dim with its top-level alternatives resolved, as far as the config decides them."""
    if isinstance(node, Alternatives):
        for option in node.options:
            if scope.evaluate(option) is not None:
                return chosen(scope, option)
    return node.value if isinstance(node, Guarded) else node


class Symbol(Struct, frozen=True):
    """A symbol of the chart, its definition as text, and its value with a config."""

    name: str
    definition: str
    value: object


def symbols(plan: Plan, stored: Collection[int] | None = None) -> list[Symbol]:
    """Every symbol of the chart's rows, then the symbols of their definitions. stored: as in `formulas`."""
    found: dict[tuple[tuple[str, ...], str], Symbol] = {}
    extra = (slot for slot in shown_slots(plan) if slot.extra and slot.tensor.counted)
    for slot in (*counted(plan), *extra):
        if stored is not None and id(slot) not in stored:
            continue
        scope = scope_of(plan.scope, slot)
        names = list(slot.holes)
        for node in slot.dims:
            names.extend(path[0] for path in words(node) if len(path) == 1)
        for name in names:
            _note(found, slot.scope, scope, name)
    return list(found.values())


def _note(found: dict[tuple[tuple[str, ...], str], Symbol], at: tuple[str, ...], scope: Scope, name: str) -> None:
    if (at, name) in found:
        return
    text = scope.symbols.get(name)
    varies = text is not None and bool(holes_in(scope.definition, parse(text)))
    value = None if varies else scope.word((name,))
    definition = _words(parse(text)) if text is not None else name
    prefix = ".".join((*at, ""))
    found[at, name] = Symbol(f"{prefix}{name}", definition, getattr(value, "size", value))
    if text is not None:
        for path in words(parse(text)):
            if len(path) == 1 and path[0] in scope.symbols:
                _note(found, at, scope, path[0])


def _words(node: Node) -> str:
    if isinstance(node, Alternatives):
        return ", else ".join(show(option) for option in node.options)
    return show(node)
