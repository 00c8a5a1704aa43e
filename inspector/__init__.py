"""Verifies parameter counts of model checkpoints against their real weights, from headers alone."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, without the five milliseconds of importing it
if TYPE_CHECKING:
    from typing import Any

    from inspector.auditing.model import Audit, audit
    from inspector.comparing.checkpoints import Comparison, compare
    from inspector.formulas import Formula, formula
    from inspector.loader.checkpoint import Checkpoint, load

__all__ = ["Audit", "Checkpoint", "Comparison", "Formula", "audit", "compare", "formula", "load"]
__version__ = "0.1.0"

_HOMES = {
    "Audit": "auditing.model",
    "audit": "auditing.model",
    "Checkpoint": "loader.checkpoint",
    "load": "loader.checkpoint",
    "Comparison": "comparing.checkpoints",
    "compare": "comparing.checkpoints",
    "Formula": "formulas",
    "formula": "formulas",
}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first asked for, so that importing the package costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'inspector' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"inspector.{_HOMES[name]}"), name)
