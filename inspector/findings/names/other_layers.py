"""The finding on layers that another program builds under the same names."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import count, listed, shape


class LayersOfAnotherProgram(ContentFinding, frozen=True, kw_only=True):
    """Another program builds the layers under these names: without biases, and with matrices the other way round.

    What it means
        The names are those of the config's class. Every matrix that the class stores as [in, out] is stored as
        [out, in], and no module has a bias: the model was trained with nanoGPT, or a program that began with it, and
        `bias=False`. Nothing was lost.

    Why it matters
        Loaders refuse the shapes of the matrices.

    Example
        error[N471] layers-of-another-program: layers as nanoGPT builds them
          stored   [2304, 768] in place of [768, 2304]
          tensors  36, such as transformer.h.{layer}.attn.c_attn.weight
          square   transformer.h.{layer}.attn.c_proj.weight, 12 tensors: their shape
                   cannot show that they are transposed too
          without  73 biases, 102,144 parameters
          help     transpose each of these matrices and the square ones:
                   tensor.t().contiguous(); then store zeros for each bias, under the
                   name of its weight with .bias

    What to do
        Transpose the matrices of the layers and add biases of zeros: the model then computes what nanoGPT does. Compare
        the activation in the config with that of the training code, which the weights do not show.
    """

    code = "N471"

    program: str
    stored: tuple[int, ...]
    expected: tuple[int | None, ...]
    families: tuple[str, ...]
    tensors: int
    square: tuple[str, ...]
    square_tensors: int
    biases: tuple[str, ...]
    biases_missing: int
    parameters: int | None

    headline_text = "layers as {program} builds them"

    def rows(self) -> Rows:
        rows = [
            ("stored", f"{shape(self.stored)} in place of {shape(self.expected)}"),
            ("tensors", f"{self.tensors:,}, such as {self.families[0]}"),
        ]
        if self.square:
            shown = f"{listed(self.square, 4)}, {count(self.square_tensors, 'tensor')}"
            rows.append(("square", f"{shown}: their shape cannot show that they are transposed too"))
        cost = "" if self.parameters is None else f", {self.parameters:,} parameters"
        return [*rows, ("without", f"{self.biases_missing:,} biases{cost}")]

    def remedy(self) -> Remedy:
        each = "each of these matrices and the square ones" if self.square else "each of these matrices"
        return Remedy(
            f"transpose {each}: tensor.t().contiguous(); then store zeros for each bias, under the name of its weight"
            " with .bias"
        )
