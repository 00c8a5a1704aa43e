"""Polynomials over named atoms: the form of a definition's formula.

A term is a sorted tuple of (atom, power); anything else (`d/h`, `2**{S}`, `floor(x)`) is one
opaque atom, written in brackets. Coefficients are integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from inspector.algebra.expression import Binary, Literal, Node, Word, show

Term = tuple[tuple[str, int], ...]
Naming = Callable[[Node], "Polynomial | None"]
"""Returns the polynomial of a node, or None for the general rule."""


class Polynomial(Struct, frozen=True):
    """A sum of terms with integer coefficients; zero coefficients are not kept."""

    terms: Mapping[Term, int]

    def __add__(self, other: Polynomial) -> Polynomial:
        sums = dict(self.terms)
        for term, factor in other.terms.items():
            sums[term] = sums.get(term, 0) + factor
        return Polynomial({term: factor for term, factor in sums.items() if factor})

    def __mul__(self, other: Polynomial) -> Polynomial:
        products: dict[Term, int] = {}
        for one, left in self.terms.items():
            for two, right in other.terms.items():
                term = _product(one, two)
                products[term] = products.get(term, 0) + left * right
        return Polynomial({term: factor for term, factor in products.items() if factor})

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def number(self) -> int | None:
        """The value of a constant polynomial; None if an atom occurs."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def __str__(self) -> str:
        """Highest degree first, then by name: '2*d*dh*h + 3*d*ff + 2*d'."""
        if not self.terms:
            return "0"
        written = ""
        for term, factor in sorted(self.terms.items(), key=_order):
            sign = "-" if factor < 0 else "+"
            text = _term(term, abs(factor))
            written = f"{written} {sign} {text}" if written else (text if factor > 0 else f"-{text}")
        return written


def constant(value: int) -> Polynomial:
    """The polynomial of a number."""
    return Polynomial({(): value} if value else {})


def atom(name: str) -> Polynomial:
    """The polynomial of one atom."""
    return Polynomial({((name, 1),): 1})


def polynomial(node: Node, naming: Naming = lambda node: None) -> Polynomial:
    """An expression as a polynomial of its words; any other subexpression becomes an opaque atom."""
    named = naming(node)
    if named is not None:
        return named
    match node:
        case Literal(int() as value) if not isinstance(value, bool):
            return constant(value)
        case Word(path):
            return atom(".".join(path))
        case Binary("+", left, right):
            return polynomial(left, naming) + polynomial(right, naming)
        case Binary("-", left, right):
            return polynomial(left, naming) + constant(-1) * polynomial(right, naming)
        case Binary("*", left, right):
            return polynomial(left, naming) * polynomial(right, naming)
        case Binary("**", base, Literal(int() as exponent)) if 0 <= exponent <= 6:
            power, factor = constant(1), polynomial(base, naming)
            for _ in range(exponent):
                power = power * factor
            return power
    text = show(node)
    return atom(text if text.endswith(")") and text.startswith(("floor(", "ceil(", "len(")) else f"({text})")


def _product(one: Term, two: Term) -> Term:
    powers = dict(one)
    for name, power in two:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items(), key=lambda item: _atom_order(item[0])))


def _atom_order(name: str) -> tuple[bool, str]:
    return (name.startswith("("), name)


def _order(item: tuple[Term, int]) -> tuple[int, list[tuple[bool, str]]]:
    term = item[0]
    flat = [_atom_order(name) for name, power in term for _ in range(power)]
    return (-len(flat), flat)


def _term(term: Term, factor: int) -> str:
    parts = [name if power == 1 else f"{name}^{power}" for name, power in term]
    if factor != 1 or not parts:
        parts.insert(0, str(factor))
    return "*".join(parts)
