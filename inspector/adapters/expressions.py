"""Finds regular expressions in a list of target modules, whose entries PEFT reads as the ends of names.

Measured with PEFT 0.21 ("Target modules not found in the base model"); until 0.5 the entries of a list were matched as
expressions too, each after `.*\\.` (`check_target_module_exists` of `tuners/tuners_utils.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.algebra.patterns import is_plain


def as_expressions(listed: Any) -> Iterator[str]:
    """The single expressions that the entries of a list can stand for; none if all of them are names."""
    if not isinstance(listed, list) or not all(isinstance(one, str) and one for one in listed):
        return
    if all(is_plain(one) for one in listed):
        return
    whole = _together(listed)
    yield from (whole, rf".*\.(?:{whole})" if len(listed) > 1 or "|" in whole else rf".*\.{whole}")


def _together(listed: Sequence[str]) -> str:
    return listed[0] if len(listed) == 1 else "|".join(f"(?:{one})" for one in listed)
