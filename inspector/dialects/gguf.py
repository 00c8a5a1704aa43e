"""llama.cpp: names of tensors in GGUF files, and what their metadata state of the model.

Sources: gguf-py 0.19.0 `constants.py` (TENSOR_NAMES, Keys) and `tensor_mapping.py`; llama.cpp's
convert_hf_to_gguf.py (which tensors it stacks, splits, squeezes; `set_gguf_parameters` of each model class). The
converter leaves out what its loader does not need (whether attention has a bias, whether the head is tied): that
follows from which tensors are stored. A file states its architecture; of one that is not known the names alone say
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

import msgspec

from inspector.algebra.span import Span
from inspector.algebra.values import Value
from inspector.dialects.keys import Read, Table, Words, config_from
from inspector.dialects.language import Dialect, stored
from inspector.loader.formats.gguf_values import ArrayOf
from inspector.loader.layout import Layout

WRITER: Final = "llama.cpp"
_B: Final = "blk.{0}."
LLAMA_CPP: Final = Dialect(
    writer=WRITER,
    names={
        "embed.token": "token_embd",
        "embed.shared": "token_embd",
        "embed.position": "position_embd",
        "embed.type": "token_types",
        "norm.embed": "token_embd_norm",
        "@h.{}.input_layernorm": _B + "attn_norm",
        "@h.{}.ln_mlp": _B + "attn_norm",
        "@h.{}.ln_attn": _B + "attn_norm_2",
        "@encoder.layers.{}.norm1": _B + "attn_output_norm",
        "@encoder.layers.{}.norm2": _B + "layer_output_norm",
        "@encoder.layer.{}.attention.output.LayerNorm": _B + "attn_output_norm",
        "@encoder.layer.{}.output.LayerNorm": _B + "layer_output_norm",
        "@pooler.dense": "pooler.dense",
        "norm.final": "output_norm",
        "@embedding_norm": ("output_norm", "token_embd_norm"),  # the final norm of LFM2
        "@layers.{}.self_attn.rotary_emb.inv_freq": _B + "attn_rot_embd.weight=",
        "head.token": "output",
        "norm.attention": _B + "attn_norm",
        "norm.block": _B + "attn_norm",
        "norm.attention.post": _B + "post_attention_norm",
        "norm.mlp": _B + "ffn_norm",
        "norm.mlp.alone": (_B + "ffn_norm", _B + "post_attention_norm"),
        "norm.mlp.post": _B + "post_ffw_norm",
        "attention.qkv": _B + "attn_qkv",
        "attention.query": _B + "attn_q",
        "attention.key": _B + "attn_k",
        "attention.value": _B + "attn_v",
        "attention.output": _B + "attn_output",
        "attention.sink": _B + "attn_sinks.weight=",
        "norm.query": (_B + "attn_q_norm", _B + "attn_q_a_norm"),
        "norm.key": _B + "attn_k_norm",
        "attention.query.down": _B + "attn_q_a",
        "attention.query.up": _B + "attn_q_b",
        "attention.kv.down": _B + "attn_kv_a_mqa",
        "norm.kv": _B + "attn_kv_a_norm",
        "attention.kv.up": _B + "attn_kv_b",
        "attention.key.up": stored(_B + "attn_k_b", "by head", "transposed"),
        "attention.value.up": stored(_B + "attn_v_b", "by head"),
        "mlp.gate": _B + "ffn_gate",
        "mlp.up": _B + "ffn_up",
        "mlp.down": _B + "ffn_down",
        "mlp.gate_up": _B + "ffn_up",
        "router": _B + "ffn_gate_inp",
        "router.shared": _B + "ffn_gate_inp_shexp",
        "router.correction": (stored(_B + "exp_probs_b.bias=", "squeezed"), stored(_B + "exp_probs_b=", "squeezed")),
        "mlp.gate{}": _B + "ffn_gate.{1}",  # one by one in files of 2023
        "mlp.up{}": _B + "ffn_up.{1}",
        "mlp.down{}": _B + "ffn_down.{1}",
        "mlp.gate[]": _B + "ffn_gate_exps",
        "mlp.up[]": _B + "ffn_up_exps",
        "mlp.down[]": _B + "ffn_down_exps",
        "mlp.experts.gate[]": _B + "ffn_gate_exps",
        "mlp.experts.up[]": _B + "ffn_up_exps",
        "mlp.experts.down[]": _B + "ffn_down_exps",
        "mlp.shared.gate": _B + "ffn_gate_shexp",
        "mlp.shared.up": _B + "ffn_up_shexp",
        "mlp.shared.down": _B + "ffn_down_shexp",
        "ssm.in": (_B + "ssm_in", _B + "shortconv.in_proj"),
        "ssm.conv": (stored(_B + "ssm_conv1d", "squeezed"), stored(_B + "shortconv.conv", "squeezed")),
        "ssm.out": (_B + "ssm_out", _B + "shortconv.out_proj"),
        "ssm.select": _B + "ssm_x",
        "ssm.step": _B + "ssm_dt",
        "ssm.step=": _B + "ssm_dt.bias=",
        "ssm.decay": _B + "ssm_a=",
        "ssm.skip": _B + "ssm_d=",
        "norm.ssm": _B + "ssm_norm",
        "norm.ssm.dt": _B + "ssm_dt_norm",
        "norm.ssm.b": _B + "ssm_b_norm",
        "norm.ssm.c": _B + "ssm_c_norm",
        "mtp:norm.mtp.embed": _B + "nextn.enorm",
        "mtp:norm.mtp.hidden": _B + "nextn.hnorm",
        "mtp:mtp.join": _B + "nextn.eh_proj",
        "mtp:embed.token": _B + "nextn.embed_tokens",
        "mtp:norm.final": _B + "nextn.shared_head_norm",
        "mtp:head.token": _B + "nextn.shared_head_head",
        **{
            f"@{side}.{path}": f"{block}{name}"
            for side, block, mlp in (("encoder", "enc.", 1), ("decoder", "dec.", 2))
            for path, name in {
                "final_layer_norm": "output_norm",
                "block.0.layer.0.SelfAttention.relative_attention_bias": "blk.0.attn_rel_b",
                "block.{}.layer.0.layer_norm": "blk.{0}.attn_norm",
                **{f"block.{{}}.layer.0.SelfAttention.{one}": f"blk.{{0}}.attn_{one}" for one in "qkvo"},
                **{f"block.{{}}.layer.1.EncDecAttention.{one}": f"blk.{{0}}.cross_attn_{one}" for one in "qkvo"},
                f"block.{{}}.layer.{mlp}.layer_norm": "blk.{0}.ffn_norm",
                f"block.{{}}.layer.{mlp}.DenseReluDense.wi": "blk.{0}.ffn_up",
                f"block.{{}}.layer.{mlp}.DenseReluDense.wi_0": "blk.{0}.ffn_gate",
                f"block.{{}}.layer.{mlp}.DenseReluDense.wi_1": "blk.{0}.ffn_up",
                f"block.{{}}.layer.{mlp}.DenseReluDense.wo": "blk.{0}.ffn_down",
            }.items()
        },
        "@decoder.block.{}.layer.1.layer_norm": "dec.blk.{0}.cross_attn_norm",
    },
    signs=(
        ("token_embd.weight", "blk.#.attn_norm.weight"),
        ("token_embd.weight", "blk.#.attn_q.weight"),
        ("token_embd.weight", "blk.#.ssm_in.weight"),
        ("token_embd.weight", "enc.blk.#.attn_norm.weight"),
        ("token_embd.weight", "blk.#.attn_output_norm.weight"),
    ),
    omits=("pooler",),  # of encoders: their files give hidden states
)
BLOOM: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={**LLAMA_CPP.names, "attention.qkv": stored(_B + "attn_qkv", "in order")},
    signs=(("token_embd_norm.weight", "blk.#.attn_qkv.weight"),),
    only=("bloom",),
)
ERNIE_MOE: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={
        **LLAMA_CPP.names,
        "router.correction": (_B + "exp_probs_b.bias=", stored(_B + "exp_probs_b.bias=", "squeezed")),
    },
    signs=(("token_embd.weight", "blk.#.exp_probs_b.bias"),),
    only=("ernie4_5_moe",),
)
MAMBA2: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={
        **LLAMA_CPP.names,
        "norm.mlp.alone": (_B + "ffn_norm", _B + "ffn_norm="),
        "norm.ssm": stored(_B + "ssm_norm", "in groups"),
        "ssm.decay": stored(_B + "ssm_a=", "column"),
        "ssm.skip": stored(_B + "ssm_d=", "column"),
    },
    signs=(("token_embd.weight", "blk.#.ssm_d"),),
    only=("mamba2", "falcon_h1"),
)

ARCHITECTURES: Final[Mapping[str, tuple[str, str]]] = {
    "arcee": ("arcee", "ArceeForCausalLM"),
    "baichuan": ("baichuan", "BaichuanForCausalLM"),
    "bert": ("bert", "BertModel"),
    "bloom": ("bloom", "BloomForCausalLM"),
    "chatglm": ("chatglm", "ChatGLMForConditionalGeneration"),
    "cohere2": ("cohere2", "Cohere2ForCausalLM"),
    "command-r": ("cohere", "CohereForCausalLM"),
    "deepseek": ("deepseek", "DeepseekForCausalLM"),
    "deepseek2": ("deepseek_v2", "DeepseekV2ForCausalLM"),
    "deepseek3": ("deepseek_v3", "DeepseekV3ForCausalLM"),
    "dots1": ("dots1", "Dots1ForCausalLM"),
    "ernie4_5": ("ernie4_5", "Ernie4_5ForCausalLM"),
    "ernie4_5-moe": ("ernie4_5_moe", "Ernie4_5_MoeForCausalLM"),
    "exaone": ("exaone", "ExaoneForCausalLM"),
    "exaone4": ("exaone4", "Exaone4ForCausalLM"),
    "falcon": ("falcon", "FalconForCausalLM"),
    "falcon-h1": ("falcon_h1", "FalconH1ForCausalLM"),
    "gemma": ("gemma", "GemmaForCausalLM"),
    "gemma2": ("gemma2", "Gemma2ForCausalLM"),
    "gemma3": ("gemma3_text", "Gemma3ForCausalLM"),
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
    "internlm2": ("internlm2", "InternLM2ForCausalLM"),
    "jamba": ("jamba", "JambaForCausalLM"),
    "lfm2": ("lfm2", "Lfm2ForCausalLM"),
    "lfm2moe": ("lfm2_moe", "Lfm2MoeForCausalLM"),
    "llama": ("llama", "LlamaForCausalLM"),
    "llama-embed": ("llama", "LlamaModel"),
    "llama4": ("llama4_text", "Llama4ForCausalLM"),
    "mamba": ("mamba", "MambaForCausalLM"),
    "mamba2": ("mamba2", "Mamba2ForCausalLM"),
    "minicpm": ("minicpm", "MiniCPMForCausalLM"),
    "minicpm3": ("minicpm3", "MiniCPM3ForCausalLM"),
    "minimax-m2": ("minimax_m2", "MiniMaxM2ForCausalLM"),
    "mistral3": ("mistral", "MistralForCausalLM"),
    "mixtral": ("mixtral", "MixtralForCausalLM"),
    "mpt": ("mpt", "MptForCausalLM"),
    "nemotron": ("nemotron", "NemotronForCausalLM"),
    "nomic-bert": ("nomic_bert", "NomicBertModel"),
    "olmo": ("olmo", "OlmoForCausalLM"),
    "olmo2": ("olmo2", "Olmo2ForCausalLM"),
    "olmoe": ("olmoe", "OlmoeForCausalLM"),
    "orion": ("orion", "OrionForCausalLM"),
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
    "seed_oss": ("seed_oss", "SeedOssForCausalLM"),
    "smollm3": ("smollm3", "SmolLM3ForCausalLM"),
    "stablelm": ("stablelm", "StableLmForCausalLM"),
    "starcoder": ("gpt_bigcode", "GPTBigCodeForCausalLM"),
    "starcoder2": ("starcoder2", "Starcoder2ForCausalLM"),
    "t5": ("t5", "T5ForConditionalGeneration"),
    "xverse": ("xverse", "XverseForCausalLM"),
}
"""llama.cpp's architecture -> model type and class of transformers."""

