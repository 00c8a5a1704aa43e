"""JSON Schemas of the JSON documents, one file for each command that prints JSON, generated from the types.

They are stored as files because generating them imports all findings, which takes longer than an audit.
"""

from __future__ import annotations

import os

FOLDER = os.path.dirname(__file__)
ENDING = ".json"


def schema_names() -> list[str]:
    """The commands that have a schema, in alphabetical order."""
    return sorted(name.removesuffix(ENDING) for name in os.listdir(FOLDER) if name.endswith(ENDING))


def schema_text(name: str) -> str:
    """The schema of what a command prints with `-f json`; name: one of schema_names()."""
    with open(os.path.join(FOLDER, name + ENDING), encoding="utf-8") as file:
        return file.read()
