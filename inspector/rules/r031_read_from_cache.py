"""What was read is the copy in the cache of this machine.

What it means
    The files are those that were fetched some time ago. The repository may have changed since then.

Why it matters
    The verdict is about this commit, and about the files that were fetched of it.

Example
    note[R031] read-from-cache: org/name as it lies in the local cache, commit 0e9e39f249a16976918f6564b8830bc894c89659
      revision  what main was when it was last fetched
      help      leave --cached out to read the Hub

What to do
    Nothing, if the local copy is what you wanted to know about.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    offline = " (HF_HUB_OFFLINE is set)" if facts["offline"] else ""
    return f"{facts['repository']} as it lies in the local cache, commit {facts['commit']}{offline}"


def _rows(place: Place, facts: Facts) -> Rows:
    named = facts["revision"] != facts["commit"]
    rows = [("revision", f"what {facts['revision']} was when it was last fetched")] if named else []
    if facts["unfinished"]:
        rows.append(("unfinished", f"{count(facts['unfinished'], 'download')} into this repository did not end"))
    if facts["offline"]:
        rows.append(("offline", "no connection was made"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return "unset HF_HUB_OFFLINE to read the Hub" if facts["offline"] else "leave --cached out to read the Hub"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
