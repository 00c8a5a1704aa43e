"""Reads the ids of a vocabulary that are too large for a table: those of a tokenizer.json without parsing all of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from inspector.auditing.json_beside import object_beside
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.tokenizer_files import PLAIN, SETTINGS, WHOLE, WORDS
from inspector.loading.vocabularies import vocabulary_of

TAIL: Final = 4_096
"""Bytes at the end of a vocabulary that are searched first: tokenizers writes the words in the order of their ids."""
LARGEST: Final = 1 << 26
"""Bytes of the largest tokenizer.json that is read: 64 MB; those of today's models have up to 35 MB."""
LARGEST_LIST: Final = 1 << 24
"""Bytes of the largest vocabulary of another format that is read."""
PIECE: Final = 0x0A
"""Key of a piece in a model of sentencepiece, and of the text in a piece: its first field, with a length."""
MOST_PIECES: Final = 1 << 20
_MODEL: Final = re.compile(rb'"model"\s*:\s*\{')
_START: Final = re.compile(rb'(?<!\\)"vocab"\s*:\s*\{')
_MERGES: Final = re.compile(rb'\}\s{0,64},\s{0,64}"merges"\s*:\s*\[')
_ENTRY: Final = re.compile(rb'(?<!\\)"((?:[^"\\]|\\.){0,64})"\s*:\s*(\d{1,18})\s*(?=[,}])')


def words_beyond(checkpoint: Checkpoint, rows: int) -> tuple[str, Mapping[str, int]]:
    """(the file of the vocabulary in a local folder, word -> id of its words with ids at or above a number of rows)."""
    name, largest = WHOLE, LARGEST
    if WHOLE not in checkpoint.siblings:
        config = {} if checkpoint.config is None else checkpoint.config.values
        named = vocabulary_of(object_beside(checkpoint, SETTINGS, LARGEST_LIST), config)
        name, largest = next((one for one in named if one in checkpoint.siblings), WHOLE), LARGEST_LIST
    size = checkpoint.siblings.get(name, 0)
    raw = checkpoint.reach().read_part(name, 0, size) if checkpoint.reach is not None and 0 < size <= largest else b""
    if not isinstance(raw, bytes):
        return name, {}
    reader = {WHOLE: ids_beyond, PLAIN: lines_beyond, WORDS: numbers_beyond}.get(name, pieces_beyond)
    return name, reader(raw, rows)


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


def lines_beyond(raw: bytes, rows: int) -> Mapping[str, int]:
    """Word -> id of the words of a vocab.txt, whose ids are the numbers of their lines; no text has the empty word."""
    lines = lines_of(raw.decode("utf-8", "replace"))
    return {word: number for number, word in enumerate(lines) if number >= rows and word}


def lines_of(text: str) -> list[str]:
    """The words of a vocab.txt."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def numbers_beyond(raw: bytes, rows: int) -> Mapping[str, int]:
    """Word -> id of the words of a vocab.json."""
    try:
        words = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(words, dict) or any(type(number) is not int for number in words.values()):
        return {}
    return {word: number for word, number in words.items() if number >= rows}


def pieces_beyond(raw: bytes, rows: int) -> Mapping[str, int]:
    """Piece -> number of the pieces of a model of sentencepiece, which begins with them."""
    at, number, found = 0, 0, dict[str, int]()
    while at < len(raw) and raw[at] == PIECE and number < MOST_PIECES:
        length, at = _varint(raw, at + 1)
        if at + length > len(raw):
            return {}  # cut off, or no model
        if number >= rows and length and raw[at] == PIECE:
            inner, start = _varint(raw, at + 1)
            found[raw[start : start + inner].decode("utf-8", "replace")] = number
        at, number = at + length, number + 1
    return found


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """(a number of seven bits in each byte, the position after it)."""
    number = 0
    for shift in range(0, 35, 7):
        byte = raw[at] if at < len(raw) else 0
        number, at = number | (byte & 0x7F) << shift, at + 1
        if byte < 0x80:
            break
    return number, at
