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
}  # fmt: skip
"""Name on the Hub -> what is known of it."""
