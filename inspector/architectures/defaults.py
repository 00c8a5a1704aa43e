"""What a config means by leaving a key out: the defaults of transformers' configuration classes.

`defaults.jsonl` holds one line a model type (and a first line about all of them); a line is found by its
beginning and only that line is decoded. `tests/oracle/make_defaults.py` makes the file and says how a
default is told from a value that merely follows another key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Defaults:
    """Defaults of one model type.

    values: key to JSON value, those of the newest version that has the type; a sub-configuration is an
        object under its key. A default stands for a *missing* key: an explicit null in a config says
        "derive it" and is not replaced. A value null says the same.
    aliases: another accepted spelling to the spelling in `values` ("hidden_size" to "n_embd" for gpt2).
    derived: keys the class computes when they are missing or null, to the keys they follow
        (llama's "num_key_value_heads" to ["num_attention_heads"]).
    differs: key (dotted below a sub-configuration) to {"4": value, "5": value} where transformers 4 and 5
        disagree; a version that does not have the key is missing there.
    made_from: the versions that have this type, "transformers 5.23.0 and transformers 4.57.6".
    """

    values: Mapping[str, Any]
    aliases: Mapping[str, str] = field(default_factory=dict)
    derived: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    differs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    made_from: str = ""

    def spellings(self, key: str) -> tuple[str, ...]:
        """A key and the other names a config may use for it, the asked one first."""
        canonical = self.aliases.get(key, key)
        others = (name for name, target in self.aliases.items() if target == canonical)
        return tuple(dict.fromkeys((key, canonical, *others)))


@cache
def _table() -> bytes:
    return Path(__file__).with_name("defaults.jsonl").read_bytes()


@cache
def _head() -> Mapping[str, Any]:
    table = _table()
    head: dict[str, Any] = json.loads(table[: table.index(b"\n")])
    return head


@cache
def defaults_of(model_type: str) -> Defaults | None:
    """The defaults of a model type as config.json spells it; None for a type transformers does not have."""
    table = _table()
    start = table.find(f'\n{{"type":{json.dumps(model_type)},'.encode())
    if start < 0:
        return None
    line: dict[str, Any] = json.loads(table[start : table.index(b"\n", start + 1)])
    head, writers = _head(), line["writers"]
    values: dict[str, Any] = {}
    for writer in writers:
        values |= head["base"][writer]
    return Defaults(
        values=MappingProxyType(values | line["values"]),
        aliases=MappingProxyType(line.get("aliases", {})),
        derived=MappingProxyType({key: tuple(names) for key, names in line.get("derived", {}).items()}),
        differs=MappingProxyType(line.get("differs", {})),
        made_from=" and ".join(head["made_from"][writer] for writer in reversed(writers)),
    )


@cache
def inert_keys() -> frozenset[str]:
    """Config keys known to move no shape and no tensor's presence, in any model type (`inert_keys.txt`)."""
    text = Path(__file__).with_name("inert_keys.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


def known_types() -> tuple[str, ...]:
    """All model types of the table, sorted."""
    lines = _table().decode().split("\n")
    return tuple(line.split('"', 4)[3] for line in lines if line.startswith('{"type":'))


def class_defaults(model_type: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """(defaults, aliases) of a model type, both empty where transformers does not have it."""
    found = defaults_of(model_type)
    return ({}, {}) if found is None else (found.values, found.aliases)
