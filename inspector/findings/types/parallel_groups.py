"""Findings on quantized weights that vLLM cannot split over devices, or join into one layer."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import count, either


class GroupsCut(ContentFinding, frozen=True, kw_only=True):
    """vLLM cannot split these AWQ weights over some numbers of devices.

    What it means
        The down projections are split along their inputs. With these numbers of devices a part would end within a group
        of inputs that has one scale.

    Why it matters
        vLLM refuses the weights with them: "The input size is not aligned with the quantized weight shape. This can be
        caused by too large tensor parallel size". With one device, or with pipeline parallelism, it loads them.

    Example
        note[T665] groups-cut: no tensor parallelism of 2, 4 or 8 in vLLM
          inputs  29,568 of down projections, 231 groups of 128
          help    use pipeline parallelism (--pipeline-parallel-size), or weights that
                  are quantized in smaller groups or padded to more inputs

    What to do
        Use pipeline parallelism, or weights that were quantized for tensor parallelism.
    """

    code = "T665"
    severity = "note"

    inputs: int
    group_size: int
    devices: tuple[int, ...]

    def rows(self) -> Rows:
        groups = self.inputs // self.group_size
        return [("inputs", f"{self.inputs:,} of down projections, {groups:,} groups of {self.group_size}")]

    def headline(self) -> str:
        return f"no tensor parallelism of {either([str(number) for number in self.devices])} in vLLM"

    def remedy(self) -> Remedy:
        return Remedy(
            "use pipeline parallelism (--pipeline-parallel-size), or weights that are quantized in smaller groups or "
            "padded to more inputs"
        )


class JoinedApart(ContentFinding, frozen=True, kw_only=True):
    """vLLM joins these projections into one layer, and they are quantized in different ways.

    What it means
        vLLM builds one matrix of gate and up projection, and one of q, k and v, which has one quantization. Here the
        parts have different bits, groups or formats, or one of them is not quantized.

    Why it matters
        vLLM refuses the weights: with an assertion on a shape, or since not all parts of a layer match one scheme.
        transformers, which keeps the projections apart, loads them.

    Example
        note[T666] joined-apart: vLLM joins gate_proj and up_proj, which differ
          in         model.layers.{layer}.mlp, 2 layers
          gate_proj  pack-quantized, 4 bits, groups of 128
          up_proj    pack-quantized, 8 bits, groups of 128
          help       for vLLM quantize again with the same settings for the parts of
                     each joined layer; transformers reads them as they are

    What to do
        For vLLM, quantize again and give the parts of each joined layer the same settings.
    """

    code = "T666"
    severity = "note"

    path: str
    parts: tuple[str, ...]
    ways: tuple[str, ...]
    layers: int

    def names(self) -> str:
        """The joined projections, in words."""
        return f"{', '.join(self.parts[:-1])} and {self.parts[-1]}"

    def headline(self) -> str:
        return f"vLLM joins {self.names()}, which differ"

    def rows(self) -> Rows:
        inside = f"{self.path}, {count(self.layers, 'layer')}"
        return [("in", inside), *zip(self.parts, self.ways, strict=True)]

    def remedy(self) -> Remedy:
        return Remedy(
            "for vLLM quantize again with the same settings for the parts of each joined layer; transformers reads "
            "them as they are"
        )
