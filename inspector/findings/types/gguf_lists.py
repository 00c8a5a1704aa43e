"""Findings on lists and tables of a GGUF file that are shorter or longer than llama.cpp expects."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Rows
from inspector.findings.words import number


class GgufTokenListShort(ContentFinding, frozen=True, kw_only=True):
    """A list of the vocabulary of a GGUF file has fewer entries than there are tokens.

    What it means
        The kinds or the scores of tokens are lists with one entry for each token. Tokens were added to one list only,
        or the lists are those of two tokenizers.

    Why it matters
        llama.cpp refuses the file: "Index out of array bounds".

    Example
        error[N605] gguf-token-list-short: tokenizer.ggml.token_type
          entries  106
          tokens   107
          help     convert the model again with the tokenizer that belongs to it

    What to do
        Convert the model again: the file does not show the entries of the other tokens.
    """

    code = "N605"

    key: str
    entries: int
    tokens: int

    headline_text = "{key}"
    row_texts = (("entries", "{entries}"), ("tokens", "{tokens}"))
    remedy_text = "convert the model again with the tokenizer that belongs to it"

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"index out of array bounds for {self.key} ({self.entries} < {self.tokens})"


class GgufFactorsDiffer(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file has another number of rotary factors than rotated pairs.

    What it means
        `rope_freqs.weight` has one factor for each pair of rotated rows of a head. The converter computes it from the
        config; this one is of a model with another width of heads.

    Why it matters
        llama.cpp refuses the file, because the tensor has a wrong shape.

    Example
        error[N606] gguf-factors-differ: rope_freqs.weight
          stored    20
          expected  10, for llama.rope.dimension_count: 20
          help      convert the model again: the converter computes this tensor

    What to do
        Convert the model again from its original weights.
    """

    code = "N606"

    key: str
    rotated: int
    stored: int

    headline_text = "{place.name}"
    remedy_text = "convert the model again: the converter computes this tensor"

    def rows(self) -> Rows:
        return [
            ("stored", number(self.stored)),
            ("expected", f"{number(self.rotated // 2)}, for {self.key}: {number(self.rotated)}"),
        ]

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"tensor {self.place.name} has wrong shape"
