"""Handles the additional module around a model in mlx-lm: all of its classes have the layers below `model`, even if
transformers does not.

Source: `sanitize` of mlx-lm's `models/gpt2.py`, which adds `model.` to names without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspector.auditing.channels_last import is_of_mlx
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.reconciler.ledger import Line

AROUND: Final = "model."
MLX: Final = "mlx"
"""The scheme that only MLX writes."""


def without_module_of_mlx(findings: Sequence[Finding], checkpoint: Checkpoint, lines: Sequence[Line]) -> list[Finding]:
    """Removes the finding on the module that mlx-lm puts around a model. lines: the lines of the weights."""
    own = is_of_mlx(checkpoint) or any(line.packed is not None and line.packed.scheme == MLX for line in lines)
    if not findings or not own:
        return list(findings)
    from inspector.findings.names.prefixes import PrefixOnNames

    return [one for one in findings if not (isinstance(one, PrefixOnNames) and one.prefix == AROUND)]
