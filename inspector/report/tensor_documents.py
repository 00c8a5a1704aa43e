"""The types of tensors and families in the JSON documents."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class FamilyDocument(TypedDict):
    """A family of tensors: its name with holes for indices, and the exact index sets. bytes: as stored.

    The last line may sum up families that are not listed: its family is null, and families is their number.
    """

    family: str | None
    families: NotRequired[int]
    role: str
    index_sets: list[list[str]]
    shape: list[int]
    dtype: str
    kind: str
    tensors: int
    elements: int
    parameters: int
    bytes: int


class TensorDocument(TypedDict):
    """One tensor. bytes: stored."""

    name: str
    role: str
    dtype: str
    shape: list[int]
    elements: int
    bytes: int
    file: str
