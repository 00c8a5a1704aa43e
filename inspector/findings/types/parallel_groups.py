"""The finding on groups of quantized weights that tensor parallelism would cut."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import either


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
