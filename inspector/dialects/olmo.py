"""The names of OLMo's two training programs, before their conversion for transformers.

Source: `olmo/model.py` and transformers' `convert_olmo_weights_to_hf.py`: q, k and v are one matrix, and so are the two
matrices before the activation; the head outside the blocks has the name of the MLP's last matrix. OLMo-core:
`HF_TO_OLMO_CORE_MAPPINGS` in `olmo_core/nn/hf/key_mapping.py`; its tensors differ only by name.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect

_B: Final = "blocks.{0}."
OLMO: Final = Dialect(
    writer="OLMo's training code",
    exporter="convert_olmo_weights_to_hf.py (OLMo 2: convert_olmo2_weights_to_hf.py) in the repository of transformers",
    own_configs=("config.yaml",),
    names={
        "embed.token": "wte",
        "norm.final": "ln_f",
        "head.token": "ff_out",
        "norm.attention": _B + "attn_norm",
        "norm.mlp": _B + "ff_norm",
        "attention.qkv": _B + "att_proj",
        "attention.output": _B + "attn_out",
        "norm.attention.post": _B + "attn_norm",
        "norm.mlp.post": _B + "ff_norm",
        "norm.query": _B + "q_norm",
        "norm.key": _B + "k_norm",
        "mlp.gate_up": _B + "ff_proj",
        "mlp.down": _B + "ff_out",
    },
    signs=(("blocks.#.att_proj.weight", "blocks.#.ff_proj.weight"), ("blocks.#.att_proj.weight",)),
    types=("olmo", "olmo2"),
    prefixes=("model.transformer.", "transformer.", "module.transformer.", ""),
)

_C: Final = "blocks.{0}."
OLMO_CORE: Final = Dialect(
    writer="OLMo-core",
    exporter="convert_checkpoint_to_hf.py of OLMo-core",
    names={
        "embed.token": "embeddings",
        "norm.final": "lm_head.norm",
        "head.token": "lm_head.w_out",
        "norm.attention": _C + "attention_norm",
        "norm.mlp": _C + "feed_forward_norm",
        "norm.attention.post": _C + "attention_norm",
        "norm.mlp.post": _C + "feed_forward_norm",
        "attention.query": _C + "attention.w_q",
        "attention.key": _C + "attention.w_k",
        "attention.value": _C + "attention.w_v",
        "attention.output": _C + "attention.w_out",
        "norm.query": _C + "attention.q_norm",
        "norm.key": _C + "attention.k_norm",
        "mlp.gate": _C + "feed_forward.w1",
        "mlp.up": _C + "feed_forward.w3",
        "mlp.down": _C + "feed_forward.w2",
    },
    signs=(("blocks.#.attention.w_q.weight", "blocks.#.feed_forward.w1.weight"),),
    types=("olmo2", "llama", "qwen3"),
    prefixes=("", "model.", "module."),
    names_alone=True,
)
