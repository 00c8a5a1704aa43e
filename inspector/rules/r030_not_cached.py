"""The repository is not in the cache of this machine.

What it means
    Only the local cache may be read, by --cached or because HF_HUB_OFFLINE is set, and it has no such
    repository or not this revision of it.

Why it matters
    No connection was made, so nothing is said about the checkpoint.

Example
    error[R030] not-cached: org/name is not in the local cache
      cache    ~/.cache/huggingface/hub
      offline  HF_HUB_OFFLINE is set: no connection was made
      help     unset HF_HUB_OFFLINE, or fetch the repository before

What to do
    Fetch the repository with `hf download`, name a revision that is there, or unset HF_HUB_OFFLINE.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    revision = f" at revision {facts['revision']}" if facts["revision"] else ""
    return f"{facts['repository']}{revision} is not in the local cache"


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("cache", str(facts["cache"]))]
    if facts["promised"]:
        rows.append(("missing", f"the folder of commit {facts['promised']}, which a reference of the cache names"))
    if facts["known"]:
        rows.append(("there", listed(facts["there"]) or "no revision at all"))
    if facts["offline"]:
        rows.append(("offline", "HF_HUB_OFFLINE is set: no connection was made"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    if facts["offline"]:
        return "unset HF_HUB_OFFLINE, or fetch the repository before"
    return "leave --cached out to read it from the Hub, or fetch it first"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
