"""The findings of a reconciliation: first the known causes, then the differences that no cause explains."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from inspector.algebra.values import whole
from inspector.architectures.defaults import defaults_of, is_component
from inspector.dialects.libraries import library_of
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.matcher.claim import class_with_head
from inspector.matcher.families import Families
from inspector.matcher.spelling import WRAPPERS
from inspector.notation.definition import PADDED
from inspector.notation.scope import SHORT, Scope
from inspector.reconciler import ledger
from inspector.reconciler.other_writers import names_in_dialect
from inspector.reconciler.part_findings import declared_parts, stored_parts, usual_parts_absent
from inspector.reconciler.reconcile import Again, Reconciled
from inspector.reconciler.tie_findings import tie_findings
from inspector.reconciler.wording import family_name, indices_in_words, place_name

if TYPE_CHECKING:
    from inspector.findings.names.components import PartOfLargerModel
    from inspector.matcher.reading import Reading
    from inspector.reconciler.inverse.cause import Cause

NUMBER_OF_LABELS: Final = "num_labels"
MADE_UP: Final = re.compile(r"LABEL_\d+", re.ASCII)
"""A name that transformers gives to a label without one."""


def reconciliation_findings(case: Reconciled, families: Families, again: Again) -> Iterator[Finding]:
    """All findings on names, shapes, ties and submodels of one reconciliation.

    families: all stored families. again: reconciles them with another claim.
    """
    parts = True
    if not case.placement.differences and not case.as_configured.differences:
        yield from _names(case)
        yield from _impossible(case)
    else:
        from inspector.findings.class_names import ClassDiffers

        found = list(_on_differences(case, families, again))
        yield from found
        # these findings already name the extra parts, or concern the whole of which they are parts
        parts = not any(isinstance(one, ClassDiffers) and one.stored for one in found) and not _has_own_root(found)
    yield from tie_findings(case)
    if parts:
        yield from stored_parts(case)
    yield from declared_parts(case)
    yield from usual_parts_absent(case)


def _on_differences(case: Reconciled, families: Families, again: Again) -> Iterator[Finding]:
    """The findings on missing, unexpected or mismatched tensors. Only here are the modules for differences imported."""
    from inspector.findings.class_names import HeadOfAnotherProgram
    from inspector.findings.single_causes import ConfigOfAnotherSize
    from inspector.reconciler.differing import differences
    from inspector.reconciler.prefixes import parts_below_prefixes
    from inspector.reconciler.single_causes import recognized

    single = recognized(case, families, again)
    rest = case if single is None else single.rest
    whole = single is not None and (  # this finding includes the prefix
        isinstance(single.finding, HeadOfAnotherProgram) or _has_own_root([single.finding])
    )
    named = whole or (single is not None and single.finding.of_another_type)
    confidence = "likely" if case.solved else "certain"
    found = differences(rest, confidence)
    larger = None if named else _larger_model(case, families)
    below = None if larger is None else parts_below_prefixes(case, found, families)
    if below is not None:
        yield below
        return
    if larger is not None:
        yield larger
    elif not named:
        yield from _names(case)
    if single is not None and not (larger is not None and isinstance(single.finding, ConfigOfAnotherSize)):
        yield single.finding
    if rest.causes and _is_lost(rest, found):
        rest = rest.uncorrected(rest.as_configured)
        found = differences(rest, confidence)
    yield from _causes(rest)
    yield from _impossible(rest)
    yield from (one for one in found if larger is None or not _is_outside(one, larger))


def _has_own_root(findings: Sequence[Finding]) -> bool:
    """True if a finding names the prefix that the class has in place of the stored prefix."""
    from inspector.findings.names.prefixes import PrefixOnNames

    return any(isinstance(one, PrefixOnNames) and one.root for one in findings)


def _larger_model(case: Reconciled, families: Families) -> PartOfLargerModel | None:
    """The finding on a larger model that contains the model of the config below its own prefix, next to other
    parts.
    """
    reading, unexpected = case.reading, case.as_configured.unexpected
    if not reading.part or reading.prefix.startswith("*") or reading.prefix in WRAPPERS:
        return None
    if case.claim.definition is not reading.definition or all(len(one.layout.shape) < 2 for one in unexpected):
        return None
    from inspector.findings.names.components import PartOfLargerModel

    others = dict.fromkeys(one.key.partition(".")[0] for one in unexpected)
    tensors = sum(family.tensors for family in reading.families.values())
    root = case.claim.head.root if case.claim.head is not None else ""
    outside = (name.partition(".")[0] for name in families if not name.startswith(reading.prefix))
    heads = dict.fromkeys(one for one in outside if root and one not in others)
    has_root = any(name.startswith(reading.prefix + root) for name in families)
    return PartOfLargerModel(
        model_type=reading.name, prefix=reading.prefix, tensors=reading.part, without=tensors - reading.part,
        others=tuple(others)[:NAMES_SHOWN], heads=tuple(heads), root=root if heads and not has_root else "",
    )  # fmt: skip


def _is_outside(finding: Finding, larger: PartOfLargerModel) -> bool:
    """True if a finding concerns tensors of parts outside the model that the config describes."""
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected

    name = finding.place.tensor or finding.place.family or ""
    return isinstance(finding, PartUnexpected | TensorUnexpected) and name.partition(".")[0] in larger.others


def _is_lost(case: Reconciled, findings: Sequence[Finding]) -> bool:
    """True if parts that the config seems to leave out are lost: most tensors are missing, or no stored
    tensor agrees.
    """
    from inspector.findings.single_causes import WeightsIncomplete

    if case.as_configured.mismatched or case.as_configured.unexpected:
        return len(case.causes) == 1 and _is_usual_part(case, case.causes[0])
    if any(_is_usual_part(case, one) for one in case.causes):
        return True
    if not case.placement.missing:
        return False
    unsupported = any(not cause.agreeing for cause in case.causes)
    missing = sum(gap.tensors for gap in case.as_configured.missing)
    most = missing > sum(one.tensors for one in case.as_configured.placed)
    return unsupported or most or any(isinstance(one, WeightsIncomplete) for one in findings)


def _is_usual_part(case: Reconciled, cause: Cause) -> bool:
    """True if a null in place of a name leaves out a part that the class has by default; its absence proves nothing."""
    from inspector.reconciler.inverse.solve import default_of

    leaves_out = not cause.agreeing and cause.weights is None and isinstance(cause.config, str)
    return leaves_out and default_of(case.plan.scope, tuple(cause.key.split("."))) is not None


def _alike(reading: Reading) -> tuple[str, ...]:
    """The other types with these names: of other definitions, and of the same."""
    own = () if is_component(reading.name) else reading.definition.names
    named = (*reading.same_names, *(one for one in own if defaults_of(one) is not None))
    return tuple(dict.fromkeys(one for one in named if one != reading.name))


def _names(case: Reconciled) -> Iterator[Finding]:
    reading, claim, replaced = case.reading, case.claim, False
    if reading.prefix:
        from inspector.reconciler.prefixes import prefix_on_names

        found, replaced = prefix_on_names(case)
        yield found
    if claim.definition is not None and claim.definition is not reading.definition:
        if reading.coverage < 1 and (library := library_of(reading.families)) is not None:
            from inspector.reconciler.single_causes import of_library

            yield of_library(case, library)
            return
        from inspector.findings.names.architecture import NamesOfAnotherArchitecture

        yield NamesOfAnotherArchitecture(
            place=Place(key="model_type"),
            claimed=claim.model_type or claim.definition.names[0],
            names=reading.name,
            class_name=claim.class_name,
            coverage=round(reading.coverage, 3),
            own_code=defaults_of(reading.name) is None,
        )
    elif reading.by_names:
        from inspector.findings.names.architecture import ArchitectureFromNames

        yield ArchitectureFromNames(
            architecture=reading.name, twins=_alike(reading), head=_head_name(case), confidence="likely"
        )
    yield from names_in_dialect(case)
    yield from _padding(case)
    if replaced:  # the names lack the class's prefix because they have another prefix
        return
    named = reading.match.head
    if claim.head is not None and claim.definition is reading.definition and named.root != claim.head.root:
        from inspector.findings.names.architecture import NamesOfBaseModel

        stored = class_with_head(claim.class_name or "", claim.head, named)
        yield NamesOfBaseModel(
            class_name=claim.class_name or "AutoModel",
            names=stored or f"{reading.name} {_suffix(named.names)}".rstrip(),
            prefix=claim.head.root,
            stored_prefix=named.root,
        )


def _padding(case: Reconciled) -> Iterator[Finding]:
    """Embedding rows beyond the vocabulary, if the writer rounds up and the config states the number of tokens."""
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
    apart = _is_of_two_models(case, labels)
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
            lost=_lost(cause),
            misshaped=place_name(*cause.misshaped) if cause.misshaped else None,
            labels=len(labels) if cause.key == NUMBER_OF_LABELS and isinstance(labels, dict) else None,
            apart=apart,
            confidence="likely" if cause.defaulted or not cause.searched else "certain",
        )


def _is_of_two_models(case: Reconciled, labels: Any) -> bool:
    """True if the config names labels, and their number and another size contradict the weights: a training that only
    forgot a key leaves the names that `transformers` makes up.
    """
    shown = [cause.weights for cause in case.causes if cause.key == NUMBER_OF_LABELS]
    keys = {cause.key for cause in case.causes}
    if not isinstance(labels, dict) or not shown or len(labels) in shown or len(keys) < 2:
        return False
    return any(isinstance(name, str) and MADE_UP.fullmatch(name) is None for name in labels.values())


def _lost(cause: Cause) -> str | None:
    """The parts that the weights may lack: whole layers, or the part of each that a switch turns off."""
    if cause.lost is None:
        return None
    layers = "" if cause.weights is False else indices_in_words(*cause.lost)
    return layers or place_name(*cause.lost)


def _impossible(case: Reconciled) -> Iterator[Finding]:
    if case.solved:
        return  # without a config no value can be impossible
    caused = {cause.key for cause in case.causes}
    for scope, prefix in _scopes(case):
        reported: set[tuple[str, ...]] = set()
        undivided: set[str] = set()
        for fault in scope.faults:
            if fault.keys in reported or caused & {prefix + key for key in fault.keys}:
                continue
            if fault.kind == SHORT and caused:
                continue  # a wrong number of stages makes other lists too short
            if fault.kind == "remainder":
                if not undivided.isdisjoint(fault.keys):
                    continue  # one wrong number can leave several remainders
                undivided.update(fault.keys)
            reported.add(fault.keys)
            keys = [prefix + key for key in fault.keys]
            from inspector.findings.config import ConfigImpossible
            from inspector.reconciler.unstated_key import unstated_key

            yield ConfigImpossible(
                place=Place(key=keys[0] if keys else None),
                expression=fault.expression,
                detail=fault.detail,
                keys=tuple(keys),
                kind=fault.kind,
                added=unstated_key(case, scope, fault.expression) if fault.kind == "remainder" else None,
            )


def _scopes(case: Reconciled) -> Iterator[tuple[Scope, str]]:
    """The scopes of the definition and of the submodels of this class, each with the prefix of its config keys."""
    paths = {slot.scope for slot in case.plan.unrolled.slots}
    yield case.plan.scope, ""
    for path in sorted({one[:depth] for one in paths for depth in range(1, len(one) + 1)}):
        scope = case.plan.scope.below(path)
        yield scope, "".join(f"{step}." for step in scope.prefix)