VARIANTS: Final[Mapping[str, tuple[str, str]]] = {
    "llama": ("expert_count > 0", "mixtral"),
    "deepseek2": ("expert_gating_func == 2", "deepseek3"),
    "granitemoe": ("stored.ffn_gate_shexp.weight", "granitemoeshared"),
}
"""Architectures that stand for two model types: where the expression holds, for the second."""

# Config keys and what llama.cpp states of them. Words: a key of the metadata below the architecture's name, with one
# number for all layers; `each.KEY` the list of one number a layer; `count.KEY` the length of an array that was not
# kept; `stored.NAME` whether a tensor is in the file, at the top or in the first layer; `rows.NAME` the rows of a
# matrix; `layers.PART` the layers that have one of `PARTS`. The presence of tensors is asked only for what the
# converter does not write down.

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
GROUPED: Final = COMMON | {"num_key_value_heads": "attention.head_count_kv", "head_dim": "attention.key_length"}
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
    "first_k_dense_replace": "leading_dense_block_count",
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


def _layer_types(words: Words) -> list[str] | None:
    """LFM2's layers: those without key-value heads are short convolutions."""
    layers, attending = words.value("block_count"), words.value(ATTENDING)
    if type(layers) is not int or attending is None:
        return None
    return ["full_attention" if layer in attending else "conv" for layer in range(layers)]


