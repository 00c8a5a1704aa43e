"""Configs of published text models that only their authors' code, vLLM, SGLang or mlx-lm builds, with what is known.

`parameters`: the published number, None where only a rounded one is known. `shapes`: names and shapes as the code of
the authors or a loader states them, written by hand. `wrong`: a key, and a value that the weights contradict. `lost`:
a tensor without which the checkpoint is not complete. `build`: keys that a listing is built with besides the config:
the type of the definition where the class chooses it, a size that no config states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Model(NamedTuple):
    """A published model."""

    config: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]
    lost: str
    wrong: tuple[str, Any]
    parameters: int | None = None
    build: Mapping[str, Any] = {}


def jina(**values: Any) -> Mapping[str, Any]:
    """A config of JinaBERT."""
    code = "jinaai/jina-bert-implementation"
    return {
        "model_type": "bert", "architectures": ["JinaBertModel"],
        "auto_map": {"AutoConfig": f"{code}--configuration_bert.JinaBertConfig",
                     "AutoModel": f"{code}--modeling_bert.JinaBertModel"},
        "feed_forward_type": "geglu", "emb_pooler": "mean", "position_embedding_type": "alibi", "vocab_size": 30528,
        "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
        "max_position_embeddings": 8192, "type_vocab_size": 2, **values,
    }  # fmt: skip


def new(**values: Any) -> Mapping[str, Any]:
    """A config of GTE's own encoder."""
    return {
        "model_type": "new", "architectures": ["NewModel"], "vocab_size": 30528, "hidden_size": 768,
        "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12, "type_vocab_size": 0,
        "max_position_embeddings": 8192, "pack_qkv": True, "position_embedding_type": "rope",
        "layer_norm_type": "layer_norm", **values,
    }  # fmt: skip


