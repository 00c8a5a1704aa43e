"""Configs with one changed value: the places of a config that are changed, and the new values.

Kinds of values have letters, as in `value_rules.json`:

    n  null                                     b  true or false in place of the other
    m  a number below zero, of any size         w  an unknown word
    o  just below zero                          t  a text in place of something else
    h  a number above one, of any size          u  just above one
    f  a float in place of an integer, in a list as well
    i  an integer in place of a float in a list d  an object in place of something else
    z  zero                                     e  an empty list
    l  a list in place of a single value        p  a list without its last entry
    q  a list with its last entry twice         r  a single value in place of a list
    k  a list with an entry below zero          v  a list with an entry that is zero
    x  a list with an unknown word              y  a list with a null
    s  a list with a list                       c  an absent key of an object within the config

Several changes represent a kind: it counts as refused only if all of them are refused.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping
from typing import Any

Path = tuple[str, ...]
NO_WORD = "no_such_word"
UNDECIDED = "undecided"
"""Stage of kinds of which only some values are refused, or only by some classes."""
FAR_BELOW = -1000003
SKIPPED = frozenset(
    {
        "model_type", "architectures", "transformers_version", "dtype", "torch_dtype", "id2label", "label2id",
        "_name_or_path", "_attn_implementation_autoset", "auto_map", "quantization_config", "name_or_path",
    }
)  # fmt: skip
"""Keys that name the model, its writer or its dtype, and those of labels."""


OF_OTHER_RULES = frozenset({"rope_parameters", "rope_scaling", "pruned_heads"})
"""Objects of which other rules have the keys."""


def places(config: Mapping[str, Any], path: Path = (), known: Collection[str] = ()) -> Iterator[tuple[Path, Any]]:
    """(path, value) of every place to change in a config, and in objects within it that are no configs of known types.

    Maps from numbers or words have no places.
    """
    for key, value in config.items():
        if key in SKIPPED:
            continue
        yield (*path, key), value
        is_inner = isinstance(value, dict) and key not in OF_OTHER_RULES and value.get("model_type", "") not in known
        if is_inner and all(map(str.isidentifier, value)):
            yield from places(value, (*path, key), known)


def parts(config: Mapping[str, Any], path: Path = ()) -> Iterator[tuple[Path, str]]:
    """(path, model type) of every config within a config."""
    for key, value in config.items():
        if isinstance(value, dict) and isinstance(value.get("model_type"), str):
            yield (*path, key), value["model_type"]
            yield from parts(value, (*path, key))


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    """(kind, another value) for the value of a place."""
    if isinstance(value, bool):
        yield from (("n", None), ("b", not value), ("t", NO_WORD), ("l", [value]))
    elif isinstance(value, int):
        yield from (("n", None), ("m", FAR_BELOW), ("o", -1), ("z", 0), ("t", str(value)), ("f", float(value)))
        yield from (("l", [value]), ("l", [value, value]))
    elif isinstance(value, float):
        yield from (("n", None), ("m", -1000003.0), ("o", -0.0001), ("z", 0.0), ("t", str(value)), ("l", [value]))
        yield from (("h", 1000003.0), ("u", 1.0001))
    elif isinstance(value, str):
        yield from (("n", None), ("w", NO_WORD), ("l", [value]), ("z", 0))
    elif isinstance(value, list):
        yield from of_lists(value)
    elif isinstance(value, dict):
        yield from (("n", None), ("t", NO_WORD), ("l", [1]), ("e", []))
    else:
        yield from (("m", FAR_BELOW), ("o", -1), ("z", 0), ("t", NO_WORD), ("l", [1]), ("e", []), ("d", {}))


def of_lists(value: list[Any]) -> Iterator[tuple[str, Any]]:
    """Values to replace a list: other lists, and values that are not lists."""
    yield from (("n", None), ("e", []), ("t", NO_WORD))
    if not value:
        return
    yield from (("q", [*value, value[-1]]), ("r", value[0]), ("s", [value]))
    if len(value) > 1:
        yield "p", value[:-1]
    entries: dict[str, Any] = {"y": None}
    if all(type(one) is int for one in value):
        entries |= {"k": -1, "v": 0, "x": NO_WORD, "f": float(value[0])}
    elif all(type(one) is float for one in value):
        entries |= {"k": -1.0, "v": 0.0, "x": NO_WORD, "i": 1}
    elif all(isinstance(one, str) for one in value):
        entries["x"] = NO_WORD
    for kind, entry in entries.items():
        yield kind, [entry, *value[1:]]
        if len(value) > 1:
            yield kind, [*value[:-1], entry]


def decoded(value: Any) -> Any:
    """A value of a record, with the floats that JSON cannot represent."""
    if isinstance(value, dict):
        return float(value["__float__"]) if "__float__" in value else {key: decoded(one) for key, one in value.items()}
    return [decoded(one) for one in value] if isinstance(value, list) else value


def changed(config: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """The config with another value at a place."""
    found = copy.deepcopy(dict(config))
    inside = found
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return found
