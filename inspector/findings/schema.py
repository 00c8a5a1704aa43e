"""JSON Schema (2020-12) of the facts of every finding, generated from the records."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import COMMON, Finding
from inspector.findings.registry import all_findings

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def facts_schemas() -> dict[str, dict[str, Any]]:
    """Code of a finding -> schema of its `facts`; parts that several share are in `$defs` of each."""
    classes = tuple(all_findings().values())
    _, components = msgspec.json.schema_components(classes, ref_template="#/$defs/{name}")
    components = {name: _with_null(one) for name, one in components.items()}
    return {finding.code: _facts_schema(finding, components) for finding in classes}


def _with_null(schema: Any) -> Any:
    """A schema in which floats may be null: JSON has no NaN and no infinity."""
    if isinstance(schema, dict):
        if schema.get("type") == "number":
            return {**schema, "type": ["number", "null"]}
        return {key: _with_null(value) for key, value in schema.items()}
    return [_with_null(item) for item in schema] if isinstance(schema, list) else schema


def _facts_schema(finding: type[Finding], components: dict[str, Any]) -> dict[str, Any]:
    whole = components[finding.__name__]
    properties = {name: schema for name, schema in whole["properties"].items() if name not in COMMON}
    return {
        "$schema": DIALECT,
        "title": f"{finding.code} {finding.name}",
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name in _always(finding)],
        "additionalProperties": False,
        "$defs": _used(properties, components),
    }


def _always(finding: type[Finding]) -> set[str]:
    """JSON names of the facts that are always there."""
    fields = msgspec.structs.fields(finding)
    if finding.__struct_config__.omit_defaults:
        return {field.encode_name for field in fields if field.required}
    return {field.encode_name for field in fields if field.default is not msgspec.UNSET}


def _used(schema: Any, components: dict[str, Any]) -> dict[str, Any]:
    """The components that a schema refers to, and those that they refer to."""
    found: dict[str, Any] = {}
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            if name in components and name not in found:
                found[name] = components[name]
                waiting.append(components[name])
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return found
