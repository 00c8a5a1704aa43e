"""The pipeline names another class for a component than the component's own config does.

What it means
    model_index.json says one class, `_class_name` in the component's config.json another.

Why it matters
    diffusers builds the class that model_index.json names, with the numbers of a config that is another's. One
    of the two files belongs to another pipeline.

Example
    error[N424] component-class-differs: transformer
      model_index.json  FluxTransformer2DModel
      its config.json   SD3Transformer2DModel
      help              fetch model_index.json and this folder from one repository

What to do
    Fetch both from the same repository and revision.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["component"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [("model_index.json", str(facts["index"])), ("its config.json", str(facts["config"]))]


def _help(place: Place, facts: Facts) -> str:
    return "fetch model_index.json and this folder from one repository"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
