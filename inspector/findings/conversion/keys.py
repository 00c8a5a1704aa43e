"""Numbers that a conversion to or from GGUF changed."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows


class KeyChanged(ContentFinding, frozen=True, kw_only=True):
    """A number of the GGUF file is not that of the model's config.

    What it means
        The converter copies this number, and both sides state it, with different values. The shapes of the tensors do
        not depend on it.

    Why it matters
        The file may load and compute something else, as with another number of heads, or of experts that each token
        uses.

    Example
        error[V863] key-changed: bert.attention.head_count
          file    12
          config  num_attention_heads: 6
          help    set bert.attention.head_count to 6, or convert the model again

    What to do
        Correct the number with gguf_set_metadata, or convert the model again. Of a model that was made from a GGUF
        file, correct its config.
    """

    code = "V863"
    name = "key-changed"

    key: str
    stated: float
    config_key: str
    expected: float
    from_file: bool = False

    headline_text = "{key}"

    def rows(self) -> Rows:
        return [("file", f"{self.stated:g}"), ("config", f"{self.config_key}: {self.expected:g}")]

    def remedy(self) -> Remedy:
        if self.from_file:
            return Remedy(f"set {self.config_key} of the config to {self.stated:g}")
        return Remedy(f"set {self.key} to {self.expected:g}, or convert the model again")
