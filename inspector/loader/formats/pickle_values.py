"""What a pickle says, as plain values: what it would import, call and keep elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Name:
    """Something that the program would import."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class Persistent:
    """What the writer keeps outside of the pickle, by the id it gave."""

    key: object


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes or a long text that were not kept."""

    length: int


@dataclass(slots=True, eq=False)
class Made:
    """What a call would return: of what, with which arguments, and what was put into it afterwards."""

    of: object
    arguments: object
    state: object = None
    entries: dict[Any, object] | None = None
    members: list[object] | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a pickle cannot be read, and where in it."""

    problem: str
    position: int


@dataclass(frozen=True, slots=True)
class Pickle:
    """A whole pickle. names: what it would import -> where it first says so. end: position behind it."""

    value: object
    names: Mapping[Name, int]
    end: int
