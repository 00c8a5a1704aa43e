"""The config keys that the weights determine, as a block of the text report, if the checkpoint has no config."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.report.clean import clean
from inspector.report.screen import Screen

if TYPE_CHECKING:
    from inspector.reconciler.inverse.answers import Answers

LABEL = 16
"""Columns of the labels."""
MOST_LINES = 3
"""Most lines of one label; --verbose and the JSON show all."""


def answers_text(answers: Answers | None, screen: Screen, *, verbose: bool = False) -> str:
    """The keys that the weights determine, and the products and intervals that they give for other keys."""
    if answers is None:
        return ""
    known = [
        f"{clean(key, 60)} = {clean(str(value), 60)}" for key, value in answers.determined.items() if value is not None
    ]
    products: list[str] = []
    left: list[str] = []
    for one in answers.undetermined:
        expression = clean(one.expression, 200)
        if one.low != one.high:
            left.append(f"{expression}: {one.low:,} to {one.high:,}")
        elif all(factor.isidentifier() for factor in one.expression.split("*")):
            products.append(f"{expression.replace('*', ' × ')} = {one.low:,}")
        else:
            left.append(f"{expression} = {one.low:,}")
    blocks = (("determined", known), ("product only", products), ("undetermined", left))
    lines = [line for name, items in blocks for line in _block(name, items, screen, verbose)]
    return "\n".join(lines) + "\n" if lines else ""


def _block(name: str, items: Sequence[str], screen: Screen, verbose: bool) -> list[str]:
    width = screen.width - LABEL
    rows: list[str] = []
    left = len(items)
    for item in items:
        if rows and len(rows[-1]) + len(item) + 3 <= width:
            rows[-1] += f", {item}"
        elif len(rows) == MOST_LINES and not verbose:
            rows.append(f"and {left:,} more (--verbose)")
            break
        else:
            rows[-1:] = [f"{row}," for row in rows[-1:]]
            rows.append(item)
        left -= 1
    wrapped = [screen.wrapped(row, rest="  ", columns=width) for row in rows]
    texts = [line for row in wrapped for line in row]
    return [f"  {name if not at else '':<{LABEL - 2}}{text}" for at, text in enumerate(texts)]
