"""Validation of facts against the schema that is generated from the records."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from inspector.findings.finding import Finding
from tests.make_schemas import facts_schemas


@cache
def facts_validators() -> dict[str, Any]:
    """Code -> validator of the facts of its finding."""
    return {code: Draft202012Validator(schema) for code, schema in facts_schemas().items()}


def assert_valid(*findings: Finding) -> None:
    """Validate the facts of findings, as the tool prints them, against the schemas."""
    for finding in findings:
        facts_validators()[finding.code].validate(json.loads(json.dumps(finding.facts)))
