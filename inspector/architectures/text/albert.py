"""ALBERT. modeling_albert.py: `num_hidden_layers` moves nothing, the layers of a group are stored once; the tables,
their norm and the masked head have `embedding_size`; heads are whole numbers of rows,
even where they do not divide the width; the pooler is a bare linear.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.text.roberta import EMBEDDINGS, ENCODER, SPAN
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, dense, linear, param, table

POOLER = part("pooler", "pooler", dense("d -> d"))
PREDICTIONS = under("predictions",
    part("dense",        "head.dense",      dense("d -> e")),
    part("LayerNorm",    "norm.head",       affine("e")),
    part("bias",         "head.token.bias", param("V")),
    part("decoder",      "head.token",      linear("e -> V"), tied="embed.token"),
    maybe("decoder.bias", "head.token.copy", param("V"), tied="head.token.bias"))
ALBERT = Architecture("albert", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(e="embedding_size", G="num_hidden_groups", B="inner_group_num", a="h * (d//h)"),
    parts=rows(
        rows(EMBEDDINGS, d="e"),
        part("encoder.embedding_hidden_mapping_in", "embed.project", dense("e -> d")),
        under("encoder.albert_layer_groups.{G}.albert_layers.{B}",
            part("attention.query",       "attention.query",  dense("d -> a")),
            part("attention.key",         "attention.key",    dense("d -> a")),
            part("attention.value",       "attention.value",  dense("d -> a")),
            maybe("attention.distance_embedding", "attention.position", table("2*T-1 d/h"),
                  when="position_embedding_type in 'relative_key relative_key_query'"),
            part("attention.dense",       "attention.output", dense("d -> d")),
            part("attention.LayerNorm",   "norm.attention",   affine("d")),
            part("ffn",                   "mlp.up",           dense("d -> ff")),
            part("ffn_output",            "mlp.down",         dense("ff -> d")),
            part("full_layer_layer_norm", "norm.mlp",         affine("d")))),
    heads=(
        head("Model",                     "",        usually(POOLER)),
        head("ForMaskedLM",               "albert.", PREDICTIONS),
        head("ForPreTraining",            "albert.", PREDICTIONS, under("albert", POOLER),
            part("sop_classifier.classifier", "head.next", dense("d -> C"))),
        head("ForSequenceClassification", "albert.", CLASSIFIER, under("albert", POOLER)),
        head("ForMultipleChoice",         "albert.", rows(CLASSIFIER, C="1"), under("albert", POOLER)),
        head("ForTokenClassification",    "albert.", CLASSIFIER),
        head("ForQuestionAnswering",      "albert.", SPAN)),
    dialects=({}, {"albert.": ""}))
