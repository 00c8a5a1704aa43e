"""Checks whether the vocabulary in a folder is one that the tokenizer of the model's type reads.

Measured with `AutoTokenizer` of transformers 5.23 and 4.57, for the types in `inspector/loading/vocabularies.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.json_beside import is_listed, object_beside
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.tokenizer_files import PLAIN, SENTENCEPIECE, SETTINGS, WHOLE, WORDS
from inspector.loading.tokenizer_settings import CLASS
from inspector.loading.vocabularies import read_alone

VOCABULARIES: Final = (PLAIN, WORDS, *SENTENCEPIECE)
OTHERWISE: Final = frozenset({WHOLE, "tekken.json"})
"""Whole tokenizers; beside them no other vocabulary is needed."""
LARGEST: Final = 1_000_000


def vocabulary_unread(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on a local folder whose vocabularies are all in formats that its tokenizer does not read."""
    config, files = checkpoint.config, checkpoint.siblings
    if config is None or not checkpoint.folder or checkpoint.origin is not None or checkpoint.adapter is not None:
        return
    present = tuple(name for name in VOCABULARIES if name in files)
    if not present or not is_listed(checkpoint) or not OTHERWISE.isdisjoint(files):
        return
    settings = object_beside(checkpoint, SETTINGS, LARGEST)
    if SETTINGS in files and not settings:
        return
    read = read_alone(settings, config.values)
    if not read or not set(read).isdisjoint(present):
        return
    from inspector.findings.reading.vocabulary_unread import VocabularyUnread

    stated = SETTINGS if settings.get(CLASS) else config.file
    yield VocabularyUnread(
        place=Place(file=stated, key=CLASS), model_type=str(config.values["model_type"]), read=read[0], present=present
    )
