"""The JSON documents: `inspector.audit/1` and the other schemas. Keys are added, never changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import msgspec

from inspector.findings.finding import NAMES_SHOWN, Finding, Step, as_json
from inspector.reconciler.ledger import Counts, Line
from inspector.report.bounded import OMITTED, Room
from inspector.report.clean import short, shortened

if TYPE_CHECKING:
    from inspector.auditing.result import Audit, Reference
    from inspector.comparing.result import Comparison
    from inspector.formulas import Formula, Row
    from inspector.loader.other_files import OtherSet
    from inspector.loader.set_reading import WeightFile
    from inspector.report.documents import (
        AuditDocument,
        CompareDocument,
        FindingDocument,
        FormulaDocument,
        OtherWeightsDocument,
        PlaceDocument,
        ReferencePart,
        RowDocument,
        TargetsPart,
        ValuesDocument,
        ValuesPart,
        WeightFileDocument,
    )
    from inspector.report.mend_documents import StepDocument
    from inspector.report.tensor_documents import FamilyDocument
    from inspector.values.result import Values


def dumped(value: Mapping[str, object]) -> str:
    """One object as ASCII JSON, followed by a line break."""
    return json.dumps(value, ensure_ascii=True, indent=1, default=str) + "\n"


def audit_json(audited: Audit, room: Room | None = None) -> AuditDocument:
    """The object of schema `inspector.audit/1`. room: the bytes that the enclosing report has left."""
    room = room or Room()
    omitted: dict[str, int] = {}
    architecture = audited.architecture
    return {
        "schema": "inspector.audit/1",
        "source": short(audited.source),
        "title": short(audited.title),
        "architecture": None
        if architecture is None
        else {
            "name": short(architecture.name),
            "model_type": None if architecture.model_type is None else short(architecture.model_type),
            "class": None if audited.class_name is None else short(audited.class_name),
            "confidence": architecture.confidence,
        },
        "counts": counts_json(audited.counts),
        "claims": [
            shortened(_picked(claim, "source", "claimed", "true", "agrees", "because")) for claim in audited.claims
        ],
        "findings": room.documents(audited.findings, finding_json, omitted),
        "causes": [
            {"code": cause.code, "key": cause.key, "explains": list(map(short, cause.families[:EXPLAINED_SHOWN]))}
            for cause in audited.causes
        ],
        "lost": _fields(audited.incomplete),
        "experts": _picked(audited.experts, "total", "active", active_parameters="parameters")
        if audited.experts is not None
        else None,
        "solved": _fields(audited.answers),
        "skipped": room.listed("skipped", map(_fields, audited.skipped), omitted),
        **_values(audited.values),
        **_reference(audited.reference),
        "components": components_json(audited, room, omitted),
        "base": None if audited.base is None else audit_json(audited.base, room),
        "ledger": [line_json(line) for line in room.lines(audited.lines, omitted)],
        "files": room.listed("files", map(_file, audited.checkpoint.files), omitted),
        "other_weights": room.listed("other_weights", map(_other, audited.checkpoint.other_sets), omitted),
        "omitted": omitted,
        "address": audited.checkpoint.address,
        "commit": audited.checkpoint.commit,
        "cached": audited.checkpoint.cached,
        "shadows": audited.checkpoint.shadows,
        "traffic": _fields(audited.checkpoint.traffic),
        "download": _fields(audited.checkpoint.download),
        "loads": [as_json(_fields(one)) for one in audited.loads],
        "verdict": audited.verdict,
    }


def _file(file: WeightFile) -> WeightFileDocument:
    return cast("WeightFileDocument", _picked(file, "name", "bytes", "tensors", "data_bytes"))


def _other(other: OtherSet) -> OtherWeightsDocument:
    return {"name": other.name, "files": len(other.files), "bytes": other.bytes, "kind": other.kind}


def _picked(value: object, *names: str, **others: str) -> Any:
    """Attributes as JSON values: `names` keep their name, keyword arguments give the name in the document."""
    attributes = {**dict(zip(names, names, strict=True)), **others}
    return {key: as_json(getattr(value, name)) for key, name in attributes.items()}


EXPLAINED_SHOWN = 1_000
"""Most families listed as explained by a cause."""


def _fields(value: Any) -> Any:
    """A small frozen value as an object; None becomes null."""
    return None if value is None else msgspec.to_builtins(value)


def counts_json(counts: Counts) -> Any:
    """All counts; integers over what was read."""
    return {name: getattr(counts, name) for name in counts.__struct_fields__}


def finding_json(finding: Finding) -> FindingDocument:
    """One finding; its place has only the fields that are known."""
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
        "remedy": [step_json(step) for step in finding.steps],
    }
    if finding.reference:
        document["reference"] = finding.reference
    if finding.same_fault_in:
        document["also"] = list(finding.same_fault_in)
    if finding.of_side:
        document["side"] = finding.of_side
    return document


def step_json(step: Step) -> StepDocument:
    """One step of a remedy with only the fields that apply."""
    shown: dict[str, Any] = {"action": step.action}
    if step.file is not None:
        shown["file"] = step.file
    if step.key:
        shown["key"] = list(step.key)
    for name, value in (("from", step.old), ("to", step.new)):
        if value is not msgspec.UNSET:
            shown[name] = as_json(value)
    return cast("StepDocument", shown)


def line_json(line: Line) -> FamilyDocument:
    """One line of the ledger."""
    named: dict[str, Any] = {"family": None, "families": line.families, "role": line.role}
    stored: dict[str, Any] = {"index_sets": [], "shape": [], "dtype": ""}
    if line.families == 1 and line.kind != OMITTED:
        from inspector.reconciler.wording import family_name

        named = {"family": short(family_name(line.family)), "role": line.role}
        stored = {"index_sets": line.index_sets, "shape": list(line.layout.shape), "dtype": line.layout.dtype}
    sums = _picked(line, "kind", "tensors", "elements", "parameters", "bytes")
    return cast("FamilyDocument", {**named, **stored, **sums})


def components_json(audited: Audit, room: Room, omitted: dict[str, int]) -> dict[str, AuditDocument | int]:
    """Audits of a pipeline's components by name; for a model, the parameters of its extra components."""
    found: dict[str, AuditDocument | int] = {
        name: audit_json(part, room) for name, part in audited.components.items() if room.takes_component(omitted)
    }
    return found or {**_extra_components(audited)}


