"""Encoders of Alibaba's GTE with code of their own: gte-base-en-v1.5, gte-multilingual-base, Snowflake's arctic-embed.

modeling.py of Alibaba-NLP/new-impl: BERT with rotary positions and gated MLPs, a norm behind each half. The matrix
`up_gate_proj` has no bias. The sequence and choice classes have a pooler; the base class builds it only on request.
The type "gte", of transformers and of Snowflake's copy of the base class, is in modernbert.py.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.text.roberta import CHOICE, ENCODER, POOLER, SPAN
from inspector.notation.definition import Architecture, head, part, rows, under
from inspector.notation.kinds import affine, dense, linear, scale, table

APART = rows(
    part("q_proj", "attention.query", dense("d -> d")),
    part("k_proj", "attention.key",   dense("d -> d")),
    part("v_proj", "attention.value", dense("d -> d")))
NORMS = rows(
    rows(
        part("attn_ln", "norm.attention", affine("d")),
        part("mlp_ln",  "norm.mlp",       affine("d")), when="layer_norm_type != 'rms_norm'"),
    rows(
        part("attn_ln", "norm.attention", scale("d")),
        part("mlp_ln",  "norm.mlp",       scale("d")), when="layer_norm_type == 'rms_norm'"))
LAYER = rows(
    under("attention",
        part("qkv_proj", "attention.qkv", dense("d -> d + d + d", packs="q k v"), when="pack_qkv | true"),
        rows(APART, when="not (pack_qkv | true)"),
        part("o_proj",   "attention.output", dense("d -> d"))),
    under("mlp",
        part("up_gate_proj", "mlp.gate_up", linear("d -> ff + ff", packs="up gate")),
        part("down_proj",    "mlp.down",    dense("ff -> d"))),
    NORMS)
NEW_POOLER = under("new", POOLER)
NEW = Architecture("new", dims=ENCODER, ties="tie_word_embeddings | true",
    ignores="hidden_act rope_theta rope_scaling unpad_inputs use_memory_efficient_attention logn_attention_scale"
            " logn_attention_clip1",
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token",    table("V d")),
            part("position_embeddings",   "embed.position", table("T d"), when="position_embedding_type == 'absolute'"),
            part("token_type_embeddings", "embed.type",     table("y d"), when="type_vocab_size > 0"),
            part("LayerNorm",             "norm.embed",     affine("d"))),
        under("encoder.layer.{L}", LAYER)),
    heads=(
        head("Model",                     "",     rows(POOLER, optional=True)),
        head("ForMaskedLM",               "new.", under("lm_head",
            part("dense",   "head.dense", dense("d -> d")),
            part("norm",    "norm.head",  affine("d")),
            part("decoder", "head.token", dense("d -> V"), tied="embed.token"))),
        head("ForSequenceClassification", "new.", CLASSIFIER, NEW_POOLER),
        head("ForMultipleChoice",         "new.", CHOICE, NEW_POOLER),
        head("ForTokenClassification",    "new.", CLASSIFIER),
        head("ForQuestionAnswering",      "new.", SPAN)))
