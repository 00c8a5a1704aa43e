"""Finds the types of values that the fields of a config class of transformers 5 accept, by trying some of each type."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

PROBES: Mapping[str, Sequence[Any]] = {
    "n": (None,), "b": (True, False), "i": (1, 8, 0), "f": (0.5, 1.5), "s": ("word",),
    "l": ([], [1], ["a"], [0.5], [[1]]), "o": ({}, {"a": 1}),
}  # fmt: skip
"""Values of each type of JSON: null, true or false, an integer, a float, a string, a list, an object."""
DEEPEST = 3
"""Maximum depth of nested lists whose entries are tried."""
Passes = Callable[[Any], bool]


def types_of(kind: Any) -> Iterator[tuple[str, str]]:
    """Field and accepted types, of the fields of a config class that do not accept all.

    "nl[if]" is null, or a list of integers and floats; after the types follow the accepted words.
    """
    for name, validators in getattr(kind, "__validators__", {}).items():
        words = [word for word in words_of(kind, name) if _passes(validators, word)]
        default = getattr(kind, name, None)
        accepted = kinds_of(validators, words[0] if words else default)
        if "l" in accepted:
            listed = list(default) if isinstance(default, list | tuple) else []
            entries = entries_of(partial(_passes, validators), listed)
            accepted = accepted.replace("l", f"l{entries}")
        if accepted and accepted != "".join(PROBES):
            yield name, " ".join([accepted, *([",".join(words)] if words else [])])


def kinds_of(validators: Sequence[Any], default: Any) -> str:
    """The types of values that a field accepts, as letters of `PROBES`, including that of its default."""
    found = [kind for kind, values in PROBES.items() if any(_passes(validators, value) for value in values)]
    own = next((kind for kind, values in PROBES.items() if type(values[0]) is type(default)), "")
    return "".join(kind for kind in PROBES if kind in found or kind == own)


def entries_of(passes: Passes, default: Sequence[Any], depth: int = DEEPEST) -> str:
    """The types of entries that a list may have, "[i]"; "" if all are accepted or none is found.

    default: an accepted list with the required length.
    """

    def fits(entry: Any) -> bool:
        lists = [[entry], [entry, entry], [entry] * 3, *([entry, *default[1:]] for _ in default[:1])]
        return any(passes(one) for one in [*lists, [entry] * len(default)] if one)

    found = {kind: any(fits(value) for value in values) for kind, values in PROBES.items()}
    for kind, values in PROBES.items():
        if any(type(one) is type(values[0]) for one in default) and passes(list(default)):
            found[kind] = True
    letters = "".join(kind for kind in PROBES if found[kind])
    if not letters or letters == "".join(PROBES):
        return ""
    if "l" in letters and depth:
        inner = [list(one) for one in default if isinstance(one, list | tuple)]
        letters = letters.replace("l", f"l{entries_of(fits, inner[0] if inner else [], depth - 1)}")
    return f"[{letters}]"


def words_of(kind: Any, name: str) -> Sequence[str]:
    """The words that a field declares as its only texts (`Literal`)."""
    annotations = (vars(one).get("__annotations__", {}) for one in kind.__mro__)
    declared = next((one[name] for one in annotations if name in one), None)
    parts = (declared, *typing.get_args(declared))
    literal = [word for one in parts if typing.get_origin(one) is typing.Literal for word in typing.get_args(one)]
    return sorted({word for word in literal if isinstance(word, str)})


def _passes(validators: Sequence[Any], value: Any) -> bool:
    try:
        for validate in validators:
            validate(value)
    except Exception:
        return False
    return True
