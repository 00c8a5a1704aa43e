"""Findings on values that are no finite numbers."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, first, number

_ENDS = {"F16": "65504", "BF16": "3.38953e+38", "F32": "3.40282e+38"}
"""Dtype -> its largest finite value."""


class ValuesNotFinite(Finding, frozen=True, kw_only=True):
    """NaN or infinite values.

    What it means
        The tensor contains NaN or infinity: diverged training, a float16 overflow, or damaged bytes.

    Why it matters
        One such value can turn every output into NaN.

    Example
        error[V825] values-not-finite: 1 tensor, layer 1
          tensor    model.layers.1.self_attn.k_proj.weight
          NaN       1
          infinite  0
          first     byte 314,720 of model.safetensors
          help      download the file again; if the source has them too, use an earlier
                    checkpoint

    What to do
        Compare with the source; use an earlier checkpoint of the training.
    """

    code = "V825"

    tensors: int
    names: tuple[str, ...]
    where: str
    nan: int
    infinite: int
    file: str = ""
    byte: int | None = None
    """Position of the first such value in the first tensor, if its numbers are stored in order."""

    row_texts = (
        ("tensor", "{names:first tensors}"), ("NaN", "{nan}"), ("infinite", "{infinite}"),
        ("first", "byte {byte} of {file}", "file"),
    )  # fmt: skip
    remedy_text = "download the file again; if the source has them too, use an earlier checkpoint"

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{count(self.tensors, 'tensor')}{where}"


class ValuesOverflowed(Finding, frozen=True, kw_only=True):
    """Values are beyond the range of the dtype.

    What it means
        One side has finite values that the dtype of the other cannot represent; there they are infinite. float16 ends
        at 65,504; bfloat16 and float32 at 3.4e38.

    Why it matters
        An infinite value turns outputs into NaN. Rounding loses digits, this loses the value.

    Example
        error[V850] values-overflowed: 1 tensor, layer 0
          tensor    model.layers.0.input_layernorm.weight
          infinite  64 of 64 values, in the target
          largest   100002, F16 ends at 65504
          help      convert again to BF16, or leave these tensors in F32

    What to do
        Convert to a dtype with a larger range, or leave these tensors in that of the source.
    """

    code = "V850"

    tensors: int
    names: tuple[str, ...]
    where: str
    infinite: int
    of: int
    largest: float
    wide: str
    narrow: str
    narrowed: str = "target"

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{count(self.tensors, 'tensor')}{where}"

    def rows(self) -> Rows:
        ends = f", {self.narrow} ends at {_ENDS[self.narrow]}" if self.narrow in _ENDS else ""
        return [
            ("tensor", first(self.names, self.tensors)),
            ("infinite", f"{number(self.infinite)} of {count(self.of, 'value')}, in the {self.narrowed}"),
            ("largest", f"{self.largest:g}{ends}"),
        ]

    def remedy(self) -> Remedy:
        if self.narrowed == "source":
            return Remedy(f"use the target: the source lost these values in {self.narrow}")
        other = "convert again to BF16, or " if self.narrow == "F16" and self.wide != "BF16" else ""
        return Remedy(f"{other}{'leave' if other else 'convert again, and leave'} these tensors in {self.wide}")
