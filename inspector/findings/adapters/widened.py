"""The findings on an adapter for which a loader changes the shape of the base's weight."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy


class AdapterWidensBase(Finding, frozen=True, kw_only=True):
    """The adapter's first matrix of a module has twice as many inputs as the base.

    What it means
        The adapter was trained for a pipeline that adds the channels of a control image, such as FLUX.1 Canny and
        Depth.

    Why it matters
        `load_lora_weights` of diffusers widens the weight of the base with zeros. FluxControlPipeline then works with
        the base; FluxPipeline fails at its first step. `load_lora_adapter` and PEFT refuse the shapes.

    Example
        note[A973] adapter-widens-base: x_embedder has 128 inputs, 64 in base
          help  load it with FluxControlPipeline, or use the base that it was trained on

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

    headline_text = "{module} has {inputs} inputs, {of_base} in {base}"
    remedy_text = "load it with FluxControlPipeline, or use the base that it was trained on"


class AdapterOfWiderBase(Finding, frozen=True, kw_only=True):
    """The adapter's first matrix of a module has several times as many inputs as the base.

    What it means
        The adapter was trained on a base with more input channels. FLUX.1 Fill has 384, for the masked image and the
        mask beside the 64 of FLUX.1 dev.

    Why it matters
        `load_lora_weights` of diffusers widens the weight of the base with zeros. FluxPipeline then fails at its first
        step (RuntimeError), and FluxFillPipeline runs with a base that has learned nothing of the added channels.
        `load_lora_adapter` and PEFT refuse the shapes.

    Example
        warning[A964] adapter-of-wider-base: x_embedder has 384 inputs, 64 in base
          help  use the base that it was trained on, FLUX.1 Fill

    What to do
        Use the base that the adapter was trained on.
    """

    code = "A964"
    severity = "warning"

    module: str
    inputs: int
    of_base: int
    base: str
    model: str = ""
    """The published model with this number of input channels; "" if none is known."""

    headline_text = "{module} has {inputs} inputs, {of_base} in {base}"

    def remedy(self) -> Remedy:
        return Remedy(f"use the base that it was trained on{f', {self.model}' if self.model else ''}")
