"""The types of the JSON documents, from which their schemas are made. Keys are added, never changed."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, NotRequired, TypedDict

from msgspec import Meta

from inspector.auditing.result import Incomplete, ReferenceFile
from inspector.comparing.result import Files
from inspector.loader.sources.download import Download
from inspector.loader.sources.traffic import Traffic
from inspector.loading.outcome import Load
from inspector.reconciler.inverse.answers import Answers
from inspector.reconciler.ledger import Counts
from inspector.report.mend_documents import MendDocument, StepDocument
from inspector.report.tensor_documents import FamilyDocument, TensorDocument


def _one_of(*words: str) -> Meta:
    return Meta(extra_json_schema={"enum": list(words)})


Severity = Annotated[str, _one_of("error", "warning", "note")]
Confidence = Annotated[str, _one_of("certain", "likely")]
Verdict = Annotated[str, _one_of("clean", "undecided", "findings", "unreadable")]
Relation = Annotated[str, _one_of("conversion", "different")]

ArchitectureDocument = TypedDict(
    "ArchitectureDocument",
    {"name": str, "model_type": str | None, "class": str | None, "confidence": Confidence},
)


class ClaimDocument(TypedDict):
    source: str
    claimed: int | float | str
    true: int
    agrees: bool
    because: str


class PlaceDocument(TypedDict, total=False):
    """Where a finding is, as far as it is known."""

    file: str
    tensor: str
    family: str
    indices: str
    key: str


class FindingDocument(TypedDict):
    """A finding. facts: their keys depend on the code. remedy: steps for programs. reference: the answer of the
    reference reader.

    also: other files with the same fault. side: in a comparison, for findings of an audit: "source", "target" or
    "both".
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    place: PlaceDocument
    facts: dict[str, Any]
    help: str
    remedy: list[StepDocument]
    reference: NotRequired[str]
    also: NotRequired[list[str]]
    side: NotRequired[str]


class CauseDocument(TypedDict):
    """A finding that is a cause. explains: families with differences that follow from the cause."""

    code: str
    key: str
    explains: list[str]


class SkippedDocument(TypedDict):
    """A check that was not made, with the reason. decisive: it makes the verdict undecided."""

    check: str
    because: str
    decisive: bool


class ExpertsDocument(TypedDict):
    """Experts of a mixture: total of a layer, number used by one token, and the parameters that one token uses."""

    total: int
    active: int
    active_parameters: int


class UnreadDocument(TypedDict):
    """Tensors with values that were not read. names: the first of them."""

    because: str
    tensors: int
    names: list[str]


class ValuesDocument(TypedDict):
    """Result of reading values. The numbers from equal to quantized count tensors and exist only for a comparison."""

    tensors: int
    elements: int
    equal: NotRequired[int]
    rounded: NotRequired[int]
    reordered: NotRequired[int]
    different: NotRequired[int]
    computed: NotRequired[int]
    unconverted: NotRequired[int]
    misordered: NotRequired[int]
    overflowed: NotRequired[int]
    quantized: NotRequired[int]
    not_read: list[UnreadDocument]


class ReferenceDocument(TypedDict):
    """Answers of the reference reader, safetensors."""

    reader: str
    files: list[ReferenceFile]


class ValuesPart(TypedDict, total=False):
    """Additional content of a document if values were read."""

    values: ValuesDocument


class ReferencePart(TypedDict, total=False):
    """Additional content of a document if the reference reader was used."""

    reference: ReferenceDocument


class WeightFileDocument(TypedDict):
    """A file of the audited set. Sizes in bytes."""

    name: str
    bytes: int
    tensors: int
    data_bytes: int


class OtherWeightsDocument(TypedDict):
    """A set of weights that was not audited."""

    name: str
    files: int
    bytes: int
    kind: str


class AuditDocument(TypedDict):
    """`inspector audit -f json`. components: audits of a pipeline's components, or parameters of extra ones.

    omitted: how many families, findings, files, ... are not listed because the document would be too long. lost:
    tensors with bytes beyond the end of the file; `counts` follow the headers.
    """

    schema: Literal["inspector.audit/1"]
    source: str
    title: str
    architecture: ArchitectureDocument | None
    counts: Counts
    claims: list[ClaimDocument]
    findings: list[FindingDocument]
    causes: list[CauseDocument]
    lost: Incomplete
    experts: ExpertsDocument | None
    solved: Answers | None
    skipped: list[SkippedDocument]
    values: NotRequired[ValuesDocument]
    reference: NotRequired[ReferenceDocument]
    components: dict[str, AuditDocument | int]
    base: AuditDocument | None
    ledger: list[FamilyDocument]
    files: list[WeightFileDocument]
    other_weights: list[OtherWeightsDocument]
    address: str
    commit: str | None
    cached: bool
    shadows: str | None
    traffic: Traffic | None
    download: Download | None
    omitted: dict[str, int]
    loads: list[Load]
    verdict: Verdict


