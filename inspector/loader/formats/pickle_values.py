"""The plain values that a pickle is read as: what it would import, call and store elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from msgspec import Struct

from inspector.budget import spend

EXTENSIONS: Final = "extension registry"
"""Replaces the module of a name that is a number in `copyreg`'s extension registry: only the loading
process knows it.
"""
COMPUTED: Final = "computed name"
"""Replaces the module of a name that the program computes: only running it would show the name."""

DICTS: Final = frozenset({("collections", "OrderedDict"), ("collections", "defaultdict"), ("builtins", "dict"),
                          ("__builtin__", "dict"), ("collections", "Counter")})  # fmt: skip
"""Classes with objects that are read as dicts."""


class GlobalName(Struct, frozen=True):
    """A name that the program would import."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Persistent(Struct, frozen=True):
    """An object that the writer keeps outside of the pickle, by its persistent id."""

    key: object


class OddKey(Struct, eq=False):
    """A key of a dict that is neither a text nor a small integer. It is never equal to another key.

    text: how messages show it.
    """

    text: str

    def __str__(self) -> str:
        return self.text


class Blob(Struct, frozen=True):
    """Bytes or a long text that were not kept."""

    length: int


class PickledObject(Struct, eq=False):
    """The result of a call that is not executed: the callable, its arguments, and the state that was set afterwards."""

    of: object
    arguments: object
    state: object = None
    entries: dict[Any, object] | None = None
    members: list[object] | None = None


class BadPickle(Exception):
    """Raised if a pickle cannot be read. position: in the pickle."""

    def __init__(self, problem: str, position: int = 0) -> None:
        super().__init__(problem)
        self.problem, self.position = problem, position


class Pickle(Struct, frozen=True):
    """A whole pickle.

    names: what it would import -> position of the first import. end: position after the pickle. opcodes: the distinct
    opcodes. protocol: as stated, or 0. persistent: the objects that it requests from the loader, in this order.
    """

    value: object
    names: Mapping[GlobalName, int]
    end: int
    opcodes: Set[str]
    protocol: int
    persistent: Sequence[Persistent]


def odd_key(key: object) -> OddKey:
    """The replacement for a key that is not a text: a plain value as text, any other value by its type."""
    if key is None or isinstance(key, bool | float | bytes):
        return OddKey(str(key))
    if isinstance(key, int):
        return OddKey(str(key) if abs(key) < 1 << 64 else "<int>")
    if isinstance(key, PickledObject | GlobalName):
        return OddKey(f"<{str(key.of if isinstance(key, PickledObject) else key)[:200]}>")
    return OddKey(f"<{type(key).__name__}>")


def dict_of(of: GlobalName, arguments: object) -> dict[Any, object]:
    """The dict that a dict class makes of the pairs it is called with."""
    made: dict[Any, object] = {}
    if of.name != "defaultdict" and isinstance(arguments, tuple) and arguments:
        pairs = arguments[0] if isinstance(arguments[0], list) else []
        spend(len(pairs), "the pickle")  # a list that calls share is short in the file
        for pair in pairs:
            if isinstance(pair, list | tuple) and len(pair) == 2:
                put(made, [*pair])
    return made


def put(target: dict[Any, object], pairs: list[Any]) -> None:
    """Adds pairs to a dict under keys that a state dict has: texts and small integers. Other keys, which could collide
    on purpose or cannot be keys at all, are replaced.
    """
    if len(pairs) % 2:
        raise BadPickle("sets a key without a value")
    for at in range(0, len(pairs), 2):
        key = pairs[at]
        if type(key) is str or (type(key) is int and -(1 << 60) < key < 1 << 60):
            target[key] = pairs[at + 1]
        elif isinstance(key, Blob):
            raise BadPickle(f"has a key of {key.length:,} bytes")
        else:
            target[odd_key(key)] = pairs[at + 1]
