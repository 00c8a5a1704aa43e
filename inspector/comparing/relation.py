"""Decides whether two checkpoints are the same model, so that one can be a conversion of the other."""

from __future__ import annotations

from inspector.algebra.expression import words
from inspector.auditing.result import CLEAN
from inspector.comparing.pairing import Pairs
from inspector.comparing.pieces import Piece, Side
from inspector.comparing.shapes import fit
from inspector.comparing.symbols import FREE, differing_widths
from inspector.comparing.tally import Tally
from inspector.reconciler.reconcile import Reconciled

FEW = 10
"""At most one in this many roles may differ by damage: another width affects more roles."""


def are_one_model(source: Side, target: Side, pairs: Pairs, found: Tally, *, stated: bool = True) -> bool:
    """True if the configs state the same architecture and agree; without that, decided by the roles and their shapes.

    By shapes the model is the same if all common roles agree, except for vocabularies and numbers of layers and
    experts. It is also the same if shapes disagree only for roles with several shapes or mismatched tensors on one
    side, or for too few roles to be another width: that is damage, not another model. stated: each side has a config.
    """
    if not found.carried or _have_other_components(source, target):
        return False
    one, other = source.audited.case, target.audited.case
    if stated and one is not None and other is not None and _are_stated_alike(one, other):
        return True
    if stated and _are_stated_otherwise(source, target, pairs):
        return False
    agreeing, odd, differing = _agreement(pairs, _faulty(source) | _faulty(target))
    if differing > max(1, agreeing // FEW) or 2 * (odd + differing) > agreeing:
        return False
    return 2 * (agreeing + odd + differing) >= min(len(pairs.source), len(pairs.target))


def _have_other_components(source: Side, target: Side) -> bool:
    """True if a component of two pipelines has other widths by its own config, and the weights of both sides fit
    theirs.
    """
    ours, theirs = source.audited.components, target.audited.components
    for name in ours.keys() & theirs.keys():
        one, other = ours[name], theirs[name]
        if one.case is None or other.case is None or {one.verdict, other.verdict} != {CLEAN}:
            continue
        same = one.case.reading.definition is other.case.reading.definition
        if same and not (one.case.solved or other.case.solved) and differing_widths(one.case, other.case):
            return True
    return False


def _are_stated_alike(one: Reconciled, other: Reconciled) -> bool:
    if one.solved or other.solved or one.reading.definition.name != other.reading.definition.name:
        return False
    return not differing_widths(one, other)


def _are_stated_otherwise(source: Side, target: Side, pairs: Pairs) -> bool:
    """True if the configs name different architectures, each of which has a part that the other one lacks."""
    one, other = source.audited.case, target.audited.case
    files = [None if side.audited.checkpoint.config is None else side.audited.checkpoint.config.file
             for side in (source, target)]  # fmt: skip
    if one is None or other is None or one.solved or other.solved or files != ["config.json"] * 2:
        return False
    if one.reading.definition.name == other.reading.definition.name:
        return False
    roles = [{identity.role for identity in side if not identity.role.startswith("head")}
             for side in (pairs.source, pairs.target)]  # fmt: skip
    return bool(roles[0] - roles[1]) and bool(roles[1] - roles[0])


def _faulty(side: Side) -> set[str]:
    """Families in which the audit of the side finds mismatched tensors."""
    case = side.audited.case
    return set() if case is None else {one.block.key for one in case.placement.mismatched}


def _agreement(pairs: Pairs, faulty: set[str]) -> tuple[int, int, int]:
    """(roles with an equal shape, roles damaged on one side, roles that differ)."""
    agreeing = odd = 0
    differing: set[str] = set()
    for identity in pairs.identities:
        left, right = pairs.source.get(identity), pairs.target.get(identity)
        if not left or not right:
            continue
        if any(_agree(one, other) for one in left for other in right):
            agreeing += 1
        elif _is_odd(left, right) or any(piece.line.family in faulty for piece in (*left, *right)):
            odd += 1
        else:
            differing.add(identity.role or identity.place)
    return agreeing, odd, len(differing)


def _agree(one: Piece, other: Piece) -> bool:
    found = fit(one.shape, other.shape)
    if found.whole or any(piece.line.packed is not None and not piece.line.packed.exact for piece in (one, other)):
        return True
    return found.axis is not None and _is_free(one, found.axis)


def _is_free(piece: Piece, axis: int) -> bool:
    """True if a dim counts words, layers or experts."""
    return axis < len(piece.dims) and any(
        path[-1] in FREE or path[-1] in piece.identity.axes or path[-1] == "E" for path in words(piece.dims[axis])
    )


def _is_odd(left: list[Piece], right: list[Piece]) -> bool:
    return len({piece.shape for piece in left}) > 1 or len({piece.shape for piece in right}) > 1
