"""Mixtures of experts: how many of the parameters one token uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspector.algebra.evaluation import whole
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Ledger

ACTIVE_KEYS = (
    "num_experts_per_tok", "num_experts_per_token",
    "moe_topk", "moe_top_k", "moe_k", "top_k_experts", "num_selected_experts",
    "experts_per_token",
)  # fmt: skip
"""Config keys that say how many routed experts a token goes to."""


@dataclass(frozen=True, slots=True)
class Experts:
    """total: routed experts of a layer. active: those that a token uses. parameters: used by one token."""

    total: int
    active: int
    parameters: int


def experts_of(accounts: Ledger, values: Mapping[str, Any]) -> Experts | None:
    """The experts of a checkpoint; None without routed experts, or where no key says how many are used."""
    nested = values.get("text_config")
    configs = [values, nested] if isinstance(nested, dict) else [values]
    active = next(
        (number for config in configs for key in ACTIVE_KEYS if (number := whole(config.get(key))) is not None), None
    )
    if active is None:
        return None
    routed, total = 0, 0
    for line in accounts.lines:
        if line.kind != ledger.PARAMETER or ".experts." not in line.family:
            continue
        inside = line.family.split(".experts.", 1)
        if inside[1].startswith("#"):
            axis = inside[0].split(".").count("#")
            experts = max(box[axis].size for box in line.boxes)
        else:
            experts = line.layout.shape[0] if len(line.layout.shape) > 1 else 0
        total = max(total, experts)
        routed += line.parameters
    if not routed or not 0 < active <= total or routed * active % total:
        return None
    unused = routed - routed * active // total
    return Experts(total, active, accounts.counts.unique_parameters - unused)
