"""llama.cpp: its architectures, and the config keys that the metadata of GGUF files state, as tables.

Sources: gguf-py 0.19.0 `constants.py` (Keys); llama.cpp's convert_hf_to_gguf.py (`set_gguf_parameters` of each model
class). The converter leaves out what its loader does not need (whether attention has a bias, whether the head is
tied): that follows from which tensors are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.dialects.keys import Table, Words

ARCHITECTURES: Final[Mapping[str, tuple[str, str]]] = {
    "afmoe": ("afmoe", "AfmoeForCausalLM"),
    "apertus": ("apertus", "ApertusForCausalLM"),
    "arcee": ("arcee", "ArceeForCausalLM"),
    "baichuan": ("baichuan", "BaichuanForCausalLM"),
    "bert": ("bert", "BertModel"),
    "bert-cls": ("bert", "BertForSequenceClassification"),
    "bloom": ("bloom", "BloomForCausalLM"),
    "chatglm": ("chatglm", "ChatGLMForConditionalGeneration"),
    "cohere2": ("cohere2", "Cohere2ForCausalLM"),
    "cohere2moe": ("cohere2_moe", "Cohere2MoeForCausalLM"),
    "command-r": ("cohere", "CohereForCausalLM"),
    "deepseek": ("deepseek", "DeepseekForCausalLM"),
    "deepseek2": ("deepseek_v2", "DeepseekV2ForCausalLM"),
    "deepseek3": ("deepseek_v3", "DeepseekV3ForCausalLM"),
    "distilbert": ("distilbert", "DistilBertModel"),
    "distilbert-cls": ("distilbert", "DistilBertForSequenceClassification"),
    "dots1": ("dots1", "Dots1ForCausalLM"),
    "ernie4_5": ("ernie4_5", "Ernie4_5ForCausalLM"),
    "ernie4_5-moe": ("ernie4_5_moe", "Ernie4_5_MoeForCausalLM"),
    "exaone": ("exaone", "ExaoneForCausalLM"),
    "exaone4": ("exaone4", "Exaone4ForCausalLM"),
    "exaone-moe": ("exaone_moe", "ExaoneMoeForCausalLM"),
    "eurobert": ("eurobert", "EuroBertModel"),
    "falcon": ("falcon", "FalconForCausalLM"),
    "falcon-h1": ("falcon_h1", "FalconH1ForCausalLM"),
    "gemma": ("gemma", "GemmaForCausalLM"),
    "gemma2": ("gemma2", "Gemma2ForCausalLM"),
    "gemma3": ("gemma3_text", "Gemma3ForCausalLM"),
    "gemma3n": ("gemma3n_text", "Gemma3nForCausalLM"),
    "glm4": ("glm4", "Glm4ForCausalLM"),
    "glm4moe": ("glm4_moe", "Glm4MoeForCausalLM"),
    "gpt-oss": ("gpt_oss", "GptOssForCausalLM"),
    "gpt2": ("gpt2", "GPT2LMHeadModel"),
    "gptj": ("gptj", "GPTJForCausalLM"),
    "gptneox": ("gpt_neox", "GPTNeoXForCausalLM"),
    "granite": ("granite", "GraniteForCausalLM"),
    "granitemoe": ("granitemoe", "GraniteMoeForCausalLM"),
    "granitemoeshared": ("granitemoeshared", "GraniteMoeSharedForCausalLM"),
    "hunyuan-dense": ("hunyuan_v1_dense", "HunYuanDenseV1ForCausalLM"),
    "hunyuan-moe": ("hunyuan_v1_moe", "HunYuanMoEV1ForCausalLM"),
    "hunyuan_vl": ("hunyuan_v1_dense", "HunYuanDenseV1ForCausalLM"),
    "internlm2": ("internlm2", "InternLM2ForCausalLM"),
    "jais2": ("jais2", "Jais2ForCausalLM"),
    "jamba": ("jamba", "JambaForCausalLM"),
    "lfm2": ("lfm2", "Lfm2ForCausalLM"),
    "lfm2moe": ("lfm2_moe", "Lfm2MoeForCausalLM"),
    "llama": ("llama", "LlamaForCausalLM"),
    "llama-embed": ("llama", "LlamaModel"),
    "llama4": ("llama4_text", "Llama4ForCausalLM"),
    "mamba": ("mamba", "MambaForCausalLM"),
    "mamba2": ("mamba2", "Mamba2ForCausalLM"),
    "mellum": ("mellum", "MellumForCausalLM"),
    "minicpm": ("minicpm", "MiniCPMForCausalLM"),
    "minicpm3": ("minicpm3", "MiniCPM3ForCausalLM"),
    "minimax-m2": ("minimax_m2", "MiniMaxM2ForCausalLM"),
    "mistral3": ("mistral", "MistralForCausalLM"),
    "mixtral": ("mixtral", "MixtralForCausalLM"),
    "modern-bert": ("modernbert", "ModernBertModel"),
    "modern-bert-cls": ("modernbert", "ModernBertForSequenceClassification"),
    "mpt": ("mpt", "MptForCausalLM"),
    "nemotron": ("nemotron", "NemotronForCausalLM"),
    "nomic-bert": ("nomic_bert", "NomicBertModel"),
    "olmo": ("olmo", "OlmoForCausalLM"),
    "olmo2": ("olmo2", "Olmo2ForCausalLM"),
    "olmoe": ("olmoe", "OlmoeForCausalLM"),
    "orion": ("orion", "OrionForCausalLM"),
    "paddleocr": ("ernie4_5", "Ernie4_5ForCausalLM"),
    "phi2": ("phi", "PhiForCausalLM"),
    "phi3": ("phi3", "Phi3ForCausalLM"),
    "phimoe": ("phimoe", "PhiMoEForCausalLM"),
    "qwen": ("qwen", "QWenLMHeadModel"),
    "qwen2": ("qwen2", "Qwen2ForCausalLM"),
    "qwen2moe": ("qwen2_moe", "Qwen2MoeForCausalLM"),
    "qwen2vl": ("qwen2_vl_text", "Qwen2VLTextForCausalLM"),
    "qwen3": ("qwen3", "Qwen3ForCausalLM"),
    "qwen3moe": ("qwen3_moe", "Qwen3MoeForCausalLM"),
    "qwen3vl": ("qwen3_vl_text", "Qwen3ForCausalLM"),
    "qwen3vlmoe": ("qwen3_moe", "Qwen3MoeForCausalLM"),
    "roberta-cls": ("roberta", "RobertaForSequenceClassification"),
    "seed_oss": ("seed_oss", "SeedOssForCausalLM"),
    "smollm3": ("smollm3", "SmolLM3ForCausalLM"),
    "stablelm": ("stablelm", "StableLmForCausalLM"),
    "starcoder": ("gpt_bigcode", "GPTBigCodeForCausalLM"),
    "starcoder2": ("starcoder2", "Starcoder2ForCausalLM"),
    "t5": ("t5", "T5ForConditionalGeneration"),
    "t5encoder": ("t5", "T5EncoderModel"),
    "umt5": ("umt5", "UMT5ForConditionalGeneration"),
    "xverse": ("xverse", "XverseForCausalLM"),
}
"""llama.cpp's architecture -> model type and class of transformers."""

