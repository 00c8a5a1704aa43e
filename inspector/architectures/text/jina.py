"""Jina's encoders with code of their own: JinaBERT (jina-embeddings-v2, jina-reranker-v1) and jina-embeddings-v5.

modeling_bert.py of jinaai/jina-bert-implementation: BERT without positions whose MLP has its gate and its norm within.
modeling_bert.py of jinaai/jina-bert-v2-qk-post-norm (code, Spanish): queries and keys are normed over all heads, and a
second norm follows the attention; the MLP's names differ. Both have the class JinaBertConfig and the type "bert".
configuration_jina_embeddings_v5.py: Qwen3's layers, or EuroBERT's, which have no norms of queries and keys, under one
type; the task's adapters are in folders of their own (vLLM's `jina.py`).
"""

from inspector.architectures.blocks import CLASSIFIER, DECODER, ENDS, GQA, LM_HEAD, PRE_NORMS, QK_NORM, SWIGLU
from inspector.architectures.text.bert import ATTENTION, COLBERT, MASKED
from inspector.architectures.text.roberta import CHOICE, ENCODER, POOLER, SPAN, UP_DOWN
from inspector.notation.definition import Architecture, either, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, buffer, dense, linear, table

GATED = rows(
    part("mlp.gated_layers", "mlp.gate_up", linear("d -> ff + ff", packs="gate up")),
    part("mlp.wo",           "mlp.down",    dense("ff -> d")),
    part("mlp.layernorm",    "norm.mlp",    affine("d")))
POST_NORMS = rows(
    part("attention.self.layer_norm_q", "norm.query",          affine("d")),
    part("attention.self.layer_norm_k", "norm.key",            affine("d")),
    part("mlp.up_gated_layer",          "mlp.gate_up",         linear("d -> ff + ff", packs="up gate")),
    part("mlp.down_layer",              "mlp.down",            dense("ff -> d")),
    part("layer_norm_1",                "norm.attention.post", affine("d")),
    part("layer_norm_2",                "norm.mlp.post",       affine("d")))
BERT_POOLER = under("bert", POOLER)
JINA_BERT = Architecture("jina_bert", dims=ENCODER, ties="tie_word_embeddings | true",
    ignores="attn_implementation emb_pooler hidden_act position_embedding_type",
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token",    table("V d")),
            part("position_embeddings",   "embed.position", table("T d"), when="position_embedding_type != 'alibi'"),
            part("token_type_embeddings", "embed.type",     table("y d")),
            part("LayerNorm",             "norm.embed",     affine("d")),
            maybe("position_ids",         "embed.index",    buffer("1 T"))),
        under("encoder.layer.{L}.attention", ATTENTION),
        rows(
            either(under("encoder.layer.{L}", GATED), under("encoder.layer.{L}", POST_NORMS)),
            when="feed_forward_type != 'original'"),
        under("encoder.layer.{L}", UP_DOWN, part("output.LayerNorm", "norm.mlp", affine("d")),
              when="feed_forward_type == 'original'")),
    heads=(
        head("Model",                     "",      usually(POOLER)),
        head("ForMaskedLM",               "bert.", MASKED),
        head("ForSequenceClassification", "bert.", CLASSIFIER, BERT_POOLER),
        head("ForMultipleChoice",         "bert.", CHOICE, BERT_POOLER),
        head("ForTokenClassification",    "bert.", CLASSIFIER),
        head("ForQuestionAnswering",      "bert.", SPAN),
        head("HF_ColBERT",                "bert.", COLBERT, usually(BERT_POOLER))))
JINA_EMBEDDINGS_V5 = Architecture("jina_embeddings_v5", dims=DECODER,
    ignores="matryoshka_dims task_names",
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        either(
            under("layers.{L}.self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
            under("layers.{L}.self_attn", GQA, b="attention_bias", bo="attention_bias")),
        under("layers.{L}.mlp", SWIGLU, b="mlp_bias")),
    heads=(head("Model", ""), head("ForCausalLM", "model.", LM_HEAD)))
