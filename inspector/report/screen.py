"""The columns and colours of the place that a report is printed on. Words wrap; names are never broken, so that they
can be copied.

Only the table of families shortens names that are wider than the screen, in their middle.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

NARROWEST: Final = 60
WIDEST: Final = 200
"""Most columns that reports use; a wider terminal leaves the rest blank."""
COLOURS: Final = {
    "error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[36m", "clean": "\x1b[1;32m",
    "quiet": "\x1b[2m", "bold": "\x1b[1m",
}  # fmt: skip
"""Severities and parts of a report -> the escape sequence of their colour."""


class Screen(Struct, frozen=True):
    """width: columns, from 60 to 200. colour: whether escape sequences may be written."""

    width: int = 80
    colour: bool = False

    def paint(self, text: str, kind: str) -> str:
        """The text in the colour of a severity or part; unchanged without colours."""
        return f"{COLOURS[kind]}{text}\x1b[0m" if self.colour and kind in COLOURS else text

    def fitted(self, name: str) -> str:
        """A name in one line: whole if it fits, else its beginning and its end."""
        if len(name) <= self.width:
            return name
        end = self.width // 2
        return f"{name[: self.width - end - 1]}…{name[-end:]}"

    def wrapped(
        self, text: str, *, first: str = "", rest: str = "", columns: int | None = None, most: int | None = None
    ) -> list[str]:
        """The text in lines of at most `columns` (default: the width), except for longer words; at least one line.

        first, rest: prefix of the first line and of the other lines. most: the text is cut after this number of lines.
        """
        width = columns or self.width
        if len(first) + len(text) <= width and text and not text.isspace() and text.isprintable():
            return [f"{first}{text.rstrip()}"]
        import textwrap  # compiles its patterns on import; a short report needs none

        lines = textwrap.wrap(
            text,
            width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
            max_lines=most,
            placeholder=" …",
        )
        return lines or [first.rstrip()]


PLAIN: Final = Screen()
"""80 columns without colours: files, pipes, and reports as strings."""


def fitting(columns: int) -> int:
    """The width that reports use on a terminal with these columns."""
    return max(NARROWEST, min(columns, WIDEST))
