"""A quantisation setting of the config is not what the shapes say.

What it means
    Bits, group size, block, method or another setting can be computed from the shapes of packed values
    and helpers; the config states something else.

Why it matters
    Loaders believe the config: they allocate other shapes and stop, or read nonsense.

Example
    error[T614] packing-config-disagrees: quantization_config.group_size
      config   64
      weights  128, 21 modules
      packing  gptq
      help     set quantization_config.group_size to 128

What to do
    Put the setting right; nothing is wrong with the weights.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import listing, words
from inspector.rules.rule import Facts, Rows, Rule, count, value


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["key"])


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        ("config", value(facts["config"])),
        ("weights", f"{_what(facts)}{value(facts['weights'])}, {count(facts['modules'], 'module')}"),
        ("packing", facts["scheme"]),
    ]
    if facts["modules"] == 1 or facts["agreeing"]:
        rows.append(("where", listing(facts)))
    return rows


def _what(facts: Facts) -> str:
    return "" if facts["plain"] else f"{words(facts['what'])} "


def _help(place: Place, facts: Facts) -> str:
    if facts["plain"]:
        return f"set {facts['key']} to {value(facts['weights'])}"
    return f"correct {facts['key']}: the weights have {words(facts['what'])} {value(facts['weights'])}"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
