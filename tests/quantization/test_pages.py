"""The pages of the findings about quantization show the output of the tool."""

from __future__ import annotations

import pytest

from inspector.findings.registry import page
from tests.findings.make_pages import example
from tests.findings.schemas import assert_valid
from tests.quantization.examples import EXAMPLES


@pytest.mark.thinned
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_page_shows_what_the_tool_prints(name: str) -> None:
    findings = EXAMPLES[name]().findings
    finding = next(finding for finding in findings if finding.name == name)
    assert_valid(*findings)
    assert example(finding) in page(type(finding))
