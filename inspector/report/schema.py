"""JSON Schema (2020-12) of the JSON documents, made from their types and from the records of findings."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any, is_typeddict

import msgspec

from inspector.findings.schema import DIALECT, facts_schemas
from inspector.report import documents
from inspector.report.documents import DOCUMENTS

WRITTEN_OUT = frozenset(name for name, one in vars(documents).items() if is_typeddict(one))
"""Types that say themselves which keys are always there. Of a record all are: its defaults are printed too."""


def document_schema(command: str) -> dict[str, Any]:
    """The schema of what a command prints with `-f json`. KeyError where there is no such document."""
    tops, components = msgspec.json.schema_components(DOCUMENTS[command], ref_template="#/$defs/{name}")
    definitions = {name: _definition(name, part) for name, part in components.items()}
    if "FindingDocument" in definitions:
        definitions["FindingDocument"]["allOf"] = _facts(definitions)
    top = tops[0] if len(tops) == 1 else {"anyOf": list(tops)}
    return {"$schema": DIALECT, "title": f"inspector {command} --format json", **top, "$defs": definitions}


def _definition(name: str, made: dict[str, Any]) -> dict[str, Any]:
    found = {**made, "description": cleandoc(made.get("description", ""))}
    if name in WRITTEN_OUT:
        return found
    properties = {
        key: {word: value for word, value in one.items() if word != "default"}
        for key, one in made["properties"].items()
    }
    return {**found, "properties": properties, "required": list(properties)}


def _facts(definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """For each code the facts that a finding has, with their parts added to the definitions."""
    cases = []
    for code, schema in facts_schemas().items():
        definitions.update(schema["$defs"])
        definitions[code] = {key: value for key, value in schema.items() if key not in ("$schema", "$defs")}
        facts = {"properties": {"facts": {"$ref": f"#/$defs/{code}"}}}
        cases.append({"if": {"properties": {"code": {"const": code}}}, "then": facts})
    return cases
