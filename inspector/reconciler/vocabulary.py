"""Recognises a vocabulary that was resized in only some of the tensors with one row for each token."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.algebra.expression import parse, words
from inspector.algebra.values import whole
from inspector.findings.finding import Finding, Place
from inspector.findings.vocabulary import VocabularyResizedInPart
from inspector.notation.scope import Scope
from inspector.notation.slots import scope_of
from inspector.reconciler.place import Placed, Placement
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.vocabulary_ranks import copies_in
from inspector.reconciler.wording import place_name

HEAD = "head.token"
TABLE = "embed.token"
ROLES = (TABLE, HEAD, "embed.shared")
MOST_BEYOND = 8
"""Most rows beyond those of the tokens: Mllama has eight, for its images."""
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
    if rows is None or configured is None:
        return None
    beyond = {_beyond(case, one) for one in resized}
    kept = [one for one in tables if one.fits and _vocabulary(case, one) in {configured - more for more in beyond}]
    kept_beyond = {_beyond(case, one) for one in kept}
    if len(beyond) != 1 or len(kept_beyond) != 1 or _two_vocabularies(resized, kept):
        return None
    innermost = max((*resized, *kept), key=lambda one: len(one.block.slot.scope))
    scope = scope_of(case.plan.scope, innermost.block.slot)
    key = _key(scope, configured - max(beyond))
    finding = VocabularyResizedInPart(
        place=Place(key=key),
        key=key,
        configured=configured,
        stored_rows=rows,
        resized=tuple(place_name(one.block.key, one.boxes) for one in resized),
        kept=tuple(place_name(one.block.key, one.boxes) for one in kept),
        tied=any(block.tie is not None and block.slot.role == HEAD for block in case.plan.blocks),
        copies=all(one.block.tie is not None for one in resized),
        added=all(one.block.key == ADDED for one in resized),
        beyond=max(beyond),
        kept_beyond=kept_beyond.pop(),
        decoder=_is_decoder_alone(resized, kept),
        replaced=2 * rows < configured and {one.block.slot.role.removesuffix(".bias") for one in resized} == {HEAD},
        joined=None if any(beyond) else copies_in(rows, configured, scope.settings.defaults.get("vocab_size")),
    )
    placed = tuple(one for one in before.placed if one.fits)
    return finding, Placement(placed, before.missing, before.unexpected)


def _two_vocabularies(resized: Sequence[Placed], kept: Sequence[Placed]) -> bool:
    """True if encoder and decoder have tables of different lengths: resizing a model changes the table of both."""
    towers = [{one.block.slot.tower for one in tables if one.block.slot.role == TABLE} for tables in (resized, kept)]
    return all(towers) and towers[0].isdisjoint(towers[1])


def _is_decoder_alone(resized: Sequence[Placed], kept: Sequence[Placed]) -> bool:
    """True if a head and a decoder's copy of the embedding agree on other rows than the table itself."""
    roles = {one.block.slot.role.removesuffix(".bias") for one in resized}
    copied = any(one.block.tie is not None and one.block.slot.role != HEAD for one in resized)
    return HEAD in roles and copied and any(one.block.tie is None for one in kept)


def _key(scope: Scope, configured: int) -> str:
    """The config key of the vocabulary, including the submodels that contain it."""
    paths = words(parse(scope.symbols.get("V", "vocab_size")))
    stated = [path for path in paths if scope.settings.read(path)[0] == configured]
    segments = stated[0] if stated else ("vocab_size",)
    return ".".join(map(str, (*scope.prefix, *segments)))


def _rows(case: Reconciled, one: Placed) -> int | None:
    """The rows of a table that differs only by them from the configured vocabulary; else None."""
    stored, expected, axis = one.layout.shape, one.block.shape, _axis(one)
    if len(stored) != len(expected) or not stored or _beyond(case, one) < 0 or stored[axis] == expected[axis]:
        return None
    same = (*stored[:axis], *stored[axis + 1 :]) == (*expected[:axis], *expected[axis + 1 :])
    return stored[axis] if same else None


def _vocabulary(case: Reconciled, one: Placed) -> int | None:
    return whole(scope_of(case.plan.scope, one.block.slot).word(("V",)))


def _beyond(case: Reconciled, one: Placed) -> int:
    """Rows that the class has in a table beyond those of the tokens; below 0 where the tokens do not decide them."""
    vocabulary, rows = _vocabulary(case, one), one.block.shape[_axis(one)]
    return rows - vocabulary if vocabulary is not None and rows is not None and rows - vocabulary <= MOST_BEYOND else -1


def _axis(one: Placed) -> int:
    """The axis of the tokens."""
    return 1 if one.block.key == ADDED else 0
