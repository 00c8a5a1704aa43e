"""Stacked experts of Llama 4, which transformers builds one by one if the model is quantized.

Source: `MODULES_TO_PATCH_FOR_QUANTIZATION` of transformers 5.23 (`quantizers/base.py`). Measured with transformers
5.24, bitsandbytes 0.50 and compressed-tensors 0.19: it saves the experts stacked, also those that it built one by one.
With bitsandbytes of both widths the load ends in an error, since weights of integers would be initialized ("not
implemented for 'Char'"); with compressed-tensors the experts are missing and the stacked ones unexpected.
"""

from __future__ import annotations

from typing import Final

from inspector.auditing.result import Audit
from inspector.loading.given import Recorded
from inspector.loading.outcome import RANDOM, REFUSES, Outcome

OUTCOMES: Final[dict[str, Outcome]] = {"bitsandbytes": REFUSES, "compressed-tensors": RANDOM}
TYPES: Final = ("llama4", "llama4_text")
STACKED: Final = (".experts.gate_up_proj", ".experts.down_proj")


def unread_stacks(audited: Audit) -> Recorded | None:
    """The behaviour of version 5 on stacked experts that it looks for one by one; None without such experts."""
    config, unpacked = audited.checkpoint.config, audited.unpacked
    if config is None or unpacked is None or config.values.get("model_type") not in TYPES:
        return None
    outcome = OUTCOMES.get(unpacked.settings.base.method or "")
    if outcome is None or not any(line.family.endswith(STACKED) for line in audited.lines):
        return None
    return Recorded(outcome, "it builds quantized experts one by one, and they are stacked")
