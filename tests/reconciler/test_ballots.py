"""Values that equations determine, exactly or as an interval."""

from __future__ import annotations

from inspector.reconciler.inverse.ballots import Ballots
from inspector.reconciler.inverse.solve import Solution, solutions


def test_a_number_that_one_equation_determines_exactly_is_not_an_interval() -> None:
    exact, rough, rougher = Solution(32, 32, True), Solution(32, 33, True), Solution(32, 35, True)
    for order, interval in (((rough, rougher), (32, 33)), ((rougher, exact), None), ((exact, rougher), None)):
        ballots = Ballots()
        for solution in order:
            ballots.add(("upsample_initial_channel",), solution, "dim", 1, 0)
        assert ballots.interval(("upsample_initial_channel",), 32) == interval
        assert [one.votes for one in ballots.ranked()] == [2]


def test_a_fraction_in_a_negative_size_has_no_root() -> None:
    assert [one.value for one in solutions(lambda value: int(-8 * value), 2.5, None, 12)] == [-1.5]
