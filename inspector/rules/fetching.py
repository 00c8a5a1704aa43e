"""Phrases that rules of the reading stages share: the first names, the rest, what to fetch again."""

from __future__ import annotations

import re

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, number


def more(facts: Facts, shown: int = 4) -> Rows:
    """The row that says how many cases beyond those shown there are."""
    rest = facts["tensors"] - min(shown, len(facts["cases"]))
    return [("more", f"{number(rest)} further tensors")] if rest > 0 else []


def first(facts: Facts, most: int = 2) -> str:
    """The first few names, and how many of the exact number `tensors` are not shown."""
    shown = facts["names"][:most]
    rest = facts["tensors"] - len(shown)
    return ", ".join(map(str, shown)) + (f" and {number(rest)} more" if rest > 0 else "")


def fetch_again(place: Place, facts: Facts) -> str:
    """How to get the file again; the exact command where the folder records where it comes from."""
    if facts.get("remote"):
        return "it is like this at its source: its owner has to upload it again"
    repository = facts.get("repository")
    command = f"hf download {repository} {place.file or ''} --revision {facts.get('revision')} --force-download"
    # Only words that a shell leaves alone: the line is made to be copied.
    if not repository or re.fullmatch(r"[\w./ -]+", command, re.ASCII) is None:
        return "fetch this file again"
    return command
