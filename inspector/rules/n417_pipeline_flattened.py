"""A pipeline without its folders.

What it means
    model_index.json names components in folders, none of which is there, and weights lie at the root:
    files of several components were put into one folder.

Why it matters
    Which component the weights and the config are of is not known; one may describe the other
    falsely.

Example
    warning[N417] pipeline-flattened: StableDiffusion3Pipeline
      folders  transformer, text_encoder, text_encoder_2, text_encoder_3, vae: none is there
      help     fetch the repository with its folders

What to do
    Fetch the repository with its folders.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["class"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [("folders", f"{listed(facts['components'])}: none is there")]


def _help(place: Place, facts: Facts) -> str:
    return "fetch the repository with its folders"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
