"""Checks whether shapes confirm a definition that was chosen by names only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inspector.findings.finding import Finding
from inspector.notation.binding import Block
from inspector.notation.holes import holes_in
from inspector.notation.slots import scope_of
from inspector.reconciler import ledger
from inspector.reconciler.reconcile import Reconciled


def is_confirmed(case: Reconciled, judged: Sequence[Finding]) -> bool:
    """True if the shapes confirm a definition that was chosen by names only.

    Damage never creates unexpected matrices, unless it is a name: they mean that a size is unsolved or that the
    definition is wrong. One module that is missing, mismatched or renamed may be damaged; two mean that the definition
    is wrong. If a definition gives all layers one shape, a majority of layers confirms it, and layers of another shape
    are damaged. An embedding or a head without any layer fits many models.
    """
    layered = any(slot.holes and not slot.optional for slot in case.plan.unrolled.slots)
    if layered and not any("#" in key for key in case.reading.families):
        return False
    from inspector.findings.names.layers import LayersMissing
    from inspector.findings.names.tensors import TensorMissing

    unchecked = {line.family for line in case.ledger.lines if line.kind in (ledger.UNCHECKED, ledger.BUFFER)}
    own = {block.key for block in case.plan.blocks}
    unexpected = [extra for extra in case.placement.unexpected if extra.key not in unchecked]
    renamed = _is_one_renamed(case, judged, sum(extra.tensors for extra in unexpected))
    if renamed:
        unexpected = []
    if any(extra.key in own or len(extra.layout.shape) > 1 for extra in unexpected):
        return False
    modules: Counter[str] = Counter(dict.fromkeys((extra.key.rpartition(".")[0] for extra in unexpected), 1))
    for key, contradictions in _contradictions(case).items():
        module = key.rpartition(".")[0]
        modules[module] = max(modules[module], contradictions)
    missing = [name.rpartition(".")[0] for one in judged if isinstance(one, TensorMissing) for name in one.names]
    parts = [1 + one.repeated_parts for one in judged if isinstance(one, LayersMissing)]
    return modules.total() + len(set(missing)) + sum(parts) + renamed < 2


def _is_one_renamed(case: Reconciled, judged: Sequence[Finding], unexpected: int) -> bool:
    """True if all unexpected tensors are one module of one layer under another name, which the other layers have under
    the name of the definition.
    """
    from inspector.findings.names.renamed import TensorRenamed

    renamed = [one for one in judged if isinstance(one, TensorRenamed)]
    if len(renamed) != 1 or renamed[0].tensors != unexpected:
        return False
    stored: Counter[str] = Counter()
    for one in case.placement.placed:
        stored[one.block.key] += one.tensors
    return all(gap.tensors < stored[gap.block.key] for gap in case.placement.missing)


def _contradictions(case: Reconciled) -> Counter[str]:
    """Key -> number of contradicted sizes of the definition; at most 1 for a shape that all layers share."""
    balance: Counter[Block] = Counter()
    for one in case.placement.placed:
        balance[one.block] += one.tensors if one.fits else -one.tensors
    found: Counter[str] = Counter()
    for one in case.placement.mismatched:
        if _sizes(one.layout.shape) == _sizes(one.block.shape):
            continue  # as a convolution of one point has it: the sizes are those of the definition
        scope = scope_of(case.plan.scope, one.block.slot)
        if any(holes_in(scope.definition, node) for node in one.block.slot.dims):
            found[one.block.key] += one.tensors
        elif balance[one.block] <= 0:
            found[one.block.key] = 1
    return found


def _sizes(shape: Sequence[int | None]) -> list[int | None]:
    """A shape without its dims of size 1."""
    return [dim for dim in shape if dim != 1]
