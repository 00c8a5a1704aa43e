"""The finding on biases of modules that the architecture defines without them."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import count, listed, number


class BiasesUnexpected(ContentFinding, frozen=True, kw_only=True):
    """Several modules are stored with biases that the architecture does not define.

    What it means
        The weights were trained with code that was changed: its norms or projections have biases, and those of the
        architecture that the config names have none.

    Why it matters
        Loaders ignore them. Unless all of them are zero, the model then computes something else than it was trained to.

    Example
        warning[N540] biases-unexpected:
          decoder.block.{block}.layer.{layer}.layer_norm.bias and 3 more
          also    decoder.final_layer_norm.bias,
                  encoder.block.{block}.layer.{layer}.layer_norm.bias,
                  encoder.final_layer_norm.bias
          stored  20 tensors, 960 elements, 3,840 bytes
          loader  transformers drops them: results change unless all are zero
          help    load it with the code that wrote it: t5 has no place for these biases;
                  remove them if --values shows that all are zero

    What to do
        Load it with the code that it was trained with. `--values` shows whether the biases are zero: then remove them.
        `switch`: the key of the config that chooses the norm without biases: correct it to false.
    """

    code = "N540"
    severity = "warning"

    architecture: str
    families: tuple[str, ...]
    tensors: int
    elements: int
    bytes: int
    switch: str | None = None

    def headline(self) -> str:
        return f"{self.families[0]} and {len(self.families) - 1:,} more"

    def rows(self) -> Rows:
        stored = f"{count(self.tensors, 'tensor')}, {number(self.elements)} elements, {number(self.bytes)} bytes"
        dropped = "transformers drops them: results change unless all are zero"
        rows = [("also", listed(self.families[1:], 4)), ("stored", stored), ("loader", dropped)]
        return rows if self.switch is None else [*rows, ("config", f"{self.switch} true: norms without biases")]

    def remedy(self) -> Remedy:
        if self.switch is not None:
            step = Step(action="set", file="config.json", key=(self.switch,), new=False)
            trained = "it was trained with LayerNorm, for which no class of transformers has a place"
            return Remedy(
                f'set "{self.switch}": false in config.json and load it with the code that wrote it: {trained}', (step,)
            )
        words = f"load it with the code that wrote it: {self.architecture} has no place for these biases"
        return Remedy(f"{words}; remove them if --values shows that all are zero")
