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
from inspector.comparing.notes import notes
from inspector.comparing.pairing import Pairs, pair
from inspector.comparing.pieces import Side
from inspector.comparing.relation import are_one_model
from inspector.comparing.result import Comparison
from inspector.comparing.roles import role_differences, role_rows
from inspector.comparing.settings import setting_findings
from inspector.comparing.sides import side_of
from inspector.comparing.stated_keys import key_findings
from inspector.comparing.submodels import as_submodel, with_plain_mlp, without_left_out
from inspector.comparing.symbols import differing_sizes
from inspector.comparing.tally import Tally, tally
from inspector.comparing.ties import TiedCopy, settled
from inspector.comparing.uncounted import shape_findings, uncounted
from inspector.findings.finding import Finding, merged, ordered
from inspector.loader.layout import Layout
from inspector.loader.over_budget import exceeded_findings
from inspector.matcher.families import families_of
from inspector.notation.roles import label

if TYPE_CHECKING:
    from inspector.loader.sources.traffic import Progress


def compare(
    source: str,
    target: str,
    projector: str | None = None,
    *,
    expect: str | None = None,
    hashes: bool = False,
    places: Sequence[Mapping[str, Any]] = ({}, {}, {}),
    progress: Progress | None = None,
) -> Comparison:
    """Compares the checkpoints at two places. expect "conversion" makes a different model an error.

    projector: llama.cpp's file of towers and projector; it and the target may be given in either order. places: for
    each of the three the location options of `audit` (revision, subfolder, repo_type, cached). If a side is a
    repository, the files are compared too. hashes: read every byte of large local files for this.
    """
    with one_budget():
        given = [one for one in (source, target, projector) if one is not None]
        one, other, *more = (audit(place, **options) for place, options in zip(given, places, strict=False))
        compared = compare_audits(one, other, *more, expect=expect)
    if not (one.checkpoint.tree or other.checkpoint.tree):
        return compared
    from inspector.comparing.files import with_files

    return with_files(compared, hashes=hashes, progress=progress)


def compare_audits(
    one: Audit, other: Audit, projector: Audit | None = None, *, expect: str | None = None
) -> Comparison:
    """Compares two audits. projector: the audit of llama.cpp's file of towers and projector."""
    if projector is not None:
        from inspector.comparing.projector import in_order, with_projector

        text, towers = in_order(other, projector)
        return with_projector(compare_audits(one, text, expect=expect), towers)
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
    """The result if a side cannot be read, or if the two are too large to compare."""
    of_sides = (
        replace(found, of_side=name) for name, side in (("source", one), ("target", other)) for found in side.findings
    )
    roles, findings = tuple(role_differences(one, other)), (*why, *of_sides)
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
    before, after = as_submodel(before, after), as_submodel(after, before)
    before, after = with_plain_mlp(before, after), with_plain_mlp(after, before)
    before, left_out = without_left_out(before, after)
    pairs = pair(before.parameters, after.parameters)
    found = tally(pairs)
    borrowed = left is not one or right is not other
    if are_one_model(before, after, pairs, found, stated=not borrowed):
        return _conversion(before, after, pairs, found, copies, left_out)
    return _different(one, other, totals, expect)


def _read_like(own: Audit, other: Audit) -> Audit:
    """Repeats an audit that has no architecture with the architecture of the other side."""
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
    symbols = differing_sizes(one.case, other.case) if both and one.case and other.case else {}
    from inspector.findings.conversion.relation import ModelsDiffer, NotAConversion

    kind = NotAConversion if expect == "conversion" else ModelsDiffer
    finding = kind(
        source=totals[0],
        target=totals[1],
        symbols=tuple(f"{name} {left:,} -> {right:,}" for name, (left, right) in symbols.items()),
        architectures=tuple(side.architecture.name if side.architecture else None for side in (one, other)),
    )
    verdict = "findings" if expect == "conversion" else "clean"
    roles = tuple(role_differences(one, other))
    unread = [side for side in (one, other) if side.case is None and not side.components]
    skipped = tuple(Skipped(f"roles of {side.title}", _unread(side)) for side in unread)
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


def _unread(side: Audit) -> str:
    if side.checkpoint.adapter is not None:
        return "it is an adapter; `inspector audit ADAPTER --base BASE` compares it with its base"
    return "unsupported architecture"


