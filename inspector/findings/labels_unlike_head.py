"""The finding on a speech recognizer whose tokenizer or decoder has another number of tokens than its head."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.severity import SeverityIf
from inspector.findings.words import count, first, listed


class LabelsUnlikeHead(ContentFinding, frozen=True, kw_only=True):
    """The tokenizer of a CTC model, or the alphabet of its decoder, has other labels than its head has rows.

    What it means
        A CTC head has one row for each token. Tokens were added to the tokenizer after the training, most often `<s>`
        and `</s>`: Wav2Vec2CTCTokenizer adds its `bos_token` and `eos_token` behind the vocabulary unless they are
        null. Or the alphabet of the decoder with a language model was built from another vocabulary, often from one
        without these tokens while the head has rows for them.

    Why it matters
        Plain decoding works. A label with such an id is refused in training, and pyctcdecode refuses logits of another
        width than its alphabet (Wav2Vec2ProcessorWithLM).

    Example
        note[C339] labels-unlike-head: 2 tokens of the tokenizer
          rows    107 (lm_head.weight)
          tokens  <s>, </s>
          help    set "bos_token": null, "eos_token": null in tokenizer_config.json,
                  remove added_tokens.json

    What to do
        Remove the tokens from the tokenizer, and build the decoder of the language model again from its vocabulary.
    """

    code = "C339"
    severity = SeverityIf(lambda finding: finding.alphabet, "warning", "note", usual="note")

    head_rows: int = msgspec.field(name="rows")
    family: str
    tokens: tuple[str, ...]
    count: int
    special: tuple[str, ...]
    """The keys that name all these tokens."""
    files: tuple[str, ...]
    """The files that state or take these keys."""
    further: tuple[str, ...]
    """What else adds them: a file, or a key of a file."""
    alphabet: int
    """The labels of the decoder with a language model, if they are not as many as the rows; otherwise 0."""

    def headline(self) -> str:
        return (
            f"{count(self.count, 'token')} of the tokenizer"
            if self.count
            else f"{self.alphabet} labels in alphabet.json"
        )

    def rows(self) -> Rows:
        rows = [("rows", f"{self.head_rows} ({self.family})")]
        if self.count:
            rows.append(("tokens", first(self.tokens, self.count, 3)))
        if self.alphabet:
            rows.append(("decoder", f"pyctcdecode refuses logits of {self.head_rows} for its {self.alphabet} labels"))
        return rows

    def remedy(self) -> Remedy:
        if not self.count:
            return Remedy("build the decoder again from the vocabulary of the tokenizer")
        again = ["build the decoder again from its vocabulary"] if self.alphabet else []
        if not self.special:
            return Remedy(", ".join(["use the tokenizer that belongs to these weights", *again]))
        nulls = listed([f'"{key}": null' for key in self.special], 4)
        removed = [f"remove {one}" for one in self.further]
        steps = tuple(
            Step(action="set", file=file, key=(key,), new=None) for file in self.files for key in self.special
        )
        words = ", ".join([f"set {nulls} in {listed(self.files, 2)}", *removed, *again])
        return Remedy(words, () if removed or again else steps)
