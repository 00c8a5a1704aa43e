"""Rewrites the example on each finding's page from the output of the tool.

python -m tests.findings.make_pages
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import msgspec

from inspector.findings.finding import Finding
from inspector.findings.registry import all_findings
from inspector.report.text import finding_text
from tests.findings.cases import COMPARED, FIRES
from tests.loader.rule_examples import EXAMPLES as READING
from tests.quantization.examples import EXAMPLES

EXAMPLE = re.compile(r"(\n    Example\n)(.*?)(\n\n    What to do\n)", re.DOTALL)


def reported(name: str) -> tuple[Finding, ...]:
    """The findings of a case."""
    if name in READING:
        return (made(name),)
    return next(cases[name] for cases in (FIRES, COMPARED, EXAMPLES) if name in cases)().findings


def made(name: str) -> Finding:
    """The finding of a reading stage with the facts of its example."""
    place, facts = READING[name]
    values: dict[str, Any] = {**facts, "place": place}
    return msgspec.convert(values, all_findings()[name], strict=True)


def example(finding: Finding) -> str:
    """A finding as printed, indented for a page."""
    return "\n".join(f"    {line}" for line in finding_text(finding).rstrip("\n").split("\n"))


def write() -> None:
    """Write all pages."""
    for name in (*FIRES, *COMPARED, *EXAMPLES, *READING):
        finding = all_findings()[name]
        shown = next(one for one in reported(name) if one.name == name)
        path = Path(inspect.getfile(finding))
        text = path.read_text(encoding="utf-8")
        start = text.index(f"class {finding.__name__}(")
        made = "\n".join(f"    {line}" for line in example(shown).replace("\\", "\\\\").split("\n"))
        changed = EXAMPLE.sub(lambda match: match[1] + made + match[3], text[start:], count=1)  # noqa: B023
        path.write_text(text[:start] + changed, encoding="utf-8")


if __name__ == "__main__":
    write()
