"""Tensor names as in the files of a side, also for missing tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.algebra.boxes import Box
from inspector.comparing.pieces import Piece

if TYPE_CHECKING:
    from inspector.auditing.result import Audit


class FileNames:
    """Names as in the files of one checkpoint, including the prefix of all names."""

    __slots__ = ("_prefix",)

    def __init__(self, audited: Audit) -> None:
        prefix = audited.case.reading.prefix if audited.case is not None else ""
        self._prefix = "" if prefix.startswith("*") else prefix

    def spelled(self, name: str) -> str:
        """The name in the file."""
        return self._prefix + name

    def of(self, piece: Piece, boxes: Sequence[Box], most: int = 5) -> list[str]:
        """The first distinct names of the tensors that contain a piece at some of its indices."""
        found: dict[str, None] = {}
        for box in boxes:
            inner = box[:-1] if piece.stacked else box
            for index in _first(inner, most):
                found[self.spelled(piece.name_at(index))] = None
                if len(found) >= most:
                    return list(found)
        return list(found)


def _first(box: Box, most: int) -> list[tuple[int, ...]]:
    tuples: list[tuple[int, ...]] = [()]
    for span in box:
        tuples = [(*one, index) for one in tuples for index in span.slice(0, most, None)][:most]
    return tuples
