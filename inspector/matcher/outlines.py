"""Generates the tables of the catalog from the definition files.

python -m inspector.matcher.outlines
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import inspector.architectures
from inspector.architectures.catalog import all_definitions, definition_of, ending, modules, scan
from inspector.matcher.spelling import fewest_required, known_keys
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings


def outlines() -> dict[str, tuple[int, str]]:
    """First model type -> (the smallest number of keys of its checkpoints, the last segments of all its keys).

    Rows of submodels that are chosen only by a config are left out.
    """
    return {
        name: _outline(Scope(definition, Settings({}, known=False), definition_of))
        for name, definition in all_definitions()
    }


def _outline(scope: Scope) -> tuple[int, str]:
    return fewest_required(scope), " ".join(sorted({ending(key) for key in known_keys(scope)}))


def write() -> None:
    """Writes both tables, one entry a line."""
    folder = Path(inspector.architectures.__file__).parent
    _dump(folder / "catalog.json", scan())
    modules.cache_clear()
    definition_of.cache_clear()
    _dump(folder / "outlines.json", outlines())


def _dump(path: Path, table: Mapping[str, object]) -> None:
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
