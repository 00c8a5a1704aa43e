"""The table of kinds of config values with which transformers cannot build a model.

`refused_kinds.jsonl` has a line with what several model types share, then one for each type;
`tests/oracle/make_refused_kinds.py` generates it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from inspector.architectures.catalog import first_line_of, line_of
from inspector.architectures.defaults import NEWEST

TABLE: Final = "refused_kinds.jsonl"


class KindRules(Struct, frozen=True):
    """What the classes of a model type refuse.

    config, model: path -> letters of the kinds that all of them refuse, while the config is read or the model is built.
    classes: class -> path -> letters. parts: path -> type of the configs within it of which they build the models;
    behind a path the class, where not all do.
    words: path -> the words that are known there, for all classes or behind the name of one. lengths: path and p or q
    -> the keys that must be as long, or the length that it always has. undecided: path -> letters of the kinds of which
    some values are refused, or all by some classes only; `b` is true or false there, and `0` an empty text.
    """

    config: Mapping[str, str] = {}
    model: Mapping[str, str] = {}
    classes: Mapping[str, Mapping[str, str]] = {}
    parts: Mapping[str, str] = {}
    words: Mapping[str, Sequence[str]] = {}
    lengths: Mapping[str, Sequence[str]] = {}
    undecided: Mapping[str, str] = {}

    def all_of(self, path: str, class_name: str) -> str:
        """The letters of what a class refuses at a path."""
        letters = self.config.get(path, "") + self.model.get(path, "")
        return letters + self.classes.get(class_name, {}).get(path, "")

    def part(self, path: str, class_name: str) -> str | None:
        """The type of a config within the config of which a class builds the model; None where it builds none."""
        return self.parts.get(path) or self.parts.get(f"{path} {class_name}")


NONE: Final = KindRules()


@cache
def is_measured(model_type: str, major: str) -> bool:
    """Whether it was measured what a version refuses in the configs of a type."""
    line = line_of(TABLE, model_type)
    return line is not None and major in line["versions"]


def reads_of_config(model_type: str, key: str, major: str) -> bool:
    """Whether the config class of a type refuses any value of a key."""
    return key in rules_of_kinds(model_type, major).config


@cache
def rules_of_kinds(model_type: str, major: str) -> KindRules:
    """The rules of a type in a version, which are those of the newest where they are not stated."""
    line = line_of(TABLE, model_type)
    if line is None or major not in line["versions"]:
        return NONE
    stated = line.get(major, line.get(NEWEST, {}))
    listed = first_line_of(TABLE)["words"]
    return KindRules(
        config=_letters(stated.get("config", ())),
        model=_letters(stated.get("model", ())),
        classes={name: _letters(numbers) for name, numbers in stated.get("classes", {}).items()},
        parts=stated.get("parts", {}),
        words={path: listed[number].split() for path, number in stated.get("words", {}).items()},
        lengths={path: beside.split() for path, beside in stated.get("lengths", {}).items()},
        undecided=_letters(stated.get("undecided", ())),
    )


def _letters(numbers: Sequence[int]) -> dict[str, str]:
    """Path -> letters, of the numbers of pairs."""
    pairs, found = first_line_of(TABLE)["pairs"], dict[str, str]()
    for number in numbers:
        path, letters = pairs[number].split()
        found[path] = found.get(path, "") + letters
    return found


def model_kinds(model_type: str, major: str) -> Mapping[str, str]:
    """Path -> letters of the kinds that all classes of a type refuse when the model is built."""
    return rules_of_kinds(model_type, major).model
