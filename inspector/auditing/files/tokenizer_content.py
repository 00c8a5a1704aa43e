"""Finds a tokenizer whose files are valid JSON and text, and whose content transformers refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from inspector.auditing.json_beside import object_beside
from inspector.findings.finding import Finding, Place
from inspector.loading.tokenizer_files import MERGES, SETTINGS, TOKENIZER_MODEL, WHOLE, WORDS

if TYPE_CHECKING:
    from inspector.loader.checkpoint import Checkpoint
    from inspector.loading.tokenizer_content import FaultyMerges

LARGEST: Final = 4_000_000
"""Bytes of the largest of these files that is read: those of 50,000 words have two million."""
CODE: Final = "auto_map"
WITHOUT_MERGES: Final = "CTRL"
"""The class that reads any merges."""


def refused_tokenizer_content(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on the content of the tokenizer in a local folder, if it is read and small enough."""
    siblings = checkpoint.siblings
    if not checkpoint.folder or checkpoint.alone or (WHOLE not in siblings and MERGES not in siblings):
        return
    settings = object_beside(checkpoint, SETTINGS)
    if CODE in settings:
        return
    if WHOLE in siblings:
        yield from _of_whole(checkpoint)
    elif TOKENIZER_MODEL not in siblings:
        from inspector.loading.vocabularies import tokenizer_of, vocabulary_of

        config = {} if checkpoint.config is None else checkpoint.config.values
        if vocabulary_of(settings, config) == (WORDS,) and tokenizer_of(settings, config) != WITHOUT_MERGES:
            yield from _of_pair(checkpoint)


def _of_whole(checkpoint: Checkpoint) -> Iterator[Finding]:
    values = object_beside(checkpoint, WHOLE, LARGEST)
    if not values:
        return
    from inspector.loading.tokenizer_content import content_faults, is_saved, merges_of

    if not is_saved(values):
        return
    problem = next(content_faults(values), "")
    merges = None if problem else merges_of(values)
    if problem:
        from inspector.findings.reading.tokenizer_refused import TokenizerRefused

        yield TokenizerRefused(place=Place(file=WHOLE), problem=problem)
    elif merges is not None:
        yield _of_merges(merges, WHOLE, "")


def _of_pair(checkpoint: Checkpoint) -> Iterator[Finding]:
    size = checkpoint.siblings[MERGES]
    vocab = object_beside(checkpoint, WORDS, LARGEST)
    if not vocab or checkpoint.reach is None or not 0 < size <= LARGEST:
        return
    raw = checkpoint.reach().read_part(MERGES, 0, size)
    from inspector.loading.tokenizer_content import merges_in_lines

    try:
        text = raw.decode() if isinstance(raw, bytes) else ""
    except UnicodeDecodeError:
        return
    merges = merges_in_lines(text, vocab)
    if merges is not None:
        yield _of_merges(merges, MERGES, WORDS)


def _of_merges(merges: FaultyMerges, file: str, words: str) -> Finding:
    from inspector.findings.reading.tokenizer_refused import TokenizerRefused

    return TokenizerRefused(
        place=Place(file=file), first=merges.first, text=merges.text, lacking=merges.lacking, merges=merges.faulty,
        of=merges.of, pairs=merges.pairs[:1], words=words,
    )  # fmt: skip
