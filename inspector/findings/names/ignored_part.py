"""The finding on tensors that the class of a model ignores on purpose."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Rows
from inspector.findings.words import count, number


class PartIgnored(ContentFinding, frozen=True, kw_only=True):
    """Tensors that the class ignores on purpose, such as layers for multi-token prediction.

    What it means
        The definition does not describe these tensors. The class named in the config lists their names in
        `_keys_to_ignore_on_load_unexpected`: it ignores them without a message.

    Why it matters
        Nothing is wrong. Other programs use them for speculative decoding. Their shapes were not checked.

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
