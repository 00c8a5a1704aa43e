"""Pages of documentation in this folder, one for each topic, as `inspector explain TOPIC` prints them."""

from __future__ import annotations

import os
from typing import Any, Final

TOPICS: Final = {
    "glossary": "the terms of a report",
    "hub": "repositories on the Hub and other remote sources",
    "compare": "how two checkpoints are compared",
    "mend": "how a checkpoint is repaired, and what is never changed",
    "loads": "how loaders load a checkpoint, and how this is known",
    "formats": "supported architectures, naming schemes, quantizations and adapters",
    "python": "the Python API",
    "ci": "exit codes, JSON and examples for scripts",
}
"""Names of the pages and their subjects."""


def topic_text(name: str) -> str:
    """A page. Raises KeyError for a name that is not in TOPICS."""
    if name not in TOPICS:
        raise KeyError(name)
    with open(os.path.join(os.path.dirname(__file__), f"{name}.md"), encoding="utf-8") as file:
        return file.read()


def topic_json(name: str) -> dict[str, Any]:
    """The object of schema `inspector.glossary/1` or `inspector.page/1`."""
    if name == "glossary":
        return {"schema": "inspector.glossary/1", "page": topic_text(name)}
    return {"schema": "inspector.page/1", "name": name, "page": topic_text(name)}
