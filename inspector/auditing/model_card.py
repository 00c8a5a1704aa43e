"""Reads the values at the beginning of a model card: the library of the model, its task and its tags."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from inspector.loader.checkpoint import Checkpoint

CARD: Final = "README.md"
CARD_READ: Final = 4096
"""Bytes of a model card that are read."""
_ENTRY: Final = re.compile(
    r"^(library_name|pipeline_tag|tags):[ \t]*([^\n]*)\n((?:[ \t]*-[ \t][^\n]*\n)*)", re.MULTILINE
)
"""A key at the beginning of a line, its value, and the lines of a list below it."""
_WORD: Final = re.compile(r"[\w.-]+")


class Card(Struct, frozen=True):
    """Values of a model card, in lower case; empty where it states none."""

    library: str = ""
    task: str = ""
    tags: frozenset[str] = frozenset()


def card_of(checkpoint: Checkpoint) -> Card:
    """The values of the model card in a local folder; none of a card that cannot be read."""
    size = checkpoint.siblings.get(CARD, 0)
    if not checkpoint.folder or checkpoint.reach is None or not size:
        return Card()
    first = checkpoint.reach().read_part(CARD, 0, min(size, CARD_READ))
    return card_from(first.decode("utf-8-sig", errors="replace")) if isinstance(first, bytes) else Card()


def card_from(text: str) -> Card:
    """The values between the first two lines of `---`."""
    lines = [line.rstrip() for line in text.splitlines()]
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        return Card()
    stated: dict[str, list[str]] = {}
    for match in _ENTRY.finditer("".join(f"{line}\n" for line in lines[1 : lines.index("---", 1)])):
        items = [match[2], *(line.strip().removeprefix("-") for line in match[3].splitlines())]
        stated[match[1]] = [_plain(word) for item in items for word in item.partition("#")[0].split(",")]
    library, task = (next(iter(stated.get(key, ())), "") for key in ("library_name", "pipeline_tag"))
    return Card(library, task, frozenset(stated.get("tags", ())) - {""})


def _plain(word: str) -> str:
    """A value without quotation marks, in lower case, its words joined by hyphens."""
    return "-".join(_WORD.findall(word)).lower()
