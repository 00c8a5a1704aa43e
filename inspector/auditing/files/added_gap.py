"""Finds added tokens that a loader numbers otherwise than added_tokens.json: it leaves no id between them unused.

Measured with `AutoTokenizer` of transformers 5.23 and 4.57 on tokenizers of BERT, GPT-2, Qwen2, RoBERTa, BART and
Whisper without tokenizer.json: added tokens follow the vocabulary in the order of their ids, each with the next number.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from inspector.auditing.files.added_tokens import AddedTokens
from inspector.auditing.json_beside import object_beside
from inspector.auditing.vocabulary import words_beyond
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.tokenizer_files import ADDED, PLAIN, SETTINGS, WHOLE, WORDS
from inspector.loading.vocabularies import tokenizer_of, vocabulary_of

DECODER: Final = "added_tokens_decoder"
"""Key of tokenizer_config.json with which transformers does not read added_tokens.json."""
SLOW: Final = frozenset({"Esm", "CTRL", "BertJapanese"})
"""Classes without a fast one, which keep the ids, at least in 4.57."""


def renumbered(checkpoint: Checkpoint, added: AddedTokens | None) -> Mapping[str, int]:
    """Token -> its id once loaded, for the added tokens behind the vocabulary; empty if all keep the ids of the file,
    or if this is not known.
    """
    if added is None or added.file != ADDED or not added.complete or WHOLE in checkpoint.siblings:
        return {}
    ids = sorted(added.ids.values())
    if all(after == before + 1 for before, after in pairwise(ids)) or len(set(ids)) < len(ids):
        return {}
    config = {} if checkpoint.config is None else checkpoint.config.values
    settings = object_beside(checkpoint, SETTINGS)
    if tokenizer_of(settings, config) in SLOW:
        return {}
    if DECODER in settings or vocabulary_of(settings, config) not in ((PLAIN,), (WORDS,)):
        return {}
    _, words = words_beyond(checkpoint, 0)
    first = max(words.values(), default=-1) + 1
    behind = sorted((number, token) for token, number in added.ids.items() if token not in words)
    if not words or not behind or behind[0][0] != first:
        return {}
    loaded = {token: first + at for at, (_, token) in enumerate(behind)}
    return {} if all(added.ids[token] == number for token, number in loaded.items()) else loaded
