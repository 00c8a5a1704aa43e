"""The numeric functions of the expression language, such as max, prod, floor and log2."""

from __future__ import annotations

import math
from functools import lru_cache

from inspector.algebra.expression import Node
from inspector.algebra.fold_plan import fold_widths
from inspector.algebra.values import LISTS, Meanings, Value
from inspector.budget import spend

PRODUCTS_A_STEP = 1_000
"""Number of factors of a product that cost one step: the digits grow with each factor, the time with their square."""
MOST_PRIMES = 4_096
PRIMES_A_STEP = 4
LARGEST_PRIME = 1 << 47
WITNESSES = (2, 3, 5, 7, 11, 13, 17)
"""These witnesses distinguish all primes below 341,550,071,728,321 from other numbers (Jaeschke 1993)."""


def of_numbers(scope: Meanings, node: Node, name: str, numbers: list[int | float]) -> Value:
    """The value of a function of numbers. Arguments that it does not allow are recorded as a fault of the config."""
    if name == "same":
        if any(number != numbers[0] for number in numbers):
            scope.fault("differs", node, f"{' is not '.join(map(str, numbers))}")
        return numbers[0]
    if name in ("max", "min"):
        return max(numbers) if name == "max" else min(numbers)
    if name == "prod":
        spend(len(numbers) ** 2 // PRODUCTS_A_STEP, LISTS)
        return math.prod(numbers)
    if name == "floor":
        return int(numbers[0])  # int() truncates, as modelling code does
    if name == "log2":
        return int(numbers[0]).bit_length() - 1 if numbers[0] >= 1 else None
    if name == "folds":
        return fold_widths([int(number) for number in numbers])
    if name == "primes":
        return _sum_of_primes(numbers)
    step = numbers[1] if len(numbers) > 1 else 1
    if step <= 0:
        scope.fault("zero", node, f"rounded up to a multiple of {step}")
        return None
    if type(numbers[0]) is int and type(step) is int:
        return -(-numbers[0] // step) * step
    return int(math.ceil(numbers[0] / step) * step)


def _sum_of_primes(numbers: list[int | float]) -> Value:
    """`primes(start, skipped, count)`: the sum of `count` primes from `start` on, after `skipped` ones; None if too
    many.
    """
    whole = [int(number) for number in numbers]
    if len(whole) != 3 or min(whole) < 0 or whole[0] > LARGEST_PRIME or whole[1] + whole[2] > MOST_PRIMES:
        return None
    spend(1 + (whole[1] + whole[2]) // PRIMES_A_STEP, LISTS)
    return sum(primes_from(whole[0], whole[1] + whole[2])[whole[1] :])


@lru_cache(maxsize=256)
def primes_from(start: int, count: int) -> tuple[int, ...]:
    """The first `count` primes that are at least `start`."""
    found: list[int] = []
    number = start
    while len(found) < count:
        if _is_prime(number):
            found.append(number)
        number += 1
    return tuple(found)


def _is_prime(number: int) -> bool:
    """The Miller-Rabin test, with enough witnesses for the range."""
    if number < 2 or any(number % witness == 0 for witness in WITNESSES):
        return number in WITNESSES
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(number, witness, odd, twos) for witness in WITNESSES)


def _passes(number: int, witness: int, odd: int, twos: int) -> bool:
    power = pow(witness, odd, number)
    return power == 1 or any(pow(power, 1 << turn, number) == number - 1 for turn in range(twos))
