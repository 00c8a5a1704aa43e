"""Weights whose config states no class: AutoModel builds the base model; the loading code chooses a head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from inspector.findings.config import ConfigDisagrees
from inspector.findings.finding import Finding
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families
from inspector.matcher.reading import read_claimed
from inspector.notation.parts import head_for
from inspector.reconciler.reconcile import Again, Reconciled

BASE = "Model"


class AsBase(msgspec.Struct, frozen=True):
    """The weights read as the base model: its claim and its reconciliation."""

    claim: Claim
    case: Reconciled

    @property
    def is_complete(self) -> bool:
        """True if every tensor of the base model is stored under its own name."""
        return not (self.case.as_configured.missing or self.case.as_configured.mismatched)


def base_of_undeclared(claim: Claim, case: Reconciled, families: Families, again: Again) -> AsBase | None:
    """The base model of weights whose config states no class; else None.

    case: under the head whose names fit best. None if that head is complete, or has other shapes.
    """
    known = case.reading
    unnamed = claim.definition is None and known.by_names
    if claim.class_name is not None or claim.head is not None or not (unnamed or claim.definition is known.definition):
        return None
    if not case.as_configured.differences or "auto_map" in claim.settings.values:
        return None
    base = head_for(known.definition, BASE)
    if base is None or case.as_configured.mismatched or base is known.match.head:
        return None
    as_base = replace(claim, definition=known.definition, head=base)
    reading = read_claimed(as_base, families)
    if reading is None:
        return None
    reading = replace(reading, by_names=known.by_names, same_names=known.same_names)
    return AsBase(as_base, again(as_base, reading))


def of_heads_alone(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings; a wrong config key, whose differences are outside the complete base model, is that of a head."""
    from inspector.findings.undeclared_class import HeadDisagrees

    for finding in findings:
        if isinstance(finding, ConfigDisagrees):
            yield HeadDisagrees(**finding.stated_fields())
        else:
            yield finding
