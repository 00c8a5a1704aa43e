"""What vLLM does with the few safetensors of an unfinished conversion beside the audited PyTorch files.

Source: `_prepare_weights` in `default_loader.py` of vLLM 0.33, which stops at the first pattern with a file.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.loading.outcome import REFUSES, Load


def without_converted(audited: Audit, loads: Iterable[Load]) -> tuple[Load, ...]:
    """The predictions; one that reads the stray safetensors lacks the rest of the model."""
    if audited.checkpoint.kind != "pytorch" or not audited.findings:
        return tuple(loads)
    from inspector.findings.reading.stray_shards import BY_ENDING, ShardsOfUnfinishedConversion

    found = next((one for one in audited.findings if isinstance(one, ShardsOfUnfinishedConversion)), None)
    if found is None:
        return tuple(loads)
    because = f"it reads {found.files} of {found.of} safetensors, and no other file"
    return tuple(
        replace(one, outcome=REFUSES, because=because, excuse="") if one.loader == BY_ENDING else one for one in loads
    )
