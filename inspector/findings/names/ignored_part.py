"""Tensors that the class of a model leaves out on purpose."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Rows
from inspector.findings.words import count, number


class PartIgnored(ContentFinding, frozen=True, kw_only=True):
    """Tensors that the class leaves out on purpose: layers that predict further tokens, and the like.

    What it means
        No definition has these tensors. The class of the config lists their names as those that it ignores without a
        word: `_keys_to_ignore_on_load_unexpected`.

    Why it matters
        Nothing is wrong. Other programs read them, for speculative decoding; their shapes were not checked.

    Example
        note[N534] part-ignored: mtp.{mtp}.eh_proj.weight
          stored  1 tensor, 64 elements, 256 bytes
          class   DeepseekV4ForCausalLM ignores them

    What to do
        Nothing.
    """

    code = "N534"
    severity = "note"

    class_name: str
    tensors: int
    elements: int
    bytes: int
    part: str

    headline_text = "{part}"

    def rows(self) -> Rows:
        stored = f"{count(self.tensors, 'tensor')}, {number(self.elements)} elements, {number(self.bytes)} bytes"
        return [("stored", stored), ("class", f"{self.class_name} ignores them")]
