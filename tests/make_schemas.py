"""Makes the JSON Schemas (2020-12) of the JSON documents from their types and from the records of findings.

python -m tests.make_schemas      writes the files that the package contains
"""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import Any, is_typeddict

import msgspec

from inspector.findings.finding import COMMON, Finding
from inspector.findings.registry import all_findings
from inspector.report import documents, mend_documents, schemas, tensor_documents
from inspector.report.documents import DOCUMENTS
from inspector.report.json_v1 import dumped

DIALECT = "https://json-schema.org/draft/2020-12/schema"

WRITTEN_OUT = frozenset(
    name
    for module in (documents, mend_documents, tensor_documents)
    for name, one in vars(module).items()
    if is_typeddict(one)
)
"""Types that declare which keys are always present. Records have all keys: their defaults are printed too."""


def document_schema(command: str) -> dict[str, Any]:
    """The schema of what a command prints with `-f json`. KeyError where there is no such document."""
    tops, components = msgspec.json.schema_components(DOCUMENTS[command], ref_template="#/$defs/{name}")
    definitions = {name: _definition(name, part) for name, part in components.items()}
    if "FindingDocument" in definitions:
        definitions["FindingDocument"]["allOf"] = _facts(definitions)
    top = tops[0] if len(tops) == 1 else {"anyOf": list(tops)}
    return {"$schema": DIALECT, "title": f"inspector {command} --format json", **top, "$defs": definitions}


def _definition(name: str, made: dict[str, Any]) -> dict[str, Any]:
    found = _described(made)
    if name in WRITTEN_OUT:
        return found
    properties = {
        key: {word: value for word, value in one.items() if word != "default"}
        for key, one in made["properties"].items()
    }
    return {**found, "properties": properties, "required": list(properties)}


def _described(made: dict[str, Any]) -> dict[str, Any]:
    """A schema with its docstring without indentation, which msgspec keeps before 0.23."""
    return {**made, "description": cleandoc(made.get("description", ""))}


def _facts(definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """For each code the facts that a finding has, with their parts added to the definitions."""
    cases = []
    for code, schema in facts_schemas().items():
        definitions.update(schema["$defs"])
        definitions[code] = {key: value for key, value in schema.items() if key not in ("$schema", "$defs")}
        facts = {"properties": {"facts": {"$ref": f"#/$defs/{code}"}}}
        cases.append({"if": {"properties": {"code": {"const": code}}}, "then": facts})
    return cases


def facts_schemas() -> dict[str, dict[str, Any]]:
    """Code of a finding -> schema of its `facts`; parts that several share are in `$defs` of each."""
    classes = tuple(all_findings().values())
    _, components = msgspec.json.schema_components(classes, ref_template="#/$defs/{name}")
    components = {name: _with_null(_described(one)) for name, one in components.items()}
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
    always = _always(finding)
    return {
        "$schema": DIALECT,
        "title": f"{finding.code} {finding.name}",
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name in always],
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


def main() -> None:
    """Writes the schema of each document into the package."""
    folder = Path(schemas.__file__).parent
    for name in DOCUMENTS:
        (folder / f"{name}.json").write_text(dumped(document_schema(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