class CountDocument(TypedDict):
    """`inspector count -f json`. verdict: that of the audit; the counts of a faulty checkpoint are those of its stored
    tensors.
    """

    schema: Literal["inspector.count/1"]
    source: str
    counts: Counts
    verdict: Verdict


class TensorsDocument(TypedDict):
    """`inspector tensors -f json`. tensors: only with --all."""

    schema: Literal["inspector.tensors/1"]
    source: str
    families: list[FamilyDocument]
    omitted: dict[str, int]
    tensors: NotRequired[list[TensorDocument]]


class ParametersDocument(TypedDict):
    """source = carried + dropped, target = carried + invented; null for different models."""

    source: int
    target: int
    carried: int | None
    dropped: int | None
    invented: int | None


class RoleDocument(TypedDict):
    """Parameters of one role on both sides. how: steps of the conversion. types: changes of dtype."""

    role: str
    source: int
    target: int
    difference: int
    carried: int | None
    dropped: int | None
    invented: int | None
    how: list[str]
    types: list[str]
    because: str


class TargetDocument(TypedDict):
    """One of several targets, with the parameters of the source that it contains."""

    target: str
    parameters: ParametersDocument


class TargetsPart(TypedDict, total=False):
    """Additional content of a comparison with several targets."""

    targets: list[TargetDocument]


class CompareDocument(TypedDict):
    """`inspector compare -f json`."""

    schema: Literal["inspector.compare/1"]
    source: str
    target: str
    relation: Relation
    parameters: ParametersDocument
    roles: list[RoleDocument]
    files: Files | None
    findings: list[FindingDocument]
    skipped: list[SkippedDocument]
    omitted: dict[str, int]
    targets: NotRequired[list[TargetDocument]]
    values: NotRequired[ValuesDocument]
    verdict: Verdict


class SymbolDocument(TypedDict):
    """A symbol of a formula. value: null without a config."""

    symbol: str
    definition: str
    value: Any


class RowDocument(TypedDict):
    """A tensor of a definition. shape, tensors, parameters: null if the config does not determine them."""

    path: str
    role: str
    kind: str
    dims: list[str]
    counted: bool
    remark: str
    shape: list[int | None] | None
    tensors: int | None
    parameters: int | None


class FormulaDocument(TypedDict):
    """`inspector formula -f json`.

    parts: parameters by submodel, "" for those outside submodels; null if a value is unknown. groups: parameters by
    group of roles, as an expression if a value is unknown.
    """

    schema: Literal["inspector.formula/1"]
    name: str
    head: str
    formula: str
    formulas: dict[str, str]
    parts: dict[str, int | None]
    symbols: list[SymbolDocument]
    rows: list[RowDocument]
    groups: dict[str, int | str]
    matrices: int | None
    layers: int | None
    per_layer: int | None
    parameters: int | None
    open_parameters: str | None


class RuleDocument(TypedDict):
    """The page of a finding."""

    code: str
    name: str
    severity: Severity
    page: str


class RulesDocument(TypedDict):
    """`inspector explain CODE -f json`."""

    schema: Literal["inspector.rules/1"]
    rules: list[RuleDocument]


class TopicDocument(TypedDict):
    """`inspector explain TOPIC -f json`."""

    schema: Literal["inspector.glossary/1", "inspector.notation/1", "inspector.page/1"]
    name: NotRequired[str]
    page: str


class CheckedDocument(TypedDict):
    """The data that a definition is checked against: saved models, and published sizes."""

    records: int
    published: int


class DefinitionDocument(TypedDict):
    """A supported model type."""

    name: str
    file: str
    classes: list[str]
    ties: str
    symbols: dict[str, str]
    checked: CheckedDocument


class ArchitecturesDocument(TypedDict):
    """`inspector architectures -f json`."""

    schema: Literal["inspector.architectures/1"]
    architectures: list[DefinitionDocument]


DOCUMENTS: Final[dict[str, tuple[Any, ...]]] = {
    "audit": (AuditDocument,),
    "count": (CountDocument,),
    "tensors": (TensorsDocument,),
    "formula": (FormulaDocument,),
    "compare": (CompareDocument,),
    "mend": (MendDocument,),
    "explain": (RulesDocument, TopicDocument),
    "architectures": (ArchitecturesDocument,),
}
"""Command -> the documents that it prints."""
