"""Findings on what a converter must do to values and rows."""

from __future__ import annotations

from inspector.findings.conversion.values import ChangedHarmlessly, SomeOfTensors
from inspector.findings.finding import Remedy, Rows
from inspector.findings.words import first


class ValuesComputed(ChangedHarmlessly, frozen=True, kw_only=True):
    """Values follow from the source's as llama.cpp's converter computes them.

    What it means
        llama.cpp's files have 1 + weight for norms that add 1 (Gemma, Nemotron), and -exp(A_log) for the decays of
        state space models. Exponentials may differ in the last bit.

    Why it matters
        The converter must do this. Headers cannot show it.

    Example
        note[V844] values-computed: 5 tensors
          such as  output_norm.weight

    What to do
        Nothing.
    """

    code = "V844"
    name = "values-computed"
    severity = "note"

    def rows(self) -> Rows:
        return [("such as", self.names[0])]


class NotConverted(SomeOfTensors, frozen=True, kw_only=True):
    """Rows or values are copied where llama.cpp needs them converted.

    What it means
        llama.cpp needs the rows of each head of this architecture in pairs where transformers has them in two halves
        (or the other way round, for an architecture of which it keeps the order), 1 added to these norms, or -exp of
        these decays. The target has the source's values as they were.

    Why it matters
        The file loads, and the model computes nonsense.

    Example
        error[V845] not-converted: 4 of 21 tensors
          such as  blk.0.attn_q.weight, blk.1.attn_q.weight and 2 more
          help     convert again with llama.cpp's converter for this architecture

    What to do
        Convert again with llama.cpp's own converter.
    """

    code = "V845"
    name = "not-converted"

    def rows(self) -> Rows:
        return [("such as", first(self.names, self.tensors))]

    def remedy(self) -> Remedy:
        return Remedy("convert again with llama.cpp's converter for this architecture")
