"""A module is packed with other bits, groups or method than the config states, the others are not.

What it means
    The shapes of most modules confirm the setting; those of this one do not, and the config makes no
    exception for it.

Why it matters
    Loaders believe the config and fail on this module.

Example
    error[T620] packed-otherwise: model.layers.1.mlp.down_proj.qweight
      setting  quantization_config.bits = 4
      weights  8
      others   20 modules are as the config says
      help     the module comes from another run: take it from the same run as the others, or state the exception

What to do
    Take the module from the same run as the others, or state the exception in the config.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import headline
from inspector.rules.rule import Facts, Rows, Rule, count, value


def _rows(place: Place, facts: Facts) -> Rows:
    verb = "is" if facts["agreeing"] == 1 else "are"
    rows = []
    for setting in facts["settings"][:4]:
        rows.append(("setting", f"{setting['key']} = {value(setting['config'])}"))
        rows.append(("weights", value(setting["weights"])))
    rows.append(("others", f"{count(facts['agreeing'], 'module')} {verb} as the config says"))
    if facts["modules"] > 1:
        rows.insert(0, ("where", facts["where"]))
    return [row for row in rows if row[1]]


def _help(place: Place, facts: Facts) -> str:
    return "the module comes from another run: take it from the same run as the others, or state the exception"


RULE = Rule(severity="error", headline=headline, rows=_rows, help=_help)
