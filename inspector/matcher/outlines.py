"""Generates the tables of the catalog from the definition files.

python -m inspector.matcher.outlines
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import inspector.architectures
from inspector.architectures.catalog import all_definitions, definition_of, ending, modules, scan
from inspector.architectures.defaults import defaults_of
from inspector.matcher.spelling import fewest_required, known_keys
from inspector.notation.definition import Architecture
from inspector.notation.parts import submodels_of
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings

Outline = tuple[int, str] | tuple[int, str, dict[str, str]]


def outlines() -> dict[str, Outline]:
    """First model type -> (the smallest number of keys of its checkpoints, the last segments of all its keys).

    Rows of submodels that are chosen only by a config are left out; a third entry has the model types that the class
    has for them by default.
    """
    return {
        name: _outline(Scope(definition, Settings({}, known=False), definition_of), _usual_parts(name, definition))
        for name, definition in all_definitions()
    }


def _outline(scope: Scope, parts: dict[str, str]) -> Outline:
    own = fewest_required(scope), " ".join(sorted({ending(key) for key in known_keys(scope)}))
    return (*own, parts) if parts else own


def _usual_parts(name: str, definition: Architecture) -> dict[str, str]:
    """Key of the sub-config of a submodel without a definition -> the model type of the class, if that has one."""
    found: dict[str, str] = {}
    usual = defaults_of(name)
    for one in submodels_of(definition):
        inner = usual.values.get(one.config) if usual is not None and one.definition is None else None
        model_type = inner.get("model_type") if isinstance(inner, Mapping) else None
        if isinstance(model_type, str) and model_type in modules():
            found[one.config] = model_type
    return found


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
