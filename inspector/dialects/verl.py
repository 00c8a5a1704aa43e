"""The names that verl's merger of Megatron checkpoints wrote in 2025: the number of an expert is at the end.

Source: `name_mapping` and `_replace_name` in verl's `scripts/model_merger.py` of July 2025, which renamed
`linear_fc1.weight7` of Transformer Engine to `gate_proj.weight7`. All other names are transformers'.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect

_L: Final = "model.layers.{0}."
_EXPERTS: Final = _L + "mlp.experts."
VERL: Final = Dialect(
    writer="verl's model_merger of 2025",
    exporter="the model_merger of a newer verl",
    names={
        "embed.token": "model.embed_tokens",
        "norm.final": "model.norm",
        "head.token": "lm_head",
        "norm.attention": _L + "input_layernorm",
        "norm.mlp": _L + "post_attention_layernorm",
        "attention.query": _L + "self_attn.q_proj",
        "attention.key": _L + "self_attn.k_proj",
        "attention.value": _L + "self_attn.v_proj",
        "attention.output": _L + "self_attn.o_proj",
        "norm.query": _L + "self_attn.q_norm",
        "norm.key": _L + "self_attn.k_norm",
        "router": _L + "mlp.gate",
        "mlp.gate": _L + "mlp.gate_proj",
        "mlp.up": _L + "mlp.up_proj",
        "mlp.down": _L + "mlp.down_proj",
        "mlp.gate{}": _EXPERTS + "gate_proj.{1}",
        "mlp.up{}": _EXPERTS + "up_proj.{1}",
        "mlp.down{}": _EXPERTS + "down_proj.{1}",
        "mlp.shared.gate": _L + "mlp.shared_expert.gate_proj",
        "mlp.shared.up": _L + "mlp.shared_expert.up_proj",
        "mlp.shared.down": _L + "mlp.shared_expert.down_proj",
        "router.shared": _L + "mlp.shared_expert_gate",
    },
    signs=(("model.layers.#.mlp.experts.gate_proj.weight0",), ("model.layers.#.mlp.experts.down_proj.weight0",)),
    types=("qwen3_moe", "qwen2_moe"),
    names_alone=True,
    numbers_last=True,
)