JINA_BERT = {"model_type": "jina_bert"}
QWEN3: Mapping[str, Any] = {
    "model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28,
    "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
    "tie_word_embeddings": True,
}  # fmt: skip
EAGLE: Mapping[str, Any] = {
    "model_type": "llama", "architectures": ["EagleLlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 11008,
    "num_hidden_layers": 1, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000,
}  # fmt: skip
CHATGLM: Mapping[str, Any] = {
    "model_type": "chatglm", "architectures": ["ChatGLMForConditionalGeneration"], "num_layers": 3, "hidden_size": 64,
    "inner_hidden_size": 256, "num_attention_heads": 4, "vocab_size": 130, "pre_seq_len": 7,
}  # fmt: skip

STEP3: Mapping[str, Any] = {
    "model_type": "step3_text", "architectures": ["Step3TextForCausalLM"], "hidden_size": 7168, "vocab_size": 128815,
    "intermediate_size": 18432, "num_attention_heads": 64, "num_attention_groups": 1, "num_hidden_layers": 7,
    "head_dim": 256, "moe_num_experts": 3, "moe_intermediate_size": 5120, "share_expert_dim": 5120,
    "share_q_dim": 2048, "moe_layers_enum": "4,5,6",
}  # fmt: skip
LING: Mapping[str, Any] = {
    "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 5, "num_attention_heads": 4, "head_dim": 16,
    "num_key_value_heads": 2, "vocab_size": 300, "num_experts": 4, "moe_intermediate_size": 40,
    "num_shared_experts": 1, "first_k_dense_replace": 1, "use_qk_norm": True, "moe_router_enable_expert_bias": True,
}  # fmt: skip
LLAMA: Mapping[str, Any] = {
    "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 300,
}  # fmt: skip

MODELS: Mapping[str, Model] = {
    "gte-base-en-v1.5": Model(
        new(), {"encoder.layer.11.mlp.up_gate_proj.weight": (6144, 768)},
        "encoder.layer.3.attention.o_proj.bias", ("intermediate_size", 4096), 136_776_192),
    "gte-large-en-v1.5": Model(
        new(hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16, type_vocab_size=2),
        {"embeddings.token_type_embeddings.weight": (2, 1024)}, "encoder.layer.20.attn_ln.bias",
        ("num_hidden_layers", 23), 434_139_136),
    "gte-multilingual-base": Model(
        new(vocab_size=250048, type_vocab_size=1, architectures=["NewForTokenClassification"], num_labels=1),
        {"new.encoder.layer.0.attention.qkv_proj.bias": (2304,), "classifier.weight": (1, 768)},
        "new.encoder.layer.3.mlp_ln.weight", ("hidden_size", 512), 305_369_089),
    "jina-embeddings-v2-base-en": Model(
        jina(), {"encoder.layer.0.mlp.gated_layers.weight": (6144, 768)}, "encoder.layer.2.mlp.wo.bias",
        ("intermediate_size", 4096), 137_368_320, JINA_BERT),
    "jina-embeddings-v2-small-en": Model(
        jina(hidden_size=512, intermediate_size=2048, num_hidden_layers=4, num_attention_heads=8),
        {"encoder.layer.3.mlp.layernorm.bias": (512,)}, "encoder.layer.1.attention.self.key.weight",
        ("vocab_size", 30522), 32_690_688, JINA_BERT),
    "jina-embeddings-v5-text-small": Model(
        {**QWEN3, "model_type": "jina_embeddings_v5", "architectures": ["JinaEmbeddingsV5Model"]},
        {"layers.5.self_attn.q_norm.weight": (128,)}, "layers.3.self_attn.v_proj.weight",
        ("num_key_value_heads", 4), 596_049_920),
    "jina-reranker-v3": Model(
        {**QWEN3, "architectures": ["JinaForRanking"]},
        {"projector.0.weight": (512, 1024), "projector.2.weight": (512, 512)}, "projector.2.weight",
        ("intermediate_size", 2048)),
    "colbertv2.0": Model(
        {"model_type": "bert", "architectures": ["HF_ColBERT"], "vocab_size": 30522, "hidden_size": 768,
         "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12},
        {"linear.weight": (128, 768), "bert.encoder.layer.0.intermediate.dense.bias": (3072,)}, "linear.weight",
        ("intermediate_size", 2048), None, {"colbert_dim": 128}),
    "EAGLE-llama2-chat-7B": Model(
        {**EAGLE, "bias": True}, {"fc.weight": (4096, 8192), "fc.bias": (4096,)},
        "layers.0.post_attention_layernorm.weight", ("intermediate_size", 14336), None,
        {"model_type": "EagleLlamaForCausalLM"}),
    "TeleChat2-115B": Model(
        {"model_type": "telechat", "architectures": ["TelechatForCausalLM"], "hidden_size": 8192, "n_head": 64,
         "num_key_value_heads": 8, "n_layer": 96, "vocab_size": 131072, "ffn_hidden_size": 40960,
         "tie_word_embeddings": False},
        {"transformer.h.95.self_attention.key_value.weight": (2048, 8192),
         "transformer.h.0.mlp.down_proj.bias": (8192,)},
        "transformer.h.7.self_attention.dense.bias", ("ffn_hidden_size", 20480), 453_131_665_408 // 4),
    "MobileLLM-125M": Model(
        {"model_type": "mobilellm", "architectures": ["MobileLLMForCausalLM"], "hidden_size": 576, "vocab_size": 32000,
         "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3,
         "share_embedding": True, "layer_sharing": False},
        {"model.layers.29.self_attn.k_proj.weight": (192, 576)}, "model.layers.4.mlp.up_proj.weight",
        ("num_key_value_heads", 9), 124_635_456),
    "step3": Model(
        STEP3, {"model.layers.4.moe.gate_proj.weight": (3, 5120, 7168),
                "model.layers.3.mlp.up_proj.weight": (18432, 7168),
                "model.layers.6.share_expert.down_proj.weight": (7168, 5120),
                "model.layers.0.self_attn.wq.weight": (16384, 2048)},
        "model.layers.2.self_attn.inter_norm.weight", ("share_q_dim", 1024)),
    "Step-Audio-EditX": Model(
        {**LLAMA, "model_type": "step1", "architectures": ["Step1ForCausalLM"], "num_attention_groups": 1},
        {"model.layers.0.self_attn.v_proj.weight": (16, 64)}, "model.layers.1.self_attn.o_proj.weight",
        ("num_attention_groups", 2)),
    "Ring-mini-linear-2.0": Model(
        {**LING, "model_type": "bailing_moe_linear", "architectures": ["BailingMoeLinearV2ForCausalLM"],
         "layer_group_size": 2, "group_norm_size": 4},
        {"model.layers.0.attention.g_norm.weight": (64,), "model.layers.0.attention.query_key_value.weight": (192, 64),
         "model.layers.1.attention.query_key_value.weight": (128, 64),
         "model.layers.4.attention.query_key_value.weight": (128, 64)},
        "model.layers.2.attention.g_proj.weight", ("layer_group_size", 3)),
    "sarvam-30b": Model(
        {**LING, "model_type": "sarvam_moe", "architectures": ["SarvamMoEForCausalLM"]},
        {"model.layers.1.mlp.gate.expert_bias": (4,)}, "model.layers.1.mlp.experts.2.down_proj.weight",
        ("moe_intermediate_size", 48)),
    "sarvam-105b": Model(
        {**LING, "model_type": "sarvam_mla", "architectures": ["SarvamMLAForCausalLM"], "q_lora_rank": None,
         "kv_lora_rank": 24, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 20},
        {"model.layers.0.self_attn.kv_a_proj_with_mqa.weight": (32, 64),
         "model.layers.1.mlp.gate.e_score_correction_bias": (4,)},
        "model.layers.1.mlp.shared_experts.up_proj.weight", ("kv_lora_rank", 32)),
    "Klear-46B-A2.5B-Instruct": Model(
        {**LING, "model_type": "Klear", "architectures": ["KlearMoeForCausalLM"], "mlp_only_layers": [],
         "decoder_sparse_step": 1, "n_shared_experts": 1, "attention_bias": False},
        {"model.layers.0.mlp.coefficient.bias": (2,), "model.layers.0.mlp.expert_bias": (4,)},
        "model.layers.4.mlp.coefficient.weight", ("num_experts", 5)),
    "Baichuan-M1-14B-Base": Model(
        {**LLAMA, "model_type": "baichuan_m1", "architectures": ["BaichuanM1ForCausalLM"], "num_swa_attention_heads": 8,
         "num_swa_key_value_heads": 4, "sliding_window_layers": [1], "sliding_window": 32, "conv_window": 2},
        {"model.layers.0.self_attn.W_pack.weight": (128, 64), "model.layers.1.self_attn.W_pack.weight": (128, 64),
         "model.layers.1.self_attn.conv_k": (1, 1, 4, 1, 2)},
        "model.layers.0.self_attn.conv_v", ("conv_window", 3)),
    "IQuest-Coder-V1-40B-Loop-Instruct": Model(
        {**LLAMA, "model_type": "iquestloopcoder", "architectures": ["IQuestLoopCoderForCausalLM"], "loop_num": 2,
         "head_dim": 20},
        {"model.gate_projections.2.weight": (4, 20), "model.gate_projections.0.bias": (4,)},
        "model.gate_projections.1.bias", ("num_attention_heads", 5)),
    "Nanbeige": Model(
        {**LLAMA, "model_type": "nanbeige", "architectures": ["NanbeigeForCausalLM"], "num_loops": 2},
        {"model.layers.0.mlp.gate_proj.weight": (96, 64)}, "model.layers.0.mlp.gate_proj.weight",
        ("intermediate_size", 100)),
    "LongCat-Flash-Lite": Model(
        {"model_type": "longcat_flash_ngram", "architectures": ["LongcatFlashNgramForCausalLM"], "hidden_size": 96,
         "ffn_hidden_size": 80, "expert_ffn_hidden_size": 40, "num_layers": 2, "num_attention_heads": 4,
         "vocab_size": 300, "n_routed_experts": 4, "zero_expert_num": 2, "kv_lora_rank": 24, "q_lora_rank": 28,
         "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 20, "ngram_vocab_size_ratio": 3,
         "emb_neighbor_num": 3, "emb_split_num": 2},
        {"model.ngram_embeddings.embedders.0.weight": (901, 24), "model.ngram_embeddings.embedders.3.weight": (907, 24),
         "model.ngram_embeddings.post_projs.3.weight": (96, 24)},
        "model.ngram_embeddings.post_projs.1.weight", ("ngram_vocab_size_ratio", 4)),
    "rnj-1": Model(
        {**LLAMA, "model_type": "rnj1", "architectures": ["Rnj1ForCausalLM"], "head_dim": 20,
         "tie_word_embeddings": False},
        {"model.layers.0.pre_feedforward_layernorm.weight": (64,), "model.layers.2.self_attn.k_norm.weight": (20,)},
        "model.layers.1.self_attn.q_norm.weight", ("head_dim", 16)),
    "chatglm-6b, P-tuning v2": Model(
        CHATGLM, {"transformer.prefix_encoder.embedding.weight": (7, 3 * 64 * 2)},
        "transformer.layers.1.mlp.dense_h_to_4h.bias", ("pre_seq_len", 8)),
    "chatglm-6b, P-tuning v2 with a projection": Model(
        {**CHATGLM, "prefix_projection": True},
        {"transformer.prefix_encoder.embedding.weight": (7, 64), "transformer.prefix_encoder.trans.0.bias": (64,),
         "transformer.prefix_encoder.trans.2.weight": (3 * 64 * 2, 64)},
        "transformer.prefix_encoder.trans.2.weight", ("prefix_projection", False)),
}  # fmt: skip
"""Name on the Hub -> what is known of it."""
