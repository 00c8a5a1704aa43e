"""Says how a program takes an adapter, which is no model, with its base.

Sources: `LoRAConfig` in vLLM 0.33, `config/lora.py`; llama.cpp's `convert_lora_to_gguf.py`, which reads LoRA alone;
ollama's `ADAPTER`, which its `ConvertAdapter` converts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.result import Audit
from inspector.findings.finding import Finding

SERVER: Final = "vllm"
PROGRAMS: Final = frozenset({SERVER, "llama.cpp", "ollama"})
DEFAULT_RANK: Final = 16
RANKS: Final = (32, 64, 128, 256, 320, 512)
"""The larger values of `max_lora_rank`."""


def served_with_base(audited: Audit, loader: str) -> Iterator[Finding]:
    """The finding on an adapter of PEFT that a program is to load."""
    adapter = audited.checkpoint.adapter
    if loader not in PROGRAMS or adapter is None or not audited.checkpoint.folder:
        return
    if adapter.values.get("peft_type") != "LORA":
        return
    from inspector.findings.adapters.served import AdapterServedWithBase

    base, rank = adapter.values.get("base_model_name_or_path"), adapter.values.get("r")
    needed = rank if loader == SERVER and type(rank) is int and rank > DEFAULT_RANK else 0
    yield AdapterServedWithBase(
        loader=loader,
        base=base if isinstance(base, str) else "",
        rank=next((one for one in RANKS if one >= needed), 0) if needed else 0,
    )
