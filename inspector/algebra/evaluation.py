"""Evaluates expressions in a scope to numbers, texts, lists and spans; None means *absent*.

A tree is compiled once to nested functions of a scope, so that binding a definition takes microseconds per row.
Arithmetic with an absent or unsuitable value is absent; a remainder of `/`, a division by zero and a
value of the wrong type are reported to the scope, which collects them as faults of the config.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from operator import methodcaller

from inspector.algebra.expression import (
    COMPARISONS,
    Alternatives,
    Binary,
    Bracket,
    Call,
    Guarded,
    Hole,
    Literal,
    Node,
    Not,
    Slice,
    Word,
)
from inspector.algebra.functions import of_numbers
from inspector.algebra.span import MOST_LISTED, Span
from inspector.algebra.values import (
    ITEMS_A_STEP,
    LISTS,
    Meanings,
    Unknown,
    Value,
    extent,
    number_of,
    shown,
    truth,
    whole,
)
from inspector.budget import spend

Evaluator = Callable[[Meanings], Value]
STEPS_AN_INDEX = 3
STEPS_A_FAULT = 100
CHARACTERS_A_STEP = 256
NUMBERS = re.compile(r"[0-9]{1,9}(?:[/x:][0-9]{1,9})*")
DIGITS = re.compile(r"[0-9]+")


@cache
def evaluator(node: Node) -> Evaluator:
    """The function that evaluates a tree in a scope. It never raises on unsuitable values: it returns None."""
    match node:
        case Literal(value):
            return lambda scope: value
        case Word(path):
            return methodcaller("word", path)
        case Hole(name):
            return methodcaller("index", name)
        case Not(operand):
            inner = evaluator(operand)
            return lambda scope: not truth(inner(scope))
        case Alternatives(options):
            return _first_present([evaluator(option) for option in options])
        case Guarded(value, condition):
            guarded, allowed = evaluator(value), evaluator(condition)
            return lambda scope: guarded(scope) if truth(allowed(scope)) else None
        case Slice(start, stop, step):
            return _range(node, start, stop, step)
        case Call(name, arguments):
            return _call(node, name, [evaluator(argument) for argument in arguments])
        case Bracket():
            return _bracket(node)
        case Binary("and" | "or" as operator, left, right):
            one, other = evaluator(left), evaluator(right)
            if operator == "and":
                return lambda scope: truth(one(scope)) and truth(other(scope))
            return lambda scope: truth(one(scope)) or truth(other(scope))
        case Binary(operator, left, right) if operator in COMPARISONS:
            return _comparison(operator, evaluator(left), evaluator(right))
        case Binary():
            return _arithmetic(node)
    raise AssertionError(node)


def _first_present(options: list[Evaluator]) -> Evaluator:
    def first(scope: Meanings) -> Value:
        for option in options:
            value = option(scope)
            if value is not None:
                return value
        return None

    return first


def _range(node: Node, start: Node | None, stop: Node | None, step: Node | None) -> Evaluator:
    bounds = [evaluator(part) if part is not None else None for part in (start, stop, step)]

    def span(scope: Meanings) -> Value:
        low, high, stride = (whole(bound(scope)) if bound else None for bound in bounds)
        if high is None or (bounds[0] and low is None) or (bounds[2] and not stride):
            return None
        try:
            return Span.range(low or 0, high, stride or 1)
        except OverflowError as problem:
            scope.fault("size", node, str(problem))
            return None

    return span


def _comparison(operator: str, left: Evaluator, right: Evaluator) -> Evaluator:
    def equal(scope: Meanings) -> Value:
        return _same(left(scope), right(scope))

    def order(scope: Meanings) -> Value:
        one, other = number_of(left(scope)), number_of(right(scope))
        if one is None or other is None:
            return False
        return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[operator]

    def among(scope: Meanings) -> Value:
        one, other = left(scope), right(scope)
        if one is None or other is None:
            return False
        if isinstance(other, str):
            spend(len(other) // CHARACTERS_A_STEP, LISTS)
            return str(one) in other.replace(",", " ").split() if not isinstance(one, (list, dict)) else False
        if isinstance(other, (list, tuple)):
            spend(len(other) // ITEMS_A_STEP, LISTS)
            return any(_same(one, item) for item in other)
        number = whole(one)
        return isinstance(other, Span) and number is not None and number in other

    if operator == "==":
        return equal
    if operator == "!=":
        return lambda scope: not equal(scope)
    if operator == "in":
        return among
    if operator == "not in":
        return lambda scope: not among(scope)
    return order


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, Span) or isinstance(other, Span):
        one, other = (side.size if isinstance(side, Span) else side for side in (one, other))
    elif isinstance(one, (list, dict, str)) and type(one) is type(other):
        spend(len(one) // ITEMS_A_STEP, LISTS)
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _arithmetic(node: Binary) -> Evaluator:
    left, right, operator = evaluator(node.left), evaluator(node.right), node.operator

    def compute(scope: Meanings) -> Value:
        spend(1, LISTS)
        one, other = left(scope), right(scope)
        if type(one) is int and type(other) is int:
            if operator == "*":
                return one * other
            if operator == "+":
                return one + other
        if one is None or other is None or isinstance(one, Unknown) or isinstance(other, Unknown):
            return None
        if operator in ("-", "&") and (isinstance(one, Span) or isinstance(other, (Span, list))):
            return _set_operation(operator, one, other)
        return _on_numbers(scope, node, number_of(one), number_of(other), (one, other))

    return compute


def _on_numbers(
    scope: Meanings, node: Binary, one: int | float | None, other: int | float | None, given: tuple[Value, Value]
) -> Value:
    if one is None or other is None:
        bad = given[0] if one is None else given[1]
        spend(STEPS_A_FAULT, LISTS)
        scope.fault("type", node, f"{shown(bad)} is not a number")
        return None
    operator = node.operator
    if operator in ("/", "//", "%") and other == 0:
        scope.fault("zero", node, f"{one}{operator}0")
        return None
    if operator == "/":
        if type(one) is int and type(other) is int:
            if one % other:
                return scope.fault("remainder", node, f"{one} is not a multiple of {other}", one // other)
            return one // other
        return one / other
    if operator == "**":
        return _power(scope, node, one, other)
    if operator == "//":
        return one // other
    if operator == "%":
        return one % other
    return one - other if operator == "-" else one + other if operator == "+" else one * other


def _power(scope: Meanings, node: Binary, base: int | float, exponent: int | float) -> Value:
    real = base >= 0 or float(exponent).is_integer()
    if not real or abs(exponent) > 128 or abs(base) > 2**40:
        scope.fault("size", node, f"{base}**{exponent} is {'too large' if real else 'not a real number'}")
        return None
    try:
        return base**exponent
    except (OverflowError, ZeroDivisionError):
        scope.fault("size", node, f"{base}**{exponent} cannot be computed")
        return None


def _set_operation(operator: str, one: Value, other: Value) -> Value:
    base = extent(one)
    if base is None:
        return None
    cut = extent(other)
    if cut is None:
        return None
    return base - cut if operator == "-" else base & cut


def _call(node: Node, name: str, arguments: list[Evaluator]) -> Evaluator:
    def call(scope: Meanings) -> Value:
        spend(1, LISTS)
        values = [argument(scope) for argument in arguments]
        if name == "len":
            first = values[0]
            if isinstance(first, (Span, Unknown)):
                return first.size
            return len(first) if isinstance(first, (list, dict, str)) else None
        if name == "number":
            return number_of(values[0])
        if name == "numbers":
            return _written_numbers(values[0])
        if name == "within":
            return _indices_within(*values)
        if len(values) == 1 and isinstance(values[0], list):
            values = values[0]
            spend(len(values) // ITEMS_A_STEP, LISTS)
        numbers = [number_of(value) for value in values]
        if not numbers or any(number is None for number in numbers):
            return None
        return of_numbers(scope, node, name, [number for number in numbers if number is not None])

    return call


def _written_numbers(value: Value) -> Value:
    """The whole numbers of a text such as "1/4", here [1, 4]; absent for any other value."""
    if not isinstance(value, str) or len(value) > CHARACTERS_A_STEP or not NUMBERS.fullmatch(value):
        return None
    return [int(digits) for digits in DIGITS.findall(value)]


def _indices_within(indices: Value, size: Value) -> Value:
    """Indices into a list of length `size`: negative ones become non-negative; those out of range stay as they are."""
    if not isinstance(indices, list) or type(size) is not int:
        return indices
    spend(len(indices) // ITEMS_A_STEP, LISTS)
    return [index + size if type(index) is int and -size <= index < 0 else index for index in indices]


def _bracket(node: Bracket) -> Evaluator:
    base, inner = evaluator(node.base), node.inner
    if isinstance(inner, Slice):
        bounds = [evaluator(part) if part is not None else None for part in (inner.start, inner.stop, inner.step)]

        def cut(scope: Meanings) -> Value:
            found = extent(base(scope))
            numbers = [whole(bound(scope)) if bound else None for bound in bounds]
            if found is None or any(bound and number is None for bound, number in zip(bounds, numbers, strict=True)):
                return None
            if numbers[2] is not None and numbers[2] <= 0:
                scope.fault("zero", node, f"every {numbers[2]}th")
                return None
            try:
                return found.slice(*numbers)
            except OverflowError as problem:
                scope.fault("size", node, str(problem))
                return None

        return cut
    if is_filter(inner):
        return _filter(node, base)
    return _item(node, base, evaluator(inner))


def is_filter(inner: Node) -> bool:
    """True if the inner part of a bracket is a predicate: a comparison, `and`, `or`, `not`, or a bare key."""
    return isinstance(inner, (Not, Word)) or (
        isinstance(inner, Binary) and (inner.operator in COMPARISONS or inner.operator in ("and", "or"))
    )


class _AtIndex:
    """A scope inside a filter: lists and texts of the config are read at the index that the filter tests."""

    __slots__ = ("at", "outer")

    def __init__(self, outer: Meanings, at: int) -> None:
        self.outer, self.at = outer, at

    def word(self, path: tuple[str, ...]) -> Value:
        value = self.outer.word(path)
        return _at(value, self.at) if isinstance(value, (list, str, Unknown)) else value

    def index(self, hole: str) -> int | None:
        return self.outer.index(hole)

    def enter(self, hole: str, index: int | None) -> int | None:
        return self.outer.enter(hole, index)

    def fault(self, kind: str, node: Node, detail: str, rounded: int | None = None) -> int | None:
        return self.outer.fault(kind, node, detail, rounded)


def _filter(node: Bracket, base: Evaluator) -> Evaluator:
    hole = node.base.path[0] if isinstance(node.base, Word) else ""
    predicate = _predicate(node.inner)

    def filtered(scope: Meanings) -> Value:
        found = extent(base(scope))
        if found is None:
            return None
        if not _decidable(node.inner, scope):
            return None
        if found.size > MOST_LISTED:
            scope.fault("size", node, f"{found.size:,} indices are too many to test")
            return None
        kept = []
        spend(STEPS_AN_INDEX * found.size, LISTS)
        for index in found:
            before = scope.enter(hole, index)
            if predicate(scope, index):
                kept.append(index)
            scope.enter(hole, before)
        return Span.of(kept)

    return filtered


def _decidable(inner: Node, scope: Meanings) -> bool:
    """True if a filter can be decided. A filter over an absent list is absent, so that the next alternative applies."""
    if isinstance(inner, Binary) and inner.operator in ("==", "in") and isinstance(inner.left, Word):
        return scope.word(inner.left.path) is not None
    return scope.word(inner.path) is not None if isinstance(inner, Word) else True


def _predicate(inner: Node) -> Callable[[Meanings, int], bool]:
    """The test of a filter. Words are read at the tested index; the right side of `in` is the whole value."""
    match inner:
        case Binary("and", left, right):
            one, other = _predicate(left), _predicate(right)
            return lambda scope, at: one(scope, at) and other(scope, at)
        case Binary("or", left, right):
            one, other = _predicate(left), _predicate(right)
            return lambda scope, at: one(scope, at) or other(scope, at)
        case Not(operand):
            negated = _predicate(operand)
            return lambda scope, at: not negated(scope, at)
        case Binary("in" | "not in" as operator, left, right):
            item, group = evaluator(left), evaluator(right)

            def among(scope: Meanings, at: int) -> bool:
                one, many = item(_AtIndex(scope, at)), group(scope)
                return bool(_comparison(operator, lambda _: one, lambda _: many)(scope))

            return among
    plain = evaluator(inner)
    return lambda scope, at: truth(plain(_AtIndex(scope, at)))


def _item(node: Bracket, base: Evaluator, position: Evaluator) -> Evaluator:
    fields = node.fields

    def item(scope: Meanings) -> Value:
        value, at = base(scope), whole(position(scope))
        if value is None or at is None:
            return None
        value = _at(value, at)
        for field in fields:
            value = value.get(field) if isinstance(value, dict) else None
        return value

    return item


def _at(value: Value, at: int) -> Value:
    """An entry of a list, text or dict with (zero-padded) number keys; a scalar has the same value at every index."""
    if isinstance(value, (list, str)):
        return value[at] if 0 <= at < len(value) else None
    if isinstance(value, dict):
        written = str(at)
        return value[written] if written in value else value.get(written.zfill(min(len(next(iter(value), "")), 20)))
    return value.at(at) if isinstance(value, (Span, Unknown)) else value
