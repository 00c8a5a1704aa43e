"""The files of a tokenizer in a folder that transformers reads."""

from __future__ import annotations

from typing import Final

SETTINGS: Final = "tokenizer_config.json"
WHOLE: Final = "tokenizer.json"
"""The whole tokenizer: beside it no other vocabulary is read."""
MAP: Final = "special_tokens_map.json"
"""Tokens that replace those in tokenizer_config.json."""
ADDED: Final = "added_tokens.json"
READ_ALWAYS: Final = (SETTINGS, MAP, ADDED)
"""Files that are read whenever they are present."""
WORDS: Final = "vocab.json"
MERGES: Final = "merges.txt"
PLAIN: Final = "vocab.txt"
PAIR: Final = (WORDS, MERGES)
"""Files that are read together in the absence of a tokenizer.json."""
TOKENIZER_MODEL: Final = "tokenizer.model"
SENTENCEPIECE: Final = (TOKENIZER_MODEL, "spiece.model", "sentencepiece.bpe.model")
BESIDE: Final = frozenset({*READ_ALWAYS, "chat_template.json", "chat_template.jinja", "README.md", ".gitattributes"})
"""Other files of a tokenizer's folder, which contain no vocabulary."""
