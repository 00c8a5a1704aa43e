"""Joins what a class of the authors' own leaves unexplained: modules that the stated class does not have, and keys that
it does not read.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.auditing.identity.part_of_model import are_outside, is_complete
from inspector.findings.finding import Finding
from inspector.findings.names.own_modules import OwnModules
from inspector.findings.names.own_readers import reader_of
from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected
from inspector.findings.unknown_keys import KeyNotUnderstood
from inspector.loader.config_file import Config
from inspector.reconciler.reconcile import Reconciled

Unexpected = TensorUnexpected | PartUnexpected


def with_own_modules(findings: Sequence[Finding], file: Config, case: Reconciled) -> list[Finding]:
    """One finding in place of those on unexpected modules and on unknown keys, if the stated class is complete without
    them, and several modules are stored or the name of one is part of a key.
    """
    wrong = [one for one in findings if one.severity != "note"]
    unknown = next((one for one in findings if isinstance(one, KeyNotUnderstood)), None)
    modules = [one for one in wrong if isinstance(one, Unexpected) and not _is_explained(one)]
    name = case.claim.class_name
    if unknown is None or name is None or not modules or len(modules) < len(wrong) or "auto_map" in file.values:
        return list(findings)
    parts = tuple(dict.fromkeys(one.names[0].partition(".")[0] for one in modules))
    linked = any(part in key for part in parts for key in unknown.keys)
    if not (linked or len(parts) > 1) or not is_complete(case) or not are_outside(case):
        return list(findings)
    joined = OwnModules(
        place=modules[0].place, parts=parts, class_name=name, keys=unknown.keys, key_count=unknown.count,
        tensors=sum(one.tensors for one in modules), elements=sum(one.elements for one in modules),
        bytes=sum(one.bytes for one in modules),
    )  # fmt: skip
    kept = [one for one in findings if one is not unknown and one not in modules]
    return [joined, *kept]


def _is_explained(finding: Unexpected) -> bool:
    """True if the tensors have a present name, a module of a sentence encoder, or a program that reads them."""
    if finding.module:
        return True
    if isinstance(finding, PartUnexpected):
        return bool(reader_of(finding.place.family))
    return bool(finding.present_name or finding.known_to)