KEYS: Final[Mapping[str, Table]] = {
    "arcee": GROUPED | UP_BIASES,
    "bert": COMMON | {"type_vocab_size": "rows.token_types | 2"},
    "bloom": {
        "n_layer": "block_count", "n_head": "attention.head_count", "hidden_size": "embedding_length",
        "vocab_size": COMMON["vocab_size"], "sliding_window": "attention.sliding_window",
        "tie_word_embeddings": "not stored.output.weight",
    },
    "chatglm": {
        "num_layers": "block_count", "hidden_size": "embedding_length", "ffn_hidden_size": "feed_forward_length",
        "num_attention_heads": "attention.head_count", "multi_query_group_num": "attention.head_count_kv",
        "kv_channels": "attention.key_length", "max_position_embeddings": "context_length",
        "vocab_size": COMMON["vocab_size"], "padded_vocab_size": COMMON["vocab_size"],
        "sliding_window": "attention.sliding_window", "tie_word_embeddings": "not stored.output.weight",
        "add_qkv_bias": "stored.attn_qkv.bias or stored.attn_q.bias", "add_bias_linear": "stored.attn_output.bias",
        "multi_query_attention": "true", "rmsnorm": "true", "post_layer_norm": "true",
    },
    "cohere": GROUPED | QUERY_BIAS | {"use_qk_norm": "stored.attn_q_norm.weight"},
    "cohere2": GROUPED | QUERY_BIAS,
    "deepseek": GROUPED | ROUTED,
    "deepseek_v2": LATENT_ROUTED,
    "deepseek_v3": LATENT_ROUTED,
    "dots1": GROUPED | ROUTED | QUERY_BIAS,
    "ernie4_5": GROUPED | {"use_bias": "stored.attn_q.bias"},
    "ernie4_5_moe": GROUPED | {
        "moe_k": "expert_used_count", "moe_num_experts": "expert_count",
        "moe_intermediate_size": "expert_feed_forward_length", "moe_num_shared_experts": "expert_shared_count",
        "moe_layer_start_index": "leading_dense_block_count", "moe_layer_interval": "interleave_moe_layer_step",
        "moe_layer_end_index": "0 - 1", "num_nextn_predict_layers": "0", "use_bias": "stored.attn_q.bias",
    },
    "exaone": {"num_layers": "block_count", **{key: GROUPED[key] for key in GROUPED if key != "num_hidden_layers"}},
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
        "expand": "ssm.inner_size / embedding_length | 1.0 * ssm.inner_size / embedding_length",
    },
    "minicpm": EXPERTS | QUERY_BIAS,
    "minicpm3": LATENT_ROUTED,
    "minimax_m2": LOCAL_EXPERTS | EXPERT_WIDTH,
    "mixtral": LOCAL_EXPERTS,
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
    "seed_oss": GROUPED | QUERY_BIAS | {"attention_out_bias": "stored.attn_output.bias"},
    "smollm3": GROUPED | GATE_BIASES,
    "stablelm": COMMON | {
        "num_key_value_heads": "attention.head_count_kv", "use_qkv_bias": "stored.attn_q.bias",
        "qk_layernorm": "stored.attn_q_norm.weight", "use_parallel_residual": "not stored.ffn_norm.weight",
    },
    "starcoder2": GROUPED | {"use_bias": "stored.attn_q.bias"},
    "t5": {
        "num_layers": "block_count", "num_decoder_layers": "decoder_block_count | block_count",
        "d_model": "embedding_length", "d_ff": "feed_forward_length", "num_heads": "attention.head_count",
        "d_kv": "attention.key_length", "vocab_size": COMMON["vocab_size"],
        "relative_attention_num_buckets": "attention.relative_buckets_count",
        "sliding_window": "attention.sliding_window", "tie_word_embeddings": "not stored.output.weight",
        "feed_forward_proj": "'gated-gelu' when stored.enc.ffn_gate.weight | 'relu'",
        "is_gated_act": "stored.enc.ffn_gate.weight",
    },
}  # fmt: skip
"""Model type -> its config keys; a type that is not here has those of `GROUPED`."""

