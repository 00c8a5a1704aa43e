"""A GGUF file whose attention matrices have other heads than it states."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows


class GgufHeadsDisagree(ContentFinding, frozen=True, kw_only=True):
    """The number of key and value heads in a GGUF file is not that of its matrices.

    What it means
        The rows of every attention matrix belong to another number of key heads than `attention.head_count_kv` states.

    Why it matters
        llama.cpp computes the shapes from this number and refuses the file.

    Example
        error[N446] gguf-heads-disagree: bloom.attention.head_count_kv
          stated   2
          weights  6
          help     convert the model again, or set bloom.attention.head_count_kv to 6

    What to do
        Convert the model again, or correct the number with gguf_set_metadata.
    """

    code = "N446"

    key: str
    stated: int
    shown: int

    headline_text = "{key}"

    def rows(self) -> Rows:
        return [("stated", str(self.stated)), ("weights", str(self.shown) if self.shown else "no whole number")]

    def remedy(self) -> Remedy:
        again = "convert the model again"
        return Remedy(f"{again}, or set {self.key} to {self.shown}" if self.shown else again)
