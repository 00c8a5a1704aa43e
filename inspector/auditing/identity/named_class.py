"""Uses the class in `architectures` instead of the model type if the type does not fit the weights and the class has
all their names.

A lost or misshapen tensor is then reported under the definition of the class, and not the whole model as misnamed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.architectures.catalog import definition_of, letters, modules
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import Config
from inspector.loading.tables import NEWEST, has_type, type_of_class
from inspector.matcher.claim import Claim, claim_of
from inspector.matcher.families import Families
from inspector.matcher.reading import Reading, read_claimed
from inspector.reconciler.explain import reconciliation_findings
from inspector.reconciler.reconcile import Again, Reconciled


class Decided(Struct, frozen=True):
    """The claim of the class, its reading, and the findings under it, including the finding on the model type."""

    config: Claim
    case: Reconciled
    judged: tuple[Finding, ...]


class Named(Struct, frozen=True):
    """The claim of another type than the one in the config, its reading, and the finding on the model type."""

    config: Claim
    reading: Reading
    finding: Finding


def of_unknown_type(config: Claim, file: Config | None, families: Families, lost: Sequence[str]) -> Named | None:
    """The definition of the class if the names fit no model type and the definition has all stored names."""
    named, model_type = config.class_name, config.model_type
    if file is None or file.kind != "config" or named is None or not isinstance(model_type, str):
        return None
    of = type_of_class(named)
    if of is None or definition_of(of) in (None, config.definition) or "auto_map" in file.values:
        return None
    claim = claim_of(replace(file, values={**file.values, "model_type": of}))
    reading = read_claimed(claim, families, lost)
    if reading is None or reading.coverage < 1 or claim.head is None:
        return None
    return Named(claim, reading, _finding(model_type, named, of, file.file, True))


def class_reads_all(config: Claim, file: Config, families: Families) -> bool:
    """True if the class in the config belongs to another definition than its model type, one that has all names."""
    of = None if config.class_name is None else type_of_class(config.class_name)
    if of is None or definition_of(of) in (None, config.definition):
        return False
    reading = read_claimed(claim_of(replace(file, values={**file.values, "model_type": of})), families)
    return reading is not None and reading.coverage == 1 and not reading.prefix


def of_misspelled_type(config: Claim, file: Config | None, families: Families, lost: Sequence[str]) -> Named | None:
    """The definition of the only model type that differs from the stated one by a typing error, if it has all names."""
    stated = config.model_type
    if file is None or file.kind != "config" or not isinstance(stated, str) or config.definition is not None:
        return None
    if file.values.get("model_type") != stated or has_type(stated, NEWEST) or "auto_map" in file.values:
        return None
    fitting: list[Named] = []
    for known in (name for name in modules() if has_type(name, NEWEST) and is_slip(stated, name)):
        claim = claim_of(replace(file, values={**file.values, "model_type": known}))
        reading = read_claimed(claim, families, lost)
        if reading is not None and reading.coverage == 1 and reading.fits:
            fitting.append(Named(claim, reading, _misspelled(stated, known, file.file)))
    return fitting[0] if len(fitting) == 1 else None


def _misspelled(stated: str, known: str, file: str) -> Finding:
    from inspector.findings.declared import ModelTypeMisspelled

    place = Place(file=file, key="model_type")
    return ModelTypeMisspelled(place=place, file=file, model_type=stated, known=known, confidence="likely")


def is_slip(stated: str, known: str) -> bool:
    """True if one letter of a name is added, missing, changed or exchanged with the next one; digits never differ."""
    if len(known) < SHORTEST or abs(len(stated) - len(known)) > 1 or _digits(stated) != _digits(known):
        return False
    alike = (one == other for one, other in zip(stated, known, strict=False))
    start = next((at for at, same in enumerate(alike) if not same), min(len(stated), len(known)))
    left, right = stated[start:], known[start:]
    exchanged = left[:2] == right[1::-1] and left[2:] == right[2:]
    return left != right and (exchanged or right[1:] in (left, left[1:]) or left[1:] == right)


def _digits(name: str) -> str:
    return re.sub(r"\D", "", name)


SHORTEST: Final = 4
"""Fewest letters of a model type for which typing errors are considered."""


def decided_by_class(
    config: Claim,
    file: Config | None,
    families: Families,
    lost: Sequence[str],
    typed: Reconciled,
    again: Again,
) -> Decided | None:
    """The definition of the class, if it differs from that of the model type and fits better.

    typed: the reconciliation without regard to the class.
    """
    named = config.class_name
    if file is None or file.kind != "config" or named is None or not isinstance(config.model_type, str):
        return None
    known = type_of_class(named)
    of = known or _type_by_letters(named)
    if of is None or definition_of(of) in (None, config.definition):
        return None
    claim = claim_of(replace(file, values={**file.values, "model_type": of}))
    reading = read_claimed(claim, families, lost)
    if reading is None or not reading.fits or claim.head is None:
        return None
    case = again(claim, reading)
    if case.placement.unexpected:
        return None
    if typed.reading.definition is config.definition and _contradictions(case) >= _contradictions(typed):
        return None
    judged = reconciliation_findings(case, families, again)
    return Decided(claim, case, (_finding(config.model_type, named, of, file.file, known is not None), *judged))


def _contradictions(case: Reconciled) -> int:
    """The number of tensors that are missing, unexpected or of another shape."""
    placement = case.placement
    unplaced = sum(one.tensors for one in placement.missing) + sum(one.tensors for one in placement.unexpected)
    return unplaced + sum(one.tensors for one in placement.mismatched)


def _type_by_letters(named: str) -> str | None:
    """The longest model type that the name of a class begins with, for spellings that transformers does not have."""
    fitting = [name for name in modules() if letters(named).startswith(letters(name))]
    return max(fitting, key=lambda name: len(letters(name)), default=None)


def _finding(model_type: str, named: str, of: str, file: str, known: bool) -> Finding:
    from inspector.findings.names.class_decides import ClassDecides, ClassOfOtherCode

    kind = ClassDecides if known else ClassOfOtherCode
    return kind(place=Place(file=file, key="model_type"), file=file, class_name=named, of=of, model_type=model_type)
