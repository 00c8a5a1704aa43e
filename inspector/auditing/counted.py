"""The result of an audit that its budget ended: everything that was read is counted, nothing is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Final

from inspector import budget
from inspector.algebra.names import keys_in
from inspector.auditing.result import Audit, Skipped, conclude
from inspector.budget import Budget, Exceeded
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.formats.ggml_types import packed_of
from inspector.loader.layout import Layout
from inspector.loader.over_budget import exceeded_findings
from inspector.matcher.families import families_of
from inspector.reconciler.ledger import Line, add_up, summary
from inspector.reconciler.reconcile import unknown_lines

NAMES_LISTED: Final = 4_000
"""Tensors that are listed by family; the others are summed up in one line."""


def audit_counted(checkpoint: Checkpoint, exceeded: Exceeded, findings: Sequence[Finding] = ()) -> Audit:
    """The counts of a checkpoint that is too large to be compared with a definition, and the finding that says so."""
    with budget.one_budget(Budget()):
        lines = count_lines(checkpoint.tensors)
    found = [*(findings or checkpoint.findings), *exceeded_findings(exceeded)]
    because = f"{exceeded.what}: the budget of the audit is spent"
    skipped = (
        Skipped("values", "headers only: no tensor data was read"),
        Skipped("names and shapes", because, decisive=True),
    )
    return conclude(checkpoint, add_up(lines, None), found, skipped=skipped)


def count_lines(tensors: Mapping[str, Layout]) -> list[Line]:
    """A line for each family of the first tensors, and one for all others."""
    first = dict(islice(tensors.items(), NAMES_LISTED))
    listed = families_of(first)
    lines = list(unknown_lines(listed))
    if len(first) < len(tensors):
        others = islice(tensors.values(), len(first), None)
        lines.append(_summed(len(keys_in(tensors)) - len(listed), list(others)))
    return lines


def _summed(families: int, layouts: Collection[Layout]) -> Line:
    """One line for tensors with these layouts."""
    by_identity = dict(zip(map(id, layouts), layouts, strict=True))
    elements = parameters = stored = 0
    for identity, tensors in Counter(map(id, layouts)).items():
        layout = by_identity[identity]
        packed = packed_of(layout)
        elements += tensors * (layout if packed is None else packed.storage).elements
        parameters += tensors * layout.elements
        stored += tensors * layout.bytes
    return summary(families, len(layouts), elements, parameters, stored)
