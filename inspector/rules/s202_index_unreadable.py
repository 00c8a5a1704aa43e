"""The index of the shards cannot be used.

What it means
    The index is no JSON object with a `weight_map`: broken off, two documents with the remnant of a
    merge between them, a git-lfs pointer, a web page.

Why it matters
    Loaders find the shards by the index and fail. The audit goes by the names of the files instead.

Example
    error[S202] index-unreadable: model.safetensors.index.json holds the remnant of an unfinished git merge
      at    character 60,303
      help  fetch this file again

What to do
    Fetch the index again, or repair it at the place given.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, number

INDEX_WORDS = {
    "git-lfs-pointer": "a git-lfs pointer",
    "html": "a web page",
    "refusal": "an error message of a server",
    "json-error": "an error message of a server",
    "zeros": "filled with zeros",
}


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} {facts['problem']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return ([("instead", f"the file is {INDEX_WORDS.get(facts['what'], facts['what'])}")] if facts["what"] else []) + (
        [("at", f"character {number(facts['position'])}")] if facts["position"] else []
    )


def _help(place: Place, facts: Facts) -> str:
    return "run `git lfs pull` in the folder" if facts["what"] == "git-lfs-pointer" else fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
