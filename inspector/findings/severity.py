"""Severities that the facts of a finding decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class SeverityIf:
    """One severity where a condition on the facts of a finding holds, another where it does not.

    usual: the severity of the class, which the list of findings shows.
    """

    def __init__(self, holds: Callable[[Any], object], then: str, otherwise: str, *, usual: str) -> None:
        self.holds, self.then, self.otherwise, self.usual = holds, then, otherwise, usual

    def __get__(self, finding: object | None, of: type) -> str:
        if finding is None:
            return self.usual
        return self.then if self.holds(finding) else self.otherwise
