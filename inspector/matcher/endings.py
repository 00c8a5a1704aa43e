"""Writes the tables of the catalog anew from the card files.

python -m inspector.matcher.endings
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import inspector.architectures
from inspector.architectures.catalog import all_cards, card_of, ending, first_names, modules, scan
from inspector.matcher.spelling import fewest_required, known_keys
from inspector.notation.scope import CardScope, Settings


def card_endings() -> dict[str, list[int]]:
    """The endings of every card, without the rows of grafted cards that only a config chooses."""
    table: dict[str, list[int]] = {}
    for position, name in enumerate(first_names()):
        card = card_of(name)
        assert card is not None
        scope = CardScope(card, Settings({}, known=False), card_of)
        for found in sorted({ending(key) for key in known_keys(scope)}):
            table.setdefault(found, []).append(position)
    return dict(sorted(table.items()))


def least_keys() -> dict[str, int]:
    """Keys that a checkpoint of each card has at the least; without those of grafts that only a config chooses."""
    return {name: fewest_required(CardScope(card, Settings({}, known=False), card_of)) for name, card in all_cards()}


def write() -> None:
    """All tables, one entry a line."""
    folder = Path(inspector.architectures.__file__).parent
    _dump(folder / "catalog.json", scan())
    modules.cache_clear()
    card_of.cache_clear()
    _dump(folder / "endings.json", card_endings())
    _dump(folder / "least_keys.json", least_keys())


def _dump(path: Path, table: Mapping[str, object]) -> None:
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
