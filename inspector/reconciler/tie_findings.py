"""Findings on ties: a stored copy, a head that is left out as allowed, or a head without its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.findings.finding import Finding
from inspector.notation.binding import Block, bind
from inspector.notation.spelling import Spelling
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import place_of

TABLES: Final = ("embed.token", "embed.shared")
"""Roles of the table that a head is tied to."""


def tie_findings(case: Reconciled) -> Iterator[Finding]:
    """The findings on the ties of a model, except those of mismatched tensors."""
    yield from table_under_copy_of_decoder(case)
    stored = {id(one.block.slot) for one in case.placement.placed}
    misshaped = {id(one.block.slot) for one in case.placement.mismatched}
    for block in case.corrected.blocks:
        if block.tie is None or block.slot.extra or id(block.slot) in misshaped:
            continue
        present = id(block.slot) in stored
        target = id(block.tie) in stored
        if present and not target and block.slot.role == "head.token" and not case.claim.writer:
            yield from _alone(case, block)
        if not block.slot.role.startswith("head") and not present:
            continue
        tied = present and target
        if (not tied and not (target and block.required)) or (tied and _shares_storage(case, block)):
            continue
        from inspector.findings.totals import CopyStored, HeadTied

        kind = CopyStored if tied else HeadTied
        yield kind(
            place=place_of(block.key, (block.axes,)),
            role=block.slot.role,
            tied_to=block.tie.role,
            shape=block.shape,
            elements=block.elements,
            solved=case.solved,
        )


def _shares_storage(case: Reconciled, copy: Block) -> bool:
    """True if the format states that a tied tensor is no copy but shares the storage of its table."""
    sharing = case.sharing.get(copy.key)
    return sharing is not None and any(one.key in sharing for one in case.corrected.blocks if one.slot is copy.tie)


ENCODER: Final = "EncoderModel"
"""Ending of the classes of an encoder alone."""


def table_under_copy_of_decoder(case: Reconciled) -> Iterator[Finding]:
    """The note on a shared table of which only a copy is stored that the class of the encoder alone does not have."""
    definition, prefix = case.reading.definition, case.reading.prefix.removeprefix("*")
    alone = next((head for head in definition.heads if ENCODER in head.names), None)
    if alone is None or case.head is alone or case.placement.missing:
        return
    copies = [one.block for one in case.placement.placed if one.block.slot.role in TABLES]
    if len(copies) != 1 or copies[0].tie is None or copies[0].axes:
        return
    own = {block.key for block in bind(case.plan.scope, alone, Spelling(alone.root), lambda key: []).blocks}
    table = next((one for one in case.corrected.blocks if one.slot is copies[0].tie and not one.axes), None)
    if table is None or copies[0].key in own or table.key not in own:
        return
    from inspector.findings.totals import TableUnderCopy

    base = (case.claim.class_name or "").partition("For")[0].removesuffix("Model")
    yield TableUnderCopy(
        place=place_of(copies[0].key, (copies[0].axes,)), stored=prefix + copies[0].key, wanted=prefix + table.key,
        class_name=f"{base}{ENCODER}",
    )  # fmt: skip


def without_tied_head(findings: Sequence[Finding]) -> list[Finding]:
    """The findings on one shard of several, in which an absent head says nothing: another shard may contain it."""
    from inspector.findings.totals import HeadTied

    return [one for one in findings if not isinstance(one, HeadTied)]


def _alone(case: Reconciled, head: Block) -> Iterator[Finding]:
    """The warning on a tied head with a table that is not stored under any of its names."""
    if head.tie is None or any(one.block.slot.role in TABLES for one in case.placement.placed):
        return
    table = next((one for one in case.corrected.blocks if one.slot is head.tie and not one.axes), None)
    if table is None or head.axes:
        return
    from inspector.findings.totals import HeadAloneOfTie

    prefix = case.reading.prefix.removeprefix("*")
    yield HeadAloneOfTie(
        place=place_of(head.key, (head.axes,)),
        role=head.slot.role,
        tied_to=head.tie.role,
        shape=head.shape,
        elements=head.elements,
        solved=case.solved,
        stored=prefix + head.key,
        wanted=prefix + table.key,
    )
