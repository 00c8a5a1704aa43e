"""Recognises conversions by mlx-lm without the parts that it does not have: towers, projectors, prediction layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.auditing.layouts_of_mlx import is_of_mlx
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.registries import left_out_by_mlx
from inspector.notation.binding import module_of
from inspector.reconciler.reconcile import Reconciled


def modules_left_out(checkpoint: Checkpoint, case: Reconciled, lost: Iterable[str]) -> frozenset[str]:
    """The modules of the definition that a conversion by mlx-lm leaves out, of which no tensor is stored.

    lost: names of tensors in files that could not be read: their modules are not left out.
    """
    if not (case.as_configured.missing or case.plan.opaque) or not is_of_mlx(checkpoint):
        return frozenset()
    left_out = left_out_by_mlx(case.claim.model_type)
    if not left_out:
        return frozenset()
    stored = {module_of(one.block.slot) for one in case.as_configured.placed}
    begun = {module for name in lost for module in left_out if f".{module}." in f".{name}"}
    return frozenset({module_of(row.slot) for row in case.plan.rows} & left_out - stored - begun)


def parts_left_out(case: Reconciled, modules: frozenset[str]) -> Iterator[Finding]:
    """The note on modules that are left out. case: with them."""
    from inspector.findings.names.text_model import LeftOutByMlx

    blocks = [block for row in case.plan.rows if module_of(row.slot) in modules for block in row.blocks]
    counted = [block for block in blocks if block.slot.tensor.counted and block.tie is None]
    sizes = [None if block.elements is None else block.elements * block.tensors for block in counted]
    yield LeftOutByMlx(
        modules=tuple(sorted(modules)),
        tensors=sum(block.tensors for block in blocks if block.slot.built),
        parameters=None if None in sizes else sum(size or 0 for size in sizes),
        model_type=str(case.claim.model_type),
    )
