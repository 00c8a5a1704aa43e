"""Writes the pairs of `listings.py` as plain data: before and after each conversion.

    python -m tests.comparing.make_fixtures        (writes fixtures/conversion)

Needs nothing but the project. Names and shapes follow the converters named in `listings.py`.
"""

from __future__ import annotations

import json

from tests.comparing.listings import pairs
from tests.comparing.pair_audits import FOLDER


def made() -> dict[str, str]:
    """File name -> content."""
    return {
        f"{name}.json": json.dumps({"source": source, "target": target}, separators=(",", ":")) + "\n"
        for name, (source, target) in pairs().items()
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, text in made().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
