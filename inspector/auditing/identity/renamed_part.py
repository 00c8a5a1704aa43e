"""Finds a sub-config that is stated under another key than the one that the class reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from inspector.findings.finding import Finding, Place
from inspector.findings.names.part_key import PartKeyUnread
from inspector.loader.config_file import QUANTIZATION_KEYS, Config
from inspector.matcher.claim import Claim, claim_of
from inspector.matcher.families import Families
from inspector.matcher.reading import read_claimed
from inspector.notation.parts import submodels_of
from inspector.reconciler.reconcile import Again, Reconciled


def with_renamed_part(
    findings: Sequence[Finding], config: Claim, file: Config | None, case: Reconciled, families: Families, again: Again
) -> list[Finding]:
    """Replaces all errors by one finding if a sub-config under the key of an absent one explains them.

    again: reconciles the weights with another claim.
    """
    notes = [one for one in findings if one.severity == "note"]
    if len(notes) == len(findings) or file is None or file.kind != "config" or case.reading.prefix:
        return list(findings)
    entries = submodels_of(case.reading.definition)
    read = {*(entry.config for entry in entries), *QUANTIZATION_KEYS}
    others: dict[str, dict[str, Any]] = {
        key: value for key, value in file.values.items() if isinstance(value, dict) and value and key not in read
    }
    for wanted in dict.fromkeys(entry.config for entry in entries if file.values.get(entry.config) is None):
        for key, part in others.items():
            values = {name: value for name, value in file.values.items() if name not in (key, wanted)}
            claim = claim_of(replace(file, values={**values, wanted: part}))
            reading = read_claimed(claim, families)
            if reading is None or reading.coverage < 1 or reading.prefix or claim.head is not config.head:
                continue
            found = again(claim, reading, solve=False)
            if not (found.as_configured.differences or found.plan.scope.faults):
                return [PartKeyUnread(place=Place(key=key), key=key, wanted=wanted, stated=part), *notes]
    return list(findings)
