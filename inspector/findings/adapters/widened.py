"""The note on an adapter for which a loader changes the shape of the base's weight."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy
from inspector.findings.words import number


class AdapterWidensBase(Finding, frozen=True, kw_only=True):
    """The adapter's first matrix of a module has several times as many inputs as the base.

    What it means
        The adapter was trained on a base with more input channels, such as FLUX.1 Fill, or for a pipeline that adds
        the channels of a control image, such as FLUX.1 Canny and Depth.

    Why it matters
        `load_lora_weights` of diffusers widens the weight of the base with zeros; the pipeline then fails unless its
        input has these channels. PEFT refuses the shapes.

    Example
        note[A973] adapter-widens-base: x_embedder has 384 inputs, 64 in base
          help  use the base that it was trained on, or a pipeline with 384 input
                channels

    What to do
        Use the base or the pipeline that the adapter was trained on.
    """

    code = "A973"
    severity = "note"
    advises = True

    module: str
    inputs: int
    of_base: int
    base: str

    def headline(self) -> str:
        return f"{self.module} has {number(self.inputs)} inputs, {number(self.of_base)} in {self.base}"

    def remedy(self) -> Remedy:
        return Remedy(f"use the base that it was trained on, or a pipeline with {number(self.inputs)} input channels")