ONE_TYPE: Final = "whole.tokenizer.ggml.token_type_count == 1 and not stored.token_types.weight"
VARIANTS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "bert": (
        (f"stored.cls.weight and {ONE_TYPE}", "distilbert-cls"),
        ("stored.cls.weight", "roberta-cls"),
        ("stored.cls.output.weight", "bert-cls"),
        (ONE_TYPE, "distilbert"),
    ),
    "deepseek2": (("expert_gating_func == 2 or len(layers.correction) > 0", "deepseek3"),),
    "granitemoe": (("stored.ffn_gate_shexp.weight", "granitemoeshared"),),
    "llama": (("expert_count > 0", "mixtral"),),
    "modern-bert": (("stored.cls.output.weight", "modern-bert-cls"),),
    "t5": (("len(layers.relative) > 1", "umt5"),),
}
"""Architectures that are used for several models: the first of which the expression holds, else that of the name."""

# Config keys and what llama.cpp states of them. Words: a key of the metadata below the architecture's name, with one
# number for all layers; `each.KEY` the list of one number a layer; `count.KEY` the length of an array that was not
# kept; `whole.KEY` a key with its whole name; `stored.NAME` whether a tensor is in the file, at the top or in the
# first layer; `rows.NAME` the rows of a matrix, in the first layer if not at the top; `layers.PART` the layers that
# have one of `PARTS`. The presence of tensors is asked only for what the converter does not write down.

