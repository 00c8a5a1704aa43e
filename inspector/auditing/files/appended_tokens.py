"""Special tokens that the vocabulary does not have: a tokenizer appends them to it, behind the rows of the embedding.

Measured with transformers 5.23 and 4.57 on vocabularies of GPT-2, RoBERTa, Qwen2, CLIP and BERT, and on tokenizer.json.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.auditing.files.ending_token import token_text
from inspector.auditing.json_beside import is_listed, object_beside, text_beside
from inspector.auditing.vocabulary import LARGEST_LIST, lines_of
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.tokenizer_files import ADDED, MAP, PLAIN, SETTINGS, WHOLE, WORDS
from inspector.loading.tokenizer_settings import ADDITIONAL, CODE
from inspector.loading.tokenizers import SPECIAL
from inspector.loading.vocabularies import SPEECH, tokenizer_of, vocabulary_of

NAMED: Final = (*SPECIAL, ADDITIONAL, "extra_special_tokens")
"""Keys of the files of settings that name special tokens."""
DECODER: Final = "added_tokens_decoder"


def appended_tokens(checkpoint: Checkpoint, rows: int) -> tuple[str, Mapping[str, int]]:
    """(the file that names them, token -> the id that it gets) of the special tokens without a row.

    Empty for a tokenizer whose class is code of the repository or is not among those measured.
    """
    if not checkpoint.folder or not is_listed(checkpoint):
        return SETTINGS, {}
    settings, listed = object_beside(checkpoint, SETTINGS), object_beside(checkpoint, MAP)
    named = {} if CODE in settings else _named(settings, listed)
    added = _added(checkpoint, settings)
    unlisted = [token for token in named if token not in added]
    words = _words(checkpoint, settings, unlisted) if unlisted else None
    if words is None:
        return SETTINGS, {}
    first = len({*words, *added})  # the added tokens get consecutive ids, whatever their file states
    ids = {token: first + place for place, token in enumerate(one for one in unlisted if one not in words)}
    beyond = {token: number for token, number in ids.items() if number >= rows}
    return next((named[token] for token in beyond), SETTINGS), beyond


def _named(settings: Mapping[str, Any], listed: Mapping[str, Any]) -> dict[str, str]:
    """Special token -> the file that names it, without those that the two files name differently."""
    found: dict[str, str] = {}
    for key in NAMED:
        here, there = list(_contents(settings.get(key))), list(_contents(listed.get(key)))
        if here and there and here != there:
            continue
        found.update(dict.fromkeys(here or there, SETTINGS if here else MAP))
    return found


def _contents(value: Any) -> Iterator[str]:
    """The tokens in a value: a text, an object with its content, or several of these."""
    several = isinstance(value, list) or (isinstance(value, dict) and not isinstance(value.get("content"), str))
    each = [value] if not several else value if isinstance(value, list) else value.values()
    for one in each:
        if content := token_text(one):
            yield content


def _added(checkpoint: Checkpoint, settings: Mapping[str, Any]) -> set[str]:
    """The added tokens that the files beside tokenizer.json list."""
    decoder = settings.get(DECODER)
    listed = decoder.values() if isinstance(decoder, dict) else ()
    return {*object_beside(checkpoint, ADDED), *(token for one in listed for token in _contents(one))}


def _words(checkpoint: Checkpoint, settings: Mapping[str, Any], tokens: Sequence[str]) -> Collection[str] | None:
    """The words of the vocabulary that is read, with the added ones of tokenizer.json; None if they are not known, or
    if it seems to have all these tokens.
    """
    if WHOLE in checkpoint.siblings:
        return _of_whole(text_beside(checkpoint, WHOLE, LARGEST_LIST), tokens)
    config = {} if checkpoint.config is None else checkpoint.config.values
    named = () if tokenizer_of(settings, config) == SPEECH else vocabulary_of(settings, config)
    if named == (WORDS,):
        words = object_beside(checkpoint, WORDS, LARGEST_LIST)
        return words if sorted(map(str, words.values())) == sorted(map(str, range(len(words)))) and words else None
    text = text_beside(checkpoint, PLAIN, LARGEST_LIST) if named == (PLAIN,) else ""
    lines = lines_of(text)
    return set(lines) if text and len(set(lines)) == len(lines) else None


def _of_whole(text: str, tokens: Sequence[str]) -> Collection[str] | None:
    """The words and the added tokens of a tokenizer.json."""
    if not text or all(_is_written(token, text) for token in tokens):
        return None
    try:
        values: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    model = values.get("model") if isinstance(values, dict) else None
    words = model.get("vocab") if isinstance(model, dict) else None
    if not isinstance(words, dict) or any(type(number) is not int for number in words.values()):
        return None
    added = values.get("added_tokens")
    more = {token: None for one in (added if isinstance(added, list) else ()) for token in _contents(one)}
    return {**words, **more}


def _is_written(token: str, text: str) -> bool:
    return json.dumps(token) in text or json.dumps(token, ensure_ascii=False) in text
