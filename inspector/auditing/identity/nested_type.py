"""Finds the model type to state in a sub-config, if the config describes the weights completely except
for that type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from msgspec.structs import replace

from inspector.auditing.identity.told_apart import MOST_ALIKE, told_apart
from inspector.findings.finding import Finding, Place
from inspector.findings.names.architecture import NamesOfAnotherArchitecture
from inspector.findings.single_causes import PartOfAnotherKind
from inspector.findings.vocabulary import VocabularyResizedInPart
from inspector.findings.words import shape
from inspector.loader.config_file import Config
from inspector.loading.tables import NEWEST, has_type
from inspector.matcher.claim import Claim, claim_of
from inspector.matcher.families import Families, rekeyed
from inspector.matcher.reading import Reading, read_by_names, read_claimed
from inspector.notation.definition import Submodel
from inspector.notation.parts import submodels_of
from inspector.reconciler.alternatives import common_prefix
from inspector.reconciler.grouped import PARTS_KEPT
from inspector.reconciler.reconcile import Again, Reconciled
from inspector.reconciler.wording import family_name

MOST_TRIED: Final = 40
"""Most types with all names that are tried for one submodel."""


def with_nested_type(
    findings: Sequence[Finding], config: Claim, file: Config | None, case: Reconciled, families: Families, again: Again
) -> list[Finding]:
    """Replaces all errors by one finding if another type of one submodel explains them; keeps the notes.

    again: reconciles the weights with another claim.
    """
    notes = [one for one in findings if one.severity == "note"]
    if len(notes) == len(findings) or file is None or file.kind != "config" or case.reading.prefix:
        return list(findings)
    if case.causes and not (case.placement.differences or case.as_configured.unexpected):
        return list(findings)  # a wrong key explains all, and every name is one of the stated type
    if any(isinstance(one, VocabularyResizedInPart) for one in findings):
        return list(findings)  # a type without the rows beyond the tokens has the same names
    for entry in submodels_of(case.reading.definition):
        inner = file.values.get(entry.config)
        if not (entry.definition is None or entry.by_type) or not isinstance(inner, dict):
            continue
        stated, fitting = inner.get("model_type"), []
        if isinstance(stated, str):
            known = list(islice(_fitting(entry, config, file, case, families, again), MOST_ALIKE + 1))
            fitting = told_apart(known, inner)
        if len(fitting) == 1:
            return [_finding(entry, str(stated), fitting[0], case), *notes]
        if fitting:
            return [_open_finding(entry, str(stated), fitting, case, findings), *notes]
    return list(findings)


def _fitting(
    entry: Submodel, config: Claim, file: Config, case: Reconciled, families: Families, again: Again
) -> Iterator[str]:
    """The other types of a submodel for which the config gives the name and the shape of every stored tensor.

    Types with the same names compute different things: with more than one type the question stays open.
    """
    readings = [one for below in _prefixes(entry, case) for one in _named(case, below)]
    values: dict[str, Any] = dict(file.values)
    for name in dict.fromkeys(name for one in readings for name in (one.name, *one.same_names, *one.definition.names)):
        if not has_type(name, NEWEST):
            continue
        nested = {**values, entry.config: {**values[entry.config], "model_type": name}}
        claim = claim_of(replace(file, values=nested))
        other = read_claimed(claim, families)
        if other is None or other.coverage < 1 or other.prefix or claim.head is not config.head:
            continue
        found = again(claim, other, solve=False)
        if not (found.as_configured.differences or found.plan.scope.faults):
            yield name


def _prefixes(entry: Submodel, case: Reconciled) -> Iterator[str]:
    """The stored beginnings of a submodel's names, with and without the module that its class puts around its body."""
    keys = [block.key for block in case.plan.blocks if block.slot.scope == (entry.name,)]
    wrong = _wrong(case)
    for below in dict.fromkeys((case.reading.match.head.root + entry.at, f"{common_prefix(keys)}.")):
        if below != "." and any(key.startswith(below) for key in wrong):
            yield below


def _named(case: Reconciled, below: str) -> list[Reading]:
    """The readings of the tensors below a prefix with definitions that know all of their names."""
    inside = {key: family for key, family in case.reading.families.items() if key.startswith(below)}
    bare = rekeyed(inside, lambda key: key.removeprefix(below))
    return read_by_names(bare, {}, share=1.0, most=MOST_TRIED, prefixes=False)[0] if bare else []


def _wrong(case: Reconciled) -> list[str]:
    """The families with a missing, unexpected or mismatched tensor."""
    placement = case.as_configured
    blocks = [*(one.block for one in placement.missing), *(one.block for one in placement.mismatched)]
    return [*(block.key for block in blocks), *(one.key for one in placement.unexpected)]


def _finding(entry: Submodel, stated: str, model_type: str, case: Reconciled) -> Finding:
    unexpected = (f"{family_name(one.key)} is unexpected" for one in case.as_configured.unexpected)
    missing = (f"{family_name(one.block.key)} is missing" for one in case.as_configured.missing)
    shapes = (f"{family_name(one.block.key)} has another shape" for one in case.as_configured.mismatched)
    return NamesOfAnotherArchitecture(
        place=Place(key=f"{entry.config}.model_type"),
        claimed=stated,
        names=model_type,
        class_name=None,
        coverage=1.0,
        differing=(*unexpected, *missing, *shapes),
        model_type=model_type,
        submodel=entry.config,
    )


def _open_finding(
    entry: Submodel, stated: str, fitting: Sequence[str], case: Reconciled, findings: Sequence[Finding]
) -> Finding:
    """The finding on a submodel that may have one of several types, which names and shapes do not distinguish."""
    known = next((one for one in findings if isinstance(one, PartOfAnotherKind)), None)
    placement = case.as_configured
    tensors = sum(one.tensors for one in placement.unexpected) + sum(one.tensors for one in placement.mismatched)
    blocks = [*(one.block for one in placement.missing), *(one.block for one in placement.mismatched)]
    stored = [(one.key, one.layout.shape) for one in placement.unexpected]
    stored.extend((one.block.key, one.layout.shape) for one in placement.mismatched)
    finding = known or PartOfAnotherKind(
        part=entry.at.removesuffix(".") or entry.name,
        expected=tuple(f"{family_name(one.key)} {shape(one.shape)}" for one in blocks)[:PARTS_KEPT],
        stored=tuple(f"{family_name(key)} {shape(dims)}" for key, dims in stored)[:PARTS_KEPT],
        tensors=tensors,
    )
    return replace(
        finding,
        family=finding.family or fitting[0],
        key=f"{entry.config}.model_type",
        claimed=stated,
        fitting=tuple(fitting[:MOST_ALIKE]),
        more=len(fitting) > MOST_ALIKE,
    )
