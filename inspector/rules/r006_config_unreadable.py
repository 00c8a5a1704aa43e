"""A config file cannot be used.

What it means
    The file is no JSON object: broken off, followed by other text, nested without end, a list, or a
    file of another kind such as a git-lfs pointer. NaN and Infinity are accepted, since Python writes
    them.

Why it matters
    Without the config nothing says what the weights should be; the audit goes on without it.

Example
    error[R006] config-unreadable: config.json has text after its end
      at    character 1,168
      help  repair the file, or fetch it again

What to do
    Repair the file at the place given, or fetch it again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number

CONFIG_WORDS = {
    "git-lfs-pointer": "a git-lfs pointer",
    "html": "a web page",
    "refusal": "an error message of a server",
    "json-error": "an error message of a server",
    "zeros": "filled with zeros",
}


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} {facts['problem']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return (
        ([("instead", f"the file is {CONFIG_WORDS.get(facts['what'], facts['what'])}")] if facts["what"] else [])
        + ([("at", f"character {number(facts['position'])}")] if facts["position"] else [])
        + ([("because", str(facts["detail"]))] if facts["detail"] else [])
    )


def _help(place: Place, facts: Facts) -> str:
    return "run `git lfs pull`" if facts["what"] == "git-lfs-pointer" else "repair the file, or fetch it again"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
