"""Weights were saved empty, as ZeRO-3 leaves them on every process.

What it means
    Under ZeRO-3 a parameter is on one process only while it is needed; elsewhere it has the shape [0]. A
    plain `save_pretrained` or `state_dict()` then writes these empty tensors.

Why it matters
    Names and files look right, and not one number of these weights is there.

Example
    error[R042] weights-emptied: 290 of 291 tensors have the shape [0]
      tensors  model.embed_tokens.weight, model.layers.0.self_attn.q_proj.weight
      help     save with stage3_gather_16bit_weights_on_model_save, or run zero_to_fp32.py on the checkpoint

What to do
    Save with `stage3_gather_16bit_weights_on_model_save`, or run `zero_to_fp32.py` on the training checkpoint.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['tensors'])} of {count(facts['of'], 'tensor')} have the shape [0]"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("tensors", listed(facts["names"], 3))]


def _help(place: Place, facts: Facts) -> str:
    return "save with stage3_gather_16bit_weights_on_model_save, or run zero_to_fp32.py on the checkpoint"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