PARTS: Final[Mapping[str, tuple[tuple[str, ...], int]]] = {
    "attention": (("attn_q.", "attn_k.", "attn_v.", "attn_output."), 2),
    "experts": (("ffn_gate_inp.", "ffn_down_exps."), 1),
    "correction": (("exp_probs_b.", "exp_probs_b"), 1),
}
"""Part of a layer -> beginnings of its tensors' names, and how many must be there (a lost one changes nothing)."""


def config_of(values: Mapping[str, object], tensors: Mapping[str, Layout]) -> dict[str, Any] | None:
    """The config that a file's metadata state; None where the architecture is not known.

    values: the key-values of a GGUF file. tensors: those of all parts where the model is split.
    """
    name = values.get("general.architecture")
    if not isinstance(name, str):
        return None
    words = Words(_reader(name, values, tensors))
    if name in VARIANTS and words.value(VARIANTS[name][0]):
        name = VARIANTS[name][1]
    if name not in ARCHITECTURES:
        return None
    model_type, class_name = ARCHITECTURES[name]
    stated = config_from(KEYS.get(model_type, GROUPED), words)
    return {"architectures": [class_name], "model_type": model_type, **stated}


def own_key(model_type: str, key: str) -> str | None:
    """The key of a GGUF file that states a config key: `llama.block_count` for num_hidden_layers.

    None where the value follows from several keys or from the tensors.
    """
    rule = KEYS.get(model_type, GROUPED).get(key)
    named = (name for name, (other, _) in ARCHITECTURES.items() if other == model_type)
    variants = (name for name, (_, other) in VARIANTS.items() if ARCHITECTURES[other][0] == model_type)
    architecture = next(chain(variants, named), None)
    if architecture is None or not isinstance(rule, str):
        return None
    first = rule.partition(" | ")[0]
    return f"{architecture}.{first}" if re.fullmatch(r"(?!stored\.|rows\.|layers\.|count\.)[a-z_.]+", first) else None


