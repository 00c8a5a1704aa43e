"""A component of diffusers of which one whole module is absent and everything else is as expected.

It was left out, or the weights are of another project's class that has no such module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.findings.names.layers import LayersMissing
from inspector.notation.beyond import CLASS
from inspector.reconciler.reconcile import Reconciled

HALVES: Final = frozenset({"decoder", "encoder"})
"""Modules of autoencoders, which are also saved alone."""
LEAST_TENSORS: Final = 2
"""Least number of tensors of the absent module."""


def with_own_kind(case: Reconciled, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with the class of which the weights may be another kind."""
    placement, stated = case.placement, case.claim.settings.values.get(CLASS)
    if len(findings) != 1 or not isinstance(stated, str) or placement.mismatched or placement.unexpected:
        return list(findings)
    only = findings[0]
    modules = {gap.block.key.partition(".")[0] for gap in placement.missing}
    if not isinstance(only, LayersMissing) or len(modules) != 1 or only.tensors < LEAST_TENSORS:
        return list(findings)
    stored = {one.block.key.partition(".")[0] for one in placement.placed}
    whole = not modules <= HALVES and only.part is not None and not only.place.indices and stored.isdisjoint(modules)
    return [replace(only, another_kind=stated)] if whole else list(findings)
