"""The finding on names of the authors' code under a config for the class of transformers."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Finding


class LayoutOfAuthors(ContentFinding, frozen=True, kw_only=True):
    """The weights have the layout of the model's authors, and the config names the class of transformers.

    What it means
        The model exists twice: as code in the repositories of its authors, and as a class of transformers with other
        names, and with separate matrices where the authors have one for queries, keys and values. The config is one
        for transformers.

    Why it matters
        transformers finds a part of the names at most, often those of the text model, and keeps random values for the
        rest. New names alone do not repair it.

    Example
        error[N759] layout-of-authors: InternVL's own layout, not that of transformers
          class    InternVLForConditionalGeneration
          such as  vision_model.encoder.layers.{layer}.attn.qkv.weight
          help     use the repository of this model whose name ends with -HF, or convert
                   the weights with convert_internvl_weights_to_hf.py of transformers;
                   with the authors' code, use their config.json and .py files

    What to do
        Take the converted weights, convert them, or load these with the config and the code of the authors.
    """

    code = "N759"
    of_another_type = True

    authors: str
    class_name: str | None = msgspec.field(name="class")
    such_as: str
    ending: str
    script: str

    headline_text = "{authors}'s own layout, not that of transformers"
    row_texts = (("class", "{class_name}", "class_name"), ("such as", "{such_as}"))
    remedy_text = (
        "use the repository of this model whose name ends with {ending}, or convert the weights with {script} of "
        "transformers; with the authors' code, use their config.json and .py files"
    )

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """None if the loader finds every tensor of the class under these names."""
        return None if outcome == "complete" else self
