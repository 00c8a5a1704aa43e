"""A key of the config says another value than the weights.

What it means
    Shapes or index sets differ from the config, and one key set to another value takes all these
    differences away without making a new one. The value is solved backwards from the stored shapes.

Why it matters
    Loaders build the model from the config: they fail on the shapes, or leave the tensors out and run
    with random numbers.

Example
    error[C310] config-disagrees: num_key_value_heads
      config    32
      weights   8, shown by 64 tensors
      explains  64 differences: model.layers.{layer}.self_attn.k_proj.weight and 1
                more
      or        num_attention_heads = 128, which explains as much
      help      set "num_key_value_heads": 8 in config.json

What to do
    Set the key to the value of the weights. Where the weights are the wrong ones (another size of the
    same model), fetch those that belong to the config.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, value


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["key"])


def _rows(place: Place, facts: Facts) -> Rows:
    config = "absent" if facts["config"] is None else value(facts["config"])
    rows = [
        ("config", f"{config}{', the class default' if facts['default'] else ''}"),
        ("weights", f"{value(facts['weights'])}, shown by {count(facts['agreeing'], 'tensor')}"),
        ("explains", f"{count(facts['explains'], 'difference')}{_where(facts)}"),
    ]
    rows.extend(
        ("or", f"{rival['key']} = {value(rival['weights'])}, which explains as much") for rival in facts["rivals"]
    )
    if facts.get("lost"):
        rows.append(("or", f"the config is right and the weights have lost {facts['lost']}"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    if facts["weights"] is None:
        return f'remove "{facts["key"]}" from config.json, or set it to null'
    return f'set "{facts["key"]}": {value(facts["weights"])} in config.json'


def _where(facts: Facts) -> str:
    families = facts["families"]
    if not families:
        return ""
    return f": {families[0]}" + (f" and {len(families) - 1:,} more" if len(families) > 1 else "")


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
