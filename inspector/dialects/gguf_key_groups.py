"""llama.cpp: groups of config keys that the tables of several architectures share.

Sources: those of `gguf_keys`.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.gguf_layers import linear_types
from inspector.dialects.keys import Rule

COMMON: Final = {
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "max_position_embeddings": "context_length",
    "vocab_size": "count.tokenizer.ggml.tokens | vocab_size | rows.token_embd | rows.output",
    "sliding_window": "attention.sliding_window",
    "tie_word_embeddings": "not stored.output.weight",
}
WIDTH: Final = "attention.key_length | embedding_length / attention.head_count"
"""The width of heads, as llama.cpp determines it."""
KV_HEADS: Final = "attention.head_count_kv | attention.head_count"
GROUPED: Final = COMMON | {"num_key_value_heads": KV_HEADS, "head_dim": WIDTH}
LAYERS_LISTED: Final = {key: GROUPED[key] for key in GROUPED if key != "num_hidden_layers"}
LABELS: Final = {"num_labels": "rows.cls.output"}
ENCODER: Final = COMMON | LABELS | {"type_vocab_size": "rows.token_types | 2"}
GPT2: Final = {
    "n_layer": "block_count", "n_embd": "embedding_length", "n_inner": "feed_forward_length",
    "n_head": "attention.head_count", "n_positions": "context_length", "vocab_size": COMMON["vocab_size"],
    "sliding_window": "attention.sliding_window", "tie_word_embeddings": "not stored.output.weight",
}  # fmt: skip
MIXTURE: Final = GROUPED | {"num_experts_per_tok": "expert_used_count"}
EXPERTS: Final = MIXTURE | {"num_experts": "expert_count"}
SHARED_EXPERT: Final = {
    "moe_intermediate_size": "expert_feed_forward_length",
    "shared_expert_intermediate_size": "expert_shared_feed_forward_length",
}
SHARED: Final = "expert_shared_feed_forward_length / expert_feed_forward_length | expert_shared_count"
"""Number of shared experts: llama.cpp takes their joint width, and the number only if no width is stated."""
LOCAL_EXPERTS: Final = MIXTURE | {"num_local_experts": "expert_count"}
SHARED_COUNT: Final = "expert_shared_count | rows.ffn_up_shexp / expert_feed_forward_length"
"""The same for architectures that require the number; if the key is absent, the matrices give the number."""
ROUTED: Final = {
    "num_experts_per_tok": "expert_used_count",
    "n_routed_experts": "expert_count",
    "n_shared_experts": SHARED_COUNT,
    "moe_intermediate_size": "expert_feed_forward_length",
    "first_k_dense_replace": "leading_dense_block_count | 0",
}
FURTHER: Final = {
    "num_hidden_layers": "block_count - nextn_predict_layers | block_count",
    "num_nextn_predict_layers": "nextn_predict_layers | 0",
}
LATENT: Final = {
    "q_lora_rank": "attention.q_lora_rank",
    "kv_lora_rank": "attention.kv_lora_rank",
    "qk_rope_head_dim": "rope.dimension_count",
    # With `key_length_mla` the plain keys are the widths of the compressed form.
    "qk_nope_head_dim": "attention.key_length_mla - rope.dimension_count"
                        " | attention.key_length - rope.dimension_count",
    "v_head_dim": "attention.value_length_mla when attention.key_length_mla != null"
                  " | attention.value_length when attention.key_length_mla == null",
}  # fmt: skip
LATENT_ROUTED: Final = COMMON | ROUTED | LATENT | FURTHER
INDEXED: Final = {"index_n_heads": "attention.indexer.head_count", "index_head_dim": "attention.indexer.key_length"}
EXPANSION: Final = (
    "ssm.inner_size / rows.ssm_out | 1.0 * ssm.inner_size / rows.ssm_out | 1.0 * ssm.inner_size / embedding_length"
)
STATE: Final = {
    "num_hidden_layers": "block_count", "hidden_size": "embedding_length", "vocab_size": COMMON["vocab_size"],
    "head_dim": "attention.key_length", "sliding_window": "attention.sliding_window",
    "tie_word_embeddings": "not stored.output.weight", "state_size": "ssm.state_size",
    "conv_kernel": "ssm.conv_kernel", "use_conv_bias": "stored.ssm_conv1d.bias", "use_bias": "stored.ssm_in.bias",
}  # fmt: skip
WIDEST_GROUPS: Final = {"num_key_value_heads": f"max(each.attention.head_count_kv) | {KV_HEADS}"}
HEADS_LISTED: Final = {"num_attention_heads": "max(each.attention.head_count) | attention.head_count"}
QUERY_BIAS: Final = {"attention_bias": "stored.attn_q.bias"}
GATE_BIASES: Final = QUERY_BIAS | {"mlp_bias": "stored.ffn_gate.bias"}
UP_BIASES: Final = QUERY_BIAS | {"mlp_bias": "stored.ffn_up.bias"}
EXPERT_WIDTH: Final = {"intermediate_size": "expert_feed_forward_length | feed_forward_length"}
SHORT_CONV: Final = WIDEST_GROUPS | {"conv_L_cache": "shortconv.l_cache", "conv_bias": "stored.shortconv.in_proj.bias"}
MIXER: Final = {
    "mamba_d_conv": "ssm.conv_kernel", "mamba_d_state": "ssm.state_size", "mamba_n_groups": "ssm.group_count",
    "mamba_n_heads": "ssm.time_step_rank", "mamba_d_head": "ssm.inner_size / ssm.time_step_rank",
    "mamba_expand": EXPANSION, "mamba_conv_bias": "stored.ssm_conv1d.bias", "mamba_proj_bias": "stored.ssm_in.bias",
}  # fmt: skip
"""Mamba 2 layers next to attention, in Granite 4 and Bamba."""
T5: Final = {
    "num_layers": "block_count", "num_decoder_layers": "decoder_block_count | block_count",
    "d_model": "embedding_length", "d_ff": "feed_forward_length", "num_heads": "attention.head_count",
    "d_kv": "attention.key_length", "vocab_size": COMMON["vocab_size"],
    "relative_attention_num_buckets": "attention.relative_buckets_count",
    "sliding_window": "attention.sliding_window", "tie_word_embeddings": "not stored.output.weight",
    "feed_forward_proj": "'gated-gelu' when stored.enc.ffn_gate.weight | 'relu'",
    "is_gated_act": "stored.enc.ffn_gate.weight",
}  # fmt: skip
LINEAR: Final[dict[str, Rule]] = {
    **QUERY_BIAS,
    "linear_num_key_heads": "ssm.group_count", "linear_num_value_heads": "ssm.time_step_rank",
    "linear_key_head_dim": "ssm.state_size", "linear_value_head_dim": "ssm.inner_size / ssm.time_step_rank",
    "linear_conv_kernel_dim": "ssm.conv_kernel", "layer_types": linear_types,
}  # fmt: skip
LINEAR_EXPERTS: Final = EXPERTS | LINEAR | SHARED_EXPERT
TWO_NORMS: Final = "(stored.attn_norm_2.weight or stored.attn_norm_2.bias)"
"""Falcon's layers have a norm for each half. Falcon 2's layers have one norm, and fewer key-value heads
than queries.
"""
GROUPED_HEADS: Final = "attention.head_count_kv > 1 and attention.head_count_kv < attention.head_count"
