"""The JSON contract: `inspector.audit/1` and its sisters. Keys are added, never changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import msgspec

from inspector.findings.finding import NAMES_SHOWN, Finding, as_json
from inspector.reconciler.ledger import Counts, Line

if TYPE_CHECKING:
    from inspector.auditing.result import Audit, Reference
    from inspector.comparing.result import Comparison
    from inspector.formulas import Formula
    from inspector.report.documents import (
        AuditDocument,
        CompareDocument,
        FamilyDocument,
        FindingDocument,
        FormulaDocument,
        PlaceDocument,
        ReferencePart,
        ValuesDocument,
        ValuesPart,
    )
    from inspector.values.result import Values


def dumped(value: Mapping[str, object]) -> str:
    """One object as ASCII JSON with a line break at its end."""
    return json.dumps(value, ensure_ascii=True, indent=1, default=str) + "\n"


def audit_json(audited: Audit) -> AuditDocument:
    """The object of schema `inspector.audit/1`."""
    architecture = audited.architecture
    return {
        "schema": "inspector.audit/1",
        "source": audited.source,
        "title": audited.title,
        "architecture": None
        if architecture is None
        else {
            "name": architecture.name,
            "model_type": architecture.model_type,
            "class": audited.class_name,
            "confidence": architecture.confidence,
        },
        "counts": counts_json(audited.counts),
        "claims": [
            {
                "source": claim.source,
                "claimed": as_json(claim.claimed),
                "true": claim.true,
                "agrees": claim.agrees,
                "because": claim.because,
            }
            for claim in audited.claims
        ],
        "findings": [finding_json(finding) for finding in audited.findings],
        "causes": [
            {"code": cause.code, "key": cause.key, "explains": list(cause.families)} for cause in audited.causes
        ],
        "experts": None
        if audited.experts is None
        else {
            "total": audited.experts.total,
            "active": audited.experts.active,
            "active_parameters": audited.experts.parameters,
        },
        "solved": _fields(audited.answers),
        "skipped": [_fields(skip) for skip in audited.skipped],
        **_values(audited.values),
        **_reference(audited.reference),
        "components": components_json(audited),
        "base": None if audited.base is None else audit_json(audited.base),
        "ledger": [line_json(line) for line in audited.lines],
        "files": [
            {"name": file.name, "bytes": file.bytes, "tensors": file.tensors, "data_bytes": file.data_bytes}
            for file in audited.checkpoint.files
        ],
        "other_weights": [
            {"name": other.name, "files": len(other.files), "bytes": other.bytes, "kind": other.kind}
            for other in audited.checkpoint.other_sets
        ],
        "address": audited.checkpoint.address,
        "commit": audited.checkpoint.commit,
        "cached": audited.checkpoint.cached,
        "shadows": audited.checkpoint.shadows,
        "traffic": _fields(audited.checkpoint.traffic),
        "download": _fields(audited.checkpoint.download),
        "verdict": audited.verdict,
    }


def _fields(value: Any) -> Any:
    """A small frozen value as an object, None as null."""
    return None if value is None else msgspec.to_builtins(value)


def counts_json(counts: Counts) -> Any:
    """All counts; integers over what was read."""
    return {name: getattr(counts, name) for name in counts.__struct_fields__}


def finding_json(finding: Finding) -> FindingDocument:
    """One finding; its place has only what is known."""
    place = {name: text for name, text in msgspec.to_builtins(finding.place).items() if text is not None}
    document: FindingDocument = {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "message": finding.message,
        "place": cast("PlaceDocument", place),
        "facts": finding.facts,
        "help": finding.help,
    }
    if finding.reference:
        document["reference"] = finding.reference
    return document


def line_json(line: Line) -> FamilyDocument:
    """One line of the ledger."""
    from inspector.reconciler.wording import family_name

    return {
        "family": family_name(line.family),
        "role": line.role,
        "index_sets": line.index_sets,
        "shape": list(line.layout.shape),
        "dtype": line.layout.dtype,
        "kind": line.kind,
        "tensors": line.tensors,
        "elements": line.elements,
        "parameters": line.parameters,
        "bytes": line.bytes,
    }


def components_json(audited: Audit) -> dict[str, AuditDocument | int]:
    """Audits of a pipeline's components by name; of a model the parameters of its extra components."""
    found: dict[str, AuditDocument | int] = {name: audit_json(part) for name, part in audited.components.items()}
    return found or {**_extra_components(audited)}


