"""MobileBERT, SqueezeBERT and I-BERT.

modeling_mobilebert.py: layers work at `intra_bottleneck_size` between two bottlenecks, with `num_feedforward_networks`
MLPs (the last is the layer's own); tokens enter three at a time with `trigram_input`; the masked head keeps the columns
that the token table lacks in `dense` [hidden - embedding, vocabulary]. modeling_squeezebert.py: linears are grouped
convolutions of width 1. quant_modules.py of I-BERT: integers, scales and ranges beside every weight, all buffers.
"""

from inspector.architectures.bert import NEXT
from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.roberta import CHOICE, DENSE_AND_OUT, ENCODER, LM_HEAD, POOLER, SPAN
from inspector.notation.card import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

MOBILE_POOLER = part("pooler.dense", "pooler", dense("d -> d"), when="classifier_activation")
MOBILE_MASKED = under("cls.predictions",
    part("transform.dense",     "head.dense",      dense("d -> d")),
    part("transform.LayerNorm", "norm.head",       affine("d")),
    part("bias",                "head.token.bias", param("V")),
    part("dense",               "head.token.rest", linear("V -> d - e")),
    part("decoder",             "head.token",      linear("e -> V"), tied="embed.token"),
    maybe("decoder.bias",       "head.token.copy", param("V"), tied="head.token.bias"))
MOBILEBERT = Architecture("mobilebert", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(e="embedding_size", t="intra_bottleneck_size when use_bottleneck | d", a="h*(t//h)",
                        g="3 when trigram_input | 1", F="num_feedforward_networks - 1",
                        v="t when use_bottleneck_attention | d"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",          "embed.token",    table("V e")),
            part("position_embeddings",      "embed.position", table("T d")),
            part("token_type_embeddings",    "embed.type",     table("y d")),
            part("embedding_transformation", "embed.project",  dense("g*e -> d")),
            part("LayerNorm",                "norm.embed",     affine("d")),
            maybe("position_ids",            "embed.index",    buffer("1 T"))),
        under("encoder.layer.{L}",
            part("attention.self.query",       "attention.query",  dense("t -> a")),
            part("attention.self.key",         "attention.key",    dense("t -> a")),
            part("attention.self.value",       "attention.value",  dense("v -> a")),
            part("attention.output.dense",     "attention.output", dense("t -> t")),
            part("attention.output.LayerNorm", "norm.attention",   affine("t")),
            part("intermediate.dense",         "mlp.up",           dense("t -> ff")),
            part("output.dense",               "mlp.down",         dense("ff -> t")),
            part("output.LayerNorm",           "norm.mlp",         affine("t"))),
        under("encoder.layer.{L}",
            part("bottleneck.input.dense",     "bottleneck.input", dense("d -> t")),
            part("bottleneck.input.LayerNorm", "norm.input",       affine("t")),
            part("bottleneck.attention.dense", "bottleneck.attention", dense("d -> t"), when="key_query_shared_bottleneck"),
            part("bottleneck.attention.LayerNorm", "norm.input.attention", affine("t"), when="key_query_shared_bottleneck"),
            part("output.bottleneck.dense",     "bottleneck.output", dense("t -> d")),
            part("output.bottleneck.LayerNorm", "norm.output",       affine("d")), when="use_bottleneck"),
        under("encoder.layer.{L}.ffn.{F}",
            part("intermediate.dense", "mlp.more.up",   dense("t -> ff")),
            part("output.dense",       "mlp.more.down", dense("ff -> t")),
            part("output.LayerNorm",   "norm.mlp.more", affine("t")), when="num_feedforward_networks > 1")),
    heads=(
        head("Model",                     "",            MOBILE_POOLER),
        head("ForMaskedLM",               "mobilebert.", MOBILE_MASKED),
        head("ForPreTraining",            "mobilebert.", MOBILE_MASKED, NEXT, under("mobilebert", MOBILE_POOLER)),
        head("ForNextSentencePrediction", "mobilebert.", NEXT, under("mobilebert", MOBILE_POOLER)),
        head("ForSequenceClassification", "mobilebert.", CLASSIFIER, under("mobilebert", MOBILE_POOLER)),
        head("ForMultipleChoice",         "mobilebert.", CHOICE, under("mobilebert", MOBILE_POOLER)),
        head("ForTokenClassification",    "mobilebert.", CLASSIFIER),
        head("ForQuestionAnswering",      "mobilebert.", SPAN)))
SQUEEZEBERT = Architecture("squeezebert", ties="tie_word_embeddings | true", dims=ENCODER | Dims(e="embedding_size"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token",    table("V e")),
            part("position_embeddings",   "embed.position", table("T e")),
            part("token_type_embeddings", "embed.type",     table("y e")),
            part("LayerNorm",             "norm.embed",     affine("d")),
            maybe("position_ids",         "embed.index",    buffer("1 T"))),
        under("encoder.layers.{L}",
            part("attention.query",          "attention.query",  conv("d -> d, 1", groups="q_groups")),
            part("attention.key",            "attention.key",    conv("d -> d, 1", groups="k_groups")),
            part("attention.value",          "attention.value",  conv("d -> d, 1", groups="v_groups")),
            part("post_attention.conv1d",    "attention.output", conv("d -> d, 1", groups="post_attention_groups")),
            part("post_attention.layernorm", "norm.attention",   affine("d")),
            part("intermediate.conv1d",      "mlp.up",           conv("d -> ff, 1", groups="intermediate_groups")),
            part("output.conv1d",            "mlp.down",         conv("ff -> d, 1", groups="output_groups")),
            part("output.layernorm",         "norm.mlp",         affine("d"))),
        POOLER),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "transformer.", under("cls.predictions",
            part("transform.dense",       "head.dense",      dense("d -> d")),
            part("transform.LayerNorm",   "norm.head",       affine("d")),
            part("bias",                  "head.token.bias", param("V")),
            part("decoder",               "head.token",      linear("d -> V"), tied="embed.token"),
            maybe("decoder.bias",         "head.token.copy", param("V"), tied="head.token.bias"))),
        head("ForSequenceClassification", "transformer.", CLASSIFIER),
        head("ForMultipleChoice",         "transformer.", CHOICE),
        head("ForTokenClassification",    "transformer.", CLASSIFIER),
        head("ForQuestionAnswering",      "transformer.", SPAN)))

RANGE = rows(                                  # what an activation was seen to span
    part("x_min",              "range.low",    buffer("1")),
    part("x_max",              "range.high",   buffer("1")),
    part("act_scaling_factor", "range.scale",  buffer("1")))