def _extra_components(audited: Audit) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in audited.lines:
        if line.component and line.parameters:
            found[line.component] = found.get(line.component, 0) + line.parameters
    return found


CARRIED = ("carried", "dropped", "invented")
REASONS = ("how", "types", "because")
VALUE_VERDICTS = (
    "equal", "rounded", "reordered", "different", "computed", "unconverted", "misordered", "overflowed",
    "quantized",
)  # fmt: skip


def compare_json(compared: Comparison) -> CompareDocument:
    """The object of schema `inspector.compare/1`."""
    room, omitted = Room(), dict[str, int]()
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
        "roles": [_picked(row, "role", "source", "target", "difference", *CARRIED, *REASONS) for row in compared.roles],
        "files": _fields(compared.files),
        "findings": room.documents(compared.findings, finding_json, omitted),
        "skipped": room.listed("skipped", map(_fields, compared.skipped), omitted),
        "omitted": omitted,
        **_targets(compared),
        **_values(compared.values),
        "verdict": compared.verdict,
    }


def _targets(compared: Comparison) -> TargetsPart:
    """Each target, if there are several."""
    if not compared.targets:
        return {}
    return {
        "targets": [
            {"target": one.path, "parameters": _picked(one, "source", "target", *CARRIED)} for one in compared.targets
        ]
    }


def _values(values: Values | None) -> ValuesPart:
    """The results of reading values, if they were read."""
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
        document.update(cast("ValuesDocument", {verdict: values.count(verdict) for verdict in VALUE_VERDICTS}))
    return {"values": document}


def _reference(asked: Reference | None) -> ReferencePart:
    """The answer of the reference reader, if it was used."""
    return {} if asked is None else {"reference": {"reader": asked.reader, "files": _fields(list(asked.files))}}


LONGEST_VALUE = 1_000
"""Most items of a list or table of the config, and characters of a text, that a formula shows."""


def _bounded(value: Any) -> Any:
    """A value of the config, or its beginning if it is longer than any model has layers."""
    return shortened(value) if isinstance(value, str | list | dict) and len(value) > LONGEST_VALUE else value


def formula_json(shown: Formula) -> FormulaDocument:
    """The object of schema `inspector.formula/1`. Unknown amounts are texts, known amounts integers."""
    return {
        "schema": "inspector.formula/1",
        "name": shown.name,
        "head": shown.head,
        "formula": "; ".join(f"{tower}: {text}" if tower else text for tower, text in shown.formulas.items()),
        "formulas": shown.formulas,
        "parts": {name: amount.number for name, amount in shown.parts.items()} if shown.known else {},
        "symbols": [
            {
                "symbol": symbol.name,
                "definition": symbol.definition,
                "value": _bounded(symbol.value) if shown.known else None,
            }
            for symbol in shown.symbols
        ],
        "rows": [_row(row) for row in shown.rows],
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


def _row(row: Row) -> RowDocument:
    named = _picked(row, "path", "role", kind="chart", dims="dims", counted="counted", remark="remark")
    return cast("RowDocument", {**named, **_picked(row, "shape", "tensors", parameters="total")})
