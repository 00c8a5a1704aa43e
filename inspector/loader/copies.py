"""Tensors that are in two files of one set."""

from __future__ import annotations

from msgspec import Struct


class Copy(Struct, frozen=True):
    """A file with tensors that an earlier file has too, or that no index lists.

    same, other: duplicate names with the same layout, and with another one. tensors: of the whole file.
    """

    file: str
    same: tuple[str, ...]
    other: tuple[str, ...]
    tensors: int
    unlisted: bool
