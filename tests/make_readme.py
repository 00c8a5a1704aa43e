"""Fills the console blocks of the README with the output of the commands; a block that ends in `...` keeps its length.
The number of model types is filled in too.

python -m tests.make_readme
"""

from __future__ import annotations

import re

from inspector.architectures.catalog import modules
from tests.test_transcripts import README, run

TYPES = re.compile(r"^\d+ model types", re.MULTILINE)
BLOCK = re.compile(r"```console\n\$ (inspector [^\n]*)\n.*?```", re.DOTALL)


def filled(text: str) -> str:
    """The text with the output in every console block replaced, and the number of model types."""

    def block(match: re.Match[str]) -> str:
        printed = re.sub(r"\[exit \d+\]\n", "", run(match[1])).rstrip("\n")
        if match[0].endswith("\n...\n```"):
            kept = match[0].count("\n") - 3
            printed = "\n".join((*printed.split("\n")[:kept], "..."))
        return f"```console\n$ {match[1]}\n{printed}\n```"

    return TYPES.sub(f"{len(modules())} model types", BLOCK.sub(block, text))


if __name__ == "__main__":
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8")
