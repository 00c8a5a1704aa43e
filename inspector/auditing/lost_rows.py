"""Adds the tokens without a row to the finding on a vocabulary that is larger in the config than in the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.findings.words import first

if TYPE_CHECKING:
    from inspector.findings.config import ConfigDisagrees
    from inspector.findings.declared import TokenIds


Beyond = Callable[[int], Iterable["TokenIds | None"]]
Words = Callable[[int], tuple[str, Mapping[str, int]]]


SPECIAL: Final = 2
"""Number of tokens, for the beginning and the end, that a tokenizer for CTC adds behind its labels unless stated."""


def with_lost_rows(
    findings: Sequence[Finding], beyond: Beyond, words: Words, *, ctc: bool = False
) -> tuple[Finding, ...]:
    """The findings; the one on vocab_size with the tokens that the weights have no row for, if the config has one for
    each of them: then rows are missing, or the config and the tokenizer belong to another model.

    beyond: the tokens of the tokenizer from an id on. words: the vocabulary, and those that were not added to it. ctc:
    the class has a head for CTC, with a row for each word.
    """
    found = (_with_tokens(one, beyond, words) for one in findings)
    return tuple(_with_labels(one, words) for one in found) if ctc else tuple(found)


def _with_labels(finding: Finding, words: Words) -> Finding:
    """The finding for a head for CTC, if the vocabulary has as many words as the config states: both are of other
    labels than the head.
    """
    from inspector.findings.config import ConfigDisagrees

    if not isinstance(finding, ConfigDisagrees) or not _is_of_words(finding):
        return finding
    file, own = words(0)
    agrees = bool(own) and finding.stated - SPECIAL <= max(own.values()) + 1 <= finding.stated
    if not agrees or max(own.values()) + 1 == finding.solved:
        return finding
    return replace(finding, vocabulary=file, labels_apart=True)


def _with_tokens(finding: Finding, beyond: Beyond, words: Words) -> Finding:
    from inspector.findings.config import ConfigDisagrees

    if not isinstance(finding, ConfigDisagrees) or not _is_of_words(finding) or finding.solved >= finding.stated:
        return finding
    found = [one for one in beyond(finding.solved) if one is not None]
    if not found or max(one.largest for one in found) >= finding.stated:
        return finding
    listed = "; ".join(f"{one.file}: {first(one.names, one.tokens, 3)}, largest id {one.largest}" for one in found)
    file, own = words(finding.solved)
    return replace(finding, tokens=listed, vocabulary=file if own else "")


def _is_of_words(finding: ConfigDisagrees) -> bool:
    """True for a vocabulary of another number of words in the weights than in the config of transformers."""
    values = (finding.stated, finding.solved)
    numbers = finding.interval is None and all(type(one) is int for one in values)
    return numbers and finding.key == "vocab_size" and finding.file == "config.json"
