"""The expression language: grammar, errors, and the meaning of absent values."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.algebra.expression import ExpressionError, parse, show
from inspector.algebra.polynomial import polynomial
from inspector.algebra.span import Span
from inspector.algebra.values import extent
from inspector.notation.definition import Architecture, Dims
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings


def scope(config: dict[str, Any], at: dict[str, int] | None = None, **dims: str) -> Scope:
    """The scope of a definition that has only dims."""
    made = Scope(Architecture("test", dims=Dims(**dims)), Settings(config), lambda name: None)
    for hole, index in (at or {}).items():
        made.enter(hole, index)
    return made


VALUES: list[tuple[str, dict[str, Any], Any]] = [
    ("a | b | 3", {}, 3),
    ("a | b | 3", {"a": None, "b": 2}, 2),
    ("a when p | 1", {"a": 5, "p": False}, 1),
    ("a when p | 1", {"a": 5, "p": True}, 5),
    ("2*a + 1", {"a": 3}, 7),
    ("a/b", {"a": 12, "b": 4}, 3),
    ("a/b", {"a": 12, "b": 5}, None),
    ("a//b", {"a": 12, "b": 5}, 2),
    ("a/b", {"a": 12, "b": 0}, None),
    ("a % b", {"a": 12, "b": 0}, None),
    ("a/b", {"a": 3, "b": 0.5}, 6.0),
    ("2**a", {"a": 10}, 1024),
    ("2**3**2", {}, 512),
    ("a*b", {"a": True, "b": 2}, None),
    ("a*b", {"a": "12", "b": 2}, None),
    ("a*b", {"a": [1], "b": 2}, None),
    ("ceil(a, 8)", {"a": 17}, 24),
    ("floor(a*b)", {"a": 2.7, "b": 72}, 194),
    ("ceil(floor((m | 1)*(8*d//3)), k)", {"d": 9600, "m": 1.1, "k": 256}, 28160),
    ("len(a)", {"a": [1, 2, 3]}, 3),
    ("len(a)", {}, None),
    ("max(a)", {"a": [1, 9, 3]}, 9),
    ("prod(a)", {"a": [2, 3, 4]}, 24),
    ("min(a, b)", {"a": 2, "b": 1}, 1),
    ("len(within(a, 3))", {"a": [-1, 0]}, 2),
    ("within(a, 3)[0]", {"a": [-1, 0]}, 2),
    ("within(a, 3)[0]", {"a": [-4]}, -4),
    ("numbers(a)[0]", {"a": "3/16"}, 3),
    ("numbers(a)[1]", {"a": "3/16"}, 16),
    ("numbers(a)[1] | 9", {"a": "3"}, 9),
    ("numbers(a)[0]", {"a": "a third"}, None),
    ("numbers(a)[0]", {"a": 3}, None),
    ("folds(2, 40, 4, 3)[6]", {}, 9600),
    ("folds(2, 8, 2, 3)[1]", {}, 64),
    ("folds(2, 8, 0, 3)", {}, None),
    ("primes(1, 0, 4)", {}, 2 + 3 + 5 + 7),
    ("primes(a, 1, 2)", {"a": 23}, 29 + 31),
    ("primes(a, 0, 1)", {"a": 20_000_000}, 20_000_003),
    ("primes(a, 0, 1)", {"a": 2.5e20}, None),
    ("primes(0, 0, a)", {"a": 10**9}, None),
    ("a[0]", {"a": [7, 8]}, 7),
    ("a[0]", {"a": 7}, 7),
    ("a[5] | 4", {"a": [7, 8]}, 4),
    ("a[0-1] | 4", {"a": [7, 8]}, 4),
    ("a['x'] | 4", {"a": {"x": 1}}, 4),
    ("a.b.c", {"a": {"b": {"c": 5}}}, 5),
    ("a.b.c | 1", {"a": 3}, 1),
    ("a == 'x'", {"a": "x"}, True),
    ("a == null", {}, True),
    ("a != null", {"a": 0}, True),
    ("a in 'gated other'", {"a": "gated"}, True),
    ("a in b", {"a": 3, "b": [1, 3]}, True),
    ("a in b", {"b": [1, 3]}, False),
    ("a not in b", {"b": [1, 3]}, True),
    ("a > 2", {}, False),
    ("not a", {}, True),
    ("a and not b or c", {"a": 1, "b": 1, "c": 0}, False),
    ("a == 1", {"a": True}, False),
]


@pytest.mark.parametrize(("text", "config", "value"), VALUES)
def test_values(text: str, config: dict[str, Any], value: Any) -> None:
    found = scope(config).evaluate(parse(text))
    assert found == value
    assert type(found) is type(value)


EXTENTS: list[tuple[str, dict[str, Any], list[int]]] = [
    ("L[:k]", {"k": 2}, [0, 1]),
    ("L[k:]", {"k": 2}, [2, 3, 4, 5]),
    ("L[1::2]", {}, [1, 3, 5]),
    ("L[:L-1]", {}, [0, 1, 2, 3, 4]),
    ("L - L[:2]", {}, [2, 3, 4, 5]),
    ("L & names", {"names": [1, 3, 77]}, [1, 3]),
    ("L - names", {"names": [1, 3, 77]}, [0, 2, 4, 5]),
    ("L[kinds == 'a']", {"kinds": ["a", "b", "a"]}, [0, 2]),
    ("L[word == 'M']", {"word": "M*-M"}, [0, 3]),
    ("L[kinds in 'a c']", {"kinds": ["a", "b", "c"]}, [0, 2]),
    ("L[{L} in named]", {"named": "0, 2,11"}, [0, 2]),
    ("L[kinds == 'a'] | L[:1]", {}, [0]),
    ("L[({L}+1) % step == 0 and {L} not in plain]", {"step": 2, "plain": [3]}, [1, 5]),
    ("L : L + n", {"n": 2}, [6, 7]),
    ("3 : 3+3*n : 3", {"n": 3}, [3, 6, 9]),
    ("names", {"names": [4, 2]}, [2, 4]),
]


@pytest.mark.parametrize(("text", "config", "indices"), EXTENTS)
def test_extents(text: str, config: dict[str, Any], indices: list[int]) -> None:
    found = extent(scope(config, L="6", X=text).word(("X",)))
    assert found is not None
    assert list(found) == indices


def test_a_span_keeps_its_base() -> None:
    made = scope({"w": [3, 4, 5, 6]}, {"D": 2}, L="4", D="L[1:]", f="w[{L}]")
    assert made.word(("f",)) == 5


def test_a_hole_outside_its_path_is_absent() -> None:
    assert scope({"w": [3, 4]}, f="w[{L}] | 9").word(("f",)) == 9


def test_a_hundred_million_layers_are_cheap_and_a_filter_over_them_is_refused() -> None:
    made = scope({"n": 10**9, "kinds": ["a"]}, L="n", D="L[:3]", X="L[kinds == 'a']")
    assert made.word(("D",)) == Span.range(0, 3)
    assert made.word(("X",)) is None
    assert [fault.kind for fault in made.faults] == ["size"]


FAULTS = [
    ("a/b", {"a": 5, "b": 2}, "remainder"),
    ("a//b", {"a": 5, "b": 0}, "zero"),
    ("a*b", {"a": "x", "b": 2}, "type"),
    ("same(a, b)", {"a": 5, "b": 6}, "differs"),
]


@pytest.mark.parametrize(("text", "config", "kind"), FAULTS)
def test_faults_are_reported_with_their_keys(text: str, config: dict[str, Any], kind: str) -> None:
    made = scope(config)
    made.evaluate(parse(text))
    (fault,) = made.faults
    assert (fault.kind, set(fault.keys)) == (kind, {"a", "b"})


ERRORS = [("a +", "expected a name, found the end"), ("a + * b", "found '*'"), ("a b", "expected the end"),
          ("f(", "expected the end, found '('"), ("len()", "found ')'"), ("a ? b", "unreadable")]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_errors_point_at_the_place(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert str(caught.value).splitlines()[-1].strip() == "^"


@pytest.mark.parametrize("text", [case[0] for case in VALUES] + [case[0] for case in EXTENTS])
def test_printed_text_parses_to_the_same_text(text: str) -> None:
    assert show(parse(show(parse(text)))) == show(parse(text))


POLYNOMIALS = [("(2*k-1)**2*h", "4*h*k^2 - 4*h*k + h"), ("K*d*(d/G)", "K*d*(d/G)"), ("a - a", "0"), ("3*4", "12"),
               ("b*a*a + 2", "a^2*b + 2"), ("floor(x)*d", "d*floor(x)")]  # fmt: skip


@pytest.mark.parametrize(("text", "written"), POLYNOMIALS)
def test_polynomials(text: str, written: str) -> None:
    assert str(polynomial(parse(text))) == written