def _admitted(own: Side, other: Side) -> Side:
    """The side including tensors beyond its class that the other side has as a part of the model."""
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


def _conversion(
    before: Side, after: Side, pairs: Pairs, found: Tally, copies: Sequence[TiedCopy], left_out: Sequence[Finding]
) -> Comparison:
    carried = sum(one.parameters for one in found.carried)
    dropped = sum(one.dropped for one in found.carried) + sum(one.parameters for one in found.dropped)
    invented = sum(one.invented for one in found.carried) + sum(one.parameters for one in found.invented)
    reported = _causes(before, after, found)
    others = uncounted(before, after)
    own = merged([
        *(case.finding for case in reported), *shape_findings(others.unexplained), *notes(before, after, found, copies),
        *left_out,
    ])  # fmt: skip
    findings = ordered([*own, *_of_sides(before, after, reported, found)])
    bad = dropped + invented > _padding(reported) or any(finding.severity != "note" for finding in findings)
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
        only_source=found.dropped,
        only_target=found.invented,
        skipped=tuple(_skipped(pairs, found)),
        uncounted=others,
    )


def _causes(before: Side, after: Side, found: Tally) -> list[Case]:
    """The causes of the parameters that are not carried over. If there are none, nothing is imported for this."""
    if found.is_complete and not before.unexpected and not after.unexpected:
        return []
    from inspector.comparing.causes import causes
    from inspector.comparing.in_part import as_one
    from inspector.comparing.own_findings import is_joined_otherwise

    return as_one([
        case
        for case in causes(before, after, found)
        if not (_explained(case, before, after) or is_joined_otherwise(case, before, after))
    ], before, after)  # fmt: skip


def _of_sides(before: Side, after: Side, reported: Sequence[Case], found: Tally) -> Iterator[Finding]:
    """The findings of the two audits that the comparison does not replace."""
    yield from key_findings(before.audited, after.audited)
    yield from setting_findings(before.audited, after.audited)
    if before.audited.findings or after.audited.findings:
        from inspector.comparing.own_findings import own_findings

        yield from own_findings(before, after, reported, found)


def _padding(reported: Sequence[Case]) -> int:
    """Parameters of the rows that pad the vocabulary of one side."""
    if not reported:
        return 0
    from inspector.findings.conversion.shapes import PaddingDiffers

    padded = [case.finding for case in reported if isinstance(case.finding, PaddingDiffers)]
    return sum(finding.dropped + finding.invented for finding in padded)


_NOTHING = Layout("U8", (), 1, 1)


def _explained(case: Case, before: Side, after: Side) -> bool:
    """True if the tensors are missing because a file of that side could not be read or is absent, which its audit
    reports.
    """
    if _may_be_in_lost_file(case, before.audited, after.audited):
        return True
    return any(
        audited.checkpoint.lost
        and families
        and families
        <= families_of({name: _NOTHING for names in audited.checkpoint.lost.values() for name in names}).keys()
        for audited, families in ((before.audited, case.source), (after.audited, case.target))
    )


def _may_be_in_lost_file(case: Case, source: Audit, target: Audit) -> bool:
    """True if tensors of only one side may be in an absent file of the other side, whose content no index states."""
    from inspector.findings.conversion.parameters import (
        LayersDropped,
        LayersInvented,
        ParametersDropped,
        ParametersInvented,
    )
    from inspector.findings.shards.files import ShardMissing

    dropped = isinstance(case.finding, ParametersDropped | LayersDropped)
    if not dropped and not isinstance(case.finding, ParametersInvented | LayersInvented):
        return False
    lacking = target if dropped else source
    return any(isinstance(one, ShardMissing) and one.tensors is None for one in lacking.findings)


def _skipped(pairs: Pairs, found: Tally) -> Iterator[Skipped]:
    yield Skipped("values", "headers only: no tensor data was read")
    steps = {step for one in found.carried for step in one.steps}
    moved = [word for word in ("reordered", "interleaved") if word in steps]
    why = "reordering does not change shapes: rotary layouts of q and k, swapped halves"
    yield Skipped("order of rows", f"{why}; {' and '.join(moved)} here" if moved else why)
    for role in pairs.undecided:
        yield Skipped(f"parts of {label(role)}", "their boundaries follow only from the other side")
