"""Handles the additional modules around a model in MLX's programs.

All classes of mlx-lm have the layers below `model`, even if transformers does not: `sanitize` of its `models/gpt2.py`
adds `model.` to names without it. mlx-vlm 0.7 has every text model as `language_model`: `models/llama/llama.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspector.auditing.layouts_of_mlx import is_of_mlx
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.reconciler.ledger import Line

AROUND: Final = "model."
OF_VLM: Final = "language_model."
MLX: Final = "mlx"
"""The scheme that only MLX writes."""


def without_module_of_mlx(findings: Sequence[Finding], checkpoint: Checkpoint, lines: Sequence[Line]) -> list[Finding]:
    """Removes the finding on the module that mlx-lm puts around a model. lines: the lines of the weights."""
    own = is_of_mlx(checkpoint) or any(line.packed is not None and line.packed.scheme == MLX for line in lines)
    if not findings or not own:
        return list(findings)
    from inspector.findings.names.prefixes import PrefixOnNames

    return [_of_vlm(one) for one in findings if not (isinstance(one, PrefixOnNames) and one.prefix == AROUND)]


def _of_vlm(finding: Finding) -> Finding:
    """The note on mlx-vlm's prefix in place of the finding on it; any other finding as it is."""
    from inspector.findings.names.prefixes import PrefixOfMlxVlm, PrefixOnNames

    if not isinstance(finding, PrefixOnNames) or finding.prefix != OF_VLM or finding.without or finding.inside:
        return finding
    return PrefixOfMlxVlm(prefix=OF_VLM, tensors=finding.tensors)
