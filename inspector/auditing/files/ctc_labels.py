"""Compares the tokenizer of a CTC model, and the alphabet of its decoder, with the rows of its head.

Sources: `Wav2Vec2CTCTokenizer` of transformers 4.57 and 5, which adds special tokens behind the vocabulary;
`BeamSearchDecoderCTC._check_logits_dimension` of pyctcdecode 0.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from inspector.auditing.json_beside import object_beside
from inspector.auditing.result import Audit
from inspector.findings.finding import NAMES_SHOWN, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.tokenizer_files import ADDED, MAP, SETTINGS, WORDS
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.findings.labels_unlike_head import LabelsUnlikeHead

OF_CTC: Final = "ForCTC"
HEAD: Final = "head.token"
ALPHABET: Final = "alphabet.json"
"""The labels of a decoder with a language model, as pyctcdecode writes them."""
SPECIAL: Final = {"bos_token": "<s>", "eos_token": "</s>"}
"""Keys of special tokens that CTC does not need -> what the tokenizer takes where they are not stated."""
LISTED: Final = "additional_special_tokens"
TOKENIZER: Final = "Wav2Vec2CTCTokenizer"
LARGEST: Final = 1 << 20
"""Bytes of the largest of these files that is read: a CTC model has at most some thousand tokens."""


def ctc_labels(audited: Audit) -> Iterator[LabelsUnlikeHead]:
    """The finding on tokens without a row, in a local folder."""
    checkpoint, case = audited.checkpoint, audited.case
    if not checkpoint.folder or case is None or case.causes or case.solved:
        return
    if case.claim.class_name is None or not case.claim.class_name.endswith(OF_CTC):
        return
    heads = (one for one in case.placement.placed if one.block.slot.role == HEAD and one.fits)
    head = next((one for one in heads if len(one.layout.shape) == 2), None)
    words, settings = object_beside(checkpoint, WORDS, LARGEST), object_beside(checkpoint, SETTINGS, LARGEST)
    if head is None or settings.get("tokenizer_class", TOKENIZER) != TOKENIZER:
        return
    if not words or SETTINGS not in checkpoint.siblings or any(type(one) is not int for one in words.values()):
        return  # those of several languages are objects
    rows = head.layout.shape[0]
    known = {
        **words,
        **{token: one for token, one in object_beside(checkpoint, ADDED, LARGEST).items() if type(one) is int},
    }
    stated = {key: _content(settings.get(key, usual)) for key, usual in SPECIAL.items()}
    special = {key: token for key, token in stated.items() if token is not None and known.get(token, rows) >= rows}
    beyond = [token for token, one in known.items() if one >= rows]
    beyond += [token for token in special.values() if token not in beyond]
    labels = object_beside(checkpoint, ALPHABET, LARGEST).get("labels")
    alphabet = len(labels) if isinstance(labels, list) and len(labels) != rows else 0
    if not beyond and not alphabet:
        return
    from inspector.findings.labels_unlike_head import LabelsUnlikeHead

    removable = set(beyond) == set(special.values())
    yield LabelsUnlikeHead(
        place=Place(file=WORDS),
        head_rows=rows,
        family=family_name(case.reading.prefix.removeprefix("*") + head.block.key),
        tokens=tuple(beyond[:NAMES_SHOWN]),
        count=len(beyond),
        special=tuple(special) if removable else (),
        files=tuple(one for one in (SETTINGS, MAP) if one in checkpoint.siblings) if removable else (),
        further=tuple(_further(checkpoint)) if removable else (),
        alphabet=alphabet,
    )


def _further(checkpoint: Checkpoint) -> Iterator[str]:
    """What adds special tokens besides their keys."""
    if ADDED in checkpoint.siblings:
        yield ADDED
    if LISTED in object_beside(checkpoint, MAP, LARGEST):
        yield f"{LISTED} of {MAP}"


def _content(token: Any) -> str | None:
    """A special token, which is a text or an object with its text."""
    stated = token.get("content") if isinstance(token, Mapping) else token
    return stated if isinstance(stated, str) and stated else None
