"""Templates of findings only name existing fields and functions."""

from __future__ import annotations

from string import Formatter

import pytest

from inspector.findings.conversion.downloads import DownloadLeavesOut
from inspector.findings.finding import Finding, Place
from inspector.findings.names.tensors import TensorUnexpected
from inspector.findings.reading.training import TrainingState
from inspector.findings.registry import all_findings
from inspector.findings.shards.index import IndexRequired
from inspector.findings.templates import FUNCTIONS


def test_names_in_templates_exist() -> None:
    for finding in all_findings().values():
        _check_names(finding)


def _check_names(finding: type[Finding]) -> None:
    texts = (finding.headline_text, finding.remedy_text, *(row[1] for row in finding.row_texts))
    fields = [row[2] for row in finding.row_texts if len(row) > 2]
    for text in texts:
        for _, field, spec, _ in Formatter().parse(text):
            function, _, argument = (spec or "").partition(" ")
            fields.extend([field] if field else [])
            fields.extend([argument.split()[0]] if function == "first" else [])
            assert function in FUNCTIONS
    assert all(_exists(finding, field.partition("[")[0]) for field in fields), (finding.code, fields)


def _exists(finding: type[Finding], path: str) -> bool:
    name, _, inner = path.partition(".")
    known = name in finding.__struct_fields__ or isinstance(getattr(finding, name, None), property)
    return known and (not inner or name != "place" or hasattr(Place(), inner))


def test_content_of_checkpoints_is_not_a_template() -> None:
    name = "{place.file} {0} {tensors:count tensor}"
    finding = TensorUnexpected(
        place=Place(tensor=name), tensors=1, elements=1, bytes=4, shape=(1,), dtype="{dtype}", names=(name,)
    )
    assert finding.headline() == name
    assert "{dtype}" in dict(finding.rows())["stored"]


TWENTY = tuple(f"file-{number}" for number in range(20))
SHORTENED = (
    IndexRequired(files=28, names=TWENTY, loader="transformers", wanted="model.safetensors.index.json"),
    TrainingState(kinds=("optimizer",), names=TWENTY, files=30, bytes=1),
    DownloadLeavesOut(repository="org/name", commit="abc", files=29, names=TWENTY, bytes=1),
)


@pytest.mark.parametrize("finding", SHORTENED)
def test_a_list_states_how_many_of_all_it_leaves_out(finding: Finding) -> None:
    """The findings keep the first names only; each of these leaves out 25."""
    assert any(text.endswith("and 25 more") for _, text in finding.rows())
