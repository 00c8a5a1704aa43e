"""The finding on the attention of Longformer under the config of the model that it was built from."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.severity import SeverityIf
from inspector.findings.words import count, listed, number


class AttentionOfLongformer(ContentFinding, frozen=True, kw_only=True):
    """The attention was replaced by that of Longformer, and the config still names the model before.

    What it means
        Longformer's attention is stored: projections for global tokens beside those for windows. AllenAI's scripts
        build it into RoBERTa, BERT or BART and save the config under the type of that model.

    Why it matters
        transformers' class of that type attends to all tokens and leaves the global projections out; of an
        encoder-decoder, it finds none of the encoder's projections, which are random then.

    Example
        warning[N710] attention-of-longformer: 18 tensors, the config says roberta
          such as  roberta.encoder.layer.{layer}.attention.self.key_global.bias,
                   roberta.encoder.layer.{layer}.attention.self.key_global.weight and 4
                   more
          help     set "model_type": "longformer", "architectures":
                   ["LongformerForMaskedLM"] in config.json and rename roberta. to
                   longformer. in all names

    What to do
        RoBERTa's and BART's layers are those of Longformer and LED: rename them. Other models need the code that
        replaced their attention; so do those of BART's type with the layers of mBART (a norm after the last layer,
        scaled embeddings), which LED does not have.
    """

    code = "N710"
    severity = SeverityIf(lambda finding: finding.missing, "error", "warning", usual="warning")

    model_type: str
    tensors: int
    missing: int
    """Number of tensors of the named model whose places these have."""
    families: tuple[str, ...]
    like: str | None = None
    """The model type with this attention whose other layers are those of the usual model of the named type."""
    class_name: str | None = None
    renamed: tuple[str, str] | None = None
    """The prefix of the names, and that of the class of this type."""
    positions: tuple[str, ...] = ()
    """Tables of positions with the rows of BART in front, which no token has."""
    ahead: int = 0
    window: bool = True
    """True if the config states the width of the windows."""
    others: tuple[str, ...] = ()
    """Other tensors of the encoder and the decoder that neither type has."""
    without_class: str | None = None
    """The class of the config if the type with this attention has none for the same task."""
    unlike: tuple[str, ...] = ()
    """Keys of the config, with their values, of layers that the type with this attention does not have."""

    def headline(self) -> str:
        return f"{count(self.tensors, 'tensor')}, the config says {self.model_type}"

    def rows(self) -> Rows:
        rows = [("such as", listed(self.families, 2))]
        if self.missing:
            rows.append(("for", f"{count(self.missing, 'tensor')} of the attention of {self.model_type}"))
        if self.positions:
            ahead = f"ahead of those of {self.like}" if self.like else "more than the config states"
            rows.append(("also", f"{listed(self.positions, 2)}: {number(self.ahead)} rows {ahead}"))
        if self.others:
            rows.append(("but", f"{self.like} has no {listed(self.others, 4)}"))
        if self.unlike:
            rows.append(("but", f"{self.like} does not implement {listed(self.unlike)}"))
        if self.without_class:
            rows.append(("but", f"transformers 5 has no class of {self.like} for {self.without_class}"))
        return rows

    def remedy(self) -> Remedy:
        if self.like is None or self.renamed is None or self.others or self.unlike or self.without_class:
            return Remedy("load it with the code that replaced the attention: no class of transformers has both")
        words = f'set "model_type": "{self.like}"'
        if self.class_name:
            words += f', "architectures": ["{self.class_name}"]'
        if not self.window:
            words += ', and "attention_window" as it was trained'
        words += f" in config.json and rename {self.renamed[0]} to {self.renamed[1]} in all names"
        if self.positions:
            cut = f"cut the first {number(self.ahead)} rows off {listed(self.positions, 2)}"
            return Remedy(f"{words}; {cut}: tensor[{self.ahead}:].contiguous()")
        return Remedy(words)
