"""The config that a GGUF file's key-values amount to, in transformers' words. Pure; tables, and a few shapes.

llama.cpp's converter leaves out what its loader does not need (whether the attention has a bias, whether the
head is tied): that is read from which tensors there are. Source: llama.cpp's convert_hf_to_gguf.py, the
`set_gguf_parameters` of each model class, and gguf-py 0.19.0 `constants.py` (Keys).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.loader.formats.gguf import ArrayOf
from inspector.loader.formats.gguf_names import TABLES, Names
from inspector.loader.layout import Layout

BY_ROLE: Final[Mapping[str, tuple[str, str]]] = {
    "nemotron": ("nemotron", "Nemotron"),
    "chatglm": ("chatglm", "ChatGLM"),
    "glm4": ("glm4", "Glm4"),
    "glm4moe": ("glm4_moe", "Glm4Moe"),
    "dots1": ("dots1", "Dots1"),
    "granitemoe": ("granitemoe", "GraniteMoe"),
    "mamba": ("mamba", "Mamba"),
    "mamba2": ("mamba2", "Mamba2"),
    "jamba": ("jamba", "Jamba"),
    "falcon-h1": ("falcon_h1", "FalconH1"),
    "gpt-oss": ("gpt_oss", "GptOss"),
    "hunyuan-dense": ("hunyuan_v1_dense", "HunYuanDenseV1"),
    "hunyuan-moe": ("hunyuan_v1_moe", "HunYuanMoEV1"),
    "ernie4_5": ("ernie4_5", "Ernie4_5"),
    "ernie4_5-moe": ("ernie4_5_moe", "Ernie4_5_Moe"),
    "exaone": ("exaone", "Exaone"),
    "exaone4": ("exaone4", "Exaone4"),
    "minicpm": ("minicpm", "MiniCPM"),
    "minicpm3": ("minicpm3", "MiniCPM3"),
    "internlm2": ("internlm2", "InternLM2"),
    "lfm2": ("lfm2", "Lfm2"),
    "lfm2moe": ("lfm2_moe", "Lfm2Moe"),
    "baichuan": ("baichuan", "Baichuan"),
    "arcee": ("arcee", "Arcee"),
    "qwen3vl": ("qwen3_vl_text", "Qwen3"),
    "qwen3vlmoe": ("qwen3_moe", "Qwen3Moe"),
    "falcon": ("falcon", "Falcon"),
    "gptj": ("gptj", "GPTJ"),
    "qwen": ("qwen", "QWen"),
    "llama4": ("llama4_text", "Llama4"),
    "minimax-m2": ("minimax_m2", "MiniMaxM2"),
    "nomic-bert": ("nomic_bert", "NomicBert"),
    "t5": ("t5", "T5"),
    "deepseek": ("deepseek", "Deepseek"),
    "deepseek2": ("deepseek_v2", "DeepseekV2"),
    "deepseek3": ("deepseek_v3", "DeepseekV3"),
}
"""llama.cpp's architectures that are read by roles, under the file's own names -> type and stem of the class."""

KEYS: Final = {
    "block_count": "num_hidden_layers",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "context_length": "max_position_embeddings",
    "vocab_size": "vocab_size",
    "attention.sliding_window": "sliding_window",
}
"""Key below the architecture's name -> key of a config; what each model type adds or says otherwise is below."""
_EXPERTS: Final = {"expert_used_count": "num_experts_per_tok"}
_LATENT: Final = {
    "attention.q_lora_rank": "q_lora_rank",
    "attention.kv_lora_rank": "kv_lora_rank",
    "rope.dimension_count": "qk_rope_head_dim",
    "expert_count": "n_routed_experts",
    "expert_shared_count": "n_shared_experts",
    "expert_feed_forward_length": "moe_intermediate_size",
    "leading_dense_block_count": "first_k_dense_replace",
    "nextn_predict_layers": "num_nextn_predict_layers",
}
_ROUTED: Final = _EXPERTS | {
    "expert_count": "n_routed_experts",
    "expert_shared_count": "n_shared_experts",
    "expert_feed_forward_length": "moe_intermediate_size",
    "leading_dense_block_count": "first_k_dense_replace",
}
_STATE: Final = {
    "ssm.inner_size": "intermediate_size",
    "ssm.state_size": "state_size",
    "ssm.conv_kernel": "conv_kernel",
}
BY_TYPE: Final[Mapping[str, Mapping[str, str]]] = {
    "mixtral": _EXPERTS | {"expert_count": "num_local_experts"},
    "phimoe": _EXPERTS | {"expert_count": "num_local_experts"},
    "olmoe": _EXPERTS | {"expert_count": "num_experts"},
    "qwen2_moe": _EXPERTS
    | {
        "expert_count": "num_experts",
        "expert_feed_forward_length": "moe_intermediate_size",
        "expert_shared_feed_forward_length": "shared_expert_intermediate_size",
    },
    "qwen3_moe": _EXPERTS | {"expert_count": "num_experts", "expert_feed_forward_length": "moe_intermediate_size"},
    "deepseek": _EXPERTS
    | {
        "expert_count": "n_routed_experts",
        "expert_shared_count": "n_shared_experts",
        "expert_feed_forward_length": "moe_intermediate_size",
        "leading_dense_block_count": "first_k_dense_replace",
    },
    "deepseek_v2": _EXPERTS | _LATENT,
    "deepseek_v3": _EXPERTS | _LATENT,
    "gpt2": {"block_count": "n_layer", "embedding_length": "n_embd", "attention.head_count": "n_head",
             "context_length": "n_positions", "feed_forward_length": "n_inner"},
    "gpt_bigcode": {"block_count": "n_layer", "embedding_length": "n_embd", "attention.head_count": "n_head",
                    "context_length": "n_positions", "feed_forward_length": "n_inner"},
    "bloom": {"block_count": "n_layer", "embedding_length": "hidden_size", "attention.head_count": "n_head"},
    "mpt": {"block_count": "n_layers", "embedding_length": "d_model", "attention.head_count": "n_heads"},
    "falcon": {"attention.head_count_kv": "num_kv_heads", "feed_forward_length": "ffn_hidden_size"},
    "chatglm": {"block_count": "num_layers", "attention.head_count_kv": "multi_query_group_num",
                "attention.key_length": "kv_channels", "feed_forward_length": "ffn_hidden_size"},
    "glm4_moe": _ROUTED | {"nextn_predict_layers": "num_nextn_predict_layers"},
    "dots1": _ROUTED,
    "granitemoe": _EXPERTS | {"expert_count": "num_local_experts"},
    "granitemoeshared": _EXPERTS | {"expert_count": "num_local_experts",
                                    "expert_shared_feed_forward_length": "shared_intermediate_size"},
    "mamba": _STATE | {"ssm.time_step_rank": "time_step_rank"},
    "mamba2": _STATE | {"ssm.time_step_rank": "num_heads", "ssm.group_count": "n_groups"},
    "jamba": {"ssm.conv_kernel": "mamba_d_conv", "ssm.state_size": "mamba_d_state",
              "ssm.time_step_rank": "mamba_dt_rank",
              "expert_count": "num_experts", **_EXPERTS},
    "falcon_h1": {"ssm.conv_kernel": "mamba_d_conv", "ssm.state_size": "mamba_d_state", "ssm.inner_size": "mamba_d_ssm",
                  "ssm.time_step_rank": "mamba_n_heads", "ssm.group_count": "mamba_n_groups"},
    "gpt_oss": _EXPERTS | {"expert_count": "num_local_experts", "expert_feed_forward_length": "intermediate_size"},
    "hunyuan_v1_moe": _EXPERTS | {"expert_count": "num_experts", "expert_feed_forward_length": "intermediate_size"},
    "ernie4_5_moe": {"expert_used_count": "moe_k", "expert_count": "moe_num_experts",
                     "expert_feed_forward_length": "moe_intermediate_size",
                     "expert_shared_count": "moe_num_shared_experts",
                     "leading_dense_block_count": "moe_layer_start_index",
                     "interleave_moe_layer_step": "moe_layer_interval"},
    "exaone": {"block_count": "num_layers"},
    "minicpm": _EXPERTS | {"expert_count": "num_experts"},
    "minicpm3": _LATENT,
    "llama4_text": _EXPERTS | {"expert_count": "num_local_experts", "feed_forward_length": "intermediate_size_mlp",
                               "expert_feed_forward_length": "intermediate_size",
                               "interleave_moe_layer_step": "interleave_moe_layer_step"},
    "minimax_m2": _EXPERTS | {"expert_count": "num_local_experts", "expert_feed_forward_length": "intermediate_size"},
    "lfm2": {"shortconv.l_cache": "conv_L_cache"},
    "lfm2_moe": _EXPERTS | {"shortconv.l_cache": "conv_L_cache", "expert_count": "num_experts",
                            "expert_feed_forward_length": "moe_intermediate_size",
                            "leading_dense_block_count": "num_dense_layers"},
    "gptj": {"block_count": "n_layer", "embedding_length": "n_embd", "attention.head_count": "n_head",
             "context_length": "n_positions", "feed_forward_length": "n_inner"},
    "t5": {"block_count": "num_layers", "embedding_length": "d_model", "feed_forward_length": "d_ff",
           "attention.head_count": "num_heads", "attention.key_length": "d_kv",
           "attention.relative_buckets_count": "relative_attention_num_buckets",
           "decoder_block_count": "num_decoder_layers"},
}  # fmt: skip
_WITHOUT: Final = {
    "bloom": {"feed_forward_length", "context_length", "attention.head_count_kv", "attention.key_length"},
    "mpt": {"feed_forward_length", "attention.head_count_kv", "attention.key_length", "context_length"},
    "gpt2": {"attention.head_count_kv", "attention.key_length"},
    "gpt_bigcode": {"attention.head_count_kv", "attention.key_length"},
    "gpt_neox": {"attention.head_count_kv", "attention.key_length"},
    "bert": {"attention.head_count_kv", "attention.key_length"},
    "falcon": {"attention.key_length", "context_length"},
    "stablelm": {"attention.key_length"},
    "t5": {"attention.head_count_kv", "context_length"},
    "gptj": {"attention.head_count_kv", "attention.key_length"},
    "mamba": {"feed_forward_length", "attention.head_count", "attention.head_count_kv", "context_length"},
    "mamba2": {"feed_forward_length", "attention.head_count", "attention.head_count_kv", "context_length"},
    "minicpm3": {"attention.key_length", "attention.head_count_kv"},
    "qwen": {"attention.head_count_kv", "attention.key_length"},
    "nomic_bert": {"attention.head_count_kv", "attention.key_length"},
    "lfm2": {"attention.key_length"},
    "lfm2_moe": {"attention.key_length"},
    "deepseek_v2": {"attention.key_length", "attention.head_count_kv"},
    "deepseek_v3": {"attention.key_length", "attention.head_count_kv"},
}
"""Keys that say nothing a model of the type reads."""
BIASES: Final[Mapping[str, Mapping[str, str]]] = {
    "llama": {"attention_bias": "attn_q.bias", "mlp_bias": "ffn_gate.bias"},
    "smollm3": {"attention_bias": "attn_q.bias", "mlp_bias": "ffn_gate.bias"},
    "granite": {"attention_bias": "attn_q.bias", "mlp_bias": "ffn_gate.bias"},
    "seed_oss": {"attention_bias": "attn_q.bias", "attention_out_bias": "attn_output.bias"},
    "qwen3": {"attention_bias": "attn_q.bias"},
    "qwen3_moe": {"attention_bias": "attn_q.bias"},
    "qwen2_moe": {"qkv_bias": "attn_q.bias"},
    "gemma": {"attention_bias": "attn_q.bias"},
    "gemma2": {"attention_bias": "attn_q.bias"},
    "gemma3_text": {"attention_bias": "attn_q.bias"},
    "phimoe": {"attention_bias": "attn_q.bias", "lm_head_bias": "output.bias"},
    "olmo": {"attention_bias": "attn_q.bias"},
    "olmo2": {"attention_bias": "attn_q.bias"},
    "cohere": {"attention_bias": "attn_q.bias", "use_qk_norm": "attn_q_norm.weight"},
    "cohere2": {"attention_bias": "attn_q.bias"},
    "stablelm": {"use_qkv_bias": "attn_q.bias", "qk_layernorm": "attn_q_norm.weight"},
    "starcoder2": {"use_bias": "attn_q.bias"},
    "falcon": {"bias": "attn_qkv.bias"},
    "gpt_neox": {"attention_bias": "attn_qkv.bias"},
    "nemotron": {"attention_bias": "attn_q.bias", "mlp_bias": "ffn_up.bias"},
    "arcee": {"attention_bias": "attn_q.bias", "mlp_bias": "ffn_up.bias"},
    "glm4": {"attention_bias": "attn_q.bias"},
    "glm4_moe": {"attention_bias": "attn_q.bias", "use_qk_norm": "attn_q_norm.weight"},
    "dots1": {"attention_bias": "attn_q.bias"},
    "granitemoe": {"attention_bias": "attn_q.bias"},
    "granitemoeshared": {"attention_bias": "attn_q.bias"},
    "gpt_oss": {"attention_bias": "attn_q.bias"},
    "hunyuan_v1_dense": {"attention_bias": "attn_q.bias"},
    "hunyuan_v1_moe": {"attention_bias": "attn_q.bias"},
    "ernie4_5": {"use_bias": "attn_q.bias"},
    "ernie4_5_moe": {"use_bias": "attn_q.bias"},
    "minicpm": {"attention_bias": "attn_q.bias"},
    "llama4_text": {"attention_bias": "attn_q.bias"},
    "nomic_bert": {"qkv_proj_bias": "attn_qkv.bias", "mlp_fc1_bias": "ffn_up.bias", "mlp_fc2_bias": "ffn_down.bias"},
    "internlm2": {"bias": "attn_q.bias"},
    "falcon_h1": {
        "attention_bias": "attn_q.bias",
        "mamba_rms_norm": "ssm_norm.weight",
        "mlp_bias": "ffn_gate.bias",
        "mamba_conv_bias": "ssm_conv1d.bias",
        "mamba_proj_bias": "ssm_in.bias",
        "projectors_bias": "ssm_out.bias",
    },
    "mamba": {"use_conv_bias": "ssm_conv1d.bias", "use_bias": "ssm_in.bias"},
    "mamba2": {"use_conv_bias": "ssm_conv1d.bias", "use_bias": "ssm_in.bias"},
    "jamba": {"mamba_conv_bias": "ssm_conv1d.bias", "mamba_proj_bias": "ssm_in.bias"},
    "chatglm": {"add_qkv_bias": "attn_qkv.bias", "add_bias_linear": "attn_output.bias"},
    "lfm2": {"conv_bias": "shortconv.in_proj.bias"},
    "lfm2_moe": {"conv_bias": "shortconv.in_proj.bias"},
}
"""Switches that the key-values do not have -> the tensor that tells them, at the top or in the first layer."""


