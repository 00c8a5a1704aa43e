"""MPNet and ESM.

modeling_mpnet.py: one relative table for all layers; its heads are named as RoBERTa's. modeling_esm.py: norms before
the halves of a layer, `contact_head` reads all heads of all layers, rotary frequencies are in every layer of files of
transformers 4 and once below `layer.*` in those of 5, which also say gamma and beta. Files of ESM-2 have a table of
positions that the class with rotary positions does not build (`_keys_to_ignore_on_load_unexpected`).
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.text.roberta import (
    CHOICE,
    DENSE_AND_OUT,
    ENCODER,
    LM_HEAD,
    OLD_NAMES,
    POOLER,
    SELF,
    SELF_CROSS,
    SPAN,
    UP_DOWN,
)
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, buffer, dense, linear, param, table

MPNET = Architecture("mpnet", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(buckets="relative_attention_num_buckets"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",     "embed.token",      table("V d")),
            part("position_embeddings", "embed.position",   table("T d")),
            part("LayerNorm",           "norm.embed",       affine("d")),
            maybe("position_ids",       "embed.index",      buffer("1 T"))),
        part("encoder.relative_attention_bias", "attention.bias", table("buckets h")),
        under("encoder.layer.{L}", UP_DOWN,
            part("attention.attn.q",    "attention.query",  dense("d -> a")),
            part("attention.attn.k",    "attention.key",    dense("d -> a")),
            part("attention.attn.v",    "attention.value",  dense("d -> a")),
            part("attention.attn.o",    "attention.output", dense("a -> d")),
            part("attention.LayerNorm", "norm.attention",   affine("d")),
            part("output.LayerNorm",    "norm.mlp",         affine("d")))),
    heads=(
        head("Model",                     "",       usually(POOLER)),
        head("ForMaskedLM",               "mpnet.", LM_HEAD),
        head("ForSequenceClassification", "mpnet.", DENSE_AND_OUT),
        head("ForMultipleChoice",         "mpnet.", CHOICE, under("mpnet", POOLER)),
        head("ForTokenClassification",    "mpnet.", CLASSIFIER),
        head("ForQuestionAnswering",      "mpnet.", SPAN)),
    dialects=({}, {"mpnet.": ""}))
ESM = Architecture("esm", ties="tie_word_embeddings | true", dims=ENCODER, dialects=({}, OLD_NAMES),
    parts=rows(
        part("embeddings.word_embeddings",     "embed.token",    table("V d")),
        part("embeddings.position_embeddings", "embed.position", table("T d"),
             when="position_embedding_type == 'absolute'"),
        rows(part("embeddings.position_embeddings", "embed.position", table("T d")),
             when="position_embedding_type != 'absolute'", optional=True, extra="unused", tower="unused"),
        part("embeddings.layer_norm",          "norm.embed",     affine("d"), when="emb_layer_norm_before"),
        maybe("embeddings.position_ids",       "embed.index",    buffer("1 T")),
        part("contact_head.regression",        "head.contact",   dense("L*h -> 1")),
        under("encoder.layer.{L}", UP_DOWN,
            under("attention", SELF,
                part("LayerNorm", "norm.attention", affine("d")),
                rows(maybe("self.rotary_embeddings.inv_freq", "rotary.frequency", buffer("d//h//2")),
                     when="position_embedding_type == 'rotary'")),
            under("crossattention", SELF_CROSS,
                part("LayerNorm", "norm.cross", affine("d")),
                maybe("self.rotary_embeddings.inv_freq", "rotary.frequency.cross", buffer("d//h//2")),
                when="add_cross_attention"),
            part("LayerNorm", "norm.mlp", affine("d"))),
        rows(maybe("encoder.layer.*.attention.self.rotary_embeddings.inv_freq", "rotary.frequency.all",
                   buffer("d//h//2")), when="position_embedding_type == 'rotary'"),
        maybe("rotary_embeddings.inv_freq", "rotary.frequency.once", buffer("d//h//2")),
        part("encoder.emb_layer_norm_after", "norm.final", affine("d"))),
    heads=(
        head("Model",                     "",     usually(POOLER)),
        head("ForMaskedLM",               "esm.", under("lm_head",
            part("dense",                 "head.dense",      dense("d -> d")),
            part("layer_norm",            "norm.head",       affine("d")),
            part("bias",                  "head.token.bias", param("V")),
            part("decoder",               "head.token",      linear("d -> V"), tied="embed.token"))),
        head("ForSequenceClassification", "esm.", DENSE_AND_OUT),
        head("ForTokenClassification",    "esm.", CLASSIFIER)))
