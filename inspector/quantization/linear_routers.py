"""Routers of experts that are linear layers in transformers 5, which compressed-tensors quantizes like any other.

Measured on all recorded classes with transformers 5.23: the classes of the modules. Loaded with transformers 5.24 and
compressed-tensors 0.19 for Qwen2-MoE, DBRX, AFMoE and Gemma 4: a quantized router is complete, and of a plain one that
no entry excludes the scale is missing. Other routers are modules of their own, which no loader replaces.
"""

from __future__ import annotations

from typing import Final

ENDS: Final = (
    ".shared_expert_gate", ".router.classifier", ".router.proj", ".gate.wg", ".mlp.router.gate", ".ffn.router.layer",
    ".mlp.router.layer", ".gate.down_proj", ".gate.router_mlp.fc1", ".gate.router_mlp.fc2", ".gate.router_mlp.out_proj",
)  # fmt: skip
"""Ends of the names of these modules in the model."""


def is_linear_router(role: str, family: str) -> bool:
    """True if a weight belongs to a router that is a linear layer. family: the name of the weight in the model."""
    return role.startswith("router") and f".{family.removesuffix('.weight')}".endswith(ENDS)
