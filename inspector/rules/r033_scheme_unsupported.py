"""Addresses of this kind cannot be read here.

What it means
    Buckets, archives and servers are read through fsspec, which needs a package of its own for most
    schemes; or the address has a mistake that fsspec refuses.

Why it matters
    Nothing could be read, so nothing is said about the checkpoint.

Example
    error[R033] scheme-unsupported: s3://bucket/model cannot be read: s3:// is not set up
      because  Install s3fs to access S3
      help     pip install 'checkpoint-inspector[s3]'

What to do
    Install the package that is named, or fetch the files and audit the folder.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['source']} cannot be read: {facts['scheme']}:// is not set up"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", str(facts["detail"]))]


def _help(place: Place, facts: Facts) -> str:
    if facts["extra"]:
        return f"pip install 'checkpoint-inspector[{facts['extra']}]'"
    return "install what fsspec needs for this scheme, or fetch the files first"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
