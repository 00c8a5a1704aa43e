"""The adapter was not trained on this base.

What it means
    Most of its matrices do not fit the base's widths.

Why it matters
    It cannot be loaded on this base.

Example
    error[A907] adapter-base-differs: this base (llama) is not the adapter's
      differ    96 of 128 tensors in shape
      such as   base_model.model.model.layers.{layer}.self_attn.q_proj.lora_A.weight
      stored    [16, 4096]
      expected  [16, 8192]
      help      name the base that it was trained on: adapter_config.json has it as
                base_model_name_or_path

What to do
    Load it on the base that its config names.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return f"this base ({facts['base']}) is not the adapter's"


def _rows(place: Place, facts: Facts) -> Rows:
    example = facts["example"]
    expected = shape(["any" if dim is None else dim for dim in example["expected"]])
    return [
        ("differ", f"{number(facts['tensors'])} of {count(facts['of'], 'tensor')} in shape"),
        ("such as", str(example["tensor"])),
        ("stored", shape(example["stored"])),
        ("expected", expected),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "name the base that it was trained on: adapter_config.json has it as base_model_name_or_path"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