def architecture_of(values: Mapping[str, object]) -> str | None:
    """The name of the table that reads a file: its architecture, with experts told from dense."""
    name = values.get("general.architecture")
    if type(name) is not str:
        return None
    if name == "llama" and _number(values.get("llama.expert_count")):
        return "mixtral"
    if name == "deepseek2" and values.get("deepseek2.expert_gating_func") == 2:
        return "deepseek3"
    return name


def names_of(values: Mapping[str, object]) -> Names | None:
    """The names of a file's architecture; None where no table has them."""
    return TABLES.get(architecture_of(values) or "")


def read_by_role(values: Mapping[str, object]) -> bool:
    """Whether a file keeps its own names: its architecture is read by roles."""
    name = architecture_of(values) or ""
    return name in BY_ROLE


_ENDINGS: Final = {
    "t5": "ForConditionalGeneration",
    "chatglm": "ForConditionalGeneration",
    "qwen": "LMHeadModel",
    "nomic_bert": "Model",
}
"""Types whose class is no ForCausalLM."""


def _type_of(values: Mapping[str, object], tensors: Mapping[str, Layout]) -> tuple[str, str] | None:
    """(model type, class) of transformers."""
    names = names_of(values)
    if names is not None:
        return names.model_type, names.class_name
    found = BY_ROLE.get(architecture_of(values) or "")
    if found is None:
        return None
    kind, stem = found
    if kind == "granitemoe" and "blk.0.ffn_gate_shexp.weight" in tensors:
        kind, stem = "granitemoeshared", "GraniteMoeShared"
    return kind, stem + _ENDINGS.get(kind, "ForCausalLM")


