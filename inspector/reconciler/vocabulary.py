"""Recognises a vocabulary that was resized in only some of the tensors with one row for each token."""

from __future__ import annotations

from inspector.algebra.expression import parse, words
from inspector.algebra.values import whole
from inspector.findings.finding import Finding, Place
from inspector.findings.vocabulary import VocabularyResizedInPart
from inspector.notation.scope import Scope
from inspector.notation.slots import scope_of
from inspector.reconciler.place import Placed, Placement
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import place_name

ROLES = ("embed.token", "head.token", "embed.shared")
ADDED = "final_logits_bias"
"""The buffer with one number for each token that BART and related models add to the scores; initially zeros."""


def resized_in_part(case: Reconciled) -> tuple[Finding, Placement] | None:
    """The finding, and the differences that it does not explain; None if all or none have the configured rows."""
    before = case.as_configured
    tables = [one for one in before.placed if one.block.slot.role.removesuffix(".bias") in ROLES and one.packed is None]
    resized = [one for one in tables if not one.fits and _rows(case, one) is not None]
    sizes = {(_rows(case, one), one.block.shape[_axis(one)]) for one in resized}
    if len(sizes) != 1 or len(resized) != len(before.mismatched):
        return None
    ((rows, configured),) = sizes
    kept = [one for one in tables if one.fits and one.layout.shape[_axis(one)] == configured]
    if not kept or rows is None or configured is None:
        return None
    innermost = max((*resized, *kept), key=lambda one: len(one.block.slot.scope))
    key = _key(scope_of(case.plan.scope, innermost.block.slot), configured)
    finding = VocabularyResizedInPart(
        place=Place(key=key),
        key=key,
        configured=configured,
        stored_rows=rows,
        resized=tuple(place_name(one.block.key, one.boxes) for one in resized),
        kept=tuple(place_name(one.block.key, one.boxes) for one in kept),
        tied=any(block.tie is not None and block.slot.role in ROLES for block in case.plan.blocks),
        copies=all(one.block.tie is not None for one in resized),
        added=all(one.block.key == ADDED for one in resized),
    )
    placed = tuple(one for one in before.placed if one.fits)
    return finding, Placement(placed, before.missing, before.unexpected)


def _key(scope: Scope, configured: int) -> str:
    """The config key of the vocabulary, including the submodels that contain it."""
    paths = words(parse(scope.symbols.get("V", "vocab_size")))
    stated = [path for path in paths if scope.settings.read(path)[0] == configured]
    segments = stated[0] if stated else ("vocab_size",)
    return ".".join(map(str, (*scope.prefix, *segments)))


def _rows(case: Reconciled, one: Placed) -> int | None:
    """The rows of a table that differs only by them from the configured vocabulary; else None."""
    stored, expected, axis = one.layout.shape, one.block.shape, _axis(one)
    vocabulary = whole(scope_of(case.plan.scope, one.block.slot).word(("V",)))
    if len(stored) != len(expected) or not stored or expected[axis] != vocabulary or stored[axis] == expected[axis]:
        return None
    same = (*stored[:axis], *stored[axis + 1 :]) == (*expected[:axis], *expected[axis + 1 :])
    return stored[axis] if same else None


def _axis(one: Placed) -> int:
    """The axis of the tokens."""
    return 1 if one.block.key == ADDED else 0
