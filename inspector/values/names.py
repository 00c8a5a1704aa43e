"""Describes the places of tensors in words."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.algebra.boxes import boxes_of
from inspector.algebra.names import key_of
from inspector.reconciler.wording import indices_in_words


def place_of_names(names: Sequence[str]) -> str:
    """The layers and experts of tensors of one family; '' for tensors of several families."""
    keys = [key_of(name) for name in names]
    if len({key for key, _ in keys}) != 1 or not keys[0][1]:
        return ""
    return indices_in_words(keys[0][0], boxes_of([index for _, index in keys]))