def config_of(values: Mapping[str, object], tensors: Mapping[str, Layout]) -> dict[str, object] | None:
    """A config.json of what the key-values say; None where the architecture is in no table.

    tensors: under the file's own names; those of all parts where the model is split.
    """
    prefix = values.get("general.architecture")
    named = _type_of(values, tensors)
    if named is None or type(prefix) is not str:
        return None
    kind, class_name = named
    without = _WITHOUT.get(kind, set())
    config: dict[str, object] = {"architectures": [class_name], "model_type": kind}
    for key, word in {**KEYS, **BY_TYPE.get(kind, {})}.items():
        found = _number(values.get(f"{prefix}.{key}"))
        if found is not None and key not in without:
            config[word] = found
    _vocabulary(config, values, tensors)
    for word, stored in BIASES.get(kind, {}).items():
        config[word] = stored in tensors or f"blk.0.{stored}" in tensors
    config["tie_word_embeddings"] = "output.weight" not in tensors
    _shapes(config, kind, values, tensors)
    return config


def _vocabulary(config: dict[str, object], values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    """The vocabulary's rows, where no key says them: the tokens, else the table of embeddings itself."""
    if "vocab_size" in config:
        return
    tokens = values.get("tokenizer.ggml.tokens")
    table = tensors.get("token_embd.weight")
    if isinstance(tokens, ArrayOf):
        config["vocab_size"] = tokens.count
    elif table is not None and len(table.shape) == 2:
        config["vocab_size"] = table.shape[0]


def _shapes(config: dict[str, object], kind: str, values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    """What only the presence or the number of tensors tells."""
    if kind == "falcon":
        second = any(name.startswith("blk.0.attn_norm_2.") for name in tensors)
        heads = config.get("num_kv_heads")
        config |= {"new_decoder_architecture": second, "multi_query": heads == 1, "parallel_attn": True}
    elif kind == "stablelm":
        config["use_parallel_residual"] = "blk.0.ffn_norm.weight" not in tensors
    elif kind in ("bert", "nomic_bert"):
        types = tensors.get("token_types.weight")
        config["type_vocab_size"] = types.shape[0] if types is not None and types.shape else 2
    elif kind == "gpt_bigcode":
        config["multi_query"] = _number(values.get("starcoder.attention.head_count_kv")) == 1
    elif kind in ("deepseek_v2", "deepseek_v3", "minicpm3"):
        _latent(config, values)
    elif kind == "glm4_moe":
        _without_mtp(config)
    elif kind in _BY_LAYER:
        _BY_LAYER[kind](config, values, tensors)


def _without_mtp(config: dict[str, object]) -> None:
    """The layers of the model itself: the count of blocks has those that predict further tokens."""
    layers, more = config.get("num_hidden_layers"), config.get("num_nextn_predict_layers")
    if isinstance(layers, int) and isinstance(more, int):
        config["num_hidden_layers"] = layers - more


def _layers_with(tensors: Mapping[str, Layout], module: str) -> list[int]:
    """The numbers of the layers that have a module."""
    found = (name.split(".") for name in tensors if name.startswith("blk.") and f".{module}" in name)
    return sorted({int(parts[1]) for parts in found if len(parts) > 2 and parts[1].isdecimal()})


def _attending(tensors: Mapping[str, Layout]) -> list[int]:
    """The layers with attention: those that have most of its matrices."""
    modules = [set(_layers_with(tensors, f"attn_{one}.")) for one in ("q", "k", "v", "output")]
    return [layer for layer in sorted(set().union(*modules)) if sum(layer in one for one in modules) > 1]


def _short_convolutions(config: dict[str, object], values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    """LFM2: which layers attend is in the list of key-value heads, 0 where they do not; the width is the stored one."""
    name = values.get("general.architecture")
    heads = values.get(f"{name}.attention.head_count_kv")
    layers = config.get("num_hidden_layers")
    if isinstance(heads, list):
        config["layer_types"] = ["full_attention" if one else "conv" for one in heads]
        config["num_key_value_heads"] = max((one for one in heads if type(one) is int), default=0)
    elif isinstance(layers, int):
        attending = set(_attending(tensors))
        config["layer_types"] = ["full_attention" if n in attending else "conv" for n in range(layers)]
    if config["model_type"] == "lfm2":
        config["block_auto_adjust_ff_dim"] = False
    else:
        config["use_expert_bias"] = bool(_layers_with(tensors, "exp_probs_b"))


def _chatglm(config: dict[str, object], values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    config |= {"multi_query_attention": True, "rmsnorm": True, "post_layer_norm": True}
    config["padded_vocab_size"] = config.get("vocab_size")


def _mamba2(config: dict[str, object], values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    inner, width = config.pop("intermediate_size", None), config.get("hidden_size")
    if isinstance(inner, int) and isinstance(width, int) and width:
        config["expand"] = inner // width if not inner % width else inner / width


def _jamba(config: dict[str, object], values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    """Jamba: layers of attention and of experts come at even distances, which the names show."""
    inner, width = _number(values.get("jamba.ssm.inner_size")), config.get("hidden_size")
    if inner is not None and isinstance(width, int) and width and not inner % width:
        config["mamba_expand"] = inner // width
    heads = values.get("jamba.attention.head_count_kv")
    if isinstance(heads, list):
        config["num_key_value_heads"] = max((one for one in heads if type(one) is int), default=0)
    sparse = {*_layers_with(tensors, "ffn_gate_inp"), *_layers_with(tensors, "ffn_down_exps")}
    for word, found in (("attn_layer", _attending(tensors)), ("expert_layer", sorted(sparse))):
        if found:
            period = found[1] - found[0] if len(found) > 1 else config.get("num_hidden_layers")
            config |= {f"{word}_offset": found[0], f"{word}_period": period}


def _ernie(config: dict[str, object], values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    config["moe_layer_end_index"] = -1
    config["num_nextn_predict_layers"] = 0


def _t5(config: dict[str, object], values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    """T5: gated where there is a gate; the depth of the decoder is the encoder's unless it is said."""
    config["feed_forward_proj"] = "gated-gelu" if "enc.blk.0.ffn_gate.weight" in tensors else "relu"
    config["is_gated_act"] = "enc.blk.0.ffn_gate.weight" in tensors
    config.setdefault("num_decoder_layers", config.get("num_layers"))


_BY_LAYER: Final = {"lfm2": _short_convolutions, "lfm2_moe": _short_convolutions, "chatglm": _chatglm,
                    "mamba2": _mamba2, "jamba": _jamba, "ernie4_5_moe": _ernie, "t5": _t5}  # fmt: skip


def _latent(config: dict[str, object], values: Mapping[str, object]) -> None:
    """Widths of latent attention: with `key_length_mla` the plain keys are those of the compressed form."""
    rotary = config.get("qk_rope_head_dim")
    name = values.get("general.architecture")
    whole = _number(values.get(f"{name}.attention.key_length_mla"))
    width = _number(values.get(f"{name}.attention.value_length_mla"))
    if whole is None:
        whole = _number(values.get(f"{name}.attention.key_length"))
        width = _number(values.get(f"{name}.attention.value_length"))
    if whole is not None and isinstance(rotary, int):
        config["qk_nope_head_dim"] = whole - rotary
    if width is not None:
        config["v_head_dim"] = width
    config.setdefault("q_lora_rank", None)


def _number(found: object) -> int | None:
    """A number; of a list with one for each layer the one that all have."""
    if isinstance(found, list) and found and all(one == found[0] for one in found):
        found = found[0]
    return found if type(found) is int else None
