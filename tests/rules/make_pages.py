"""Writes the Example of each rule's page anew from what the tool prints.

python -m tests.rules.make_pages
"""

from __future__ import annotations

import re
from pathlib import Path

import inspector.rules
from inspector.report.text import finding_text
from inspector.rules.registry import Finding, files
from tests.rules.cases import COMPARED, FIRES

EXAMPLE = re.compile(r"(\nExample\n)(.*?)(\n\nWhat to do\n)", re.DOTALL)


def shown(name: str) -> Finding:
    """The finding of a rule's case."""
    findings = FIRES[name]().findings if name in FIRES else COMPARED[name]().findings
    return next(finding for finding in findings if finding.name == name)


def example(name: str) -> str:
    """The finding as it is printed, indented as a page has it."""
    return "\n".join(f"    {line}" for line in finding_text(shown(name)).rstrip("\n").split("\n"))


def write() -> None:
    """All pages."""
    folder = Path(inspector.rules.__path__[0])
    for name in (*FIRES, *COMPARED):
        path = folder / f"{files()[name][1]}.py"
        text = path.read_text(encoding="utf-8")
        made = example(name).replace("\\", "\\\\")
        path.write_text(EXAMPLE.sub(lambda match: match[1] + made + match[3], text, count=1), encoding="utf-8")  # noqa: B023


if __name__ == "__main__":
    write()
