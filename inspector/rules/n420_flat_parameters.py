"""The weights are FSDP's flat parameters.

What it means
    FSDP joins the parameters of a block into one flat vector, padded, and that is what was saved.

Why it matters
    Names and shapes are gone: no loader of models reads them, and their sizes are not the model's.

Example
    error[N420] flat-parameters: 1 flat vector
      stored   1 tensor, 8,030,261,248 elements
      such as  _fsdp_wrapped_module._flat_param
      help     save again with StateDictType.FULL_STATE_DICT:
               FullyShardedDataParallel.state_dict_type sets it

What to do
    Save with `StateDictType.FULL_STATE_DICT`, or with FSDP2, which keeps names.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return count(facts["tensors"], "flat vector")


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("stored", f"{count(facts['tensors'], 'tensor')}, {number(facts['elements'])} elements"),
        ("such as", str(facts["names"][0])),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "save again with StateDictType.FULL_STATE_DICT: FullyShardedDataParallel.state_dict_type sets it"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
