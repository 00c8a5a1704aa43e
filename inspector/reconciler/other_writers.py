"""The note that the names of a checkpoint are those of another release or program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.findings.finding import Finding
from inspector.notation.binding import Block
from inspector.notation.scope import Scope
from inspector.notation.slots import HOLE, unroll
from inspector.notation.spelling import template
from inspector.reconciler.wording import place_name

if TYPE_CHECKING:
    from inspector.reconciler.reconcile import Reconciled

_LAST_NUMBER: Final = re.compile(r"\.\*\.(weight|bias)$")
"""The end of a pattern for single experts, where their number is before it as the family is read."""


def names_in_dialect(case: Reconciled) -> Iterator[Finding]:
    """The note on names of another release or program, with an example."""
    reading, dialect = case.reading, case.corrected.spelling.dialect
    if not dialect and (not reading.writer or reading.writer == case.claim.writer):
        return
    writers = reading.definition.writers
    writer = reading.writer or (writers[dialect] if dialect < len(writers) else "")
    from inspector.findings.names.architecture import NamesInDialect

    renames = tuple(_renames(case))
    example = renames[0][0] if _numbers_last(case) and renames else _example(case)
    yield NamesInDialect(writer=writer, example=example, renames=renames)


def _example(case: Reconciled) -> str:
    """A stored name that the definition itself does not have; any stored name if it has them all."""
    placed = sorted(case.placement.placed, key=lambda one: _is_own_name(case, one.block))
    return next((place_name(one.block.key, one.boxes) for one in placed), "")


def _renames(case: Reconciled) -> Iterator[tuple[str, str]]:
    """(stored name, name of the class) as patterns, if the writer's tensors differ only by name."""
    from inspector.dialects.catalog import dialects_by

    program = next(iter(dialects_by(case.reading.writer)), None)
    if program is None or not program.names_alone or case.reading.prefix or case.placement.mismatched:
        return
    for stored, own in _by_name(case):
        yield _LAST_NUMBER.sub(r".\1*", stored) if program.numbers_last else stored, own


def _numbers_last(case: Reconciled) -> bool:
    """True if the writer puts an expert's number at the end of its name."""
    from inspector.dialects.catalog import dialects_by

    return any(one.numbers_last for one in dialects_by(case.reading.writer)) if case.reading.writer else False


def renames_of_older(case: Reconciled) -> tuple[tuple[str, str], ...]:
    """(stored name, name of the class) as patterns, if the names are those of an older release; else ()."""
    older = case.corrected.spelling.dialect and not case.reading.writer and not case.reading.prefix
    return tuple(_by_name(case)) if older and not case.placement.mismatched else ()


def _by_name(case: Reconciled) -> Iterator[tuple[str, str]]:
    spelling, scope = case.corrected.spelling, case.corrected.scope
    plain = replace(spelling, dialect=0)
    slots = {id(one.block.slot): one.block.slot for one in case.placement.placed}
    roots = _roots(case)
    for slot in slots.values():
        stored = spelling.spelled(slot, scope)
        own = (
            f"{roots.get(slot.own_row, '')}{slot.own_row}{slot.tensor.suffix}"
            if slot.own_row
            else plain.spelled(slot, scope)
        )
        if stored != own:
            yield HOLE.sub("*", stored), HOLE.sub("*", own)


def _roots(case: Reconciled) -> dict[str, str]:
    """Row of the class's own definition -> the prefix of its body, for rows of the body."""
    definition, head = case.claim.definition, case.claim.head
    if definition is None or head is None or not head.root:
        return {}
    slots = unroll(Scope(definition, case.claim.settings, definition_of), head).slots
    return {slot.row: head.root for slot in slots if slot.body}


def _is_own_name(case: Reconciled, block: Block) -> bool:
    """True if the definition has the name of a block without a dialect, below any prefix of its head."""
    slot = block.slot
    if slot.own_row:
        return slot.row.endswith(slot.own_row)
    spelling = replace(case.corrected.spelling, dialect=0)
    return block.key == template(spelling.spelled(slot, case.corrected.scope))[0]
