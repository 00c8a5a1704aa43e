"""The holes that the value of a symbol depends on, and the extents that a span was cut from."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.algebra.evaluation import is_filter
from inspector.algebra.expression import (
    Alternatives,
    Binary,
    Bracket,
    Guarded,
    Hole,
    Node,
    Slice,
    Word,
    children,
    parse,
)
from inspector.notation.definition import Architecture

_FREE: dict[Architecture, dict[str, tuple[str, ...]]] = {}
_BASES: dict[tuple[Architecture, str], tuple[str, ...]] = {}


def free_holes(definition: Architecture, symbol: str) -> tuple[str, ...]:
    """The holes that a symbol's value depends on, through other symbols."""
    known = _FREE.setdefault(definition, {})
    if symbol not in known:
        known[symbol] = ()
        text = definition.dims.get(symbol)
        if text is not None:
            known[symbol] = holes_in(definition, parse(text))
    return known[symbol]


def holes_in(definition: Architecture, node: Node) -> tuple[str, ...]:
    """The holes that an expression depends on, directly or through symbols, except holes that a filter binds."""
    found: dict[str, None] = {}
    _collect(definition, node, frozenset(), found)
    return tuple(found)


def _collect(definition: Architecture, node: Node, bound: frozenset[str], found: dict[str, None]) -> None:
    if isinstance(node, Hole):
        if node.name not in bound:
            found[node.name] = None
    elif isinstance(node, Word) and len(node.path) == 1:
        for hole in free_holes(definition, node.path[0]):
            if hole not in bound:
                found[hole] = None
    elif isinstance(node, Bracket) and is_filter(node.inner) and isinstance(node.base, Word):
        name = node.base.path[0]
        _collect(definition, node.base, bound, found)
        _collect(definition, node.inner, bound | {name, *bases(definition, name)}, found)
    else:
        for child in children(node):
            _collect(definition, child, bound, found)


def bases(definition: Architecture, symbol: str) -> tuple[str, ...]:
    """The extents that a span was cut from, nearest first: D="L[:k]" has ("L",)."""
    key = (definition, symbol)
    if key not in _BASES:
        _BASES[key] = ()
        text = definition.dims.get(symbol)
        chain: dict[str, None] = {}
        if text is not None:
            for name in _cut_from(parse(text)):
                chain[name] = None
                chain.update(dict.fromkeys(bases(definition, name)))
        _BASES[key] = tuple(name for name in chain if name != symbol)
    return _BASES[key]


def _cut_from(node: Node) -> Iterator[str]:
    match node:
        case Word((name,)):
            yield name
        case Alternatives(options):
            for option in options:
                yield from _cut_from(option)
        case Guarded(value, _):
            yield from _cut_from(value)
        case Bracket(base, inner, _) if isinstance(inner, Slice) or is_filter(inner):
            yield from _cut_from(base)
        case Binary("-" | "&", left, _):
            yield from _cut_from(left)
