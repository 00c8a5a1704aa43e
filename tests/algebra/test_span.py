"""Spans and boxes behave like the sets that they represent."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from inspector.algebra.boxes import boxes_of, count, joined, leading, less, minus, within
from inspector.algebra.span import Span

SETS = st.sets(st.integers(0, 40))
TUPLES = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=1)


@given(SETS, SETS)
def test_set_operations(one: set[int], other: set[int]) -> None:
    a, b = Span.of(one), Span.of(other)
    assert set(a | b) == one | other
    assert set(a & b) == one & other
    assert set(a - b) == one - other
    assert a.size == len(one)
    assert [index in a for index in range(41)] == [index in one for index in range(41)]
    assert Span.of(one) == Span.of(sorted(one, reverse=True))


@given(SETS, st.none() | st.integers(-9, 9), st.none() | st.integers(-9, 9), st.none() | st.integers(1, 4))
def test_slices_are_those_of_python(members: set[int], start: int | None, stop: int | None, step: int | None) -> None:
    assert list(Span.of(members).slice(start, stop, step)) == sorted(members)[start:stop:step]


@given(SETS, st.integers(-9, 9))
def test_a_moved_set(members: set[int], by: int) -> None:
    assert set(Span.of(members).moved(by)) == {index + by for index in members}


@given(TUPLES)
def test_boxes_cover_exactly(tuples: set[tuple[int, int, int]]) -> None:
    boxes = boxes_of(sorted(tuples))
    assert count(boxes) == len(tuples)
    assert leading(boxes, 3) == tuples
    assert leading(joined(boxes), 3) == tuples


@given(TUPLES, TUPLES)
def test_boxes_less_a_box(tuples: set[tuple[int, int, int]], others: set[tuple[int, int, int]]) -> None:
    boxes, cut = boxes_of(sorted(tuples)), boxes_of(sorted(others))[0]
    inside = leading([cut], 3) or set()
    assert leading(less(boxes, cut), 3) == tuples - inside
    assert leading(within(boxes, cut), 3) == tuples & inside


@given(TUPLES, TUPLES, st.sampled_from((0, 64)))
def test_boxes_minus_boxes(tuples: set[tuple[int, int, int]], others: set[tuple[int, int, int]], few: int) -> None:
    with patch("inspector.algebra.boxes.FEW", few):
        left = minus(boxes_of(sorted(tuples)), boxes_of(sorted(others)))
    assert leading(left, 3) == tuples - others
    assert count(left) == len(tuples - others)


def test_words() -> None:
    assert Span.of([0, 2, *range(4, 29)]).words() == "0, 2, 4-28"
    assert Span.of([0, 1]).words() == "0, 1"
    assert Span.of(range(0, 100, 2)).words(3) == "0, 2, 4 and 47 more"
    assert Span.range(0, 10**9).words() == "0-999999999"
    assert Span().words() == ""
