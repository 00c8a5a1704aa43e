"""Result of an audit that exceeded its budget: all tensors that were read are counted, and none is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, islice, takewhile
from typing import Final

from inspector import budget
from inspector.algebra.names import NAMES, keys_in
from inspector.auditing.result import Audit, Skipped, conclude
from inspector.budget import Budget, Exceeded
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.formats.ggml_types import packed_of
from inspector.loader.layout import Layout
from inspector.loader.over_budget import exceeded_findings
from inspector.matcher.families import families_of
from inspector.reconciler.ledger import Line, add_up, summary
from inspector.reconciler.lines import unknown_lines

SINGLE: Final = 0.9
"""Least share of tensors that are a family of their own in a collection of entries."""
FEWEST_ENTRIES: Final = 1_000
NAMES_LISTED: Final = 4_000
LETTERS_LISTED: Final = 200_000
"""Most letters in the names of tensors that are listed by family; all further tensors are summed up in one line."""


def audit_counted(checkpoint: Checkpoint, exceeded: Exceeded, findings: Sequence[Finding] = ()) -> Audit:
    """The counts of a checkpoint that is too large to compare with a definition, with a finding that says so."""
    with budget.one_budget(Budget()):
        lines = count_lines(checkpoint.tensors)
    found = list(findings or checkpoint.findings)
    because = f"{exceeded.what}: the budget of the audit is spent"
    if _are_entries(checkpoint, exceeded):
        because = "the names share no layers: a data set, or no model that is known here"
    else:
        found.extend(exceeded_findings(exceeded))
    skipped = (
        Skipped("values", "headers only: no tensor data was read"),
        Skipped("names and shapes", because, decisive=True),
    )
    return conclude(checkpoint, add_up(lines, None), found, skipped=skipped)


def _are_entries(checkpoint: Checkpoint, exceeded: Exceeded) -> bool:
    """True if many single names exceed the budget in files that were read completely and that no config calls a model:
    the entries of a data set are as many as its examples.
    """
    whole = checkpoint.readable and not (checkpoint.lost or checkpoint.cut or checkpoint.damaged)
    return whole and checkpoint.config is None and exceeded.what == NAMES and _are_single(checkpoint.tensors)


def _are_single(tensors: Mapping[str, Layout]) -> bool:
    """True if nearly every one of the first tensors is a family of its own."""
    first = dict(islice(tensors.items(), _listed(tensors)))
    with budget.one_budget(Budget()):
        return len(first) > FEWEST_ENTRIES and len(families_of(first)) > len(first) * SINGLE


def count_lines(tensors: Mapping[str, Layout]) -> list[Line]:
    """A line for each family of the first tensors, and one line for all further tensors."""
    first = dict(islice(tensors.items(), _listed(tensors)))
    listed = families_of(first)
    lines = list(unknown_lines(listed))
    if len(first) < len(tensors):
        others = islice(tensors.values(), len(first), None)
        lines.append(_summed(len(keys_in(tensors)) - len(listed), others))
    return lines


def _listed(tensors: Mapping[str, Layout]) -> int:
    """The number of tensors that are listed by family."""
    letters = accumulate(map(len, islice(tensors, NAMES_LISTED)))
    return sum(1 for _ in takewhile(lambda length: length <= LETTERS_LISTED, letters))


def _summed(families: int, layouts: Iterable[Layout]) -> Line:
    """One line for tensors with these layouts."""
    tensors = elements = parameters = stored = 0
    listed = list(layouts)
    one_of = dict(zip(map(id, listed), listed, strict=True))
    for identity, count in Counter(map(id, listed)).items():
        layout = one_of[identity]
        packed = packed_of(layout)
        tensors += count
        elements += count * (layout if packed is None else packed.storage).elements
        parameters += count * layout.elements
        stored += count * layout.bytes
    return summary(families, tensors, elements, parameters, stored)
