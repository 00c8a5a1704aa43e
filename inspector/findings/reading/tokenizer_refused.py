"""The finding on a tokenizer whose content contradicts itself."""

from __future__ import annotations

import json

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import number

FEW = 100
"""One in this number of merges at most is removed by hand: of more, the vocabulary is another tokenizer's."""


class TokenizerRefused(Finding, frozen=True, kw_only=True):
    """The tokenizer is valid JSON, and its content is refused.

    What it means
        A merge of a BPE joins two tokens of the vocabulary to a third one. One of them is absent: the vocabulary and
        the merges are of two tokenizers, or a program added or removed tokens in one of them. Or a token has a space,
        and the merges are texts in which a space separates the two. Or tokenizer.json lacks a value that its kind of
        model needs.

    Why it matters
        The weights load, but the tokenizer does not: `AutoTokenizer` raises "Token `x` out of vocabulary", "Merges text
        file invalid" or "data did not match any variant", which name no file.

    Example
        error[R081] tokenizer-refused: tokenizer.json: merge 3 needs the token "abc",
          which its vocabulary lacks
          loader  AutoTokenizer of transformers 5.23 and 4.57 refuses it
          help    take tokenizer.json again from where the tokenizer was trained; or
                  remove this merge from tokenizer.json

    What to do
        Take the files of the tokenizer again, all of them from one place. Merges of tokens with spaces can be written
        as pairs, which tokenizers reads since 0.20.
    """

    code = "R081"

    problem: str = ""
    """A fault other than one of the merges."""
    first: int = 0
    """The number of the first faulty merge, or of its line in merges.txt."""
    text: str = ""
    lacking: str = ""
    """The token that it needs; empty if it is not two tokens."""
    merges: int = 0
    of: int = 0
    pairs: tuple[tuple[str, str], ...] = ()
    """The two tokens of the first merge, if all faulty ones are tokens with spaces and have one reading."""
    words: str = ""
    """The file of the vocabulary, if it is another one."""

    def headline(self) -> str:
        if self.problem:
            return f"{self.place.file}: {self.problem}"
        which = f"{'line' if self.words else 'merge'} {number(self.first)}"
        if not self.lacking:
            return f"{self.place.file}: {which} is not two tokens: {_quoted(self.text)}"
        return (
            f"{self.place.file}: {which} needs the token {_quoted(self.lacking)}, "
            f"which {self.words or 'its vocabulary'} lacks"
        )

    def rows(self) -> Rows:
        several = [("in all", f"{number(self.merges)} of {number(self.of)} merges")] if self.merges > 1 else []
        return [*several, ("loader", "AutoTokenizer of transformers 5.23 and 4.57 refuses it")]

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        if self.problem:
            return Remedy("save the tokenizer again, or download this file again", (Step(action="fetch", file=file),))
        if self.pairs:
            pair = json.dumps(self.pairs[0], ensure_ascii=False)
            return Remedy(
                f"write all merges in {file} as pairs of tokens, this one as {pair}; or save the tokenizer again with "
                "tokenizers 0.20 or newer"
            )
        files = (self.words, file) if self.words else (file,)
        again = f"take {' and '.join(files)} again from where the tokenizer was trained"
        steps = tuple(Step(action="fetch", file=one) for one in files)
        if self.merges * FEW > max(self.of, FEW):
            return Remedy(again, steps)
        those = "this merge" if self.merges == 1 else f"these {number(self.merges)} merges"
        return Remedy(f"{again}; or remove {those} from {file}", steps)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
