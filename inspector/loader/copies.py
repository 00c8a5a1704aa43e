"""Tensors that are stored in two files of one set."""

from __future__ import annotations

from msgspec import Struct


class Copy(Struct, frozen=True):
    """A file that no index lists, or with tensors that an earlier file has as well.

    same: duplicate names with the same layout. other: duplicate names with another layout. tensors: number in the file.
    """

    file: str
    same: tuple[str, ...]
    other: tuple[str, ...]
    tensors: int
    unlisted: bool
