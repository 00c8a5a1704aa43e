"""Findings on missing and unexpected tensors: one for each cause that `compress` finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from inspector.algebra.boxes import Box, joined, minus, outer
from inspector.algebra.names import axes_of
from inspector.algebra.span import Span
from inspector.findings.finding import Finding, Place
from inspector.matcher.spelling import OF_WHOLE_ENCODER
from inspector.notation.binding import Block
from inspector.notation.slots import Slot, scope_of
from inspector.reconciler import ledger
from inspector.reconciler.compress import RENAMED, RENUMBERED, SINGLE, WRAPPED, Explanation, OneSided, Portion, compress
from inspector.reconciler.numbering import LayerNumbers
from inspector.reconciler.place import Gap, Unexpected
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.renamed_pairs import first_name, paired_names
from inspector.reconciler.renaming import of_one_module, of_one_writer
from inspector.reconciler.tie_findings import TABLES
from inspector.reconciler.wording import family_name, indices_in_words, names_in, place_name, place_of

if TYPE_CHECKING:
    from inspector.findings.names.renamed import TensorRenamed

TOWERS: Final = (("vision",), ("audio",), ("qformer",))
PROJECTOR: Final = "bridge."


def absent_and_unexpected(case: Reconciled, confidence: str) -> Iterator[Finding]:
    """One finding for each cause of missing or unexpected tensors."""
    gaps, unexpected = case.placement.missing, case.placement.unexpected
    unexplained = {line.family for line in case.ledger.lines if line.kind == ledger.UNEXPLAINED}
    missing = [
        OneSided(gap.block.key, gap.boxes, gap.block.shape, first_name(gap.block.key, gap.boxes), alone=gap.is_head)
        for gap in gaps
    ]
    extra = [
        OneSided(
            extra.key,
            extra.boxes,
            extra.layout.shape,
            first_name(extra.key, extra.boxes),
            explained=extra.key not in unexplained,
        )
        for extra in unexpected
    ]
    known: dict[str, list[Box]] = {}
    for block in case.corrected.blocks:
        known.setdefault(block.key, []).append(block.axes)
    causes = compress(missing, extra, _present(case), known)
    yield from _renamings(case, causes)
    yield from _subtrees(case, causes, confidence)
    yield from _singles(case, causes, confidence)


def _present(case: Reconciled) -> dict[str, list[Box]]:
    """The index sets of stored required tensors. An all-or-nothing group is required if any of its
    tensors is stored.
    """
    lost: dict[int, tuple[Box, ...]] = {id(gap.block): gap.boxes for gap in case.placement.missing}
    begun = {gap.block.slot for gap in case.placement.missing}
    placed = {one.block.slot for one in case.placement.placed}
    copied = {block.tie for block in case.corrected.blocks if block.tie is not None and block.slot in placed}
    found: dict[str, list[Box]] = {}
    for block in case.corrected.blocks:
        counts = block.required and block.tie is None
        if counts and (block.slot in begun or not (block.slot.group or block.slot in copied)):
            found.setdefault(block.key, []).extend(minus((block.axes,), lost.get(id(block), ())))
    return found


def _parameters(gaps: Sequence[Gap], parts: Sequence[Portion]) -> int:
    return sum(part.tensors * (gaps[part.position].block.elements or 0) for part in parts)


def _tensors(parts: Sequence[Portion]) -> int:
    return sum(part.tensors for part in parts)


def _boxes(parts: Sequence[Portion]) -> tuple[Box, ...]:
    return joined(box for part in parts for box in part.boxes)


def _families(keys: Sequence[str]) -> list[str]:
    return [family_name(key) for key in dict.fromkeys(keys)]


# --- names ---


def _renamings(case: Reconciled, causes: Sequence[Explanation]) -> Iterator[Finding]:
    """The findings on renamed tensors; families with the same change of names share one finding."""
    gaps, unexpected = case.placement.missing, case.placement.unexpected
    renamed: list[TensorRenamed] = []
    for cause in causes:
        if cause.kind not in (RENAMED, WRAPPED):
            continue
        assert cause.change is not None
        first = gaps[cause.missing[0].position].block
        parts = [part for part in cause.missing if gaps[part.position].block.key == first.key]
        others = [
            part for part in cause.extra if unexpected[part.position].key == unexpected[cause.extra[0].position].key
        ]
        families = _families([gaps[part.position].block.key for part in cause.missing])
        old, new, begins = cause.change
        from inspector.findings.names.renamed import TensorRenamed

        renamed.append(
            TensorRenamed(
                place=place_of(first.key, _boxes(parts)) if len(families) == 1 else Place(),
                stored=place_name(unexpected[others[0].position].key, _boxes(others)),
                expected=place_name(first.key, _boxes(parts)),
                tensors=_tensors(cause.missing),
                shape=first.shape,
                role=first.slot.role,
                families=tuple(families),
                old=old,
                new=new,
                begins=begins,
                renames=paired_names(case, cause),
                confidence="likely",
            )
        )
    yield from of_one_writer(list(of_one_module(renamed)))


# --- whole parts ---


def _subtrees(case: Reconciled, causes: Sequence[Explanation], confidence: str) -> Iterator[Finding]:
    """The findings on whole layers, experts or submodels that are missing or unexpected."""
    for cause in causes:
        if cause.kind in (SINGLE, RENAMED, WRAPPED):
            continue
        if cause.kind == RENUMBERED:
            yield _misnumbered(case, cause)
        elif cause.missing:
            yield _part_missing(case, cause, confidence)
        else:
            yield _part_unexpected(case, cause)


def _misnumbered(case: Reconciled, cause: Explanation) -> Finding:
    gaps, unexpected = case.placement.missing, case.placement.unexpected
    before = cause.indices
    after = outer((box for part in cause.extra for box in part.boxes), axes_of(cause.where))
    first, numbers = cause.extra[0], _numbers(case, cause.where, before, after)
    from inspector.findings.names.layers import LayersMisnumbered

    return LayersMisnumbered(
        place=Place(family=family_name(cause.where), indices=indices_in_words(cause.where, before)),
        missing=indices_in_words(cause.where, before),
        stored=indices_in_words(cause.where, after),
        shift=None if numbers is None else numbers.shift,
        renumbered=_renumbered(numbers),
        tensors=_tensors(cause.extra),
        parameters=_parameters(gaps, cause.missing),
        families=tuple(_families([gaps[part.position].block.key for part in cause.missing])),
        names=tuple(names_in(unexpected[first.position].key, first.boxes, 5)),
        confidence="likely",
    )


def _numbers(case: Reconciled, prefix: str, missing: Sequence[Box], added: Sequence[Box]) -> LayerNumbers | None:
    """The numbers at a prefix as stored and as expected; None if it has several `#` or nothing else is stored there."""
    there = _stored_at(case, prefix)
    if not there:
        return None
    before, after = (Span.union((*there[0], *(box[0] for box in boxes))) for boxes in (missing, added))
    return LayerNumbers(prefix, after, before)


def _renumbered(numbers: LayerNumbers | None) -> tuple[tuple[int, int], ...]:
    """(number, new number) of each layer in order, if layers were cut out and the others were not renumbered.

    The surplus numbers then follow the configured numbers. Otherwise a single layer may have the wrong number.
    """
    if numbers is None or numbers.stored.size != numbers.expected.size or not numbers.in_order:
        return ()
    return tuple((old, new) for old, new in numbers.changes().items() if old != new)


def _part_missing(case: Reconciled, cause: Explanation, confidence: str) -> Finding:
    gaps = case.placement.missing
    where = indices_in_words(cause.where, cause.indices)
    numbered = cause.where.endswith("#")
    name = cause.where.rpartition(".")[2]
    what = where if numbered else f"{name} of {where}" if where else f"all of {cause.where}"
    counted = [part for part in cause.missing if numbered or gaps[part.position].block.slot.tensor.counted]
    stored = _stored_at(case, cause.where) if numbered else ()
    from inspector.findings.names.layers import LayersMissing
    from inspector.reconciler.fewer_layers import fewer_layers

    return LayersMissing(
        place=Place(family=family_name(cause.where) + ("" if numbered else ".*"), indices=where or None),
        what=what,
        tensors=_tensors(cause.missing),
        parameters=_parameters(gaps, counted),
        families=len({gaps[part.position].block.key for part in cause.missing}),
        present=indices_in_words(cause.where, stored) if numbered else "",
        groups=max(1, len(cause.indices)),
        part=None if numbered else name,
        fewer=fewer_layers(case, cause.where, Span.union(box[0] for box in cause.indices), stored[0][0])
        if stored
        else (),
        instead="" if numbered else _stored_instead(case, cause),
        tower=not numbered
        and not where
        and all(_is_of_tower(gaps[part.position].block.slot) for part in cause.missing),
        confidence=confidence,
    )


def _is_of_tower(slot: Slot) -> bool:
    """True for a module of a tower of images or sound, or of the projector behind it."""
    return slot.scope[:1] in TOWERS or slot.role.startswith(PROJECTOR)


def _stored_instead(case: Reconciled, cause: Explanation) -> str:
    """The module with several unexpected tensors exactly where a part is missing; empty if there is none."""
    above = cause.where.rpartition(".")[0]
    parent = f"{above}." if above else ""
    boxes: dict[str, list[tuple[Box, ...]]] = {}
    for extra in case.placement.unexpected:
        if extra.key.startswith(parent):
            boxes.setdefault(extra.key.removeprefix(parent).partition(".")[0], []).append(extra.boxes)
    there = set(cause.indices)
    alone = len(boxes) == 1 and not case.placement.mismatched and len(cause.missing) == len(case.placement.missing)
    if not above and not alone:  # parts of the whole model that have nothing to do with each other
        return ""
    return next(
        (name for name, found in boxes.items() if len(found) > 1 and all(set(one) == there for one in found)), ""
    )


def _stored_at(case: Reconciled, prefix: str) -> tuple[Box, ...]:
    """The indices of a prefix at which any tensor is stored; empty if the prefix has several `#`."""
    if axes_of(prefix) != 1:
        return ()
    below = f"{prefix}."
    stored = Span.union(box[0] for one in case.placement.placed if one.block.key.startswith(below) for box in one.boxes)
    return ((stored,),) if stored else ()


def _part_unexpected(case: Reconciled, cause: Explanation) -> Finding:
    unexpected = [case.placement.unexpected[part.position] for part in cause.extra]
    where = indices_in_words(cause.where, cause.indices)
    from inspector.findings.names.tensors import PartUnexpected

    return PartUnexpected(
        place=Place(family=f"{family_name(cause.where)}.*", indices=where or None),
        tensors=_tensors(cause.extra),
        families=tuple([family_name(extra.key) for extra in unexpected[:20]]),
        elements=sum(one.layout.elements * part.tensors for one, part in zip(unexpected, cause.extra, strict=True)),
        bytes=sum(one.layout.bytes * part.tensors for one, part in zip(unexpected, cause.extra, strict=True)),
        shape=unexpected[0].layout.shape,
        names=tuple(
            [
                name
                for extra, part in zip(unexpected[:5], cause.extra, strict=False)
                for name in names_in(extra.key, part.boxes, 3)
            ][:20]
        ),
        part=cause.where,
        module=_module_of_encoder(case, f"{cause.where}."),
    )


# --- single modules ---


def _singles(case: Reconciled, causes: Sequence[Explanation], confidence: str) -> Iterator[Finding]:
    """The findings on single missing tensors, by module: weight and bias of one layer share one finding."""
    missing = [cause.missing[0] for cause in causes if cause.kind == SINGLE and cause.missing]
    heads = [part for part in missing if case.placement.missing[part.position].is_head]
    rest = [part for part in missing if part not in heads]
    for head in () if case.solved else heads:  # without a config the head may be tied to a submodel of unknown type
        also = [part for part in rest if _untied_with(case, head, part)]
        rest = [part for part in rest if part not in also]
        yield _head_missing(case, head, also)
    yield from _modules_missing(case, rest, confidence)
    yield from _unexpected(case, [cause.extra[0] for cause in causes if cause.kind == SINGLE and cause.extra])


def _untied_with(case: Reconciled, head: Portion, other: Portion) -> bool:
    """True if one predicate unties both, such as the bias of a head, which itself is tied to no embedding."""
    one, two = (case.placement.missing[part.position].block.slot for part in (head, other))
    return bool(two.tied) and one.definition is two.definition and one.scope == two.scope and one.ties == two.ties


def _head_missing(case: Reconciled, head: Portion, also: Sequence[Portion]) -> Finding:
    """The finding on an untied head that is not stored: always separate, since loaders initialise it randomly."""
    gaps = case.placement.missing
    block = gaps[head.position].block
    scope, ties = scope_of(case.corrected.scope, block.slot), block.slot.definition.ties
    default = scope.by_default(ties)
    from inspector.findings.totals import HeadMissing

    return HeadMissing(
        place=place_of(block.key, head.boxes),
        shape=block.shape,
        parameters=_parameters(gaps, (head, *also)),
        also=tuple([place_name(gaps[part.position].block.key, part.boxes) for part in also]),
        ties=ties,
        tie=scope.reason(ties),
        default=default,
        confidence="likely" if default else "certain",
    )


def _modules_missing(case: Reconciled, parts: Sequence[Portion], confidence: str) -> Iterator[Finding]:
    gaps = case.placement.missing
    stored = {one.block.key for one in case.placement.placed}
    families: dict[tuple[str, str], list[Portion]] = {}
    for part in parts:
        block = gaps[part.position].block
        families.setdefault((block.key, block.slot.row if block.key in stored else ""), []).append(part)
    modules: dict[tuple[str, frozenset[Box]], list[list[Portion]]] = {}
    for members in families.values():
        row = gaps[members[0].position].block.slot.row
        modules.setdefault((row, frozenset(_boxes(members))), []).append(members)
    alike: dict[object, list[list[Portion]]] = {}
    for (row, boxes), own in modules.items():
        blocks = [gaps[members[0].position].block for members in own]
        form = tuple((block.key.rpartition(".")[2], block.shape) for block in blocks)
        whole = stored.isdisjoint(block.key for block in blocks)
        # modules of one name that are missing everywhere, as in an encoder and a decoder, have one cause
        alike.setdefault((row.rpartition(".")[2], boxes, form) if whole else (row, boxes), []).extend(own)
    for same in alike.values():
        yield _module_missing(case, same, confidence)


def _module_missing(case: Reconciled, alike: Sequence[Sequence[Portion]], confidence: str) -> Finding:
    """The finding on the missing tensors of one module at the same indices. alike: by family."""
    gaps = case.placement.missing
    parts = [part for members in alike for part in members]
    first: Block = gaps[parts[0].position].block
    from inspector.findings.names.tensors import TensorMissing
    from inspector.reconciler.computed_tables import is_computed

    return TensorMissing(
        place=place_of(first.key, _boxes(alike[0])),
        names=tuple([name for part in parts for name in names_in(gaps[part.position].block.key, part.boxes, 5)][:20]),
        families=tuple([family_name(gaps[members[0].position].block.key) for members in alike]),
        tensors=_tensors(parts),
        parameters=_parameters(gaps, parts),
        shape=first.shape,
        role=first.slot.role,
        expected_tensors=sum(gaps[part.position].block.tensors for part in alike[0]),
        counted=first.slot.tensor.counted,
        head=_head_alike(case, first),
        computed=all(is_computed(case, gaps[part.position].block) for part in parts),
        confidence=confidence,
    )


def _head_alike(case: Reconciled, table: Block) -> str:
    """The stored head with the shape of a missing table, which is the table if the model ties both; "" for others."""
    if table.slot.role not in TABLES or table.axes:
        return ""
    heads = (one for one in case.placement.placed if one.block.slot.role == "head.token" and not one.block.axes)
    return next((place_name(one.block.key, one.boxes) for one in heads if one.layout.shape == table.shape), "")


def _unexpected(case: Reconciled, parts: Sequence[Portion]) -> Iterator[Finding]:
    """The findings on single unexpected tensors; those of one module at the same indices share one finding."""
    unexpected = case.placement.unexpected
    modules: dict[tuple[str, tuple[Box, ...]], list[Portion]] = {}
    for part in parts:
        modules.setdefault((unexpected[part.position].key.rpartition(".")[0], part.boxes), []).append(part)
    for (module, boxes), members in modules.items():
        if module and len(members) > 1:
            yield _part_unexpected(case, Explanation(SINGLE, module, boxes, extra=tuple(members)))
        else:
            yield from (_tensor_unexpected(case, unexpected[part.position], part) for part in members)


def _tensor_unexpected(case: Reconciled, extra: Unexpected, part: Portion) -> Finding:
    from inspector.findings.names.tensors import TensorUnexpected

    return TensorUnexpected(
        place=place_of(extra.key, part.boxes),
        tensors=part.tensors,
        elements=extra.layout.elements * part.tensors,
        bytes=extra.layout.bytes * part.tensors,
        shape=extra.layout.shape,
        dtype=extra.layout.dtype,
        names=tuple(names_in(extra.key, part.boxes)),
        module=_module_of_encoder(case, names_in(extra.key, part.boxes, 1)[0]),
    )


def _module_of_encoder(case: Reconciled, name: str) -> str:
    """The number of the module of a sentence encoder that has a tensor; "" if the whole encoder was not saved."""
    first, _, rest = name.partition(".")
    return first if case.reading.prefix in OF_WHOLE_ENCODER and first.isdecimal() and rest else ""