def _extra_components(audited: Audit) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in audited.lines:
        if line.component and line.parameters:
            found[line.component] = found.get(line.component, 0) + line.parameters
    return found


def compare_json(compared: Comparison) -> CompareDocument:
    """The object of schema `inspector.compare/1`."""
    return {
        "schema": "inspector.compare/1",
        "source": compared.source.source,
        "target": compared.target.source,
        "relation": compared.relation,
        "parameters": {
            "source": compared.parameters[0],
            "target": compared.parameters[1],
            "carried": compared.carried,
            "dropped": compared.dropped,
            "invented": compared.invented,
        },
        "roles": [
            {
                "role": row.role,
                "source": row.source,
                "target": row.target,
                "difference": row.difference,
                "carried": row.carried,
                "dropped": row.dropped,
                "invented": row.invented,
                "how": list(row.how),
                "types": list(row.types),
                "because": row.because,
            }
            for row in compared.roles
        ],
        "files": _fields(compared.files),
        "findings": [finding_json(finding) for finding in compared.findings],
        "skipped": [_fields(skip) for skip in compared.skipped],
        **_values(compared.values),
        "verdict": compared.verdict,
    }


def _values(values: Values | None) -> ValuesPart:
    """What became of the numbers, where they were read."""
    if values is None:
        return {}
    document: ValuesDocument = {
        "tensors": values.tensors,
        "elements": values.elements,
        "not_read": [
            {"because": why, "tensors": len(names), "names": names[:NAMES_SHOWN]}
            for why, names in values.unread.items()
        ],
    }
    if values.verdicts:
        document["equal"], document["rounded"] = values.count("equal"), values.count("rounded")
        document["reordered"], document["different"] = values.count("reordered"), values.count("different")
    return {"values": document}


def _reference(asked: Reference | None) -> ReferencePart:
    """What the reference reader says, where it was asked."""
    return {} if asked is None else {"reference": {"reader": asked.reader, "files": _fields(list(asked.files))}}


def formula_json(shown: Formula) -> FormulaDocument:
    """The object of schema `inspector.formula/1`. Open amounts are texts, closed ones integers."""
    return {
        "schema": "inspector.formula/1",
        "name": shown.name,
        "head": shown.head,
        "formula": "; ".join(f"{tower}: {text}" if tower else text for tower, text in shown.formulas.items()),
        "formulas": shown.formulas,
        "parts": {name: amount.number for name, amount in shown.parts.items()} if shown.known else {},
        "symbols": [
            {"symbol": symbol.name, "definition": symbol.definition, "value": symbol.value if shown.known else None}
            for symbol in shown.symbols
        ],
        "rows": [
            {
                "path": row.path,
                "role": row.role,
                "kind": row.chart,
                "dims": list(row.dims),
                "counted": row.counted,
                "remark": row.remark,
                "shape": list(row.shape) if row.shape is not None else None,
                "tensors": row.tensors,
                "parameters": row.total,
            }
            for row in shown.rows
        ],
        "groups": {
            name: amount.number if amount.number is not None else str(amount) for name, amount in shown.groups.items()
        }
        if shown.known
        else {},
        "matrices": shown.matrices,
        "layers": shown.layers,
        "per_layer": shown.per_layer,
        "parameters": shown.total,
        "open_parameters": shown.open_total if shown.total is None else None,
    }
