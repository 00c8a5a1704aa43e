"""Findings on quantization that could not be resolved completely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.types.modules import PackedModules
from inspector.findings.words import number


class PackingUnknown(PackedModules, frozen=True, kw_only=True):
    """Unknown quantization scheme.

    What it means
        Names and dtypes look like quantized values, but no known scheme matches. They are counted as stored:
        the true number of parameters is unknown.

    Why it matters
        Every total that includes them counts stored elements, not parameters.

    Example
        note[T618] packing-unknown: qweight U8, scales BF16, weight_global_scale F32
          modules  21
          stored   2,580,480 elements, 3,225,684 bytes
          counted  as stored; the logical count is not known

    What to do
        Nothing; compare with the unquantized model.
    """

    code = "T618"
    severity = "note"
    always_one = True

    signature: tuple[str, ...]
    method: str | None
    bytes: int
    elements: int

    row_texts = (
        ("modules", "{modules}"),
        ("stored", "{elements} elements, {bytes} bytes"),
        ("counted", "as stored; the logical count is not known"),
    )

    def summed(self, findings: Sequence[PackedModules]) -> Self:
        unknown = [finding for finding in findings if isinstance(finding, PackingUnknown)]
        elements, size = sum(one.elements for one in unknown), sum(one.bytes for one in unknown)
        return msgspec.structs.replace(self, elements=elements, bytes=size)

    def alike(self) -> tuple[object, ...]:
        return (self.signature,)

    def headline(self) -> str:
        return ", ".join(self.signature)


class PackingUndecided(ContentFinding, frozen=True, kw_only=True):
    """The parameter count of some quantized tensors cannot be derived from the headers.

    What it means
        Quantized values may be padded at the end, and no definition, scale or setting shows by how much.

    Why it matters
        The count is one of several possible ones.

    Example
        note[T619] packing-undecided: 21 packed tensors (likely)
          counted  798,336
          between  730,800 and 817,152
          packing  pack-quantized

    What to do
        Pass a config, so that the architecture determines the shapes.
    """

    code = "T619"
    severity = "note"

    schemes: tuple[str, ...]
    least: int
    most: int
    counted: int
    families: tuple[str, ...]
    tensors: int

    row_texts = (("counted", "{counted}"), ("between", "{least} and {most}"), ("packing", "{schemes:listed}"))

    def headline(self) -> str:
        return f"{number(self.tensors)} packed tensor{'' if self.tensors == 1 else 's'}"


EXPERTS_PACKED = "mxfp4"
"""A method with a loader that quantizes plain weights, where all other loaders build packed experts."""


class NothingPacked(ContentFinding, frozen=True, kw_only=True):
    """The config states a quantization, but no module is quantized.

    What it means
        All weights are stored as floats. Some tools write the settings even if no module could be quantized
        (MLX, if no dim is a multiple of the group size) or after dequantization.

    Why it matters
        Loaders that follow the config look for quantized tensors.

    Example
        note[T623] nothing-packed: quantization
          config  mlx, 4 bits, groups of 64

    What to do
        Remove the settings from the config if the weights should be floats.
    """

    code = "T623"
    severity = "note"

    method: str | None
    bits: int | None
    group_size: int | None

    headline_text = "{place.key}"

    def rows(self) -> Rows:
        words = [str(self.method)]
        if self.bits:
            words.append(f"{self.bits} bits")
        if self.group_size and self.group_size > 0:
            words.append(f"groups of {self.group_size}")
        rows: Rows = [("config", ", ".join(words))]
        if self.method == EXPERTS_PACKED:
            rows.append(("loader", "transformers 5.23 reads the floats; 4.57, vLLM and MLX refuse them"))
        return rows

    def remedy(self) -> Remedy:
        if self.method != EXPERTS_PACKED:
            return super().remedy()
        step = Step(action="remove", file="config.json", key=(str(self.place.key),))
        return Remedy(f"remove {self.place.key} from config.json", (step,))


class NotPacked(NothingPacked, frozen=True, kw_only=True):
    """The config declares packed weights, and the stored weights are plain.

    What it means
        config.json names a quantization that is done before saving (GPTQ, AWQ, AQLM, VPTQ, SpQR), and every weight is
        stored as floats: the config belongs to the quantized copy of the model.

    Why it matters
        Loaders look for packed values and scales in every module, find none, and leave the modules randomly initialized
        or refuse the checkpoint. With an fp8 block it depends on the machine: transformers 5 reads the floats where no
        GPU calculates in fp8.

    Example
        error[T626] not-packed: quantization_config
          config   gptq, 4 bits, groups of 128
          weights  none is packed
          help     remove quantization_config from config.json

    What to do
        Remove the block from config.json, or download the quantized weights that it belongs to.
    """

    code = "T626"
    severity = "error"

    def rows(self) -> Rows:
        rows = [*super().rows(), ("weights", "none is packed")]
        if self.method == "fp8":
            rows.append(
                ("loader", "transformers 5.23 reads the floats where no GPU calculates in fp8; 4.57 refuses there")
            )
        return rows

    def remedy(self) -> Remedy:
        step = Step(action="remove", file="config.json", key=(str(self.place.key),))
        return Remedy(f"remove {self.place.key} from config.json", (step,))


class PackingEntryUnclear(ContentFinding, frozen=True, kw_only=True):
    """An entry of the quantization settings could not be read.

    What it means
        Module names may be patterns; this one uses a form that is not supported (lookbehind, back-references,
        very long ones).

    Why it matters
        It is unknown which modules the entry selects.

    Example
        note[T624] packing-entry-unclear: quantization_config
          entries  re:.*(?<!mlp.)gate

    What to do
        Nothing.
    """

    code = "T624"
    severity = "note"

    entries: tuple[str, ...]

    headline_text = "{place.key}"
    row_texts = (("entries", "{entries:listed 3}"),)
