"""The functions of numbers in expressions."""

from __future__ import annotations

import math

from inspector.algebra.expression import Node
from inspector.algebra.values import LISTS, Meanings, Value
from inspector.budget import spend

PRODUCTS_A_STEP = 1_000
"""Digits of a product grow with its factors, so that its time grows with their square."""


def of_numbers(scope: Meanings, node: Node, name: str, numbers: list[int | float]) -> Value:
    """The value of a function of numbers; what it does not allow is a fault of the config."""
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
    step = numbers[1] if len(numbers) > 1 else 1
    if step <= 0:
        scope.fault("zero", node, f"rounded up to a multiple of {step}")
        return None
    if type(numbers[0]) is int and type(step) is int:
        return -(-numbers[0] // step) * step
    return int(math.ceil(numbers[0] / step) * step)
