"""What a pickle says, as plain values: what it would import, call and keep elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class GlobalName(Struct, frozen=True):
    """Something that the program would import."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Persistent(Struct, frozen=True):
    """What the writer keeps outside of the pickle, by the id it gave."""

    key: object


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
    """A whole pickle. names: what it would import -> where it first says so. end: position behind it."""

    value: object
    names: Mapping[GlobalName, int]
    end: int
