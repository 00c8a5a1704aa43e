"""Which types of values the config classes of transformers 5 accept, and the names of its activations and layers.

`config_types.jsonl` holds a line with all fields, their types and words, then one for each model type with the numbers
of its fields; `tests/oracle/make_config_rules.py` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct

from inspector.architectures.catalog import first_line_of, line_of

TABLE: Final = "config_types.jsonl"
LETTERS: Final[Mapping[type, str]] = {
    type(None): "n", bool: "b", int: "i", float: "f", str: "s", list: "l", dict: "o",
}  # fmt: skip
"""Type of a JSON value -> its letter."""
FLOAT: Final = "__float__"
"""The only key of an object that transformers 5 writes in place of an infinite number."""


class ConfigTypes(Struct, frozen=True):
    """fields: key -> letters of the accepted types, for the fields that do not accept all.

    entries: key -> letters of the types that the entries of a list may have; "l[i]" are lists of integers.
    words: key -> the only texts that are accepted.
    inner: key of a config within it -> its model type; "" where that config states its type itself.
    stages: of a backbone, "stem" where it is a stage, and the key that says how many others there are, or the number.
    """

    fields: Mapping[str, str]
    entries: Mapping[str, str] = {}
    words: Mapping[str, tuple[str, ...]] = {}
    inner: Mapping[str, str] = {}
    stages: str = ""


@cache
def types_of(model_type: str) -> ConfigTypes | None:
    """The accepted types of a model type; None for a type that transformers 5 does not have."""
    line = line_of(TABLE, model_type)
    if line is None:
        return None
    listed = first_line_of(TABLE)["fields"]
    fields = [listed[number].split(" ") for number in line["fields"]]
    words = {name: tuple(rest[0].split(",")) for name, _, *rest in fields if rest}
    split = {name: split_types(letters) for name, letters, *_ in fields}
    accepted = {name: letters for name, (letters, _) in split.items()}
    entries = {name: inside for name, (_, inside) in split.items() if inside}
    return ConfigTypes(accepted, entries, words, line.get("inner", {}), line.get("stages", ""))


def split_types(text: str) -> tuple[str, str]:
    """(letters of the types of a value, those of the entries of a list, "" where all are accepted): "nl[if]"."""
    before, _, rest = text.partition("[")
    inside, _, after = rest.rpartition("]")
    return before + after, inside


def has_types(value: Any, text: str) -> bool:
    """Whether a value and the entries of a list are of these types."""
    letters, inside = split_types(text)
    kind = float if isinstance(value, dict) and value.keys() == {FLOAT} else type(value)
    if LETTERS.get(kind, "") not in letters:
        return False
    return not (inside and isinstance(value, list)) or all(has_types(one, inside) for one in value)


@cache
def layer_types() -> frozenset[str]:
    """The words that transformers 5 accepts in `layer_types`."""
    return frozenset(first_line_of(TABLE)["layer_types"])


@cache
def mlp_layer_types() -> frozenset[str]:
    """The words that transformers 5 accepts in `mlp_layer_types`."""
    return frozenset(first_line_of(TABLE)["mlp_layer_types"])


def checks_layers_itself(model_type: str) -> bool:
    """Whether a config class checks the types of its layers in a way of its own."""
    return model_type in first_line_of(TABLE)["own_layers"]


@cache
def activations() -> frozenset[str]:
    """The names of activation functions that transformers 5 knows."""
    return frozenset(first_line_of(TABLE)["activations"])
