"""What a pickle says, as plain values: what it would import, call and keep elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Final

from msgspec import Struct

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
    protocol: as it states; 0 where it states none.
    """

    value: object
    names: Mapping[GlobalName, int]
    end: int
    opcodes: Set[str]
    protocol: int


def odd_key(key: object) -> OddKey:
    """What stands for a key that is not a text: a plain value written out, anything else by its type."""
    if key is None or isinstance(key, bool | float | bytes):
        return OddKey(str(key))
    if isinstance(key, int):
        return OddKey(str(key) if abs(key) < 1 << 64 else "<int>")
    if isinstance(key, PickledObject | GlobalName):
        return OddKey(f"<{str(key.of if isinstance(key, PickledObject) else key)[:200]}>")
    return OddKey(f"<{type(key).__name__}>")
