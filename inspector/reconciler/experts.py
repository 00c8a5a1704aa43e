"""The number of parameters that one token uses in a mixture of experts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from inspector.algebra.values import whole
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Ledger, Line

ACTIVE_KEYS = (
    "num_experts_per_tok", "num_experts_per_token",
    "moe_topk", "moe_top_k", "moe_k", "top_k_experts", "num_selected_experts",
    "experts_per_token",
)  # fmt: skip
"""Config keys for the number of routed experts per token."""


class Experts(Struct, frozen=True):
    """total: routed experts of a layer. active: experts that one token uses. parameters: the parameters
    that it uses.
    """

    total: int
    active: int
    parameters: int


def experts_of(accounts: Ledger, values: Mapping[str, Any]) -> Experts | None:
    """The experts of a checkpoint; None without routed experts, or if their total or active
    number is unknown.
    """
    nested = values.get("text_config")
    configs = [values, nested] if isinstance(nested, dict) else [values]
    active = next(
        (number for config in configs for key in ACTIVE_KEYS if (number := whole(config.get(key))) is not None), None
    )
    if active is None:
        return None
    routed = [line for line in accounts.lines if line.kind == ledger.PARAMETER and ".experts." in line.family]
    sizes = [_experts_in(line) for line in routed]
    total = max((size for size in sizes if size is not None), default=0)
    if any(line.layout.shape[:1] != (total,) for line, size in zip(routed, sizes, strict=True) if size is None):
        return None  # experts are joined in the rows of one matrix, so their number does not follow from the shape
    parameters = sum(line.parameters for line in routed)
    if not 0 < active <= total or parameters * active % total:
        return None
    unused = parameters - parameters * active // total
    return Experts(total, active, accounts.counts.unique_parameters - unused)


def _experts_in(line: Line) -> int | None:
    """Number of experts in a line, by its indices or by the first dim of a stacked weight [experts, rows, columns]."""
    above, below = line.family.split(".experts.", 1)
    if below.startswith("#"):
        axis = above.split(".").count("#")
        return max(box[axis].size for box in line.boxes)
    return line.layout.shape[0] if len(line.layout.shape) > 2 else None
