"""The documentation page on the notation of architecture definitions."""

from __future__ import annotations

import os


def page() -> str:
    """The text of `README.md` in this folder."""
    with open(os.path.join(os.path.dirname(__file__), "README.md"), encoding="utf-8") as file:
        return file.read()
