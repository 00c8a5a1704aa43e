"""What a config means by leaving a key out: the defaults of transformers' configuration classes.

`defaults.jsonl` holds one line a model type (and a first line about all of them); a line is found by its
beginning and only that line is decoded. `tests/oracle/make_defaults.py` makes the file and says how a
default is distinguished from a value that merely follows another key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from inspector.architectures.catalog import data_file, first_line_of, letters, line_of, lines_of
from inspector.architectures.config_types import types_of
from inspector.notation.settings import ClassDefaults

TABLE: Final = "defaults.jsonl"


class Defaults(Struct, frozen=True):
    """Defaults of one model type.

    values: key to JSON value, those of the newest version that has the type; a sub-configuration is an
        object under its key. A default replaces a *missing* key: an explicit null in a config says
        "derive it" and is not replaced. A value null says the same.
    aliases: another accepted spelling to the spelling in `values` ("hidden_size" to "n_embd" for gpt2).
    derived: keys the class computes when they are missing or null, to the keys they follow
        (llama's "num_key_value_heads" to ["num_attention_heads"]).
    differs: key (dotted below a sub-configuration) to {"4": value, "5": value} where transformers 4 and 5
        disagree; a version that does not have the key is missing there.
    made_from: the versions that have this type, "transformers 5.23.0 and transformers 4.57.6".
    component: whether it is a class of diffusers, which is in the place of a type in its components' configs.
    """

    values: Mapping[str, Any]
    aliases: Mapping[str, str] = {}
    derived: Mapping[str, tuple[str, ...]] = {}
    differs: Mapping[str, Mapping[str, Any]] = {}
    made_from: str = ""
    component: bool = False

    def spellings(self, key: str) -> tuple[str, ...]:
        """A key and the other names a config may use for it, the asked one first."""
        canonical = self.aliases.get(key, key)
        others = (name for name, target in self.aliases.items() if target == canonical)
        return tuple(dict.fromkeys((key, canonical, *others)))

    def of_version(self, major: str) -> Mapping[str, Any]:
        """The values that a major version of transformers means where both have a key and disagree."""
        values = self.values
        for key, sides in self.differs.items():
            if major in sides and len(sides) > 1:
                values = _replaced(values, key.split("."), sides[major])
        return values


def _replaced(values: Mapping[str, Any], path: Sequence[str], value: Any) -> Mapping[str, Any]:
    """The same defaults with one value, dotted below sub-configurations, set."""
    inner = values.get(path[0])
    if len(path) > 1:
        value = _replaced(inner if isinstance(inner, Mapping) else {}, path[1:], value)
    return {**values, path[0]: value}


@cache
def defaults_of(model_type: str) -> Defaults | None:
    """The defaults of a model type as config.json spells it; None for a type transformers does not have."""
    line = line_of(TABLE, model_type)
    if line is None:
        other = _by_letters().get(letters(model_type), model_type)
        return None if other == model_type else defaults_of(other)
    head, writers = first_line_of(TABLE), line["writers"]
    values: dict[str, Any] = {}
    for writer in writers:
        values |= head["base"][writer]
    return Defaults(
        values=MappingProxyType(values | line["values"]),
        aliases=MappingProxyType(line.get("aliases", {})),
        derived=MappingProxyType({key: tuple(names) for key, names in line.get("derived", {}).items()}),
        differs=MappingProxyType(line.get("differs", {})),
        made_from=" and ".join(head["made_from"][writer] for writer in reversed(writers)),
        component=writers == COMPONENTS,
    )


@cache
def general_keys() -> frozenset[str]:
    """The keys that the configs of all types have."""
    return frozenset(key for values in first_line_of(TABLE)["base"].values() for key in values)


@cache
def _by_letters() -> Mapping[str, str]:
    return {letters(name): name for name in known_types() if letters(name)}


@cache
def inert_keys() -> frozenset[str]:
    """Config keys known to move no shape and no tensor's presence, in any model type (`inert_keys.txt`)."""
    text = data_file("inert_keys.txt").decode()
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


def is_component(name: str) -> bool:
    """Whether a name that a definition reads is that of a class of diffusers."""
    found = defaults_of(name)
    return found is not None and found.component


def known_types() -> tuple[str, ...]:
    """All model types of the table, sorted."""
    return tuple(name.decode() for name in re.findall(rb'^\{"type":"([^"]+)"', lines_of(TABLE), re.MULTILINE))


NEWEST, OLDER = "5", "4"
"""The major versions of transformers that the table knows."""
COMPONENTS = "d"
"""What the table has for diffusers in the place of a version."""


@cache
def class_defaults(model_type: str, major: str = NEWEST) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """(defaults, aliases) of a model type in a major version, both empty where transformers does not have it."""
    found = defaults_of(model_type)
    return ({}, {}) if found is None else (found.of_version(major), found.aliases)


def with_declared_types(values: Mapping[str, Any], model_type: str) -> dict[str, Any]:
    """A config in which each config within it that states no model type has the one that its class gives it.

    Only those that the class does not have by default, of which the defaults do not give the type.
    """
    types, defaults = types_of(model_type), class_defaults(model_type)[0]
    found = dict(values)
    for key, kind in types.inner.items() if types is not None else ():
        stated = values.get(key)
        if kind and isinstance(stated, dict) and "model_type" not in stated and defaults.get(key) is None:
            found[key] = {**stated, "model_type": kind}
    return found


def defaults_by(major: str) -> ClassDefaults:
    """The defaults and aliases of any model type in one major version of transformers."""
    return _older_defaults if major == OLDER else class_defaults


_TIE = "tie_word_embeddings"


def older_tied_as_newest(model_type: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """The defaults of transformers 4 but for the tie: a head that is lost would else be a head that is tied."""
    return _tied_as(class_defaults(model_type), class_defaults(model_type, OLDER))


def newest_tied_as_older(model_type: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """The newest defaults but for the tie."""
    return _tied_as(class_defaults(model_type, OLDER), class_defaults(model_type))


def _tied_as(
    first: tuple[Mapping[str, Any], Mapping[str, str]], other: tuple[Mapping[str, Any], Mapping[str, str]]
) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    return _with_ties(first[0], other[0]), other[1]


def _with_ties(first: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    """The other values with the ties of the first, in the configs within them too."""
    mixed = {key: value for key, value in other.items() if key != _TIE}
    if _TIE in first:
        mixed[_TIE] = first[_TIE]
    for key, value in mixed.items():
        if isinstance(value, Mapping) and isinstance(first.get(key), Mapping):
            mixed[key] = _with_ties(first[key], value)
    return mixed


def _older_defaults(model_type: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    return class_defaults(model_type, OLDER)
