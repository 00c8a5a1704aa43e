"""Findings on the numbers that scale an adapter."""

from __future__ import annotations

from inspector.findings.finding import Finding, Rows
from inspector.findings.words import first, number, shape


class AdapterScaleMisshapen(Finding, frozen=True, kw_only=True):
    """A scale of an adapter is not one number.

    What it means
        Each module of the adapter has a tensor `alpha` of one element; divided by the rank it is the module's scale.
        Here it has several elements, or none.

    Why it matters
        Every loader takes it as one number: diffusers, ComfyUI and sd-scripts refuse the adapter.

    Example
        error[A945] adapter-scale-misshapen:
          lora_unet_mid_block_attentions_0_attn1_to_q.alpha
          stored    [3]
          expected  one element, as in 2 others
          help      download or save the adapter again

    What to do
        Download the adapter again; if the error remains, save it again with the tool that trained it.
    """

    code = "A945"

    names: tuple[str, ...]
    count: int
    of: int
    stored: tuple[int, ...]

    remedy_text = "download or save the adapter again"

    def headline(self) -> str:
        return self.place.tensor or f"{number(self.count)} scales of more than one number"

    def rows(self) -> Rows:
        others = self.of - self.count
        lead = [] if self.count == 1 else [("scales", first(self.names, self.count, 3))]
        beside = f", as in {number(others)} others" if others > 1 else ""
        return [*lead, ("stored", shape(self.stored)), ("expected", f"one element{beside}")]
