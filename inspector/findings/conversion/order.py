"""Findings on changes that a converter must make to values and row order."""

from __future__ import annotations

from inspector.findings.conversion.values import ChangedHarmlessly, SomeOfTensors
from inspector.findings.finding import Rows
from inspector.findings.words import count, number


class ValuesComputed(ChangedHarmlessly, frozen=True, kw_only=True):
    """Values follow from the source's as llama.cpp's converter computes them.

    What it means
        llama.cpp's files have 1 + weight for norms that add 1 (Gemma, Nemotron), and -exp(A_log) for the decays of
        state space models. Libraries round exponentials differently: values that are the next float to -exp(A_log)
        are counted as "last bit".

    Why it matters
        The converter must do this. Headers cannot show it.

    Example
        note[V844] values-computed: 3 tensors
          such as   blk.0.ssm_a
          last bit  42 values of 1,344 differ from -exp(A_log) by one step of float32

    What to do
        Nothing.
    """

    code = "V844"
    severity = "note"

    last_bits: int = 0
    of_values: int = 0

    def rows(self) -> Rows:
        rows = [("such as", self.names[0])]
        if self.last_bits:
            of = f"{count(self.last_bits, 'value')} of {number(self.of_values)}"
            rows.append(("last bit", f"{of} differ from -exp(A_log) by one step of float32"))
        return rows


class RowsMisordered(SomeOfTensors, frozen=True, kw_only=True):
    """Query or key rows are in another order than the source's, under the same names.

    What it means
        Both sides have transformers' names for one model type. The target has the rows of each head in pairs where
        the source has them in two halves, or the other way round; apart from that the values are equal.

    Why it matters
        The code that reads these names takes the rows in one order. With the other one the model computes nonsense.

    Example
        error[V849] rows-misordered: 4 of 21 tensors
          such as  model.layers.0.self_attn.q_proj.weight,
                   model.layers.1.self_attn.q_proj.weight and 2 more
          help     convert again, and reorder the rows of query and key once

    What to do
        Convert again. A converter from Meta's or llama.cpp's order reorders the rows once; one from transformers to
        transformers leaves them as they are.
    """

    code = "V849"
    row_texts = (("such as", "{names:first tensors}"),)
    remedy_text = "convert again, and reorder the rows of query and key once"


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
    row_texts = (("such as", "{names:first tensors}"),)
    remedy_text = "convert again with llama.cpp's converter for this architecture"
