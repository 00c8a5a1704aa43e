"""What a pickle says, as plain values: what it would import, call and keep elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from msgspec import Struct

from inspector.budget import spend

EXTENSIONS: Final = "extension registry"
"""In place of a module: the name is a number, and `copyreg.add_extension` says what it means where it is loaded."""
COMPUTED: Final = "computed name"
"""In place of a module: the program computes what it imports, so that only running it would show the name."""

DICTS: Final = frozenset({("collections", "OrderedDict"), ("collections", "defaultdict"), ("builtins", "dict"),
                          ("__builtin__", "dict"), ("collections", "Counter")})  # fmt: skip
"""Classes of which an object is a dict."""


class GlobalName(Struct, frozen=True):
    """Something that the program would import."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Persistent(Struct, frozen=True):
    """What the writer keeps outside of the pickle, by the id it gave."""

    key: object


class OddKey(Struct, eq=False):
    """A key of a dict that is neither a text nor a small integer: its value cannot be equal to that of another.

    text: what to show for it.
    """

    text: str

    def __str__(self) -> str:
        return self.text


class Blob(Struct, frozen=True):
    """Bytes or a long text that were not kept."""

    length: int


class PickledObject(Struct, eq=False):
    """What a call would return: of what, with which arguments, and what was put into it afterwards."""

    of: object
    arguments: object
    state: object = None
    entries: dict[Any, object] | None = None
    members: list[object] | None = None


class BadPickle(Exception):
    """A pickle cannot be read. position: where in it."""

    def __init__(self, problem: str, position: int = 0) -> None:
        super().__init__(problem)
        self.problem, self.position = problem, position


class Pickle(Struct, frozen=True):
    """A whole pickle.

    names: what it would import -> where it first says so. end: position behind it. opcodes: those that it consists of.
    protocol: as it states; 0 where it states none. persistent: what it asks the loader for, in this order.
    """

    value: object
    names: Mapping[GlobalName, int]
    end: int
    opcodes: Set[str]
    protocol: int
    persistent: Sequence[Persistent]


def odd_key(key: object) -> OddKey:
    """What replaces a key that is not a text: a plain value written out, anything else by its type."""
    if key is None or isinstance(key, bool | float | bytes):
        return OddKey(str(key))
    if isinstance(key, int):
        return OddKey(str(key) if abs(key) < 1 << 64 else "<int>")
    if isinstance(key, PickledObject | GlobalName):
        return OddKey(f"<{str(key.of if isinstance(key, PickledObject) else key)[:200]}>")
    return OddKey(f"<{type(key).__name__}>")


def dict_of(of: GlobalName, arguments: object) -> dict[Any, object]:
    """What a class of dictionaries makes of the pairs that it is called with."""
    made: dict[Any, object] = {}
    if of.name != "defaultdict" and isinstance(arguments, tuple) and arguments:
        pairs = arguments[0] if isinstance(arguments[0], list) else []
        spend(len(pairs), "the pickle")  # a list that calls share is short in the file
        for pair in pairs:
            if isinstance(pair, list | tuple) and len(pair) == 2:
                put(made, [*pair])
    return made


def put(target: dict[Any, object], pairs: list[Any]) -> None:
    """Enters pairs under the keys of a state dict: texts and small integers. Others, which could be made to collide
    or cannot be keys at all, are replaced.
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
