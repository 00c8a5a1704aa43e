"""Pix2Struct and UDOP: documents as patches, read by variants of T5.

modeling_pix2struct.py: a patch is a flat vector with its row and column, each of which has a table; the decoder's
attention is as wide as the model, ignoring `d_kv`, and its head is inside the decoder. modeling_udop.py: T5 with tables
for boxes; besides the bias table of block 0 each stack has one for every entry of `relative_bias_args`, the first of
them a copy; only in transformers 5 the decoder has a separate patch convolution.
"""

from inspector.architectures.text.t5 import T5_DECODER, T5_ENCODER, T5_LM
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import conv, dense, linear, scale, table

GATED = rows(
    part("wi_0", "mlp.gate", linear("d -> ff")),
    part("wi_1", "mlp.up",   linear("d -> ff")),
    part("wo",   "mlp.down", linear("ff -> d")))
ATTENTION = rows(
    part("query",  "attention.query",  linear("d -> i")),
    part("key",    "attention.key",    linear("d -> i")),
    part("value",  "attention.value",  linear("d -> i")),
    part("output", "attention.output", linear("i -> d")))
PIX2STRUCT_VISION = Architecture("pix2struct_vision_model", heads=(head("tower VisionModel", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", i="h*d_kv", ff="d_ff", S="seq_len"),
    parts=rows(
        part("embeddings.patch_projection", "embed.patch",  dense("patch_embed_hidden_size -> d")),
        part("embeddings.row_embedder",     "embed.position.row", table("S d")),
        part("embeddings.column_embedder",  "embed.position.column", table("S d")),
        part("layernorm",                   "norm.final",   scale("d")),
        under("encoder.layer.{L}",
            part("pre_attention_layer_norm", "norm.attention", scale("d")),
            part("pre_mlp_layer_norm",       "norm.mlp",       scale("d")),
            under("attention", ATTENTION),
            under("mlp", GATED))))
PIX2STRUCT_TEXT = Architecture("pix2struct_text_model",
                               heads=(head("TextModel", ""),),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_layers", h="num_heads", ff="d_ff",
              n="relative_attention_num_buckets"),
    parts=rows(
        part("embed_tokens",     "embed.token", table("V d")),
        part("final_layer_norm", "norm.final",  scale("d")),
        part("lm_head",          "head.token",  linear("d -> V"), tied="embed.token"),
        part("layer.0.self_attention.attention.relative_attention_bias", "attention.bias", table("n h")),
        under("layer.{L}",
            part("self_attention.layer_norm",            "norm.attention", scale("d")),
            part("encoder_decoder_attention.layer_norm", "norm.cross",     scale("d")),
            part("mlp.layer_norm",                       "norm.mlp",       scale("d")),
            under("self_attention.attention", ATTENTION, i="d"),
            under("encoder_decoder_attention.attention", ATTENTION, i="d", tower="cross"),
            under("mlp.DenseReluDense", GATED))))
PIX2STRUCT = Architecture("pix2struct", dims=Dims(d="text.d", V="text.V"),
                          heads=(head("ForConditionalGeneration", ""),),
    parts=rows(
        submodel("vision", "encoder.", PIX2STRUCT_VISION),
        submodel("text",   "decoder.", PIX2STRUCT_TEXT, tie_word_embeddings="tie_word_embeddings")))

PATCHES = conv("num_channels -> d, p pw")
MORE_BIASES = part("relative_bias.biases.{B}.relative_attention_bias", "attention.bias.more", table("r h"))
COPY = maybe("relative_bias.biases.0.relative_attention_bias", "attention.bias.copy", table("buckets h"),
             tied="attention.bias", ties=True)
FIRST = rows(                                  # the bare model of transformers 5 ties none
    rows(COPY, when="old"),
    part("relative_bias.biases.0.relative_attention_bias", "attention.bias.first", table("r0 h"), when="new"),
    maybe("relative_bias.biases.0.relative_attention_bias", "attention.bias.first", table("r0 h"),
          when="not new and not old"))
OWN_PATCHES = rows(                            # a config without a version may be of either
    part("embed_patches.proj",  "embed.patch.decoder", PATCHES, when="new"),
    maybe("embed_patches.proj", "embed.patch.decoder", PATCHES, when="not new and not old"))
UDOP_DECODER = rows(
    T5_DECODER,
    under("decoder", MORE_BIASES, OWN_PATCHES, tower="decoder"))
# M: two-dimensional positions; r0, r: buckets of the first and of further relative biases (B), e0, e: two more for a
# prefix; old, new: written by transformers 4 or 5
UDOP = Architecture("udop", ignores="dense_act_fn",
                    ties="tie_word_embeddings when transformers_version[0] == '4' | true",
    dims=Dims(V="vocab_size", d="d_model", L="num_layers", Ld="num_decoder_layers | L", h="num_heads", dh="d_kv",
              ff="d_ff",
              buckets="relative_attention_num_buckets",
              gated="is_gated_act | feed_forward_proj in 'gated-gelu gated-silu'",
              p="patch_size[0]", pw="patch_size[1]", M="max_2d_position_embeddings", B="1 : len(relative_bias_args)",
              e="2 when relative_bias_args[{B}].prefix_bucket and not relative_bias_args[{B}].expand | 0",
              r="(relative_bias_args[{B}].relative_attention_num_buckets | 32) + e",
              e0="2 when relative_bias_args[0].prefix_bucket and not relative_bias_args[0].expand | 0",
              r0="(relative_bias_args[0].relative_attention_num_buckets | 32) + e0",
              old="transformers_version[0] == '4'", new="transformers_version[0] == '5'"),
    parts=rows(
        part("shared",           "embed.shared", table("V d")),
        part("patch_embed.proj", "embed.patch",  PATCHES),
        T5_ENCODER,
        under("encoder.embed_patches", maybe("proj", "embed.patch.copy", PATCHES, ties=True), tied="patch_embed",
              tower="encoder"),
        under("encoder", MORE_BIASES,
            part("cell_2d_embedding.x_position_embeddings", "embed.position.x", table("M d")),
            part("cell_2d_embedding.y_position_embeddings", "embed.position.y", table("M d")), tower="encoder")),
    heads=(
        head("ForConditionalGeneration", "", UDOP_DECODER, T5_LM,
            under("encoder", COPY, tower="encoder"), under("decoder", COPY, tower="decoder"), default=True),
        head("Model",                    "", UDOP_DECODER,
            under("encoder", FIRST, tower="encoder"), under("decoder", FIRST, tower="decoder")),
        head("EncoderModel",             "", under("encoder", COPY, tower="encoder"))))
