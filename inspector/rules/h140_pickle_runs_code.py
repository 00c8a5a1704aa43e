"""A pickle would run code when it is loaded.

What it means
    A pickle is a program. This one imports something that no state dict needs and that starts, opens,
    loads or evaluates things: `os.system`, `builtins.eval` and their like. Nothing of it was run here.

Why it matters
    `torch.load` without `weights_only=True`, and every older loader, runs it with your rights. This is how
    malicious checkpoints work.

Example
    error[H140] pickle-runs-code: pytorch_model.bin would call posix.system
      imports  1 name that no state dict needs
      help     do not load this file

What to do
    Do not load the file. Take the weights as safetensors from whom you trust.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} would call {listed(facts['names'], 3)}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("imports", f"{count(facts['count'], 'name')} that no state dict needs")]


def _help(place: Place, facts: Facts) -> str:
    return "do not load this file"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
