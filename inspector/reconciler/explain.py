"""The findings of a reconciliation: causes first, then what no cause explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from inspector.algebra.expression import parse, words
from inspector.algebra.values import whole
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.matcher.claim import class_with_head
from inspector.matcher.families import Families
from inspector.matcher.spelling import WRAPPERS
from inspector.notation.binding import Block
from inspector.notation.definition import PADDED
from inspector.notation.roles import DISPUTED
from inspector.notation.scope import Scope
from inspector.notation.slots import scope_of
from inspector.reconciler import ledger
from inspector.reconciler.other_writers import names_in_dialect
from inspector.reconciler.reconcile import Again, Reconciled
from inspector.reconciler.wording import family_name, indices_in_words, place_name, place_of

if TYPE_CHECKING:
    from inspector.findings.names.components import PartOfLargerModel
    from inspector.reconciler.inverse.causes import Cause

MASK: Final = "embed.mask"
"""The role of what stands for masked inputs."""


def reconciliation_findings(case: Reconciled, families: Families, again: Again) -> Iterator[Finding]:
    """All findings on names, shapes, ties and submodels of one reconciliation.

    families: all that is stored. again: reconciles it with another claim.
    """
    parts = True
    if not case.placement.differences and not case.as_configured.differences:
        yield from _names(case)
        yield from _impossible(case)
    else:
        from inspector.findings.class_names import ClassDiffers

        found = list(_on_differences(case, families, again))
        yield from found
        # which names these, or whose part they are
        parts = not any(isinstance(one, ClassDiffers) and one.stored for one in found) and not _has_own_root(found)
    yield from _ties(case)
    if parts:
        yield from _components(case)
    yield from _declared(case)
    filled = ("embed.position", "head.token")  # computed by the class, or tied
    absent = [block for block in case.absent if block.slot.role not in filled]
    for wanted in (False, True):
        if blocks := [block for block in absent if (block.slot.role == MASK) is wanted]:
            yield _usual_absent(blocks, masks=wanted)


def _on_differences(case: Reconciled, families: Families, again: Again) -> Iterator[Finding]:
    """The findings of a case with missing, unexpected or mismatched tensors; its modules are imported for it alone."""
    from inspector.findings.class_names import HeadOfAnotherProgram
    from inspector.findings.single_causes import ConfigOfAnotherSize
    from inspector.reconciler.differing import differences
    from inspector.reconciler.single_causes import recognized

    single = recognized(case, families, again)
    rest = case if single is None else single.rest
    whole = single is not None and (  # which gives the prefix as well
        isinstance(single.finding, HeadOfAnotherProgram) or _has_own_root([single.finding])
    )
    named = whole or (single is not None and single.finding.of_another_type)
    larger = None if named else _larger_model(case)
    if larger is not None:
        yield larger
    elif not named:
        yield from _names(case)
    if single is not None and not (larger is not None and isinstance(single.finding, ConfigOfAnotherSize)):
        yield single.finding
    confidence = "likely" if case.solved else "certain"
    found = differences(rest, confidence)
    if rest.causes and _is_lost(rest, found):
        rest = rest.uncorrected(rest.as_configured)
        found = differences(rest, confidence)
    yield from _causes(rest)
    yield from _impossible(rest)
    yield from (one for one in found if larger is None or not _is_outside(one, larger))


def _has_own_root(findings: Sequence[Finding]) -> bool:
    """Whether a finding names the prefix that the class has in place of the stored one."""
    from inspector.findings.names.prefixes import PrefixOnNames

    return any(isinstance(one, PrefixOnNames) and one.root for one in findings)


def _larger_model(case: Reconciled) -> PartOfLargerModel | None:
    """That the names of the type are below a prefix that no wrapper adds, and the others are those of further parts."""
    reading, unexpected = case.reading, case.as_configured.unexpected
    if not reading.part or reading.prefix.startswith("*") or reading.prefix in WRAPPERS:
        return None
    if case.claim.definition is not reading.definition or all(len(one.layout.shape) < 2 for one in unexpected):
        return None
    from inspector.findings.names.components import PartOfLargerModel

    others = dict.fromkeys(one.key.partition(".")[0] for one in unexpected)
    tensors = sum(family.tensors for family in reading.families.values())
    return PartOfLargerModel(
        model_type=reading.name, prefix=reading.prefix, tensors=reading.part, without=tensors - reading.part,
        others=tuple(others)[:NAMES_SHOWN],
    )  # fmt: skip


def _is_outside(finding: Finding, larger: PartOfLargerModel) -> bool:
    """Whether a finding is on tensors of other parts than the one that the config describes."""
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected

    name = finding.place.tensor or finding.place.family or ""
    return isinstance(finding, PartUnexpected | TensorUnexpected) and name.partition(".")[0] in larger.others


def _is_lost(case: Reconciled, findings: Sequence[Finding]) -> bool:
    """Whether what the config seems to explain is lost like the rest: most is missing, or no stored tensor agrees."""
    from inspector.findings.single_causes import WeightsIncomplete

    if case.as_configured.mismatched or case.as_configured.unexpected:
        return False
    if any(_is_usual_part(case, one) for one in case.causes):
        return True
    if not case.placement.missing:
        return False
    unsupported = any(not cause.agreeing for cause in case.causes)
    missing = sum(gap.tensors for gap in case.as_configured.missing)
    most = missing > sum(one.tensors for one in case.as_configured.placed)
    return unsupported or most or any(isinstance(one, WeightsIncomplete) for one in findings)


def _is_usual_part(case: Reconciled, cause: Cause) -> bool:
    """Whether null in place of a name leaves out a part that the class has by default: its absence is not a reason."""
    from inspector.reconciler.inverse.solve import default_of

    leaves_out = not cause.agreeing and cause.weights is None and isinstance(cause.config, str)
    return leaves_out and default_of(case.plan.scope, tuple(cause.key.split("."))) is not None


def _usual_absent(blocks: Sequence[Block], *, masks: bool) -> Finding:
    """That a part that files of this class may leave out is not stored."""
    from inspector.findings.names.components import UsualPartAbsent

    sizes = [block.tensors * block.elements for block in blocks if block.elements is not None]
    return UsualPartAbsent(
        place=place_of(blocks[0].key, (blocks[0].axes,)),
        names=tuple(family_name(block.key) for block in blocks),
        tensors=sum(block.tensors for block in blocks),
        parameters=sum(sizes) if len(sizes) == len(blocks) else None,
        masks=masks,
    )


def _names(case: Reconciled) -> Iterator[Finding]:
    reading, claim, replaced = case.reading, case.claim, False
    if reading.prefix:
        from inspector.reconciler.prefixes import prefix_on_names

        found, replaced = prefix_on_names(case)
        yield found
    if claim.definition is not None and claim.definition is not reading.definition:
        from inspector.findings.names.architecture import NamesOfAnotherArchitecture

        yield NamesOfAnotherArchitecture(
            place=Place(key="model_type"),
            claimed=claim.model_type or claim.definition.names[0],
            names=reading.name,
            class_name=claim.class_name,
            coverage=round(reading.coverage, 3),
        )
    elif reading.by_names:
        from inspector.findings.names.architecture import ArchitectureFromNames

        yield ArchitectureFromNames(
            architecture=reading.name, twins=tuple(reading.same_names), head=_head_name(case), confidence="likely"
        )
    yield from names_in_dialect(case)
    yield from _padding(case)
    if replaced:  # the names lack the class's prefix because they have another one
        return
    named = reading.match.head
    if claim.head is not None and claim.definition is reading.definition and named.root != claim.head.root:
        from inspector.findings.names.architecture import NamesOfBaseModel

        stored = class_with_head(claim.class_name or "", claim.head, named)
        yield NamesOfBaseModel(
            class_name=claim.class_name,
            names=stored or f"{reading.name} {_suffix(named.names)}".rstrip(),
            prefix=claim.head.root,
            stored_prefix=named.root,
        )


def _padding(case: Reconciled) -> Iterator[Finding]:
    """Embedding rows beyond the vocabulary, where the writer rounds up and the config states the number of tokens."""
    rows, vocabulary = (whole(case.corrected.scope.word((name,))) for name in (PADDED, "V"))
    if rows is None or vocabulary is None or rows <= vocabulary:
        return
    parts = [line for line in case.ledger.lines if line.role in ("embed.token", "head.token")]
    padded = [line for line in parts if line.kind == ledger.PARAMETER and line.layout.shape[:1] == (rows,)]
    if padded:
        own = sum(line.parameters for line in padded)
        from inspector.findings.names.leftovers import VocabularyPadded

        yield VocabularyPadded(
            place=Place(key="vocab_size"),
            vocabulary_rows=rows,
            vocabulary=vocabulary,
            padding=rows - vocabulary,
            parameters=own // rows * (rows - vocabulary),
        )


def _head_name(case: Reconciled) -> str:
    return _suffix(case.head.names)


def _suffix(names: tuple[str, ...]) -> str:
    return names[0] if names and names[0] else ""


def _causes(case: Reconciled) -> Iterator[Finding]:
    labels = case.plan.scope.settings.values.get("id2label")
    for cause in case.causes:
        from inspector.findings.config import ConfigDisagrees, Rival

        yield ConfigDisagrees(
            place=Place(key=cause.key),
            key=cause.key,
            stated=cause.config,
            solved=cause.weights,
            default=cause.defaulted,
            explains=cause.explains,
            agreeing=cause.agreeing,
            dissenting=cause.dissenting,
            interval=(cause.interval[0], cause.interval[-1]) if cause.interval else None,
            element=cause.element,
            families=tuple(family_name(key) for key in cause.families[:20]),
            rivals=tuple(Rival(key, value) for key, value in cause.rivals),
            together=tuple(Rival(key, value) for key, value in cause.together),
            beside=Rival(*cause.beside) if cause.beside else None,
            lost=(indices_in_words(*cause.lost) or place_name(*cause.lost)) if cause.lost else None,
            misshaped=place_name(*cause.misshaped) if cause.misshaped else None,
            labels=len(labels) if cause.key == "num_labels" and isinstance(labels, dict) else None,
            confidence="likely" if cause.defaulted else "certain",
        )


def _impossible(case: Reconciled) -> Iterator[Finding]:
    if case.solved:
        return  # without a config no value can be impossible
    caused = {cause.key for cause in case.causes}
    for scope, prefix in _scopes(case):
        reported: set[tuple[str, ...]] = set()
        for fault in scope.faults:
            if fault.keys in reported or caused & {prefix + key for key in fault.keys}:
                continue
            reported.add(fault.keys)
            keys = [prefix + key for key in fault.keys]
            from inspector.findings.config import ConfigImpossible

            yield ConfigImpossible(
                place=Place(key=keys[0] if keys else None),
                expression=fault.expression,
                detail=fault.detail,
                keys=tuple(keys),
                kind=fault.kind,
            )


def _scopes(case: Reconciled) -> Iterator[tuple[Scope, str]]:
    """The scope of the definition and those of the submodels of this class, each with the prefix of its config keys."""
    paths = {slot.scope for slot in case.plan.unrolled.slots}
    yield case.plan.scope, ""
    for path in sorted({one[:depth] for one in paths for depth in range(1, len(one) + 1)}):
        scope = case.plan.scope.below(path)
        yield scope, "".join(f"{step}." for step in scope.prefix)


def _ties(case: Reconciled) -> Iterator[Finding]:
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
        if not tied and not (target and block.required):
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


TABLES = ("embed.token", "embed.shared")
"""Roles of the table that a head is tied to."""


def _alone(case: Reconciled, head: Block) -> Iterator[Finding]:
    """The warning on a tied head of which the table is not stored, under any of its names."""
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


def _extra_parts(lines: Sequence[ledger.Line]) -> dict[str, list[ledger.Line]]:
    """The lines beyond the class's model by component; without a name for it those of one module together."""
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


def _components(case: Reconciled) -> Iterator[Finding]:
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
        )


def _declared(case: Reconciled) -> Iterator[Finding]:
    """Extra parts (such as MTP layers) with a number stated in the config and nothing stored."""
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
    """The config key for the number of such blocks, and its value."""
    shared = {hole for block in case.corrected.blocks if not block.slot.extra for hole in block.slot.holes}
    for block in blocks:
        scope = scope_of(case.corrected.scope, block.slot)
        for hole in (hole for hole in block.slot.holes if hole in scope.symbols and hole not in shared):
            for path in words(parse(scope.symbols[hole])):
                value = scope.settings.values.get(path[0])
                if len(path) == 1 and path[0] not in scope.symbols and type(value) is int and value > 0:
                    return path[0], value
    return None
