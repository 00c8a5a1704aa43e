"""The form of a rule: a severity and the words for one kind of evidence.

A rule file holds one `RULE` and a docstring that is its page of documentation (`inspector explain`).
Code and name are those of the file: `d501_shape_differs.py` is D501, `shape-differs`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.evidence import Place

Facts = Mapping[str, Any]
Rows = list[tuple[str, str]]


def _no_rows(place: Place, facts: Facts) -> Rows:
    return []


@dataclass(frozen=True, slots=True)
class Rule:
    """Words of one finding, made from its place and facts alone so that all formats agree.

    severity: "error", "warning" or "note".
    headline: what stands behind "error[D501] shape-differs: ".
    help: what to do, one sentence; empty where nothing needs doing.
    rows: label and text of the lines below the headline.
    """

    severity: str
    headline: Callable[[Place, Facts], str]
    help: Callable[[Place, Facts], str]
    rows: Callable[[Place, Facts], Rows] = _no_rows


def value(thing: object) -> str:
    """A config value as JSON writes it, shortened."""
    text = json.dumps(thing, ensure_ascii=True) if not isinstance(thing, float) else repr(thing)
    return text if len(text) <= 80 else f"{text[:77]}..."


def count(amount: Any, word: str) -> str:
    """1 as "1 tensor", 1200 as "1,200 tensors"."""
    return f"{number(amount)} {word}" if amount == 1 else f"{number(amount)} {word}s"


def role_words(role: object) -> str:
    """A role as people say it: 'attention.key' is "attention key"."""
    from inspector.notation.roles import label

    return label(str(role))


def number(thing: object) -> str:
    """12345 as '12,345'; anything else as it is."""
    return f"{thing:,}" if isinstance(thing, int) and not isinstance(thing, bool) else str(thing)


def shape(dims: object) -> str:
    """[4096, 1024] as '[4096, 1024]': the dims of a tensor, without thousands separators."""
    return "[" + ", ".join(str(d) for d in dims) + "]" if isinstance(dims, (list, tuple)) else str(dims)


def listed(items: object, most: int = 8) -> str:
    """The first few of a list, and how many more."""
    words = [str(item) for item in items] if isinstance(items, (list, tuple)) else [str(items)]
    shown = ", ".join(words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most:,} more"
