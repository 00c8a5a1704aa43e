"""The weights are a whole model in which an adapter still hangs.

What it means
    A model was saved while PEFT's layers were around its own: names have `base_layer` and `lora_A` in them.

Why it matters
    Loaders of the plain model find none of the wrapped matrices and start them at random.

Example
    error[A910] adapter-not-merged: lora around 32 modules, not merged
      base     291 tensors of the model, 8,030,261,248 elements
      adapter  64 tensors, 4,194,304 elements
      such as  model.layers.0.self_attn.q_proj.base_layer.weight
      help     call model.merge_and_unload() before save_pretrained, or save the
               adapter by itself

What to do
    Load the model with its adapter, call `merge_and_unload()`, and save what it returns; or save the adapter by
    itself.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['type']} around {count(facts['modules'], 'module')}, not merged"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("base", f"{count(facts['base_tensors'], 'tensor')} of the model, {number(facts['base_elements'])} elements"),
        ("adapter", f"{count(facts['tensors'], 'tensor')}, {number(facts['elements'])} elements"),
        ("such as", str(facts["example"])),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "call model.merge_and_unload() before save_pretrained, or save the adapter by itself"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
