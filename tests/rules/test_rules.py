"""Every rule fires on its case, stays quiet on a healthy checkpoint, and its page shows what is printed."""

from __future__ import annotations

from importlib import import_module

import pytest

from inspector.rules.registry import files
from tests.rules.cases import COMPARED, FIRES, llama
from tests.rules.download_cases import beside
from tests.rules.make_pages import example, shown

ELSEWHERE = {"component-class-differs", "component-missing", "pipeline-flattened"}
"""Need folders: tests/test_pipelines.py has their cases."""


@pytest.mark.parametrize("name", [*FIRES, *COMPARED])
def test_it_fires_and_its_page_is_true(name: str) -> None:
    finding = shown(name)
    loaded = import_module(f"inspector.rules.{files()[name][1]}")
    assert finding.severity == loaded.RULE.severity
    assert example(name) in str(loaded.__doc__), "run python -m tests.rules.make_pages"


def test_a_healthy_checkpoint_says_nothing_at_all() -> None:
    assert llama().findings == ()


def test_a_whole_download_says_nothing_at_all() -> None:
    whole = beside()
    assert whole.findings == ()
    assert whole.verdict == "clean"


def test_every_rule_has_a_case() -> None:
    mine = {name for name, (code, _) in files().items() if code[0] in "ACNDPV" or code in ("T601", "T602")}
    assert mine == {*FIRES, *COMPARED, *ELSEWHERE}
