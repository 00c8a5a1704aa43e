"""Names begin with a prefix that no loader expects.

What it means
    A wrapper (torch.compile, DataParallel, FSDP, PEFT) was saved instead of the model inside, so that
    its prefix stands before every name, or before those of one part of the model.

Why it matters
    A loader looks the names up without the prefix, finds none, and runs with random numbers.

Example
    error[N402] prefix-on-names: _orig_mod.
      from     torch.compile
      tensors  291
      help     save the inner model, or rename: key.removeprefix("_orig_mod.")

What to do
    Save the inner model (`model._orig_mod`, `model.module`, `merge_and_unload()`), or rename the
    tensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["prefix"])


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("from", facts["from"] or "an unknown wrapper"), ("tensors", number(facts["tensors"]))]
    if facts["without"]:
        rows.append(("without", f"{count(facts['without'], 'other tensor')} without this prefix"))
    return [*rows, ("where", "inside the names")] if facts["inside"] else rows


def _help(place: Place, facts: Facts) -> str:
    change = "replace" if facts["inside"] else "removeprefix"
    argument = f'("{facts["prefix"]}", "")' if facts["inside"] else f'("{facts["prefix"]}")'
    return f"save the inner model, or rename: key.{change}{argument}"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
