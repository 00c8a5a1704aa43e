"""Findings about names, dims, dtypes and totals: each occurs in its case, none in a clean checkpoint; pages agree."""

from __future__ import annotations

import pytest

from inspector.findings.registry import all_findings, page
from tests.findings.cases import COMPARED, FIRES, classifying, llama
from tests.findings.download_cases import changed_download
from tests.findings.make_pages import example, reported
from tests.findings.schemas import assert_valid

ELSEWHERE = {
    "component-class-differs", "component-class-unfit", "component-missing", "component-of-another-model",
    "component-width-differs", "components-exchanged", "folder-unnamed", "pipeline-class-unfit", "pipeline-flattened",
}  # fmt: skip
"""Findings that need folders: tests/test_pipelines.py has their cases."""


@pytest.mark.thinned
@pytest.mark.parametrize("name", [*FIRES, *COMPARED])
def test_each_case_has_its_finding_and_the_page_agrees(name: str) -> None:
    findings = reported(name)
    finding = next(finding for finding in findings if finding.name == name)
    assert_valid(*findings)
    assert type(finding) is all_findings()[name]
    assert example(finding) in page(type(finding)), "run python -m tests.findings.make_pages"


def test_a_clean_checkpoint_has_no_finding() -> None:
    assert llama().findings == ()


def test_a_complete_download_has_no_finding() -> None:
    whole = changed_download()
    assert whole.findings == ()
    assert whole.verdict == "clean"


def test_every_finding_has_a_case() -> None:
    codes = {name: finding.code for name, finding in all_findings().items()}
    mine = {name for name, code in codes.items() if code[0] in "ACNDPV" or code in ("T601", "T602", "T603", "T645")}
    assert mine == {*FIRES, *COMPARED, *ELSEWHERE}


def test_a_classifier_for_the_labels_of_the_config_needs_no_note() -> None:
    assert [one.code for one in classifying(2).findings] == ["A901"]


def test_a_classifier_of_an_adapter_without_a_task_is_of_the_class_that_its_user_loads() -> None:
    assert not any(one.code in ("A978", "A979") for one in classifying(2, None).findings)