COMMON: Final = {
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "max_position_embeddings": "context_length",
    "vocab_size": "vocab_size | count.tokenizer.ggml.tokens | rows.token_embd",
    "sliding_window": "attention.sliding_window",
    "tie_word_embeddings": "not stored.output.weight",
}
WIDTH: Final = "attention.key_length | embedding_length / attention.head_count"
"""The width of heads, as llama.cpp takes it."""
GROUPED: Final = COMMON | {"num_key_value_heads": "attention.head_count_kv", "head_dim": WIDTH}
LABELS: Final = {"num_labels": "rows.cls.output"}
ENCODER: Final = COMMON | LABELS | {"type_vocab_size": "rows.token_types | 2"}
GPT2: Final = {
    "n_layer": "block_count", "n_embd": "embedding_length", "n_inner": "feed_forward_length",
    "n_head": "attention.head_count", "n_positions": "context_length", "vocab_size": COMMON["vocab_size"],
    "sliding_window": "attention.sliding_window", "tie_word_embeddings": "not stored.output.weight",
}  # fmt: skip
MIXTURE: Final = GROUPED | {"num_experts_per_tok": "expert_used_count"}
EXPERTS: Final = MIXTURE | {"num_experts": "expert_count"}
LOCAL_EXPERTS: Final = MIXTURE | {"num_local_experts": "expert_count"}
ROUTED: Final = {
    "num_experts_per_tok": "expert_used_count",
    "n_routed_experts": "expert_count",
    "n_shared_experts": "expert_shared_count",
    "moe_intermediate_size": "expert_feed_forward_length",
    "first_k_dense_replace": "leading_dense_block_count | 0",
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
LATENT_ROUTED: Final = COMMON | ROUTED | LATENT | {"num_nextn_predict_layers": "nextn_predict_layers"}
STATE: Final = {
    "num_hidden_layers": "block_count", "hidden_size": "embedding_length", "vocab_size": COMMON["vocab_size"],
    "head_dim": "attention.key_length", "sliding_window": "attention.sliding_window",
    "tie_word_embeddings": "not stored.output.weight", "state_size": "ssm.state_size",
    "conv_kernel": "ssm.conv_kernel", "use_conv_bias": "stored.ssm_conv1d.bias", "use_bias": "stored.ssm_in.bias",
}  # fmt: skip
WIDEST_GROUPS: Final = {"num_key_value_heads": "max(each.attention.head_count_kv) | attention.head_count_kv"}
QUERY_BIAS: Final = {"attention_bias": "stored.attn_q.bias"}
GATE_BIASES: Final = QUERY_BIAS | {"mlp_bias": "stored.ffn_gate.bias"}
UP_BIASES: Final = QUERY_BIAS | {"mlp_bias": "stored.ffn_up.bias"}
EXPERT_WIDTH: Final = {"intermediate_size": "expert_feed_forward_length | feed_forward_length"}
ATTENDING: Final = "(block_count[each.attention.head_count_kv] | layers.attention)"
SHORT_CONV: Final = WIDEST_GROUPS | {"conv_L_cache": "shortconv.l_cache", "conv_bias": "stored.shortconv.in_proj.bias"}


T5: Final = {
    "num_layers": "block_count", "num_decoder_layers": "decoder_block_count | block_count",
    "d_model": "embedding_length", "d_ff": "feed_forward_length", "num_heads": "attention.head_count",
    "d_kv": "attention.key_length", "vocab_size": COMMON["vocab_size"],
    "relative_attention_num_buckets": "attention.relative_buckets_count",
    "sliding_window": "attention.sliding_window", "tie_word_embeddings": "not stored.output.weight",
    "feed_forward_proj": "'gated-gelu' when stored.enc.ffn_gate.weight | 'relu'",
    "is_gated_act": "stored.enc.ffn_gate.weight",
}  # fmt: skip


def _layer_types(words: Words) -> list[str] | None:
    """LFM2's layers: those without key-value heads are short convolutions."""
    layers, attending = words.value("block_count"), words.value(ATTENDING)
    if type(layers) is not int or attending is None:
        return None
    return ["full_attention" if layer in attending else "conv" for layer in range(layers)]


KEYS: Final[Mapping[str, Table]] = {
    "afmoe": EXPERTS | QUERY_BIAS | {
        "moe_intermediate_size": "expert_feed_forward_length", "num_shared_experts": "expert_shared_count",
        "num_dense_layers": "leading_dense_block_count",
    },
    "apertus": GROUPED | QUERY_BIAS,
    "arcee": GROUPED | UP_BIASES,
    "bert": ENCODER,
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
    "cohere": GROUPED | QUERY_BIAS | {"use_qk_norm": "stored.attn_q_norm.weight"},
    "cohere2": GROUPED | QUERY_BIAS,
    "cohere2_moe": EXPERTS | QUERY_BIAS | {
        "intermediate_size": "expert_feed_forward_length", "prefix_dense_intermediate_size": "feed_forward_length",
        "num_shared_experts": "expert_shared_count", "first_k_dense_replace": "leading_dense_block_count",
    },
    "deepseek": GROUPED | ROUTED,
    "deepseek_v2": LATENT_ROUTED,
    "deepseek_v3": LATENT_ROUTED,
    "distilbert": LABELS | {
        "n_layers": "block_count", "dim": "embedding_length", "hidden_dim": "feed_forward_length",
        "n_heads": "attention.head_count", "max_position_embeddings": "context_length",
        "vocab_size": COMMON["vocab_size"],
    },
    "dots1": GROUPED | ROUTED | QUERY_BIAS,
    "ernie4_5": GROUPED | {"use_bias": "stored.attn_q.bias"},
    "ernie4_5_moe": GROUPED | {
        "moe_k": "expert_used_count", "moe_num_experts": "expert_count",
        "moe_intermediate_size": "expert_feed_forward_length", "moe_num_shared_experts": "expert_shared_count",
        "moe_layer_start_index": "leading_dense_block_count", "moe_layer_interval": "interleave_moe_layer_step",
        "moe_layer_end_index": "0 - 1", "num_nextn_predict_layers": "0", "use_bias": "stored.attn_q.bias",
    },
    "exaone": {"num_layers": "block_count", **{key: GROUPED[key] for key in GROUPED if key != "num_hidden_layers"}},
    "exaone_moe": EXPERTS | {
        "num_hidden_layers": "block_count - nextn_predict_layers | block_count",
        "moe_intermediate_size": "expert_feed_forward_length", "num_shared_experts": "expert_shared_count",
        "first_k_dense_replace": "leading_dense_block_count", "num_nextn_predict_layers": "nextn_predict_layers",
    },
    "falcon": {
        "num_hidden_layers": "block_count", "hidden_size": "embedding_length",
        "ffn_hidden_size": "feed_forward_length", "num_attention_heads": "attention.head_count",
        "num_kv_heads": "attention.head_count_kv", "multi_query": "attention.head_count_kv == 1",
        "vocab_size": COMMON["vocab_size"], "sliding_window": "attention.sliding_window",
        "tie_word_embeddings": "not stored.output.weight", "bias": "stored.attn_qkv.bias", "parallel_attn": "true",
        "new_decoder_architecture": "stored.attn_norm_2.weight or stored.attn_norm_2.bias",
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
    "glm4": GROUPED | QUERY_BIAS,
    "glm4_moe": GROUPED | ROUTED | QUERY_BIAS | {
        "num_hidden_layers": "block_count - nextn_predict_layers | block_count",
        "num_nextn_predict_layers": "nextn_predict_layers", "use_qk_norm": "stored.attn_q_norm.weight",
    },
    "gpt2": GPT2,
    "gpt_bigcode": GPT2 | {"multi_query": "attention.head_count_kv == 1"},
    "gpt_neox": COMMON | {"attention_bias": "stored.attn_qkv.bias"},
    "gpt_oss": LOCAL_EXPERTS | EXPERT_WIDTH | QUERY_BIAS,
    "gptj": GPT2,
    "granite": GROUPED | GATE_BIASES,
    "granitemoe": LOCAL_EXPERTS | QUERY_BIAS,
    "granitemoeshared": LOCAL_EXPERTS | QUERY_BIAS | {"shared_intermediate_size": "expert_shared_feed_forward_length"},
    "hunyuan_v1_dense": GROUPED | QUERY_BIAS,
    "hunyuan_v1_moe": EXPERTS | EXPERT_WIDTH | QUERY_BIAS,
    "internlm2": GROUPED | {"bias": "stored.attn_q.bias"},
    "jais2": GROUPED | UP_BIASES,
    "jamba": EXPERTS | WIDEST_GROUPS | {
        "mamba_d_conv": "ssm.conv_kernel", "mamba_d_state": "ssm.state_size", "mamba_dt_rank": "ssm.time_step_rank",
        "mamba_expand": "ssm.inner_size / embedding_length",
        "attn_layer_offset": f"{ATTENDING}[0]",
        "attn_layer_period": f"{ATTENDING}[1] - {ATTENDING}[0] | block_count when len({ATTENDING}) > 0",
        "expert_layer_offset": "layers.experts[0]",
        "expert_layer_period": "layers.experts[1] - layers.experts[0] | block_count when len(layers.experts) > 0",
        "mamba_conv_bias": "stored.ssm_conv1d.bias", "mamba_proj_bias": "stored.ssm_in.bias",
    },
    "lfm2": COMMON | SHORT_CONV | {"layer_types": _layer_types, "block_auto_adjust_ff_dim": "false"},
    "lfm2_moe": COMMON | SHORT_CONV | {
        "layer_types": _layer_types, "num_experts_per_tok": "expert_used_count", "num_experts": "expert_count",
        "moe_intermediate_size": "expert_feed_forward_length", "num_dense_layers": "leading_dense_block_count",
        "use_expert_bias": "len(layers.correction) > 0",
    },
    "llama": GROUPED | GATE_BIASES,
    "llama4_text": LOCAL_EXPERTS | QUERY_BIAS | {
        "intermediate_size_mlp": "feed_forward_length", "intermediate_size": "expert_feed_forward_length",
        "interleave_moe_layer_step": "interleave_moe_layer_step",
    },
    "mamba": STATE | {"intermediate_size": "ssm.inner_size", "time_step_rank": "ssm.time_step_rank"},
    "mamba2": STATE | {
        "num_heads": "ssm.time_step_rank", "n_groups": "ssm.group_count",
        "expand": "ssm.inner_size / rows.ssm_out | 1.0 * ssm.inner_size / rows.ssm_out"
                  " | 1.0 * ssm.inner_size / embedding_length",
    },
    "mellum": LOCAL_EXPERTS | QUERY_BIAS | {"moe_intermediate_size": "expert_feed_forward_length"},
    "minicpm": EXPERTS | QUERY_BIAS,
    "minicpm3": LATENT_ROUTED | {
        "v_head_dim": "rows.attn_kv_b / attention.head_count - attention.key_length + rope.dimension_count"
                      " | attention.value_length_mla",
    },
    "minimax_m2": LOCAL_EXPERTS | EXPERT_WIDTH,
    "mixtral": LOCAL_EXPERTS,
    "modernbert": COMMON | LABELS,
    "mpt": {
        "n_layers": "block_count", "d_model": "embedding_length", "n_heads": "attention.head_count",
        "vocab_size": COMMON["vocab_size"], "sliding_window": "attention.sliding_window",
        "tie_word_embeddings": "not stored.output.weight",
    },
    "nemotron": GROUPED | UP_BIASES,
    "nomic_bert": COMMON | {
        "type_vocab_size": "rows.token_types | 2", "qkv_proj_bias": "stored.attn_qkv.bias",
        "mlp_fc1_bias": "stored.ffn_up.bias", "mlp_fc2_bias": "stored.ffn_down.bias",
    },
    "olmo": GROUPED | QUERY_BIAS,
    "olmo2": GROUPED | QUERY_BIAS,
    "olmoe": EXPERTS,
    "phimoe": LOCAL_EXPERTS | QUERY_BIAS | {"lm_head_bias": "stored.output.bias"},
    "qwen": COMMON,
    "qwen2_moe": EXPERTS | {
        "moe_intermediate_size": "expert_feed_forward_length", "qkv_bias": "stored.attn_q.bias",
        "shared_expert_intermediate_size": "expert_shared_feed_forward_length",
    },
    "qwen3": GROUPED | QUERY_BIAS,
    "qwen3_moe": EXPERTS | QUERY_BIAS | {"moe_intermediate_size": "expert_feed_forward_length"},
    "roberta": ENCODER,
    "seed_oss": GROUPED | QUERY_BIAS | {"attention_out_bias": "stored.attn_output.bias"},
    "smollm3": GROUPED | GATE_BIASES,
    "stablelm": COMMON | {
        "num_key_value_heads": "attention.head_count_kv", "use_qkv_bias": "stored.attn_q.bias",
        "qk_layernorm": "stored.attn_q_norm.weight", "use_parallel_residual": "not stored.ffn_norm.weight",
    },
    "starcoder2": GROUPED | {"use_bias": "stored.attn_q.bias"},
    "t5": T5,
    "umt5": T5,
}  # fmt: skip
"""Model type -> its config keys; a type that is not here has those of `GROUPED`."""

PARTS: Final[Mapping[str, tuple[tuple[str, ...], int]]] = {
    "attention": (("attn_q.", "attn_k.", "attn_v.", "attn_output."), 2),
    "experts": (("ffn_gate_inp.", "ffn_down_exps."), 1),
    "correction": (("exp_probs_b.", "exp_probs_b"), 1),
    "relative": (("attn_rel_b.",), 1),
}
"""Part of a layer -> beginnings of its tensors' names, and how many must be there (a lost one changes nothing)."""
