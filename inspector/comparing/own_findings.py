"""Selects the findings of both sides' audits that a comparison repeats because it has no equivalent itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from inspector.algebra.names import keys_in
from inspector.auditing.result import Audit
from inspector.comparing.cases import Case
from inspector.comparing.pieces import Piece, Side
from inspector.comparing.tally import Carried, Tally
from inspector.findings.absent_config import ConfigMissing, ModelTypeMissing
from inspector.findings.config import ConfigDisagrees
from inspector.findings.conversion.parameters import (
    LayersDropped,
    LayersInvented,
    LayersRenumbered,
    NamesChanged,
    ParametersDropped,
    ParametersInvented,
)
from inspector.findings.conversion.shapes import PaddingDiffers, RowsCut, RowsPadded, ShapeNotCarried
from inspector.findings.finding import Finding
from inspector.findings.names.gguf_architecture import TensorsOfNoArchitecture
from inspector.findings.names.joined import ProjectionsJoined
from inspector.findings.names.layers import LayersMisnumbered, LayersMissing
from inspector.findings.names.renamed import TensorRenamed
from inspector.findings.names.tensors import PartUnexpected, TensorMissing, TensorUnexpected
from inspector.findings.pruned import HeadsPruned, LayersPruned, MlpsPruned
from inspector.findings.shapes import Rearranged, ShapeDiffers
from inspector.findings.shards.index import IndexRequired
from inspector.findings.shards.names import FileNameUnknown
from inspector.findings.shards.pickled import PickledShardsUnread
from inspector.findings.single_causes import ConfigKeysAbsent, OneRankOfSeveral, WeightsIncomplete
from inspector.findings.totals import HeadMissing
from inspector.reconciler import ledger
from inspector.reconciler.wording import family_name

SOURCE, TARGET = "source", "target"
ABSENCES = (
    TensorMissing,
    LayersMissing,
    LayersMisnumbered,
    TensorUnexpected,
    PartUnexpected,
    TensorsOfNoArchitecture,
    TensorRenamed,
    HeadMissing,
    WeightsIncomplete,
)
SHAPES = (ShapeDiffers, Rearranged, ConfigDisagrees, ConfigKeysAbsent, HeadsPruned, MlpsPruned, LayersPruned,
          OneRankOfSeveral)  # fmt: skip
"""Findings of an audit that the comparison reports with both sides: missing, unexpected, mismatched."""
WITH_FAMILIES = (
    TensorMissing,
    PartUnexpected,
    TensorRenamed,
    Rearranged,
    ConfigDisagrees,
    ConfigKeysAbsent,
    HeadsPruned,
    MlpsPruned,
    LayersPruned,
    OneRankOfSeveral,
    WeightsIncomplete,
)
OF_SHAPES = (RowsCut, RowsPadded, ShapeNotCarried, PaddingDiffers)
OF_BOTH = (LayersDropped, LayersInvented, LayersRenumbered)


def _proven(before: Side, after: Side, found: Tally) -> tuple[frozenset[str], frozenset[str]]:
    """Families of a side without a config that have an orientation or position confirmed by the other side."""
    solved = [side.audited.case is not None and side.audited.case.solved for side in (before, after)]
    return (
        frozenset(one.source.line.family for one in found.carried if solved[0] and _is_other(one, one.source)),
        frozenset(one.target.line.family for one in found.carried if solved[1] and _is_other(one, one.target)),
    )


def _is_other(one: Carried, piece: Piece) -> bool:
    return one.fit.whole and ("transposed" in one.steps or piece.line.kind == ledger.UNEXPLAINED)


def own_findings(before: Side, after: Side, reported: Sequence[Case], found: Tally) -> Iterator[Finding]:
    """Errors and unexplained tensors of the sides that no case of the comparison covers, with the side."""
    proven = _proven(before, after, found)
    known: set[tuple[str, str]] = set()
    mine, other = ({(one.code, one.title) for one in side.audited.findings} for side in (before, after))
    both = mine & other
    solved = [_is_guess(side.audited) for side in (before, after)]
    sides = (
        (SOURCE, before, [(case.finding, case.source) for case in reported], proven[0], solved[0] and not solved[1]),
        (TARGET, after, [(case.finding, case.target) for case in reported], proven[1], solved[1] and not solved[0]),
    )
    for own, side, cases, sure, guessed in sides:
        absences, shapes = _families(cases, sure)
        for finding in side.audited.findings:
            name = (finding.code, finding.title)
            covered = _is_of(finding, absences, ABSENCES) or _is_of(finding, shapes, SHAPES)
            covered = covered or isinstance(finding, OF_FOLDERS)
            if name in known or covered or not _matters(finding, name in both) or (guessed and _is_guessed(finding)):
                continue
            known.add(name)
            yield replace(finding, of_side="both" if name in both else own)


def is_joined_otherwise(case: Case, before: Side, after: Side) -> bool:
    """True for tensors that the other side has joined or apart, which its audit reports."""
    finding = case.finding
    if isinstance(finding, ParametersDropped | ParametersInvented):
        other = after if isinstance(finding, ParametersDropped) else before
        lost, _ = _joints(other.audited)
        return bool(finding.expected) and lost.issuperset(map(family_name, keys_in(finding.expected)))
    stored = _joints(after.audited)[1] if isinstance(finding, NamesChanged) else frozenset()
    return bool(case.target and stored) and stored.issuperset(map(family_name, case.target))


def _joints(audited: Audit) -> tuple[frozenset[str], frozenset[str]]:
    """(families that are missing, families that are stored instead), of projections in another form."""
    found = [one for one in audited.findings if isinstance(one, ProjectionsJoined)]
    wholes = {_family(joint.whole) for one in found for joint in one.joints}
    parts = {_family(part) for one in found for joint in one.joints for part in joint.parts}
    joined = any(one.joined for one in found)
    return (frozenset(parts), frozenset(wholes)) if joined else (frozenset(wholes), frozenset(parts))


def _family(shown: str) -> str:
    """The family of a matrix that is shown with its shape."""
    return shown.rpartition(" [")[0]


def _is_guess(audited: Audit) -> bool:
    """True if a side has no config, so that its symbols are solved or taken from the other side."""
    return audited.case is not None and (audited.case.solved or audited.checkpoint.config is None)


def _families(cases: Sequence[tuple[Finding, frozenset[str]]], sure: frozenset[str]) -> tuple[set[str], set[str]]:
    """(families reported as missing or unexpected, families reported as mismatched)."""
    absences = {family_name(key) for one, keys in cases if not isinstance(one, OF_SHAPES) for key in keys}
    shapes = {family_name(key) for one, keys in cases if isinstance(one, OF_SHAPES + OF_BOTH) or _is_held(one)
              for key in keys}  # fmt: skip
    named = {family_name(key) for key in sure}
    return absences | named, shapes | named


def _is_held(finding: Finding) -> bool:
    """True for parameters that a stored tensor of the other side lacks, which therefore has another shape."""
    return isinstance(finding, ParametersDropped | ParametersInvented) and finding.held


OF_FOLDERS = (ConfigMissing, ModelTypeMissing, FileNameUnknown, IndexRequired, PickledShardsUnread)
"""Findings on what a loader does not find in a folder; a conversion of tensors does not change it."""


def _matters(finding: Finding, both: bool) -> bool:
    beyond = isinstance(finding, TensorUnexpected | PartUnexpected | TensorRenamed)
    return finding.severity == "error" or (beyond and not both)


def _is_guessed(finding: Finding) -> bool:
    """True if a finding depends on symbols that are solved from shapes, while the other side has a config."""
    missing = (TensorMissing, LayersMissing, LayersMisnumbered, HeadMissing, WeightsIncomplete)
    return isinstance(finding, (*missing, *SHAPES))


def _is_of(finding: Finding, families: set[str], kinds: tuple[type[Finding], ...]) -> bool:
    if not isinstance(finding, kinds):
        return False
    own = finding.place.family
    if own is not None and (own in families or any(one.startswith(own.removesuffix("*")) for one in families)):
        return True
    if isinstance(finding, TensorsOfNoArchitecture):
        return families.issuperset(family_name(key) for key in keys_in(finding.names))
    if isinstance(finding, WITH_FAMILIES):
        return not families.isdisjoint(finding.families)
    return False
