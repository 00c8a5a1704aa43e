"""Which types of values the config classes of transformers 5 accept, and the names of its activations and layers.

`config_types.jsonl` holds a line with all fields, their types and words, then one for each model type with the numbers
of its fields; `tests/oracle/make_config_rules.py` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from msgspec import Struct

from inspector.architectures.catalog import first_line_of, line_of

TABLE: Final = "config_types.jsonl"
LETTERS: Final[Mapping[type, str]] = {
    type(None): "n", bool: "b", int: "i", float: "f", str: "s", list: "l", dict: "o",
}  # fmt: skip
"""Type of a JSON value -> its letter."""


class ConfigTypes(Struct, frozen=True):
    """fields: key -> letters of the accepted types, for the fields that do not accept all.

    words: key -> the only texts that are accepted.
    inner: key of a config within it -> its model type; "" where that config states its type itself.
    stages: of a backbone, "stem" where it is a stage, and the key that says how many others there are, or the number.
    """

    fields: Mapping[str, str]
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
    accepted = {name: letters for name, letters, *_ in fields}
    return ConfigTypes(accepted, words, line.get("inner", {}), line.get("stages", ""))


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
