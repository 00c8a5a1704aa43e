"""Makes text from a checkpoint safe to show: all of it passes through here before it is printed."""

from __future__ import annotations

import os
from itertools import islice
from typing import Any, TextIO

NAME_LIMIT = 200
"""Most characters of one name or value that are shown."""


def clean(text: object, limit: int = NAME_LIMIT) -> str:
    """The text with all characters that are not printable (controls, bidi, invisible) as escapes; long text is cut."""
    written = str(text)
    if len(written) > limit:
        written = f"{written[: limit - 40]}… ({len(written):,} characters)"
    if written.isascii() and written.isprintable():
        return written
    return "".join(char if _harmless(char) else _escaped(char) for char in written)


LONGEST_TEXT = 1_000
MOST_ITEMS = 50


def short(text: str) -> str:
    """A text for a document: the whole text, or its beginning and its length."""
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 40]}… ({len(text):,} characters)"


def shortened(value: Any) -> Any:
    """A JSON value with short texts, and the first items of its lists and objects."""
    if isinstance(value, str):
        return short(value)
    if isinstance(value, list | tuple):
        return [shortened(item) for item in value[:MOST_ITEMS]]
    if isinstance(value, dict):
        return {short(key): shortened(item) for key, item in islice(value.items(), MOST_ITEMS)}
    return value


def takes_escapes(stream: TextIO | None) -> bool:
    """True if a stream is a terminal that understands escape sequences for colours and the cursor. None is a closed
    stream.

    Of the consoles of Windows only newer ones do; they set an environment variable.
    """
    if stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb":
        return False
    return os.name != "nt" or any(name in os.environ for name in ("WT_SESSION", "ANSICON", "ConEmuANSI", "TERM"))


_FILLERS = (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)
_INVISIBLE = frozenset(map(chr, (*_FILLERS, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10))))
"""Characters that count as printable but are invisible: fillers, blank patterns, variation selectors.

Source: `Default_Ignorable_Code_Point` in Unicode's DerivedCoreProperties.txt, and U+2800.
"""


def _harmless(char: str) -> bool:
    if char in _INVISIBLE:
        return False
    return char.isprintable() and not 0xE0000 <= ord(char) <= 0xE0FFF and not 0x1D173 <= ord(char) <= 0x1D17A


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


MOST_EXACT = 10**15
"""Numbers below this are shown exactly; the counts of the largest checkpoints have thirteen digits."""


def figure(number: int) -> str:
    """The integer with a comma after every three digits; only its power of ten if a nonsensical config
    makes it huge.
    """
    if abs(number) < MOST_EXACT:
        return f"{number:,}"
    digits = int(abs(number).bit_length() * 0.30103)  # log10(2)
    return f"{'-' if number < 0 else ''}about 10^{digits}"
