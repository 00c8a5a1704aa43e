"""T5, mt5: bias table in block 0, two stacks from one block."""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import dense, linear, scale, table

T5_ATTENTION = rows(
    part("q", "attention.query",  linear("d -> h*dh")),
    part("k", "attention.key",    linear("d -> h*dh")),
    part("v", "attention.value",  linear("d -> h*dh")),
    part("o", "attention.output", linear("h*dh -> d")))
T5_CROSS = rows(
    part("q", "cross.query",  linear("d -> h*dh")),
    part("k", "cross.key",    linear("d -> h*dh")),
    part("v", "cross.value",  linear("d -> h*dh")),
    part("o", "cross.output", linear("h*dh -> d")))
T5_MLP = rows(
    part("layer_norm",             "norm.mlp",  scale("d")),
    part("DenseReluDense.wi",      "mlp.up",    linear("d -> ff"), when="not gated"),
    part("DenseReluDense.wi_0",    "mlp.gate",  linear("d -> ff"), when="gated"),
    part("DenseReluDense.wi_1",    "mlp.up",    linear("d -> ff"), when="gated"),
    part("DenseReluDense.wo",      "mlp.down",  linear("ff -> d")))
T5_BLOCKS = rows(                              # N is the encoder's or the decoder's depth
    part("block.0.layer.0.SelfAttention.relative_attention_bias", "attention.bias", table("buckets h")),
    under("block.{N}.layer.0",     part("layer_norm", "norm.attention", scale("d")),
          under("SelfAttention", T5_ATTENTION)))
T5_SIDE = rows(
    part("embed_tokens",           "embed.token", table("V d"), tied="embed.shared", ties=True),
    part("final_layer_norm",       "norm.final",  scale("d")),
    T5_BLOCKS)
T5_CROSS_LAYER = under("block.{N}.layer.1",
    part("layer_norm", "norm.cross", scale("d")), under("EncDecAttention", T5_CROSS))
T5_START = under("encoder", T5_SIDE, N="L")
T5_ENCODER_MLP = under("encoder.block.{L}.layer.1", T5_MLP, tower="encoder")
T5_ENCODER = rows(T5_START, T5_ENCODER_MLP)
T5_LONE_DECODER = rows(                        # classes with an encoder alone leave `is_decoder` as it is
    under("encoder.block.{L}.layer.2", T5_MLP, tower="encoder"),
    under("encoder", T5_CROSS_LAYER, N="L"))
T5_LONE_MLP = rows(
    rows(T5_ENCODER_MLP,  when="not is_decoder"),
    rows(T5_LONE_DECODER, when="is_decoder"))
T5_UNUSED = rows(                              # in the first releases; no class reads it
    part("block.0.layer.1.EncDecAttention.relative_attention_bias", "cross.bias", table("buckets h")),
    optional=True, extra="unused", tower="unused")
T5_DECODER = under("decoder", T5_SIDE, under("block.{N}.layer.2", T5_MLP), T5_CROSS_LAYER, T5_UNUSED, N="Ld")
T5_LM = part("lm_head", "head.token", linear("d -> V"), tied="embed.shared")
T5 = Architecture("t5 mt5", ignores="dense_act_fn", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="d_model", L="num_layers", Ld="num_decoder_layers | L", h="num_heads", dh="d_kv",
              ff="d_ff", buckets="relative_attention_num_buckets",
              gated="is_gated_act | feed_forward_proj in 'gated-gelu gated-silu'",
              C="labels"),
    parts=rows(part("shared", "embed.shared", table("V d")), T5_START),
    heads=(
        head("EncoderModel",            "", T5_LONE_MLP),
        head("Model",                   "", T5_ENCODER_MLP, T5_DECODER),
        head("ForConditionalGeneration", "", T5_ENCODER_MLP, T5_DECODER, T5_LM),
        head("ForQuestionAnswering",    "", T5_ENCODER_MLP, T5_DECODER,
             part("qa_outputs", "head.span", dense("d -> C"))),
        head("ForTokenClassification",  "transformer.", under("transformer", T5_LONE_MLP),
             part("classifier", "head.class", dense("d -> C"))),
        head("ForSequenceClassification", "transformer.", under("transformer", T5_ENCODER_MLP, T5_DECODER),
            part("classification_head.dense",    "head.dense", dense("d -> d")),
            part("classification_head.out_proj", "head.class", dense("d -> C")))))