def _reader(architecture: str, values: Mapping[str, object], tensors: Mapping[str, Layout]) -> Read:
    def read(path: tuple[str, ...]) -> Value:
        what, name = path[0], ".".join(path[1:])
        if what == "stored":
            return name in tensors or _in_first_layer(name) in tensors
        if what == "rows":
            layout = tensors.get(f"{name}.weight")
            return layout.shape[0] if layout is not None and len(layout.shape) == 2 else None
        if what == "layers":
            return _layers_with(name, tensors)
        if what == "count":
            found = values.get(name)
            return found.count if isinstance(found, ArrayOf) else None
        name = name if what == "each" else ".".join(path)
        found = values.get(f"{architecture}.{name}")
        if what == "each":
            return found if isinstance(found, list) else None
        if isinstance(found, list) and found and all(one == found[0] for one in found):
            found = found[0]
        return found if type(found) is int else None

    return read


def _in_first_layer(name: str) -> str:
    """`attn_q.bias` as `blk.0.attn_q.bias`; the encoder's `enc.ffn_gate.weight` as `enc.blk.0.ffn_gate.weight`."""
    return f"enc.blk.0.{name[4:]}" if name.startswith("enc.") else f"blk.0.{name}"


def _layers_with(part: str, tensors: Mapping[str, Layout]) -> Span:
    beginnings, least = PARTS[part]
    found: dict[int, set[str]] = {}
    for name in tensors:
        block, _, rest = name.removeprefix("blk.").partition(".")
        if name.startswith("blk.") and block.isdecimal():
            found.setdefault(int(block), set()).update(one for one in beginnings if rest.startswith(one))
    return Span.of(layer for layer, there in found.items() if len(there) >= least)
