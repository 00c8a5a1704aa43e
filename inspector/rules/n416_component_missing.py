"""A component of the pipeline is not there.

What it means
    model_index.json names a component with weights, and its folder is absent or empty.

Why it matters
    The pipeline cannot be loaded as it is.

Example
    error[N416] component-missing: vae (AutoencoderKL)
      folder  vae/
      help    fetch this folder of the repository

What to do
    Fetch the folder.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    if facts["components"]:
        return f"{len(facts['components']):,} components"
    return f"{facts['component']} ({facts['class']})"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("folders", listed(facts["components"]))] if facts["components"] else [("folder", str(place.file))]


def _help(place: Place, facts: Facts) -> str:
    return f"fetch {'these folders' if facts['components'] else 'this folder'} of the repository"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
