"""The finding on modules of a class of the authors' own."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy


class OwnModules(ContentFinding, frozen=True, kw_only=True):
    """The weights and the config are of a class of their authors'.

    What it means
        The class in the config finds all of its tensors. Further modules are stored outside of its own, and the config
        has keys that it does not read: the model was saved by another class with the same name, or one derived from it.
        config.json names no code of its own in `auto_map`.

    Why it matters
        transformers leaves these modules out with a warning, and the model computes as if they were not there.

    Example
        warning[N741] own-modules: talk_head, start_embedding, end_embedding
          class   LlamaForCausalLM has none of them
          keys    2 that it does not read: max_thoughts, merged_talk_heads
          stored  3 tensors, 33,570,816 elements, 67,141,632 bytes
          help    load it with the class of its authors; LlamaForCausalLM leaves these
                  tensors out

    What to do
        Load the model with the code of its authors. Only if the plain model is wanted can the tensors be removed.
    """

    code = "N741"
    severity = "warning"

    parts: tuple[str, ...]
    class_name: str
    keys: tuple[str, ...]
    key_count: int
    tensors: int
    elements: int
    bytes: int

    headline_text = "{parts:listed 4}"
    row_texts = (
        ("class", "{class_name} has none of them"),
        ("keys", "{key_count} that it does not read: {keys:listed 6}"),
        ("stored", "{tensors:count tensor}, {elements:count element}, {bytes} bytes"),
    )

    def remedy(self) -> Remedy:
        return Remedy(f"load it with the class of its authors; {self.class_name} leaves these tensors out")
