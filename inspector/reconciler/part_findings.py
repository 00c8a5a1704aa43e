"""Findings on whole parts of a model: parts beyond its class, buffers, and declared or usual parts that
are not stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.algebra.expression import parse, words
from inspector.findings.finding import Finding, Place
from inspector.notation.binding import Block
from inspector.notation.roles import DISPUTED
from inspector.notation.scope import Scope
from inspector.notation.slots import scope_of
from inspector.reconciler import ledger
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name, place_of

MASK: Final = "embed.mask"
"""The role of the embedding that replaces masked inputs."""
FILLED: Final = ("embed.position", "head.token")
"""Roles of tensors that the class computes or ties."""


TABLES: Final = ("position_embeddings.weight", "position_embedding.weight")
"""Tables of positions, beside which a model keeps the number of each row."""
NUMBERS: Final = "position_ids"


def _numbers_of_another_length(case: Reconciled, buffers: Sequence[ledger.Line]) -> Iterator[tuple[str, int, int]]:
    """(name, stored numbers, rows of the table beside them) for numbers of positions that were not resized with it."""
    rows = {one.block.key: one.layout.shape[0] for one in case.as_configured.placed if one.block.key.endswith(TABLES)}
    for line in buffers:
        stem, _, last = line.family.rpartition(".")
        if last != NUMBERS or not line.tensors:
            continue
        of_table = next((rows[key] for key in (f"{stem}.{table}" for table in TABLES) if key in rows), None)
        if of_table is not None and of_table != line.elements // line.tensors:
            yield family_name(line.family), line.elements // line.tensors, of_table


def stored_parts(case: Reconciled) -> Iterator[Finding]:
    """Stored parts that the class does not have, and stored buffers."""
    for component, lines in _extra_parts([line for line in case.ledger.lines if line.kind == ledger.EXTRA]).items():
        from inspector.findings.names.components import ComponentExtra

        yield ComponentExtra(
            place=place_of(lines[0].family, lines[0].boxes),
            component=component,
            parameters=sum(line.parameters for line in lines),
            bytes=sum(line.bytes for line in lines),
            tensors=sum(line.tensors for line in lines),
            families=tuple(family_name(line.family) for line in lines[:20]),
            class_name=case.claim.class_name,
        )
    buffers = [line for line in case.ledger.lines if line.kind == ledger.BUFFER]
    if buffers:
        from inspector.findings.totals import BuffersStored

        disputed = [line for line in buffers if line.role in DISPUTED and not line.component]
        elements = sum(line.elements for line in disputed)
        yield BuffersStored(
            place=place_of(buffers[0].family, buffers[0].boxes),
            elements=sum(line.elements for line in buffers),
            bytes=sum(line.bytes for line in buffers),
            tensors=sum(line.tensors for line in buffers),
            families=tuple(dict.fromkeys(family_name(line.family) for line in buffers))[:20],
            disputed=disputed[0].role if disputed else None,
            disputed_elements=elements if disputed else None,
            with_disputed=case.ledger.counts.unique_parameters + elements if disputed else None,
            stale=next(_numbers_of_another_length(case, buffers), None),
        )


def _extra_parts(lines: Sequence[ledger.Line]) -> dict[str, list[ledger.Line]]:
    """The lines beyond the class's model by component; parts without a name are grouped by module."""
    parts: dict[str, list[ledger.Line]] = {}
    modules: dict[str, list[ledger.Line]] = {}
    for line in lines:
        if line.component == line.role:
            modules.setdefault(line.family.partition(".")[0], []).append(line)
        else:
            parts.setdefault(line.component, []).append(line)
    for module, inside in modules.items():
        from inspector.reconciler.alternatives import common_prefix

        alike = len({line.role for line in inside}) == 1
        named = inside[0].role if alike else common_prefix([line.family for line in inside]) or module
        parts.setdefault(named, []).extend(inside)
    return parts


def declared_parts(case: Reconciled) -> Iterator[Finding]:
    """The findings on extra parts (such as MTP layers) that are not stored although the config states their number."""
    blocks: dict[str, list[Block]] = {}
    for block in case.corrected.blocks:
        if block.slot.extra and block.tensors:
            blocks.setdefault(block.slot.extra, []).append(block)
    stored = {one.block.slot.extra for one in case.placement.placed}
    for component, absent in blocks.items():
        said = None if component in stored or case.solved else _said_extent(case, absent)
        if said is None:
            continue
        own = [block for block in absent if block.slot.tensor.counted and block.tie is None]
        sizes = [block.tensors * block.elements for block in own if block.elements is not None]
        from inspector.findings.names.components import ComponentAbsent

        yield ComponentAbsent(
            place=Place(key=said[0]),
            component=component,
            key=said[0],
            value=said[1],
            tensors=sum(block.tensors for block in own),
            parameters=sum(sizes) if len(sizes) == len(own) else None,
        )


def _said_extent(case: Reconciled, blocks: Sequence[Block]) -> tuple[str, int] | None:
    """The config key that states the number of such blocks, and its value."""
    shared = {hole for block in case.corrected.blocks if not block.slot.extra for hole in block.slot.holes}
    for block in blocks:
        scope = scope_of(case.corrected.scope, block.slot)
        for hole in (hole for hole in block.slot.holes if hole in scope.symbols and hole not in shared):
            if said := _said_by(scope, hole):
                return said
    return None


def _said_by(scope: Scope, symbol: str) -> tuple[str, int] | None:
    """The key from which a symbol is read, possibly as the symbol of a submodel, and its value."""
    for path in words(parse(scope.symbols[symbol])):
        value = scope.settings.values.get(path[0])
        if len(path) == 1 and path[0] not in scope.symbols and type(value) is int and value > 0:
            return ".".join((*map(str, scope.prefix), path[0])), value
        submodel = scope.submodels.get(path[0]) if len(path) == 2 else None
        if submodel is not None and path[1] in submodel.symbols and (said := _said_by(submodel, path[1])):
            return said
    return None


def usual_parts_absent(case: Reconciled) -> Iterator[Finding]:
    """The findings on absent parts that files of this class may leave out; masks are reported separately."""
    absent = [block for block in case.absent if block.slot.role not in FILLED]
    for wanted in (False, True):
        if blocks := [block for block in absent if (block.slot.role == MASK) is wanted]:
            yield _usual_absent(blocks, masks=wanted)


def _usual_absent(blocks: Sequence[Block], *, masks: bool) -> Finding:
    """The finding on one absent part that files of this class may leave out."""
    from inspector.findings.names.components import UsualPartAbsent

    sizes = [block.tensors * block.elements for block in blocks if block.elements is not None]
    return UsualPartAbsent(
        place=place_of(blocks[0].key, (blocks[0].axes,)),
        names=tuple(family_name(block.key) for block in blocks),
        tensors=sum(block.tensors for block in blocks),
        parameters=sum(sizes) if len(sizes) == len(blocks) else None,
        masks=masks,
    )
