"""Totals as a person writes them: 8030257152 or 8.03B."""

from __future__ import annotations

import re

from msgspec import Struct


class Stated(Struct, frozen=True):
    """A number as written by a person: 8.03B means every number that rounds to it."""

    text: str
    value: int
    unit: int  # one of the last given digit, 10,000,000 for 8.03B; 0 where all digits are given

    @property
    def rounded(self) -> str:
        """The text if digits were left out; else ""."""
        return self.text if self.unit else ""

    def covers(self, number: int) -> bool:
        """True if a count equals this number to the given digits."""
        return 2 * abs(number - self.value) <= self.unit

    def cut_off(self, number: int) -> str | None:
        """What is wrong if the further digits of a count were left out without rounding: 405B of 405,853,388,800."""
        if not self.unit or number // self.unit * self.unit != self.value or self.covers(number):
            return None
        return f"its digits are cut off; rounded it is {self._rounding(number)}"

    def _rounding(self, number: int) -> str:
        """A count with as many digits and in the same unit as the text: 405,853,388,800 as 406B."""
        letter = self.text[-1]
        power = _UNITS[letter.lower()]
        decimals = power + 1 - len(str(self.unit))
        rounded = (2 * number + self.unit) // (2 * self.unit) * self.unit
        return f"{rounded / 10**power:,.{decimals}f}{letter}"


_STATED = re.compile(r"(\d[\d,_]*)(?:\.(\d+))?\s*([KMBTkmbt]?)", re.ASCII)
_UNITS = {"": 0, "k": 3, "m": 6, "b": 9, "t": 12}


def read_claim(text: str) -> Stated | None:
    """Parses 8030257152, 8,030,257,152, 8.03B or 6607.34M; None for anything else."""
    match = _STATED.fullmatch(text.strip())
    if match is None or len(text) > 40:
        return None
    digits, fraction, unit = match[1].replace(",", "").replace("_", ""), match[2] or "", match[3].lower()
    power = _UNITS[unit]
    if len(fraction) > power:
        return None
    value = int(digits + fraction) * 10 ** (power - len(fraction))
    return Stated(text.strip(), value, 10 ** (power - len(fraction)) if unit else 0)
