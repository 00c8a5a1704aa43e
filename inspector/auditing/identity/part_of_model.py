"""Handles a whole model under the config of one of its parts: this part loads completely, and the other parts are
additional.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.findings.finding import Finding
from inspector.findings.names.architecture import NamesOfAnotherArchitecture
from inspector.findings.names.components import ComponentExtra
from inspector.notation.parts import submodels_of
from inspector.reconciler import ledger
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name, place_of


def with_other_parts(findings: Sequence[Finding], case: Reconciled) -> tuple[list[Finding], Reconciled]:
    """Marks the other parts of a model as additional in the findings and the case, if the part of the config is
    complete.
    """
    named = next((one for one in findings if isinstance(one, NamesOfAnotherArchitecture)), None)
    if named is None or named.names is None or not is_complete(case):
        return list(findings), case
    larger = definition_of(named.names)
    if larger is None:
        return list(findings), case
    if all(one.definition is not case.reading.definition for one in submodels_of(larger)) and not are_outside(case):
        return list(findings), case
    component = f"other parts of {named.names}"
    lines = [_extra(line, component) for line in case.ledger.lines]
    extra = [line for line in lines if line.kind == ledger.EXTRA]
    if not extra:
        return list(findings), case
    case = replace(case, ledger=ledger.add_up(lines, case.ledger.counts.expected_parameters))
    kept = [one for one in findings if one is not named and not isinstance(one, ComponentExtra)]
    return [*kept, _finding(extra, component, case)], case


def is_complete(case: Reconciled) -> bool:
    """True if the config's own type has all its tensors, so that only additional tensors differ."""
    left = case.as_configured
    own = case.claim.definition is case.reading.definition and not case.reading.prefix
    return own and not (left.mismatched or case.causes or any(not gap.is_head for gap in left.missing))


def are_outside(case: Reconciled) -> bool:
    """True if all additional tensors are outside the modules of the type, such as the decoder of a
    masked autoencoder.
    """
    own = {block.key.partition(".")[0] for block in case.plan.blocks}
    unexpected = case.as_configured.unexpected
    return bool(unexpected) and not any(one.key.partition(".")[0] in own for one in unexpected)


def _extra(line: ledger.Line, component: str) -> ledger.Line:
    if line.kind == ledger.EXTRA:
        return replace(line, component=component)
    if line.kind != ledger.UNEXPLAINED:
        return line
    counted = line.elements if line.layout.dtype.startswith(("F", "BF")) else 0
    return replace(line, kind=ledger.EXTRA, component=component, parameters=counted)


def _finding(lines: Sequence[ledger.Line], component: str, case: Reconciled) -> ComponentExtra:
    return ComponentExtra(
        place=place_of(lines[0].family, lines[0].boxes),
        component=component,
        parameters=sum(line.parameters for line in lines),
        bytes=sum(line.bytes for line in lines),
        tensors=sum(line.tensors for line in lines),
        families=tuple(family_name(line.family) for line in lines[:20]),
        class_name=case.claim.class_name,
    )
