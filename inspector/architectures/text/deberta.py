"""DeBERTa and DeBERTa-v2/v3.

modeling_deberta.py: q, k and v in one `in_proj` without bias, `q_bias` and `v_bias` bare. modeling_deberta_v2.py: three
projections. Relative tables have two rows a bucket: `position_buckets` if positive, else `max_relative_positions`, else
the positions when that is below 1. The pooler sits at the top, not below `deberta.`. `legacy=false` renames the masked
head, and transformers 4 then ties its dense matrix to the vocabulary.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.text.roberta import CHOICE, OLD_NAMES, SPAN
from inspector.notation.definition import Architecture, Dims, either, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

DIMS = Dims(V="vocab_size", d="hidden_size", e="embedding_size | d", L="num_hidden_layers", h="num_attention_heads",
            ff="intermediate_size", T="max_position_embeddings", y="type_vocab_size", pd="pooler_hidden_size | d",
            R="position_buckets when position_buckets > 0 | max_relative_positions when max_relative_positions > 0 | T",
            c2p="'c2p' in pos_att_type or pos_att_type in 'c2p|p2c p2c|c2p'",
            p2c="'p2c' in pos_att_type or pos_att_type in 'c2p|p2c p2c|c2p'",
            C="labels")
EMBEDDINGS = under("embeddings",
    part("word_embeddings",       "embed.token",    table("V e")),
    part("position_embeddings",   "embed.position", table("T e"), when="(position_biased_input | true)"),
    rows(part("position_embeddings", "embed.position", table("T e")),   # in the first releases; no class reads it
         when="not (position_biased_input | true)", optional=True, extra="unused", tower="unused"),
    part("token_type_embeddings", "embed.type",     table("y e"), when="y > 0"),
    part("embed_proj",            "embed.project",  linear("e -> d"), when="e != d"),
    part("LayerNorm",             "norm.embed",     affine("d")),
    maybe("position_ids",         "embed.index",    buffer("1 T")))
REST = rows(
    part("attention.output.dense",     "attention.output", dense("d -> d")),
    part("attention.output.LayerNorm", "norm.attention",   affine("d")),
    part("intermediate.dense",         "mlp.up",           dense("d -> ff")),
    part("output.dense",               "mlp.down",         dense("ff -> d")),
    part("output.LayerNorm",           "norm.mlp",         affine("d")))
POOLER = part("pooler.dense", "pooler", dense("pd -> pd"))
LEGACY_HEAD = under("cls.predictions",
    part("transform.dense",     "head.dense",      dense("d -> e")),
    part("transform.LayerNorm", "norm.head",       affine("e")),
    part("bias",                "head.token.bias", param("V")),
    part("decoder",             "head.token",      linear("e -> V"), tied="embed.token"),
    maybe("decoder.bias",       "head.token.copy", param("V"), tied="head.token.bias"),
    when="(legacy | true)")
NEW_HEAD = under("lm_predictions.lm_head",
    either(
        part("dense",           "head.dense",      dense("d -> d")),
        rows(                                  # what transformers 4 makes of it when it ties
            part("dense",       "head.dense",      linear("d -> V"), tied="embed.token"),
            part("dense.bias",  "head.dense.bias", param("V")))),
    part("LayerNorm",           "norm.head",       affine("d")),
    part("bias",                "head.token.bias", param("V")),
    when="not (legacy | true)")
DISCRIMINATOR = under("mask_predictions",      # of the published weights of v3; no class reads it
    part("dense",                 "head.dense", dense("d -> d")),
    part("LayerNorm",             "norm.head",  affine("d")),
    part("classifier",            "head.class", dense("d -> 1")),
    optional=True, extra="unused", tower="unused")
HEADS = (
    head("Model",                     ""),
    head("ForMaskedLM",               "deberta.", LEGACY_HEAD, NEW_HEAD, DISCRIMINATOR),
    head("ForSequenceClassification", "deberta.", POOLER, CLASSIFIER),
    head("ForMultipleChoice",         "deberta.", POOLER, CHOICE),
    head("ForTokenClassification",    "deberta.", CLASSIFIER),
    head("ForQuestionAnswering",      "deberta.", SPAN))
DEBERTA = Architecture("deberta", dims=DIMS, heads=HEADS, ties="tie_word_embeddings | true", dialects=({}, OLD_NAMES),
    parts=rows(
        EMBEDDINGS,
        part("encoder.rel_embeddings", "attention.position", table("2*R d"), when="relative_attention"),
        under("encoder.layer.{L}", REST),
        under("encoder.layer.{L}.attention.self",
            part("in_proj",           "attention.qkv",          linear("d -> h*(d/h + d/h + d/h)", packs="q k v")),
            part("q_bias",            "attention.query.bias",   param("d")),
            part("v_bias",            "attention.value.bias",   param("d")),
            part("head_logits_proj",  "attention.talk.logits",  linear("h -> h"), when="talking_head"),
            part("head_weights_proj", "attention.talk.weights", linear("h -> h"), when="talking_head"),
            part("pos_proj",   "attention.position.key",   linear("d -> d"), when="relative_attention and c2p"),
            part("pos_q_proj", "attention.position.query", dense("d -> d"),  when="relative_attention and p2c")),
        R="max_relative_positions when max_relative_positions > 0 | T"))
DEBERTA_V2 = Architecture("deberta-v2", dims=DIMS, heads=HEADS, ties="tie_word_embeddings | true",
    dialects=({}, OLD_NAMES),
    parts=rows(
        EMBEDDINGS,
        part("encoder.rel_embeddings", "attention.position", table("2*R d"), when="relative_attention"),
        part("encoder.LayerNorm",      "norm.position",      affine("d"),
             when="norm_rel_ebd in 'layer_norm layer_norm|none none|layer_norm'"),
        part("encoder.conv.conv",      "embed.conv",
             conv("d -> d, conv_kernel_size", groups="(conv_groups | 1)"),
             when="conv_kernel_size > 0"),
        part("encoder.conv.LayerNorm", "norm.conv",          affine("d"), when="conv_kernel_size > 0"),
        under("encoder.layer.{L}", REST),
        under("encoder.layer.{L}.attention.self",
            part("query_proj",     "attention.query",          dense("d -> d")),
            part("key_proj",       "attention.key",            dense("d -> d")),
            part("value_proj",     "attention.value",          dense("d -> d")),
            part("pos_key_proj",   "attention.position.key",   dense("d -> d"),
                 when="relative_attention and not share_att_key and c2p"),
            part("pos_query_proj", "attention.position.query", dense("d -> d"),
                 when="relative_attention and not share_att_key and p2c"))))
