"""The version of AWQ's layout for which vLLM and mlx-lm take every one.

Source: vLLM 0.33, `layers/quantization/auto_awq.py`; mlx-lm 0.32.2, measured with checkpoints of the other versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

GEMM: Final = "gemm"


def misread_layout(block: Mapping[str, Any]) -> str:
    """Why the layout that a block of AWQ states is misread; "" for the usual one."""
    version = str(block.get("version", GEMM))
    return "" if version.lower() == GEMM else f"it takes every layout of AWQ for {GEMM}, not for {version}"
