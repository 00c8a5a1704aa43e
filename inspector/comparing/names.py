"""The names that the files of a side use, for tensors that are there and for those that are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.algebra.boxes import Box
from inspector.algebra.names import key_of, name_of
from inspector.comparing.pieces import Piece

if TYPE_CHECKING:
    from inspector.auditing.result import Audit


class FileNames:
    """Canonical names as the files of one checkpoint spell them, in a format with names of its own too."""

    __slots__ = ("_keys", "_prefix", "_stored")

    def __init__(self, audited: Audit) -> None:
        self._stored = audited.checkpoint.stored_as
        prefix = audited.case.reading.prefix if audited.case is not None else ""
        self._prefix = "" if prefix.startswith("*") else prefix
        self._keys: dict[str, str] | None = None

    def spelled(self, name: str) -> str:
        """The name in the file; of a tensor that is not there as its siblings are spelled."""
        if not self._stored:
            return self._prefix + name
        if name in self._stored:
            return self._stored[name]
        if self._keys is None:
            self._keys = {key_of(one)[0]: key_of(other)[0] for one, other in self._stored.items()}
        key, index = key_of(name)
        other = self._keys.get(key)
        return name_of(other, index) if other is not None and other.count("#") == len(index) else name

    def of(self, piece: Piece, boxes: Sequence[Box], most: int = 5) -> list[str]:
        """The first names of the tensors that hold a piece at some of its indices, each once."""
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
