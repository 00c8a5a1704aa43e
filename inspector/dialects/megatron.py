"""Megatron-Core, Megatron-LM and NeMo.

Megatron-Core: `megatron/core/models/gpt/gpt_layer_specs.py` (Transformer Engine keeps a norm inside the linear that
follows it, the local spec next to it), `transformer/moe/experts.py`, `transformer/multi_latent_attention.py`; the
joined matrix is interleaved by query group. Megatron-LM's legacy model, and NeMo before 2: `megatron/legacy/model/
language_model.py`, `transformer.py`. `padded_vocab_size`: `--make-vocab-size-divisible-by` times the ranks.
"""

from __future__ import annotations

from typing import Final

import msgspec

from inspector.dialects.language import DECODERS, Dialect, stored

_M: Final = "decoder.layers.{0}."
_EXPERTS: Final = _M + "mlp.experts."
MEGATRON: Final = Dialect(
    writer="Megatron-Core",
    exporter="export_ckpt of Megatron Bridge",
    own_configs=("model_config.yaml",),
    names={
        "embed.token": stored("embedding.word_embeddings", "padded"),
        "embed.position": "embedding.position_embeddings",
        "norm.final": "decoder.final_layernorm",
        "head.token": stored("output_layer", "padded"),
        "norm.attention": (_M + "self_attention.linear_qkv.layer_norm_*", _M + "input_layernorm"),
        "norm.mlp": (_M + "mlp.linear_fc1.layer_norm_*", _M + "pre_mlp_layernorm"),
        "norm.mlp.routed": _M + "pre_mlp_layernorm",
        "norm.attention.post": (_M + "self_attention.linear_proj.post_layernorm", _M + "post_self_attn_layernorm"),
        "norm.mlp.post": (_M + "mlp.linear_fc2.post_layernorm", _M + "post_mlp_layernorm"),
        "attention.qkv": _M + "self_attention.linear_qkv",
        "attention.output": _M + "self_attention.linear_proj",
        "attention.query.alone": _M + "self_attention.linear_q_proj",
        "norm.query": (_M + "self_attention.q_layernorm", _M + "self_attention.linear_q_up_proj.layer_norm_*"),
        "norm.key": _M + "self_attention.k_layernorm",
        "attention.query.down": _M + "self_attention.linear_q_down_proj",
        "attention.query.up": _M + "self_attention.linear_q_up_proj",
        "attention.kv.down": _M + "self_attention.linear_kv_down_proj",
        "norm.kv": (_M + "self_attention.linear_kv_up_proj.layer_norm_*", _M + "self_attention.kv_layernorm"),
        "attention.kv.up": _M + "self_attention.linear_kv_up_proj",
        "mlp.gate_up": _M + "mlp.linear_fc1",
        "mlp.up.alone": _M + "mlp.linear_fc1",
        "mlp.down": _M + "mlp.linear_fc2",
        "router": _M + "mlp.router",
        "router.correction": _M + "mlp.router.expert_bias=",
        "mlp.gate_up{}": (_EXPERTS + "linear_fc1.{1}", _EXPERTS + "local_experts.{1}.linear_fc1"),
        "mlp.down{}": (_EXPERTS + "linear_fc2.{1}", _EXPERTS + "local_experts.{1}.linear_fc2"),
        "mlp.shared.gate_up": _M + "mlp.shared_experts.linear_fc1",
        "mlp.shared.down": _M + "mlp.shared_experts.linear_fc2",
        "router.shared": _M + "mlp.shared_experts.gate_weight=",
    },
    signs=(
        ("decoder.layers.#.self_attention.linear_qkv.weight",),
        ("decoder.layers.#.self_attention.linear_kv_up_proj.weight",),
        ("decoder.layers.#.self_attention.linear_proj.weight", "embedding.word_embeddings.weight"),
    ),
    types=(*DECODERS, "gpt2", "deepseek_v2", "gpt_bigcode"),
    prefixes=("", "model.", "module.", "model.module.", "module.module."),
    interleaved=("attention.qkv",),
)

_O: Final = "language_model.encoder.layers.{0}."
MEGATRON_OLD: Final = msgspec.structs.replace(
    MEGATRON,
    writer="Megatron-LM",
    exporter="the converter of Megatron-LM",
    own_configs=("model_config.yaml",),
    names={
        "embed.token": stored("language_model.embedding.word_embeddings", "padded"),
        "embed.position": "language_model.embedding.position_embeddings",
        "norm.final": "language_model.encoder.final_layernorm",
        "head.token": stored("language_model.output_layer", "padded"),
        "norm.attention": _O + "input_layernorm",
        "norm.mlp": _O + "post_attention_layernorm",
        "attention.qkv": _O + "self_attention.query_key_value",
        "attention.output": _O + "self_attention.dense",
        "mlp.gate_up": _O + "mlp.dense_h_to_4h",
        "mlp.up.alone": _O + "mlp.dense_h_to_4h",
        "mlp.down": _O + "mlp.dense_4h_to_h",
    },
    signs=(("language_model.encoder.layers.#.self_attention.query_key_value.weight",),),
)
