"""Compares two checkpoints by role: verifies a conversion, or lists the differences of two models.

Both sides are mapped to roles through their definitions (`inspector.comparing`); the tally shows which parameters of
the source arrive in the target. source = carried + dropped and target = carried + added, to the last parameter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from inspector.auditing.result import Audit, Skipped
from inspector.auditing.start import audit, audit_loaded
from inspector.budget import Exceeded, one_budget
from inspector.comparing.cases import Case
from inspector.comparing.causes import causes
from inspector.comparing.notes import notes
from inspector.comparing.pairing import Pairs, pair
from inspector.comparing.pieces import Piece, Side
from inspector.comparing.relation import are_one_model
from inspector.comparing.result import Comparison
from inspector.comparing.roles import role_differences, role_rows
from inspector.comparing.sides import side_of
from inspector.comparing.symbols import differing_widths
from inspector.comparing.tally import Carried, Tally, tally
from inspector.comparing.ties import TiedCopy, settled
from inspector.findings.config import ConfigDisagrees, ConfigMissing, ModelTypeMissing
from inspector.findings.conversion.parameters import LayersDropped, LayersInvented, LayersRenumbered
from inspector.findings.conversion.relation import ModelsDiffer, NotAConversion
from inspector.findings.conversion.shapes import PaddingDiffers, RowsCut, RowsPadded, ShapeNotCarried
from inspector.findings.finding import Finding, merged, ordered
from inspector.findings.names.tensors import (
    LayersMisnumbered,
    LayersMissing,
    PartUnexpected,
    TensorMissing,
    TensorRenamed,
    TensorUnexpected,
)
from inspector.findings.shapes import ShapeDiffers, StoredTransposed
from inspector.findings.shards.index import IndexRequired
from inspector.findings.shards.names import FileNameUnknown
from inspector.findings.single_causes import ConfigKeysAbsent, HeadsPruned, OneRankOfSeveral, WeightsIncomplete
from inspector.findings.totals import HeadMissing
from inspector.loader.layout import Layout
from inspector.loader.over_budget import exceeded_findings
from inspector.matcher.families import families_of
from inspector.notation.roles import label
from inspector.reconciler import ledger
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.loader.sources.traffic import Progress


def compare(
    source: str,
    target: str,
    *,
    expect: str | None = None,
    hashes: bool = False,
    places: Sequence[Mapping[str, Any]] = ({}, {}),
    progress: Progress | None = None,
) -> Comparison:
    """Compares the checkpoints at two places. expect "conversion" makes a different model an error.

    places: for each side the options of `audit` on its location (revision, subfolder, repo_type, cached).
    Where a side is a repository the files are compared too; hashes: reads every byte of large local files.
    """
    with one_budget():
        one, other = (audit(place, **options) for place, options in zip((source, target), places, strict=True))
        compared = compare_audits(one, other, expect=expect)
    if not (one.checkpoint.tree or other.checkpoint.tree):
        return compared
    from inspector.comparing.files import with_files

    return with_files(compared, hashes=hashes, progress=progress)


def compare_audits(one: Audit, other: Audit, *, expect: str | None = None) -> Comparison:
    """Compares two audits."""
    if "unreadable" in (one.verdict, other.verdict):
        return _not_compared(one, other, "unreadable")
    if not (one.ledger.is_whole and other.ledger.is_whole):
        return _not_compared(one, other, "findings")
    with one_budget():
        try:
            return _compared(one, other, expect)
        except Exceeded as exceeded:
            return _not_compared(one, other, "findings", exceeded_findings(exceeded))


def _not_compared(one: Audit, other: Audit, verdict: str, why: Sequence[Finding] = ()) -> Comparison:
    """The result where a side cannot be read, or where both are too large to be compared."""
    roles, findings = tuple(role_differences(one, other)), (*why, *one.findings, *other.findings)
    totals = one.counts.unique_parameters, other.counts.unique_parameters
    return Comparison(
        source=one, target=other, relation="different", roles=roles, findings=findings, verdict=verdict,
        parameters=totals,
    )  # fmt: skip


def _compared(one: Audit, other: Audit, expect: str | None) -> Comparison:
    totals = one.counts.unique_parameters, other.counts.unique_parameters
    left, right = _read_like(one, other), _read_like(other, one)
    before, after, copies = settled(side_of(left), side_of(right))
    before, after = _admitted(before, after), _admitted(after, before)
    pairs = pair(before.parameters, after.parameters)
    found = tally(pairs)
    borrowed = left is not one or right is not other
    if are_one_model(before, after, pairs, found, stated=not borrowed):
        return _conversion(before, after, pairs, found, copies)
    return _different(one, other, totals, expect)


def _read_like(own: Audit, other: Audit) -> Audit:
    """Repeats an audit without an architecture, using that of the other side."""
    config, case = other.checkpoint.config, other.case
    if own.case is not None or own.components or own.checkpoint.config is not None or case is None:
        return own
    if own.checkpoint.adapter is not None:
        return own
    name = case.reading.definition.names[0]
    if config is not None:
        again = audit_loaded(replace(own.checkpoint, config=config))
    else:
        again = audit_loaded(own.checkpoint, like=name)
    if again.case is None or again.case.reading.definition.names[0] != name:
        return own
    return replace(again, checkpoint=own.checkpoint)


def _different(one: Audit, other: Audit, totals: tuple[int, int], expect: str | None) -> Comparison:
    both = (
        one.case is not None
        and other.case is not None
        and one.case.reading.definition.name == other.case.reading.definition.name
    )
    symbols = differing_widths(one.case, other.case) if both and one.case and other.case else {}
    kind = NotAConversion if expect == "conversion" else ModelsDiffer
    finding = kind(
        source=totals[0],
        target=totals[1],
        symbols=tuple(f"{name} {left:,} -> {right:,}" for name, (left, right) in symbols.items()),
        architectures=tuple(side.architecture.name if side.architecture else None for side in (one, other)),
    )
    verdict = "findings" if expect == "conversion" else "clean"
    roles = tuple(role_differences(one, other))
    unread = [side.title for side in (one, other) if side.case is None and not side.components]
    skipped = tuple(Skipped(f"roles of {title}", "unsupported architecture") for title in unread)
    return Comparison(
        source=one,
        target=other,
        relation="different",
        roles=roles,
        findings=(finding,),
        verdict=verdict,
        parameters=totals,
        skipped=skipped,
    )


def _admitted(own: Side, other: Side) -> Side:
    """The side with tensors beyond its class, where the other side has them as a part of the model."""
    wanted = {(piece.identity.role, piece.identity.tensor) for piece in other.parameters}
    mine = {(piece.identity.role, piece.identity.tensor) for piece in own.parameters}
    beyond = [
        piece
        for piece in own.extra
        if piece.line.component == piece.identity.role and (piece.identity.role, piece.identity.tensor) in wanted - mine
    ]
    if not beyond:
        return own
    moved = tuple(replace(piece, identity=replace(piece.identity, component="")) for piece in beyond)
    chosen = {id(piece) for piece in beyond}
    rest = tuple(piece for piece in own.extra if id(piece) not in chosen)
    return replace(own, parameters=(*own.parameters, *moved), extra=rest)


def _conversion(before: Side, after: Side, pairs: Pairs, found: Tally, copies: Sequence[TiedCopy]) -> Comparison:
    carried = sum(one.parameters for one in found.carried)
    dropped = sum(one.dropped for one in found.carried) + sum(one.parameters for one in found.dropped)
    invented = sum(one.invented for one in found.carried) + sum(one.parameters for one in found.invented)
    reported = [case for case in causes(before, after, found) if not _explained(case, before, after)]
    own = merged([*(case.finding for case in reported), *notes(before, after, found, copies)])
    findings = ordered([*own, *_of_sides(before, after, reported, _proven(before, after, found))])
    padded = [case.finding for case in reported if isinstance(case.finding, PaddingDiffers)]
    padding = sum(finding.dropped + finding.invented for finding in padded)
    bad = dropped + invented > padding or any(finding.severity != "note" for finding in findings)
    return Comparison(
        source=before.audited,
        target=after.audited,
        relation="conversion",
        roles=tuple(role_rows(before, after, found)),
        carried=carried,
        dropped=dropped,
        invented=invented,
        findings=tuple(findings),
        verdict="findings" if bad else "clean",
        parameters=(carried + dropped, carried + invented),
        carriage=found.carried,
        skipped=tuple(_skipped(pairs, found)),
    )


_NOTHING = Layout("U8", (), 1, 1)


def _explained(case: Case, before: Side, after: Side) -> bool:
    """Whether the tensors are missing because a file of that side could not be read, as its audit reports."""
    return any(
        audited.checkpoint.lost
        and families
        and families
        <= families_of({name: _NOTHING for names in audited.checkpoint.lost.values() for name in names}).keys()
        for audited, families in ((before.audited, case.source), (after.audited, case.target))
    )


def _skipped(pairs: Pairs, found: Tally) -> Iterator[Skipped]:
    yield Skipped("values", "headers only: no tensor data was read")
    steps = {step for one in found.carried for step in one.steps}
    moved = [word for word in ("reordered", "interleaved") if word in steps]
    why = "reordering does not change shapes: rotary layouts of q and k, swapped halves"
    yield Skipped("order of rows", f"{why}; {' and '.join(moved)} here" if moved else why)
    for role in pairs.undecided:
        yield Skipped(f"parts of {label(role)}", "their boundaries follow only from the other side")


ABSENCES = (
    TensorMissing,
    LayersMissing,
    LayersMisnumbered,
    TensorUnexpected,
    PartUnexpected,
    TensorRenamed,
    HeadMissing,
    WeightsIncomplete,
)
SHAPES = (ShapeDiffers, StoredTransposed, ConfigDisagrees, ConfigKeysAbsent, HeadsPruned, OneRankOfSeveral)
"""Findings of an audit that a comparison also reports, with both sides: missing, unexpected, mismatched."""
WITH_FAMILIES = (
    TensorMissing,
    PartUnexpected,
    TensorRenamed,
    StoredTransposed,
    ConfigDisagrees,
    ConfigKeysAbsent,
    HeadsPruned,
    OneRankOfSeveral,
    WeightsIncomplete,
)
OF_SHAPES = (RowsCut, RowsPadded, ShapeNotCarried, PaddingDiffers)
OF_BOTH = (LayersDropped, LayersInvented, LayersRenumbered)


def _proven(before: Side, after: Side, found: Tally) -> tuple[frozenset[str], frozenset[str]]:
    """Families of a side without a config, with an orientation or position that the other side confirms."""
    solved = [side.audited.case is not None and side.audited.case.solved for side in (before, after)]
    return (
        frozenset(one.source.line.family for one in found.carried if solved[0] and _is_other(one, one.source)),
        frozenset(one.target.line.family for one in found.carried if solved[1] and _is_other(one, one.target)),
    )


def _is_other(one: Carried, piece: Piece) -> bool:
    return one.fit.whole and ("transposed" in one.steps or piece.line.kind == ledger.UNEXPLAINED)


def _of_sides(
    before: Side, after: Side, reported: Sequence[Case], proven: tuple[frozenset[str], frozenset[str]]
) -> Iterator[Finding]:
    """Errors and unexplained tensors of the sides that no case of the comparison covers."""
    known: set[tuple[str, str]] = set()
    mine, other = ({(one.code, one.title) for one in side.audited.findings} for side in (before, after))
    both = mine & other
    solved = [_is_guess(side.audited) for side in (before, after)]
    sides = (
        (before, [(case.finding, case.source) for case in reported], proven[0], solved[0] and not solved[1]),
        (after, [(case.finding, case.target) for case in reported], proven[1], solved[1] and not solved[0]),
    )
    for side, cases, sure, guessed in sides:
        absences, shapes = _families(cases, sure)
        for finding in side.audited.findings:
            name = (finding.code, finding.title)
            covered = _is_of(finding, absences, ABSENCES) or _is_of(finding, shapes, SHAPES)
            covered = covered or isinstance(finding, OF_FOLDERS)
            if name in known or covered or not _matters(finding, name in both) or (guessed and _is_guessed(finding)):
                continue
            known.add(name)
            yield finding


def _is_guess(audited: Audit) -> bool:
    """Whether a side has no config, so that its symbols are solved or taken from the other side."""
    return audited.case is not None and (audited.case.solved or audited.checkpoint.config is None)


def _families(cases: Sequence[tuple[Finding, frozenset[str]]], sure: frozenset[str]) -> tuple[set[str], set[str]]:
    """(families reported as missing or unexpected, families reported as mismatched)."""
    absences = {family_name(key) for one, keys in cases if not isinstance(one, OF_SHAPES) for key in keys}
    shapes = {family_name(key) for one, keys in cases if isinstance(one, OF_SHAPES + OF_BOTH) for key in keys}
    named = {family_name(key) for key in sure}
    return absences | named, shapes | named


OF_FOLDERS = (ConfigMissing, ModelTypeMissing, FileNameUnknown, IndexRequired)
"""What a loader does not find in a folder: nothing that a conversion of its tensors changes."""


def _matters(finding: Finding, both: bool) -> bool:
    beyond = isinstance(finding, TensorUnexpected | PartUnexpected | TensorRenamed)
    return finding.severity == "error" or (beyond and not both)


def _is_guessed(finding: Finding) -> bool:
    """Whether a finding depends on symbols solved from shapes, while the other side has a config."""
    missing = (TensorMissing, LayersMissing, LayersMisnumbered, HeadMissing, WeightsIncomplete)
    return isinstance(finding, (*missing, *SHAPES))


def _is_of(finding: Finding, families: set[str], kinds: tuple[type[Finding], ...]) -> bool:
    if not isinstance(finding, kinds):
        return False
    own = finding.place.family
    if own is not None and (own in families or any(one.startswith(own.removesuffix("*")) for one in families)):
        return True
    if isinstance(finding, WITH_FAMILIES):
        return not families.isdisjoint(finding.families)
    return False
