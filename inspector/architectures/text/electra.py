"""ELECTRA, ConvBERT and RoFormer: tables of `embedding_size`, projected where that is not the hidden size.

modeling_electra.py: a discriminator (pretraining) and a generator (masked LM), no pooler. modeling_convbert.py: half of
the heads are convolutions; with `num_groups` the MLP is stored as [groups, in, out]. modeling_roformer.py: rotary
positions are stored once, in `encoder.embed_positions`. `summary_use_proj` adds a dense before multiple choice.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.text.bert import BERT_LAYER
from inspector.architectures.text.roberta import CHOICE, DENSE_AND_OUT, EMBEDDINGS, ENCODER, OLD_NAMES, SPAN
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param, table

SMALL = ENCODER | Dims(e="embedding_size", n="C when summary_proj_to_labels and C > 0 | d")
PROJECT = part("embeddings_project", "embed.project", dense("e -> d"), when="e != d")
GENERATOR = rows(
    part("generator_predictions.dense",     "head.dense",      dense("d -> e")),
    part("generator_predictions.LayerNorm", "norm.head",       affine("e")),
    part("generator_lm_head",               "head.token",      linear("e -> V"), tied="embed.token"),
    part("generator_lm_head.bias",          "head.token.bias", param("V")))
SUMMARY = part("sequence_summary.summary", "head.dense", dense("d -> n"), when="summary_use_proj")
ELECTRA = Architecture("electra", ties="tie_word_embeddings | true", dims=SMALL, dialects=({}, OLD_NAMES),
    parts=rows(rows(EMBEDDINGS, d="e"), PROJECT, under("encoder.layer.{L}", BERT_LAYER)),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM ForCausalLM",   "electra.", GENERATOR),
        head("ForPreTraining",            "electra.",
            part("discriminator_predictions.dense",            "head.dense", dense("d -> d")),
            part("discriminator_predictions.dense_prediction", "head.class", dense("d -> 1"))),
        head("ForSequenceClassification", "electra.", DENSE_AND_OUT),
        head("ForMultipleChoice",         "electra.", SUMMARY, CHOICE),
        head("ForTokenClassification",    "electra.", CLASSIFIER),
        head("ForQuestionAnswering",      "electra.", SPAN)))

CONV_ATTENTION = rows(                         # w is the width of the heads that attend, m their number
    part("self.query",               "attention.query",    dense("d -> w")),
    part("self.key",                 "attention.key",      dense("d -> w")),
    part("self.value",               "attention.value",    dense("d -> w")),
    part("self.key_conv_attn_layer.depthwise", "attention.conv.depth", conv("d -> d, k", groups="d", bias=False)),
    part("self.key_conv_attn_layer.pointwise", "attention.conv.point", conv("d -> w, 1", bias=False)),
    part("self.key_conv_attn_layer.bias",      "attention.conv.bias",  param("w 1")),
    part("self.conv_kernel_layer",   "attention.conv.kernel", dense("w -> m*k")),
    part("self.conv_out_layer",      "attention.conv.out",    dense("d -> w")),
    part("output.dense",             "attention.output",   dense("d -> d")),
    part("output.LayerNorm",         "norm.attention",     affine("d")))
CONV_CROSS = rows(
    part("self.query",               "cross.query",        dense("d -> w")),
    part("self.key",                 "cross.key",          dense("d -> w")),
    part("self.value",               "cross.value",        dense("d -> w")),
    part("self.key_conv_attn_layer.depthwise", "cross.conv.depth", conv("d -> d, k", groups="d", bias=False)),
    part("self.key_conv_attn_layer.pointwise", "cross.conv.point", conv("d -> w, 1", bias=False)),
    part("self.key_conv_attn_layer.bias",      "cross.conv.bias",  param("w 1")),
    part("self.conv_kernel_layer",   "cross.conv.kernel",  dense("w -> m*k")),
    part("self.conv_out_layer",      "cross.conv.out",     dense("d -> w")),
    part("output.dense",             "cross.output",       dense("d -> d")),
    part("output.LayerNorm",         "norm.cross",         affine("d")))
CONVBERT = Architecture("convbert", ties="tie_word_embeddings | true",
    dims=SMALL | Dims(k="conv_kernel_size", g="num_groups", m="max(h//head_ratio, 1)", w="m*(d//m//2)"),
    parts=rows(
        rows(EMBEDDINGS, d="e"), PROJECT,
        under("encoder.layer.{L}",
            under("attention",           CONV_ATTENTION),
            under("crossattention",      CONV_CROSS, when="add_cross_attention"),
            part("intermediate.dense",   "mlp.up",          dense("d -> ff"), when="g == 1"),
            part("output.dense",         "mlp.down",        dense("ff -> d"), when="g == 1"),
            part("intermediate.dense.weight", "mlp.up",     param("g d/g ff/g"), when="g > 1"),
            part("intermediate.dense.bias", "mlp.up.bias",  param("ff"), when="g > 1"),
            part("output.dense.weight",  "mlp.down",        param("g ff/g d/g"), when="g > 1"),
            part("output.dense.bias",    "mlp.down.bias",   param("d"), when="g > 1"),
            part("output.LayerNorm",     "norm.mlp",        affine("d")))),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "convbert.", GENERATOR),
        head("ForSequenceClassification", "convbert.", DENSE_AND_OUT),
        head("ForMultipleChoice",         "convbert.", SUMMARY, CHOICE),
        head("ForTokenClassification",    "convbert.", CLASSIFIER),
        head("ForQuestionAnswering",      "convbert.", SPAN)))
SMALL_MASKED = under("cls.predictions",
    part("transform.dense",     "head.dense",      dense("d -> e")),
    part("transform.LayerNorm", "norm.head",       affine("e")),
    part("bias",                "head.token.bias", param("V")),
    part("decoder",             "head.token",      linear("e -> V"), tied="embed.token"),
    maybe("decoder.bias",       "head.token.copy", param("V"), tied="head.token.bias"))
ROFORMER = Architecture("roformer", ties="tie_word_embeddings | true", dims=SMALL | Dims(e="embedding_size | d"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token", table("V e")),
            part("token_type_embeddings", "embed.type",  table("y e")),
            part("LayerNorm",             "norm.embed",  affine("e"))),
        PROJECT,
        part("encoder.embed_positions",   "embed.position", table("T d/h")),   # sinusoids, but stored and counted
        under("encoder.layer.{L}", BERT_LAYER)),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM ForCausalLM",   "roformer.", SMALL_MASKED),
        head("ForSequenceClassification", "roformer.", DENSE_AND_OUT),
        head("ForMultipleChoice",         "roformer.", SUMMARY, CHOICE),
        head("ForTokenClassification",    "roformer.", CLASSIFIER),
        head("ForQuestionAnswering",      "roformer.", SPAN)))
