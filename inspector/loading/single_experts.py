"""Mixtures of experts that vLLM also reads one by one, where the class of transformers has only stacked experts.

Source: `load_weights` of `RoutedExperts` in vLLM 0.33 (`layers/fused_moe/routed_experts.py`), through which
`AutoWeightsLoader` loads these classes: it takes `experts.0.gate_proj`, `up_proj` and `down_proj`, plain or quantized,
as well as `gate_up_proj` and `down_proj` of all experts. `GraniteMoeHybridModel` maps the same names itself.
transformers 5.23 has no conversion for these types (`conversion_mapping.py`).
"""

from __future__ import annotations

from typing import Final

VLLM: Final = frozenset({
    "AriaForConditionalGeneration", "Gemma4ForCausalLM",
    "Gemma4ForConditionalGeneration", "Gemma4UnifiedForConditionalGeneration", "GraniteMoeForCausalLM",
    "GraniteMoeHybridForCausalLM", "GraniteMoeSWAForCausalLM", "GraniteMoeSharedForCausalLM",
})  # fmt: skip
"""Classes of vLLM's list."""
SINGLE: Final = ".experts.#."
"""In the names of families of single experts."""
