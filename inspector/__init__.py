"""Verifies parameter counts of model checkpoints against their real weights, from headers alone."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, without the five milliseconds of importing it
if TYPE_CHECKING:
    from typing import Any

    from inspector.api import audit, compare, explain, formula, load
    from inspector.findings.finding import Finding
    from inspector.formulas import FormulaError
    from inspector.loader.checkpoint import Checkpoint
    from inspector.reconciler.ledger import Counts, Line
    from inspector.results import Audit, Comparison, FindingsError, Formula

__all__ = [
    "Audit",
    "Checkpoint",
    "Comparison",
    "Counts",
    "Finding",
    "FindingsError",
    "Formula",
    "FormulaError",
    "Line",
    "audit",
    "compare",
    "explain",
    "formula",
    "load",
]
__version__ = "0.1.0"

_HOMES = {
    "Checkpoint": "loader.checkpoint",
    "Counts": "reconciler.ledger",
    "Finding": "findings.finding",
    "FormulaError": "formulas",
    "Line": "reconciler.ledger",
    **dict.fromkeys(("Audit", "Comparison", "FindingsError", "Formula"), "results"),
}
"""Module of each public name that is not in `inspector.api`."""


def __getattr__(name: str) -> Any:
    """Imports public names when they are first used, so that importing the package itself is fast."""
    if name not in __all__:
        raise AttributeError(f"module 'inspector' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"inspector.{_HOMES.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
