"""Verifies parameter counts of model checkpoints against their real weights, from headers alone."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, without the five milliseconds of importing it
if TYPE_CHECKING:
    from typing import Any

    from inspector.api import Audit, Comparison, Formula, audit, compare, formula
    from inspector.loader.checkpoint import Checkpoint, load

__all__ = ["Audit", "Checkpoint", "Comparison", "Formula", "audit", "compare", "formula", "load"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first asked for, so that importing the package costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'inspector' has no attribute {name!r}")
    from importlib import import_module

    home = "inspector.loader.checkpoint" if name in ("Checkpoint", "load") else "inspector.api"
    return getattr(import_module(home), name)
