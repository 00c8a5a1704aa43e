"""Two repositories, or two commits of one, do not have the same files.

What it means
    By the sizes and digests that the Hub states, files differ or are only on one side.

Why it matters
    It shows what a new revision changed, or what a copy left out.

Example
    note[V835] repositories-differ: 3 files
      differ       config.json
      only before  tokenizer.json
      only after   LICENSE

What to do
    Nothing; look at the files that differ.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    total = facts["differing_count"] + facts["gone_count"] + facts["new_count"]
    return f"{number(total)} {'file' if total == 1 else 'files'}"


def _rows(place: Place, facts: Facts) -> Rows:
    rows = []
    for label, key in (("differ", "differing"), ("only before", "gone"), ("only after", "new")):
        if facts[f"{key}_count"]:
            more = facts[f"{key}_count"] - min(6, len(facts[key]))
            rows.append((label, ", ".join(map(str, facts[key][:6])) + (f" and {more:,} more" if more else "")))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
