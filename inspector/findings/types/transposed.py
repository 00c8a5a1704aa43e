"""The finding on packed values that are stored transposed."""

from __future__ import annotations

from inspector.findings.finding import Remedy, Rows
from inspector.findings.types.modules import PackedModules
from inspector.findings.words import shape


class PackedTransposed(PackedModules, frozen=True, kw_only=True):
    """The packed values of a module are stored transposed.

    What it means
        The scales have one row for each output, and the values have one column for each: the tool that wrote them
        transposed the values alone.

    Why it matters
        Loaders expect the values of an output in one row. They refuse the shape, or fail at the first multiplication;
        a square matrix is multiplied the wrong way round.

    Example
        error[T667] packed-transposed: 10 modules such as
          model.layers.0.mlp.down_proj.weight
          where     layers 0, 1, 10 modules
          packing   nvfp4
          families  model.layers.{layer}.mlp.down_proj.weight,
                    model.layers.{layer}.mlp.gate_proj.weight,
                    model.layers.{layer}.mlp.up_proj.weight,
                    model.layers.{layer}.self_attn.o_proj.weight and 1 more
          stored    [384, 256]
          expected  [256, 384], two values of an output in each byte
          help      transpose the values of these modules back, or take weights that
                    were quantized again

    What to do
        Transpose the values. Their scales are in the right order already.
    """

    code = "T667"
    always_one = True

    stored: tuple[int, ...]
    expected: tuple[int, ...]

    def rows(self) -> Rows:
        expected = f"{shape(self.expected)}, two values of an output in each byte"
        return [*self.packing(), ("stored", shape(self.stored)), ("expected", expected)]

    def remedy(self) -> Remedy:
        return Remedy("transpose the values of these modules back, or take weights that were quantized again")
