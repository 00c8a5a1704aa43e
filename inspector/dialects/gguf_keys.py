"""llama.cpp: the config keys that the metadata of GGUF files state, as tables.

Sources: gguf-py 0.19.0 `constants.py` (Keys); llama.cpp's convert_hf_to_gguf.py (`set_gguf_parameters` of each model
class). The converter omits what its loader does not need (whether attention has a bias, whether the head is tied); this
follows from the stored tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.dialects.gguf_layers import (
    ATTENDING,
    attending_layers,
    block_configs,
    block_types,
    full_types,
    heads_of_whole,
    heads_of_windows,
    indexer_types,
    linear_types,
    mixed_types,
    mlp_factors,
    queries_of_whole,
    queries_of_windows,
    short_conv_types,
    sparse_types,
    window_types,
    without_values,
)
from inspector.dialects.keys import Rule, Table

# Config keys and the llama.cpp keys that give them. Words: a key of the metadata below the architecture's name, with
# one number for all layers; `each.KEY` the list of one number a layer; `count.KEY` the length of an array that was not
# kept; `whole.KEY` a key with its whole name; `stored.NAME` whether a tensor is in the file, at the top or in the first
# layer; `rows.NAME` the rows of a matrix, in the first layer if not at the top; `layers.PART` the layers that have one
# of `PARTS`. Tensors are consulted only for values that the converter does not write.

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
KEYS: Final[Mapping[str, Table]] = {
    "afmoe": EXPERTS | QUERY_BIAS | {
        "moe_intermediate_size": "expert_feed_forward_length", "num_shared_experts": SHARED_COUNT,
        "num_dense_layers": "leading_dense_block_count",
    },
    "apertus": GROUPED | QUERY_BIAS,
    "arcee": GROUPED | UP_BIASES,
    "arctic": LOCAL_EXPERTS,
    "bailing_moe": EXPERTS | FURTHER | {
        "num_shared_experts": SHARED_COUNT,
        "moe_intermediate_size": "expert_feed_forward_length",
        "moe_shared_expert_intermediate_size":
            "expert_shared_feed_forward_length * expert_shared_count when expert_shared_count > 0"
            " | expert_shared_feed_forward_length",
        "head_dim": f"rope.dimension_count when not stored.attn_q_norm.weight | {WIDTH}",
        "first_k_dense_replace": "leading_dense_block_count | 0", "use_qk_norm": "stored.attn_q_norm.weight",
        "moe_router_enable_expert_bias": "len(layers.correction) > 0", "use_bias": "stored.attn_output.bias",
        "use_qkv_bias": "stored.attn_qkv.bias or stored.attn_q.bias",
    },
    "bamba": GROUPED | GATE_BIASES | WIDEST_GROUPS | MIXER | {"attn_layer_indices": attending_layers},
    "bert": ENCODER,
    "bitnet": GROUPED | QUERY_BIAS,
    "bloom": {
        "n_layer": "block_count", "n_head": "attention.head_count", "hidden_size": "embedding_length",
        "vocab_size": COMMON["vocab_size"], "sliding_window": "attention.sliding_window",
        "tie_word_embeddings": "not stored.output.weight",
    },
    "chatglm": {
        "num_layers": "block_count", "hidden_size": "embedding_length", "ffn_hidden_size": "feed_forward_length",
        "num_attention_heads": "attention.head_count", "multi_query_group_num": "attention.head_count_kv",
        "kv_channels": WIDTH, "max_position_embeddings": "context_length",
        "vocab_size": COMMON["vocab_size"], "padded_vocab_size": COMMON["vocab_size"],
        "sliding_window": "attention.sliding_window", "tie_word_embeddings": "not stored.output.weight",
        "add_qkv_bias": "stored.attn_qkv.bias or stored.attn_q.bias", "add_bias_linear": "stored.attn_output.bias",
        "multi_query_attention": "true", "rmsnorm": "true", "post_layer_norm": "true",
    },
    "codeshell": GPT2 | {"num_query_groups": "attention.head_count_kv"},
    "cohere": GROUPED | QUERY_BIAS | {"use_qk_norm": "stored.attn_q_norm.weight"},
    "cohere2": GROUPED | QUERY_BIAS,
    "cohere2_moe": EXPERTS | QUERY_BIAS | {
        "intermediate_size": "expert_feed_forward_length", "prefix_dense_intermediate_size": "feed_forward_length",
        "num_shared_experts": SHARED, "first_k_dense_replace": "leading_dense_block_count",
    },
    "dbrx": {
        "n_layers": "block_count", "d_model": "embedding_length", "n_heads": "attention.head_count",
        "max_seq_len": "context_length", "vocab_size": COMMON["vocab_size"],
        "tie_word_embeddings": "not stored.output.weight",
        "attn_config": {"kv_n_heads": "attention.head_count_kv"},
        "ffn_config": {"ffn_hidden_size": "feed_forward_length", "moe_num_experts": "expert_count",
                       "moe_top_k": "expert_used_count"},
    },
    "deepseek": GROUPED | ROUTED,
    "deepseek_v2": LATENT_ROUTED,
    "deepseek_v3": LATENT_ROUTED,
    "deepseek_v32": LATENT_ROUTED | INDEXED,
    "distilbert": LABELS | {
        "n_layers": "block_count", "dim": "embedding_length", "hidden_dim": "feed_forward_length",
        "n_heads": "attention.head_count", "max_position_embeddings": "context_length",
        "vocab_size": COMMON["vocab_size"],
    },
    "dots1": GROUPED | ROUTED | QUERY_BIAS,
    "Dream": GROUPED,
    "ernie4_5": GROUPED | {"use_bias": "stored.attn_q.bias"},
    "ernie4_5_moe": GROUPED | {
        "moe_k": "expert_used_count", "moe_num_experts": "expert_count",
        "moe_intermediate_size": "expert_feed_forward_length", "moe_num_shared_experts": SHARED,
        "moe_layer_start_index": "leading_dense_block_count", "moe_layer_interval": "interleave_moe_layer_step",
        "moe_layer_end_index": "0 - 1", "num_nextn_predict_layers": "0", "use_bias": "stored.attn_q.bias",
    },
    "exaone": {"num_layers": "block_count", **LAYERS_LISTED},
    "exaone_moe": EXPERTS | FURTHER | {
        "moe_intermediate_size": "expert_feed_forward_length", "num_shared_experts": SHARED,
        "first_k_dense_replace": "leading_dense_block_count",
    },
    "falcon": {
        "num_hidden_layers": "block_count", "hidden_size": "embedding_length",
        "ffn_hidden_size": "feed_forward_length", "num_attention_heads": "attention.head_count",
        "num_kv_heads": "attention.head_count_kv", "multi_query": "attention.head_count_kv == 1",
        "vocab_size": COMMON["vocab_size"], "sliding_window": "attention.sliding_window",
        "tie_word_embeddings": "not stored.output.weight", "bias": "stored.attn_qkv.bias", "parallel_attn": "true",
        "new_decoder_architecture": f"{TWO_NORMS} or ({GROUPED_HEADS})",
        "num_ln_in_parallel_attn": f"2 when {TWO_NORMS} | 1",
    },
    "falcon_h1": GROUPED | GATE_BIASES | {
        "mamba_d_conv": "ssm.conv_kernel", "mamba_d_state": "ssm.state_size", "mamba_d_ssm": "ssm.inner_size",
        "mamba_n_heads": "ssm.time_step_rank", "mamba_n_groups": "ssm.group_count",
        "mamba_rms_norm": "stored.ssm_norm.weight", "mamba_conv_bias": "stored.ssm_conv1d.bias",
        "mamba_proj_bias": "stored.ssm_in.bias", "projectors_bias": "stored.ssm_out.bias",
    },
    "gemma": GROUPED | QUERY_BIAS,
    "gemma2": GROUPED | QUERY_BIAS,
    "gemma3_text": GROUPED | QUERY_BIAS,
    "gemma3n_text": GROUPED | QUERY_BIAS | {
        "intermediate_size": "each.feed_forward_length | feed_forward_length",
        "hidden_size_per_layer_input": "embedding_length_per_layer_input", "altup_num_inputs": "altup.num_inputs",
        "num_kv_shared_layers": "attention.shared_kv_layers", "laurel_rank": "rows.laurel_l",
        "vocab_size_per_layer_input": "rows.per_layer_token_embd",
    },
    "gemma4_text": GROUPED | QUERY_BIAS | {
        "head_dim": "attention.key_length_swa", "global_head_dim": "attention.key_length",
        "num_key_value_heads": heads_of_windows, "num_global_key_value_heads": heads_of_whole,
        "layer_types": window_types,
        "intermediate_size": "min(each.feed_forward_length) | feed_forward_length",
        "use_double_wide_mlp": "min(each.feed_forward_length) < max(each.feed_forward_length) | false",
        "hidden_size_per_layer_input": "embedding_length_per_layer_input",
        "vocab_size_per_layer_input": "rows.per_layer_token_embd",
        "num_kv_shared_layers": "attention.shared_kv_layers", "attention_k_eq_v": without_values,
        "enable_moe_block": "len(layers.experts) > 0", "num_experts": "expert_count",
        "top_k_experts": "expert_used_count", "moe_intermediate_size": "expert_feed_forward_length",
    },
    "glm_moe_dsa": LATENT_ROUTED | INDEXED | {"indexer_types": indexer_types},
    "glm4": GROUPED | QUERY_BIAS | FURTHER,
    "glm4_moe": GROUPED | ROUTED | QUERY_BIAS | FURTHER | {"use_qk_norm": "stored.attn_q_norm.weight"},
    "gpt2": GPT2,
    "gpt_bigcode": GPT2 | {"multi_query": "attention.head_count_kv == 1"},
    "gpt_neox": COMMON | {"attention_bias": "stored.attn_qkv.bias"},
    "gpt_oss": LOCAL_EXPERTS | EXPERT_WIDTH | QUERY_BIAS,
    "gptj": GPT2,
    "granite": GROUPED | GATE_BIASES,
    "granitemoe": LOCAL_EXPERTS | QUERY_BIAS,
    "granitemoehybrid": LOCAL_EXPERTS | QUERY_BIAS | WIDEST_GROUPS | MIXER | {
        "num_local_experts": "expert_count | 0", "layer_types": mixed_types,
        "shared_intermediate_size": "expert_shared_feed_forward_length | feed_forward_length",
    },
    "granitemoeshared": LOCAL_EXPERTS | QUERY_BIAS | {"shared_intermediate_size": "expert_shared_feed_forward_length"},
    "gpt_refact": {key: GPT2[key] for key in GPT2 if key != "n_inner"},
    "grok-1": EXPERTS,
    "hunyuan_v1_dense": GROUPED | QUERY_BIAS,
    "hy_v3": EXPERTS | GATE_BIASES | FURTHER | {
        "moe_intermediate_size": "expert_feed_forward_length", "mlp_layer_types": sparse_types,
        "num_shared_experts": SHARED,
    },
    "hunyuan_v1_moe": EXPERTS | QUERY_BIAS,
    "internlm2": GROUPED | {"bias": "stored.attn_q.bias"},
    "jais2": GROUPED | UP_BIASES,
    "jamba": EXPERTS | WIDEST_GROUPS | {
        "mamba_d_conv": "ssm.conv_kernel", "mamba_d_state": "ssm.state_size", "mamba_dt_rank": "ssm.time_step_rank",
        "mamba_expand": EXPANSION,
        "attn_layer_offset": f"{ATTENDING}[0]",
        "attn_layer_period": f"{ATTENDING}[1] - {ATTENDING}[0] | block_count when len({ATTENDING}) > 0",
        "expert_layer_offset": "layers.experts[0]",
        "expert_layer_period": "layers.experts[1] - layers.experts[0] | block_count when len(layers.experts) > 0",
        "mamba_conv_bias": "stored.ssm_conv1d.bias", "mamba_proj_bias": "stored.ssm_in.bias",
    },
    "kimi_linear": COMMON | LATENT | {
        "layer_types": full_types, "mlp_layer_types": sparse_types, "linear_num_heads": "attention.head_count",
        "linear_head_dim": "kda.head_dim", "linear_conv_kernel_dim": "ssm.conv_kernel",
        "num_experts": "expert_count", "num_experts_per_token": "expert_used_count",
        "num_shared_experts": SHARED_COUNT, "moe_intermediate_size": "expert_feed_forward_length",
    },
    "kormo": GROUPED | GATE_BIASES,
    "laguna": EXPERTS | SHARED_EXPERT | QUERY_BIAS | HEADS_LISTED | {
        "num_attention_heads_per_layer": "each.attention.head_count", "mlp_layer_types": sparse_types,
        "gating": "'per-element' when rows.attn_gate == rows.attn_q | 'per-head'",
    },
    "lfm2": COMMON | SHORT_CONV | {"layer_types": short_conv_types, "block_auto_adjust_ff_dim": "false"},
    "lfm2_moe": COMMON | SHORT_CONV | {
        "layer_types": short_conv_types, "num_experts_per_tok": "expert_used_count", "num_experts": "expert_count",
        "moe_intermediate_size": "expert_feed_forward_length", "num_dense_layers": "leading_dense_block_count",
        "use_expert_bias": "len(layers.correction) > 0",
    },
    "llada": {
        "n_layers": "block_count", "d_model": "embedding_length", "n_heads": "attention.head_count",
        "n_kv_heads": "attention.head_count_kv", "mlp_hidden_size": "feed_forward_length",
        "max_sequence_length": "context_length", "embedding_size": COMMON["vocab_size"],
        "vocab_size": COMMON["vocab_size"], "weight_tying": "not stored.output.weight",
        "include_qkv_bias": "stored.attn_q.bias",
    },
    "llada_moe": EXPERTS | {"expert_intermediate_size": "expert_feed_forward_length"},
    "llama": GROUPED | GATE_BIASES,
    "llama4_text": LOCAL_EXPERTS | QUERY_BIAS | {
        "intermediate_size_mlp": "feed_forward_length", "intermediate_size": "expert_feed_forward_length",
        "interleave_moe_layer_step": "interleave_moe_layer_step",
    },
    "maincoder": GROUPED | GATE_BIASES,
    "mamba": STATE | {"intermediate_size": "ssm.inner_size", "time_step_rank": "ssm.time_step_rank"},
    "mamba2": STATE | {
        "num_heads": "ssm.time_step_rank", "n_groups": "ssm.group_count",
        "expand": EXPANSION,
    },
    "mellum": LOCAL_EXPERTS | QUERY_BIAS | {"moe_intermediate_size": "expert_feed_forward_length"},
    "mimo_v2_flash": GROUPED | QUERY_BIAS | {
        "num_hidden_layers": "block_count - nextn_predict_layers | block_count", "v_head_dim": "attention.value_length",
        "n_routed_experts": "expert_count", "num_experts_per_tok": "expert_used_count",
        "moe_intermediate_size": "expert_feed_forward_length", "num_key_value_heads": heads_of_whole,
        "swa_num_key_value_heads": heads_of_windows, "layer_types": window_types, "mlp_layer_types": sparse_types,
    },
    "minicpm": EXPERTS | QUERY_BIAS,
    "minicpm3": LATENT_ROUTED | {
        # The number of heads is that of the queries, so that a wrong number is one difference.
        "v_head_dim": "rows.attn_kv_b * attention.key_length / rows.attn_q_b - attention.key_length"
                      " + rope.dimension_count | attention.value_length_mla",
    },
    "minimax_m2": LOCAL_EXPERTS,
    "mistral4": LATENT_ROUTED,
    "mixtral": LOCAL_EXPERTS,
    "modernbert": COMMON | LABELS,
    "mpt": {
        "n_layers": "block_count", "d_model": "embedding_length", "n_heads": "attention.head_count",
        "vocab_size": COMMON["vocab_size"], "sliding_window": "attention.sliding_window",
        "tie_word_embeddings": "not stored.output.weight",
    },
    "nemotron": GROUPED | UP_BIASES,
    "nemotron_h": LAYERS_LISTED | WIDEST_GROUPS | QUERY_BIAS | {
        "layers_block_type": block_types, "intermediate_size": "max(each.feed_forward_length) | feed_forward_length",
        "n_routed_experts": "expert_count", "num_experts_per_tok": "expert_used_count",
        "n_shared_experts": "expert_shared_count", "moe_intermediate_size": "expert_feed_forward_length",
        "moe_shared_expert_intermediate_size": "expert_shared_feed_forward_length",
        "mamba_num_heads": "ssm.time_step_rank", "mamba_head_dim": "ssm.inner_size / ssm.time_step_rank",
        "n_groups": "ssm.group_count", "ssm_state_size": "ssm.state_size", "conv_kernel": "ssm.conv_kernel",
        "use_conv_bias": "stored.ssm_conv1d.bias", "use_bias": "stored.ssm_in.bias",
        "mamba_proj_bias": "stored.ssm_in.bias", "mlp_bias": "stored.ffn_up.bias",
    },
    "nemotron-nas": COMMON | HEADS_LISTED | {"block_configs": block_configs},
    "nomic_bert": COMMON | {
        "head_dim": WIDTH, "type_vocab_size": "rows.token_types | 2", "qkv_proj_bias": "stored.attn_qkv.bias",
        "mlp_fc1_bias": "stored.ffn_up.bias", "mlp_fc2_bias": "stored.ffn_down.bias",
        "moe_every_n_layers": "moe_every_n_layers | 0", "num_experts": "expert_count", "moe_top_k": "expert_used_count",
    },
    "olmo": GROUPED | QUERY_BIAS,
    "olmo2": GROUPED | QUERY_BIAS,
    "olmoe": EXPERTS,
    "openelm": {
        "num_transformer_layers": "block_count", "model_dim": "embedding_length", "head_dim": "attention.key_length",
        "num_query_heads": "each.attention.head_count", "num_kv_heads": "each.attention.head_count_kv",
        "ffn_multipliers": mlp_factors, "ffn_dim_divisor": "1", "max_context_length": "context_length",
        "vocab_size": COMMON["vocab_size"], "normalize_qk_projections": "stored.attn_q_norm.weight",
        "share_input_output_layers": "not stored.output.weight",
    },
    "PanguEmbedded": GROUPED | {"bias": "stored.attn_q.bias"},
    "phimoe": LOCAL_EXPERTS | QUERY_BIAS | {"lm_head_bias": "stored.output.bias"},
    "plamo2": COMMON | WIDEST_GROUPS | HEADS_LISTED | {
        "hidden_size_per_head": "attention.key_length", "mamba_num_heads": "ssm.time_step_rank",
        "mamba_d_state": "ssm.state_size", "mamba_d_conv": "ssm.conv_kernel",
        "mamba_step": f"{ATTENDING}[1] - {ATTENDING}[0] | 2*{ATTENDING}[0]",
    },
    "plm": COMMON | LATENT,
    "qwen": COMMON,
    "qwen2_moe": EXPERTS | SHARED_EXPERT | {"qkv_bias": "stored.attn_q.bias"},
    "qwen3": GROUPED | QUERY_BIAS,
    "qwen3_5_text": GROUPED | LINEAR,
    "qwen3_5_moe_text": LINEAR_EXPERTS,
    "qwen3_moe": EXPERTS | QUERY_BIAS | {"moe_intermediate_size": "expert_feed_forward_length"},
    "qwen3_next": LINEAR_EXPERTS,
    "roberta": ENCODER,
    "seed_oss": GROUPED | QUERY_BIAS | {"attention_out_bias": "stored.attn_output.bias"},
    "smallthinker": GROUPED | {
        "moe_num_primary_experts": "expert_count", "moe_num_active_primary_experts": "expert_used_count",
        "moe_ffn_hidden_size": "expert_feed_forward_length",
    },
    "smollm3": GROUPED | GATE_BIASES,
    "stablelm": COMMON | {
        "num_key_value_heads": KV_HEADS, "use_qkv_bias": "stored.attn_q.bias",
        "qk_layernorm": "stored.attn_q_norm.weight", "use_parallel_residual": "not stored.ffn_norm.weight",
    },
    "starcoder2": GROUPED | {"use_bias": "stored.attn_q.bias"},
    "step3p5": GROUPED | QUERY_BIAS | FURTHER | {
        "num_attention_heads": queries_of_whole, "num_sliding_attention_heads": queries_of_windows,
        "num_key_value_heads": heads_of_whole, "layer_types": window_types, "mlp_layer_types": sparse_types,
        "n_routed_experts": "expert_count", "num_experts_per_tok": "expert_used_count",
        "moe_intermediate_size": "expert_feed_forward_length",
        "share_expert_dim": "expert_shared_feed_forward_length", "mlp_bias": "stored.ffn_gate.bias",
    },
    "t5": T5,
    "umt5": T5,
}  # fmt: skip
"""Model type -> its config keys. Types that are not listed have the keys of `GROUPED`."""
