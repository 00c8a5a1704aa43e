"""Determines the width and colours of the terminal, or of the file that a report is written to."""

from __future__ import annotations

import os
import sys
from typing import Final

from inspector.report.clean import takes_escapes
from inspector.report.screen import PLAIN, Screen, fitting

_UNKNOWN: Final = 80


def screen_of(color: str | None, output: str | None) -> Screen:
    """The screen of a report. color: always, never, or auto (None too). output: a file that takes the report.

    By default a terminal has colours and its own width, and anything else 80 columns and no colours. NO_COLOR,
    FORCE_COLOR and COLUMNS change this, as https://no-color.org and https://force-color.org describe.
    """
    if output is not None:
        return PLAIN if color != "always" else Screen(colour=True)
    return Screen(fitting(_columns()), _shows_colour(color))


def _shows_colour(color: str | None) -> bool:
    if color in ("always", "never"):
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout is not None and takes_escapes(sys.stdout))


def _columns() -> int:
    """Columns of standard output: from the environment, else from the terminal, else 80."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isascii() and stated.isdigit() and int(stated[:6]) > 0:
        return int(stated[:6])
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or _UNKNOWN
    except (OSError, ValueError, AttributeError):  # no terminal, or no standard output at all
        return _UNKNOWN
