"""What transformers refuses in the content of a tokenizer.json, or of a vocab.json and its merges.txt.

Measured with `AutoTokenizer` of transformers 5.23 and 4.57, each fault alone, under the general class and those of
BERT, DistilBERT, GPT-2, GPT-NeoX, Llama, Qwen2, RoBERTa, T5, ALBERT and XLM-RoBERTa; merges.txt under each class that
reads it. Only what both versions refuse under all of these is listed: several specific classes of 5.23 build a
tokenizer from a file that lacks its merges, or has them in two forms. Added tokens whose ids collide, or that the
vocabulary has under other ids, are read by both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

TYPES: Final = ("BPE", "WordPiece", "WordLevel", "Unigram")
KEYS: Final = frozenset({
    "version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder",
    "model",
})  # fmt: skip
NEEDED: Final = {
    "WordPiece": ("unk_token", "continuing_subword_prefix", "max_input_chars_per_word"),
    "WordLevel": ("unk_token",),
}
"""Type of a model -> the keys without which it is refused."""
HEADING: Final = "#version"
IDS: Final = 1 << 32


class FaultyMerges(NamedTuple):
    """The merges that are not two tokens of the vocabulary whose text together is a token, too.

    first: the number of the first one. lacking: the token that it needs; "" if it is not two tokens. pairs: the two
    tokens of each one with further spaces; empty if any of the merges has another fault, or more than one reading.
    """

    first: int
    text: str
    lacking: str
    faulty: int
    of: int
    pairs: tuple[tuple[str, str], ...]


def faulty_merges(merges: Sequence[tuple[int, tuple[str, ...]]], vocab: Mapping[str, Any]) -> FaultyMerges | None:
    """The faulty ones among merges with their numbers."""
    faulty = [
        (number, parts)
        for number, parts in merges
        if len(parts) != 2 or parts[0] not in vocab or parts[1] not in vocab or parts[0] + parts[1] not in vocab
    ]
    if not faulty:
        return None
    number, parts = faulty[0]
    needed = (*parts, "".join(parts)) if len(parts) == 2 else ()
    lacking = next((token for token in needed if token not in vocab), "")
    readings = [_readings(" ".join(parts), vocab) if len(parts) > 2 else [] for _, parts in faulty]
    pairs = tuple(one[0] for one in readings) if all(len(one) == 1 for one in readings) else ()
    return FaultyMerges(number, " ".join(parts), lacking, len(faulty), len(merges), pairs)


def _readings(text: str, vocab: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The ways in which a merge with several spaces is two tokens of the vocabulary that give a third."""
    halves = ((text[:at], text[at + 1 :]) for at, character in enumerate(text) if character == " ")
    return [(left, right) for left, right in halves if left in vocab and right in vocab and left + right in vocab]


def merges_of(values: Mapping[str, Any]) -> FaultyMerges | None:
    """The faulty merges of a tokenizer.json; None if there are none, or if they are not all of one known form."""
    model = values.get("model")
    if not isinstance(model, dict) or model.get("type") != "BPE" or model.get("continuing_subword_prefix"):
        return None
    merges, vocab = model.get("merges"), model.get("vocab")
    if not isinstance(merges, list) or not isinstance(vocab, dict) or not vocab:
        return None
    if all(isinstance(one, str) for one in merges):
        lines = [one for one in merges if not one.startswith(HEADING)]
        return faulty_merges([(number, tuple(one.split(" "))) for number, one in enumerate(lines, 1)], vocab)
    if all(isinstance(one, list) and all(isinstance(part, str) for part in one) for one in merges):
        found = faulty_merges([(number, tuple(one)) for number, one in enumerate(merges, 1)], vocab)
        return None if found is None else found._replace(pairs=())
    return None


def merges_in_lines(text: str, vocab: Mapping[str, Any]) -> FaultyMerges | None:
    """The faulty merges of a merges.txt, by the numbers of their lines.

    4.57 leaves out the first line and what follows the last break; blank lines are left to it, too.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[1:-1]
    merges = [(number, tuple(line.split(" "))) for number, line in enumerate(lines, 2) if line.strip()]
    if any(len(parts) == 2 and len(" ".join(parts).split()) != 2 for _, parts in merges):
        return None  # the two versions split such a line in two ways
    found = faulty_merges([one for one in merges if not one[1][0].startswith(HEADING)], vocab)
    return None if found is None else found._replace(pairs=())


def is_saved(values: Mapping[str, Any]) -> bool:
    """True if a tokenizer.json has what `tokenizers` writes into each: other content is none that it saved."""
    return "version" in values and isinstance(values.get("model"), dict)


def content_faults(values: Mapping[str, Any]) -> Iterator[str]:
    """Why a tokenizer.json is refused, in words, besides its merges; nothing if none of these reasons is found."""
    model = values.get("model")
    if not isinstance(model, dict):
        return
    yield from (f'"{key}" is none of its keys' for key in values if key not in KEYS)
    if values.get("version", "1.0") != "1.0":
        yield f"version is {values['version']!r}"
    added = values.get("added_tokens")
    for number, token in enumerate(added if isinstance(added, list) else (), 1):
        if isinstance(token, dict) and "id" not in token:
            yield f"added token {number} has no id"
            break
    yield from _faults_of_model(model)


def _faults_of_model(model: Mapping[str, Any]) -> Iterator[str]:
    stated, vocab = model.get("type"), model.get("vocab")
    if "type" in model and stated not in TYPES:
        yield "model.type is null" if stated is None else f"model.type is {stated!r}"
        return
    yield from (f"model has no {key}" for key in NEEDED.get(str(stated), ()) if key not in model)
    if stated == "BPE" and model.get("merges") and not vocab:
        yield "model has no vocab"
    dropout = model.get("dropout")
    if stated == "BPE" and isinstance(dropout, int | float) and not 0 <= dropout <= 1:
        yield f"model.dropout is {dropout}"
    if stated == "Unigram":
        yield from _faults_of_pieces(model)
    elif stated in TYPES and isinstance(vocab, dict):
        wrong = _first(token for token, number in vocab.items() if type(number) is not int or not 0 <= number < IDS)
        if wrong is not None:
            yield f"the id of {wrong!r} in model.vocab is no number of a token"


def _faults_of_pieces(model: Mapping[str, Any]) -> Iterator[str]:
    vocab, unknown = model.get("vocab"), model.get("unk_id")
    if not isinstance(vocab, list):
        yield "model has no vocab" if vocab is None else "model.vocab is no list of words and scores"
        return
    if type(unknown) is int and not 0 <= unknown < len(vocab):
        yield f"model.unk_id is {unknown}, and model.vocab has {len(vocab):,} words"
    wrong = _first(number for number, one in enumerate(vocab) if isinstance(one, list) and None in one)
    if wrong is not None:
        yield f"word {wrong} of model.vocab has no score"


def _first(found: Iterable[Any]) -> Any:
    return next(iter(found), None)
