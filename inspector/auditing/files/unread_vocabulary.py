"""Checks whether the vocabulary in a folder is one that the tokenizer of the model's type reads.

Measured with `AutoTokenizer` of transformers 5.23 and 4.57, for the types in `inspector/loading/vocabularies.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from inspector.auditing.files.absent_tokenizer import is_whole
from inspector.auditing.json_beside import is_listed, object_beside
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.tokenizer_files import ADDED, MAP, MERGES, PLAIN, SENTENCEPIECE, SETTINGS, WHOLE, WORDS
from inspector.loading.tokenizer_settings import CLASS
from inspector.loading.vocabularies import needed_by, read_alone

VOCABULARIES: Final = (PLAIN, WORDS, *SENTENCEPIECE)
PARTS: Final = (SETTINGS, MERGES, MAP, ADDED)
"""Files of a tokenizer beside its words."""
OTHERWISE: Final = frozenset({WHOLE, "tekken.json"})
"""Whole tokenizers; beside them no other vocabulary is needed."""


def vocabulary_unread(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on a local folder without the vocabulary that its tokenizer reads, whose vocabularies are all in
    other formats, or that has other files of the tokenizer alone.
    """
    config, files = checkpoint.config, checkpoint.siblings
    if config is None or not checkpoint.folder or checkpoint.origin is not None or checkpoint.adapter is not None:
        return
    if not is_listed(checkpoint) or not OTHERWISE.isdisjoint(files):
        return
    present = tuple(name for name in VOCABULARIES if name in files)
    settings = object_beside(checkpoint, SETTINGS)
    if SETTINGS in files and not settings:
        return
    for lacking, beside in _absent(files, needed_by(settings, config.values), present, whole=is_whole(checkpoint)):
        from inspector.findings.reading.vocabulary_unread import VocabularyAbsent

        yield VocabularyAbsent(place=Place(file=lacking[0]), read=lacking, beside=beside)
        return
    read = read_alone(settings, config.values) if present else ()
    if not read or not set(read).isdisjoint(present):
        return
    from inspector.findings.reading.vocabulary_unread import VocabularyUnread

    stated = SETTINGS if settings.get(CLASS) else config.file
    yield VocabularyUnread(
        place=Place(file=stated, key=CLASS), model_type=str(config.values["model_type"]), read=read[0], present=present
    )


def _absent(
    files: Mapping[str, int], needed: Sequence[tuple[str, ...]], present: Sequence[str], *, whole: bool
) -> Iterator[tuple[tuple[str, ...], str]]:
    """(files of which one is needed and none is here, a file of the tokenizer that is here).

    One file with settings may have been put there by itself.
    """
    beside = [name for name in (*present, *PARTS) if name in files]
    whole = whole or len(beside) > 1 or MERGES in files
    for number, group in enumerate(needed):
        words = needed[0][0] if number else None  # other vocabularies are in place of the words
        known = words in files if number else whole and not present
        if beside and known and files.keys().isdisjoint(group):
            yield group, beside[0]
