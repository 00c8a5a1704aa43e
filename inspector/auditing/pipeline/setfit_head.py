"""Compares the head of a SetFit classifier with the width of its sentence encoder.

SetFit saves the head with joblib: scikit-learn's classifiers store `n_features_in_`, SetFit's own head `in_features`,
both before their weights. Nothing of the pickle is run: the numbers after these words are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from inspector.auditing.sentence_listing import OF_ENCODER, SETFIT_HEAD, json_of
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.sources.source import Refusal

READ: Final = 1 << 16
"""Bytes at the beginning of the file that are read."""
_WIDTH: Final = re.compile(rb"(?:n_features_in_|\x0bin_features)(?:\x94|q.|r.{4})?(?:K(.)|M(.{2})|J(.{4}))", re.DOTALL)
"""A word, the code that keeps it, and a whole number of one, two or four bytes."""


def head_of_another_width(checkpoint: Checkpoint, width: int | None) -> Iterator[Finding]:
    """The finding on a head for embeddings of another width. width: of the encoder; None if unknown."""
    if width is None or SETFIT_HEAD not in checkpoint.siblings or checkpoint.reach is None:
        return
    cut = json_of(checkpoint, OF_ENCODER) if OF_ENCODER in checkpoint.siblings else None
    kept = cut.get("truncate_dim") if isinstance(cut, dict) else None
    width = min(width, kept) if type(kept) is int and kept > 0 else width
    taken = _taken(checkpoint)
    if taken not in (None, width):
        from inspector.findings.classifier_head import ClassifierHeadWidth

        yield ClassifierHeadWidth(place=Place(file=SETFIT_HEAD), taken=int(taken or 0), given=width)


def _taken(checkpoint: Checkpoint) -> int | None:
    """The width that all classifiers of a head take; None if it is not certain."""
    length = min(READ, checkpoint.siblings[SETFIT_HEAD])
    raw = checkpoint.reach().read_part(SETFIT_HEAD, 0, length) if checkpoint.reach is not None and length else b""
    if isinstance(raw, Refusal):
        return None
    found = {int.from_bytes(one[1] or one[2] or one[3], "little") for one in _WIDTH.finditer(raw)}
    return found.pop() if len(found) == 1 else None
