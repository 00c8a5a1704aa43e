"""The recorded facts about each class of transformers that decide how names are matched.

`classes.jsonl` contains a line with versions and model types, one with the transforms, one with the names of all
classes, one with the default token ids of configs, and one for each class. A line is found by its beginning, and only
that line is decoded. `tests/oracle/make_loading_tables.py` generates the file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct, convert

from inspector.architectures.catalog import definition_of, letters
from inspector.loading.renaming import Transform

NEWEST, OLDER = "5", "4"
"""Major versions of transformers."""
WRAPPERS: Final = ("FSDP", "Replicate", "DDP")
"""What torch puts before the name of a class that it wraps for training: `fully_shard` and both `replicate` of 2.13."""


class ClassRules(Struct, frozen=True):
    """The facts about a class in one major version of transformers.

    prefix: its `base_model_prefix`. within: the model has a module with this name. missing, unexpected: patterns of
    names that are not reported. buffers: keys of buffers that are never stored. stored: keys of the file, optional by
    the definition, that the model has. kept: keys that the renamings of transformers 5 do not change: the model has
    them, and not their renamed forms. lacks: keys that the definition requires and that the model has under other names
    or not at all. sides: the alternative that the model has for each `either` of the definition; "01" means the first
    for one and the second for the next; "" the first for all. mapping: regular expressions and replacements that rename
    names of the file (transformers 4). newer: its tensors have the names of transformers 5. dialect: the definition's
    dialect with the names that the version writes. reads: dialects of the definition and its submodels under which a
    complete file is loaded completely. untied: the class ties nothing. always: (copy, original) of tensors that are
    tied whatever the config states. ties: only these stay tied if the config does not tie. also: tensors that the
    definition does not tie and that are tied unless the config forbids it. same: pairs of tensors whose module is the
    same object in both positions (transformers 4). by_version: the versions build different tensors from one config.
    tie_of: path of the sub-config that decides about ties instead of the outer config (transformers 4). exact: the
    definition gives the names of the model. altered: the first tensor of an intact file whose numbers it changes.
    rounds: the dtype in which it keeps that tensor, if only this changes the numbers. unfilled: it leaves tensors of an
    intact file without values. refuses: its message on a config that a newer version wrote. needs: a file that it
    requires. draws: keys of tensors that it replaces when any tensor of the same module is missing, which fails if they
    are stored (transformers 4).
    """

    prefix: str = ""
    within: bool = False
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    sides: str = ""
    reads: tuple[str, ...] = ()
    mapping: Mapping[str, str] = {}
    transforms: tuple[int, ...] = ()
    newer: bool = False
    dialect: int = 0
    untied: bool = False
    always: tuple[tuple[str, str], ...] = ()
    ties: bool = False
    also: tuple[tuple[str, str], ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    by_version: bool = False
    tie_of: str = ""
    exact: bool = True
    altered: str = ""
    rounds: str = ""
    unfilled: bool = False
    refuses: str = ""
    needs: str = ""
    draws: tuple[str, ...] = ()


def _read() -> bytes:
    with open(os.path.join(os.path.dirname(__file__), "classes.jsonl"), "rb") as file:
        return file.read()


@cache
def _table() -> bytes:
    return _read()


@cache
def shared() -> Mapping[str, Any]:
    """Versions, and the model types of each version."""
    table = _table()
    head: dict[str, Any] = json.loads(table[: table.index(b"\n")])
    return head


def _line(key: str) -> Mapping[str, Any]:
    """The line that begins with a key."""
    table = _table()
    start = table.index(f'\n{{"{key}":'.encode()) + 1
    line: dict[str, Any] = json.loads(table[start : table.index(b"\n", start)])
    return line


@cache
def rules_of(class_name: str, major: str) -> ClassRules | None:
    """The rules of a class in a major version; None if the table does not contain it."""
    table = _table()
    start = table.find(f'\n{{"class":{json.dumps(class_name)},'.encode())
    if start < 0:
        return None
    line: dict[str, Any] = json.loads(table[start : table.index(b"\n", start + 1)])
    if major not in line:
        return None
    return convert(line[major], ClassRules)


@cache
def transforms_of(numbers: tuple[int, ...]) -> tuple[Transform, ...]:
    """The transforms with these numbers."""
    listed = _line("transforms")["transforms"]
    return tuple(
        Transform(kind, re.compile(pattern), tuple(targets), scope, base, offset)
        for kind, pattern, targets, scope, base, offset in (listed[number] for number in numbers)
    )


@cache
def numbered(numbers: tuple[int, ...]) -> frozenset[tuple[str, int]]:
    """(segment, index after it) of the indices that transforms mention: ("proj", 0) for `proj.0`, ("#",
    1) for `0.1`.
    """
    patterns = (one.pattern.pattern for one in transforms_of(numbers))
    mentioned = (found for pattern in patterns for found in _INDEX.findall(pattern))
    return frozenset(("#" if segment[0] in _NUMBER else segment, int(index)) for segment, index in mentioned)


_INDEX = re.compile(r"(?<!\w)(?=(\w+|\\d\+\)?)\\?\.(\d+)(?![\w*+?{]))")
"""A segment or an index, and a literal index after it, in a pattern; its dots may be escaped."""
_NUMBER = "0123456789\\"
"""Beginning of an index in a pattern: a digit, or the backslash of a pattern for digits."""


def version_of(major: str) -> str:
    """The recorded version of transformers, such as "5.23"."""
    text: str = shared()["versions"][major]
    return text


def has_type(model_type: str, major: str) -> bool:
    """True if a major version of transformers has a model type."""
    return model_type in _types()[major]


def is_supported(model_type: str) -> bool:
    """True if a supported major version of transformers has a model type."""
    return any(has_type(model_type, major) for major in _types())


def spelled(model_type: str) -> str | None:
    """The model type with the same letters as an unknown one; None for types that transformers has."""
    if is_supported(model_type):
        return None
    return next((one for one in sorted(_types()[NEWEST]) if letters(one) == letters(model_type)), None)


@cache
def _types() -> Mapping[str, frozenset[str]]:
    return {major: frozenset(names) for major, names in shared()["types"].items()}


class Names(Struct, frozen=True):
    """The classes of a version, and the class that AutoModel builds for each model type.

    inner: classes that the newest version has in its modules but does not export.
    """

    classes: frozenset[str]
    bases: Mapping[str, str]
    inner: frozenset[str]


@cache
def type_of_class(class_name: str) -> str | None:
    """The model type of a class of the newest version, by its config class; None for unknown classes."""
    if class_name not in names_of(NEWEST).classes:
        return None
    exception: str | None = _line("names")["types"].get(class_name)
    if exception is not None:
        return exception
    spelled = letters(class_name)
    fitting = [name for name in _types()[NEWEST] if spelled.startswith(letters(name))]
    return max(fitting, key=lambda name: (len(letters(name)), name), default=None)


def other_type_of_class(class_name: str, model_type: str) -> str | None:
    """The model type of a class that does not belong to this type; None for classes of this type and
    unknown classes.
    """
    if rules_of(class_name, NEWEST) is not None and letters(class_name).startswith(letters(model_type)):
        return None
    of = type_of_class(class_name)
    if of is None or letters(of).startswith(letters(model_type)) or letters(model_type).startswith(letters(of)):
        return None
    return None if definition_of(of) is definition_of(model_type) else of


@cache
def default_token_ids(model_type: str) -> frozenset[int]:
    """The default token ids in configs of a model type, in either version; they prove nothing about the tokenizer."""
    return frozenset(_line("token_ids")["token_ids"].get(model_type, ()))


@cache
def generating() -> frozenset[str]:
    """Classes of the newest version that generate, by `GenerationMixin`: they are useless without their head."""
    return frozenset(_line("names")["generating"])


@cache
def names_of(major: str) -> Names:
    """The classes of a major version."""
    line = _line("names")
    return Names(frozenset(line["names"][major]), line["bases"][major], frozenset(line["inner"]))


def class_ending_with(model_type: str, endings: Iterable[str]) -> str | None:
    """The class of a model type in the newest version that has a name with the first possible of these endings."""
    for ending in endings:
        found = next((name for name in classes_of_type(model_type) if ending and name.endswith(ending)), None)
        if found is not None:
            return found
    return None


@cache
def classes_of_type(model_type: str) -> tuple[str, ...]:
    """The classes of a model type in the newest version, the shortest names first."""
    begins = letters(model_type)[:3]
    near = (name for name in names_of(NEWEST).classes if letters(name).startswith(begins))
    found = (name for name in near if type_of_class(name) == model_type)
    return tuple(sorted(found, key=lambda name: (len(name), name)))


def without_wrapper(class_name: str | None) -> str | None:
    """The class of the newest version that a name stands for, without what torch puts before it while it trains."""
    known = names_of(NEWEST).classes
    if class_name is None or class_name in known:
        return class_name
    inner = (class_name.removeprefix(one) for one in WRAPPERS if class_name.startswith(one))
    return next((name for name in inner if name in known), class_name)
