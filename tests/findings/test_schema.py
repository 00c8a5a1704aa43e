"""The generated schema of facts is valid, complete and strict; examples of all findings validate against it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator, ValidationError  # type: ignore[import-untyped]

from inspector.findings.finding import COMMON, Finding, Place
from inspector.findings.registry import all_findings
from inspector.findings.shapes import ShapeDiffers
from tests.findings.schemas import assert_valid
from tests.loader.rule_examples import EXAMPLES
from tests.make_schemas import facts_schemas


@pytest.fixture(scope="module")
def schemas() -> dict[str, dict[str, Any]]:
    """The schema of the facts of each code."""
    return facts_schemas()


def test_every_finding_has_a_valid_schema(schemas: dict[str, dict[str, Any]]) -> None:
    assert list(schemas) == [finding.code for finding in all_findings().values()]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)


def test_a_fact_keeps_its_json_name_and_no_fact_hides_a_common_field(schemas: dict[str, dict[str, Any]]) -> None:
    for name, finding in all_findings().items():
        names = finding.__struct_encode_fields__
        assert len(set(names)) == len(names), name
        assert set(schemas[finding.code]["properties"]) == set(names) - COMMON, name


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_reading_are_valid(name: str) -> None:
    place, facts = EXAMPLES[name]
    finding = msgspec.convert({**facts, "place": place}, all_findings()[name])
    assert_valid(finding)
    assert {**finding.facts, **facts} == finding.facts


def differing(**facts: object) -> Finding:
    """A shape that differs."""
    usual = {"stored": (1,), "expected": (2,), "dims": ("d",), "because": (), "role": "norm", "dtype": "F32"}
    more = {"tensors": 1, "others": 0, "others_where": ""}
    return ShapeDiffers(place=Place(tensor="norm.weight"), **{**usual, **more, **facts})  # type: ignore[arg-type]


def test_the_schema_refuses_other_types() -> None:
    assert_valid(differing())
    with pytest.raises(ValidationError):
        assert_valid(differing(stored=("1",)))


def test_a_finding_of_a_component_keeps_its_message_and_gets_a_place_in_the_pipeline() -> None:
    inner = differing()
    outer = inner.within("unet", Place(file="unet/", tensor="norm.weight"))
    assert outer.title == "unet: norm.weight"
    assert outer.place.file == "unet/"
    assert (outer.lines, outer.help, outer.facts) == (inner.lines, inner.help, inner.facts)
