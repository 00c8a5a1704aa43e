"""The base of the adapter could not be read.

What it means
    It was asked for, and what would follow from it is not checked.

Why it matters
    Shapes and targets of the adapter are not checked against anything.

Example
    note[A912] adapter-base-unread: org/base
      because  repository-not-found: there is no org/base
      help     name the base with --base: a folder, a config.json or a repository

What to do
    Name a base that can be read: a folder, a config.json, a repository.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["source"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", str(facts["because"]))]


def _help(place: Place, facts: Facts) -> str:
    return "name the base with --base: a folder, a config.json or a repository"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
