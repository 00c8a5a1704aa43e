"""The page on the notation of architecture definitions, for people."""

from __future__ import annotations

import os


def page() -> str:
    """`README.md` beside this file."""
    with open(os.path.join(os.path.dirname(__file__), "README.md"), encoding="utf-8") as file:
        return file.read()
