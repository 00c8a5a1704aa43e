"""Nothing is where the source says.

What it means
    The path does not exist, a part of it is no folder, it is a link that leads nowhere or in a circle,
    or a file of the checkpoint vanished while it was read.

Why it matters
    Nothing could be read, so nothing is said about the checkpoint.

Example
    error[R001] not-found: the source
      because  there is no such file or folder
      help     check the spelling of the path

What to do
    Check the spelling of the path. In the Hugging Face cache a broken link means that a blob was
    deleted: fetch the repository again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule

REASONS = {
    "absent": "there is no such file or folder",
    "loop": "it is a link that leads in a circle",
    "broken link": "it is a link to a file that does not exist",
}


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file or "the source")


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", REASONS.get(str(facts["reason"]), str(facts["detail"]) or str(facts["reason"])))]


def _help(place: Place, facts: Facts) -> str:
    return "check the spelling of the path"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
