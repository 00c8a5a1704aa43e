"""Reads the ids of the tokens that were added to a tokenizer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.loader.checkpoint import Checkpoint
from inspector.loading.tokenizer_files import ADDED, SETTINGS, WHOLE

READ: Final = 1 << 16
"""Bytes at the beginning of these files that are read: tokenizer.json begins with the list of added tokens."""
LONGEST_ID: Final = 18
"""Digits of the id of a token: Python converts no text of thousands."""


class AddedTokens(Struct, frozen=True):
    """Token -> id of the tokens that were added to a tokenizer. complete: the list was read to its end."""

    file: str
    ids: Mapping[str, int]
    complete: bool


def read_added(checkpoint: Checkpoint) -> AddedTokens | None:
    """The added tokens by the first file of the tokenizer that lists them."""
    name = next((one for one in (ADDED, WHOLE, SETTINGS) if one in checkpoint.siblings), None)
    if name is None or checkpoint.reach is None:
        return None
    raw = checkpoint.reach().read_part(name, 0, min(checkpoint.siblings[name], READ))
    if not isinstance(raw, bytes):
        return None
    whole = len(raw) == checkpoint.siblings[name]
    if name == SETTINGS:
        return AddedTokens(name, _decoded(raw), complete=whole)
    ids, ended = added_tokens(raw) if name == WHOLE else (_flat(raw), whole)
    return AddedTokens(name, ids, ended or whole)


def added_tokens(start: bytes) -> tuple[Mapping[str, int], bool]:
    """(token -> id from the list at the beginning of a tokenizer.json, True if the whole list was read)."""
    text = start.decode("utf-8", "replace")
    at = text.find("[", text.find('"added_tokens"')) + 1 if '"added_tokens"' in text else 0
    decoder, found = json.JSONDecoder(), dict[str, int]()
    while at:
        at = next((place for place in range(at, len(text)) if text[place] not in " \t\r\n,"), len(text))
        try:
            token, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found, text[at : at + 1] == "]"
        if isinstance(token, dict) and isinstance(token.get("content"), str) and type(token.get("id")) is int:
            found[token["content"]] = token["id"]
    return found, False


def _flat(raw: bytes) -> Mapping[str, int]:
    """The ids of added_tokens.json."""
    return {key: one for key, one in _object(raw).items() if type(one) is int}


def _decoded(raw: bytes) -> Mapping[str, int]:
    """The ids of `added_tokens_decoder` in tokenizer_config.json: id as a text -> the token."""
    decoder = _object(raw).get("added_tokens_decoder")
    listed = decoder.items() if isinstance(decoder, dict) else ()
    return {
        token["content"]: int(number)
        for number, token in listed
        if number.isdecimal()
        and len(number) <= LONGEST_ID
        and isinstance(token, dict)
        and isinstance(token.get("content"), str)
    }


def _object(raw: bytes) -> Mapping[str, Any]:
    try:
        values: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
