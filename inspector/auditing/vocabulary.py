"""Reads the ids of a tokenizer.json's vocabulary that are too large for a table, without parsing the whole file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

TAIL: Final = 4_096
"""Bytes at the end of a vocabulary that are searched first: tokenizers writes the words in the order of their ids."""
LARGEST: Final = 1 << 26
"""Bytes of the largest tokenizer.json that is read: 64 MB; those of today's models have up to 35 MB."""
_MODEL: Final = re.compile(rb'"model"\s*:\s*\{')
_START: Final = re.compile(rb'(?<!\\)"vocab"\s*:\s*\{')
_MERGES: Final = re.compile(rb'\}\s{0,64},\s{0,64}"merges"\s*:\s*\[')
_ENTRY: Final = re.compile(rb'(?<!\\)"((?:[^"\\]|\\.){0,64})"\s*:\s*(\d{1,18})\s*(?=[,}])')


def ids_beyond(raw: bytes, rows: int) -> Mapping[str, int]:
    """Token -> id of the words of a vocabulary with ids at or above a number of rows.

    Empty if the last words have smaller ids, or if the vocabulary is a list of words with scores.
    """
    model = _MODEL.search(raw)
    start = None if model is None else _START.search(raw, model.end())
    if start is None:
        return {}
    last = _end(raw, start.end())
    if not any(int(found[2]) >= rows for found in _ENTRY.finditer(raw, max(start.end(), last - TAIL), last)):
        return {}
    found = ((one[1].decode("utf-8", "replace"), int(one[2])) for one in _ENTRY.finditer(raw, start.end(), last))
    return {token: number for token, number in found if number >= rows}


def _end(raw: bytes, start: int) -> int:
    """The position after a vocabulary: that of the list of merges, or the end of the file."""
    at = raw.find(b'"merges"', start)
    while at >= 0:
        found = _MERGES.search(raw, max(start, at - 2 * 65), at + TAIL)
        if found is not None:
            return found.start() + 1
        at = raw.find(b'"merges"', at + 1)
    return len(raw)
