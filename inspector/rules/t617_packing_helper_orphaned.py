"""Scales or other helpers of a packing stand alone.

What it means
    Their names are those of a packing, and no packed values belong to them. Some tools leave such tensors:
    transformers 5 writes the fused scales of experts (`experts.gate_up_proj_scale_inv`) beside fp8 weights
    that it has unfused; others keep the scales of a module that was turned back to floats.

Why it matters
    Loaders ignore them and say so. If weights need them under other names, those weights are useless as they
    are.

Example
    warning[T617] packing-helper-orphaned: model.layers.{layer}.mlp.experts.down_proj_scale_inv
      where   layers 0, 1, 2 tensors
      stored  weight_scale_inv
      help    leave them out, or rename them to the tensors they belong to

What to do
    Leave them out, or rename them to the tensors they belong to.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import headline
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("stored", listed(facts["helpers"]))]
    if facts["modules"] > 1:
        rows.insert(0, ("where", f"{facts['where']}, {count(facts['modules'], 'tensor')}".removeprefix(", ")))
    if facts["beside"]:
        rows.append(("beside", f"weight in {facts['beside']}, which is not packed"))
    if facts.get("serves"):
        rows.append(("meant for", f"{count(facts['serves'], 'weight')} of single experts, stored without scales"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    if facts.get("serves"):
        return "split them among the experts, or quantise again: as they are no loader joins the two"
    return "leave them out, or rename them to the tensors they belong to"


RULE = Rule(severity="warning", headline=headline, rows=_rows, help=_help)
