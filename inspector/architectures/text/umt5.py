"""umT5, LongT5, Switch Transformers, Pop2Piano: T5 with other attention or other MLPs.

modeling_umt5.py: a bias table in every layer, not only the first. modeling_longt5.py: the encoder's attention is local
or transient-global, the latter with a norm in each layer and a second table in the first.
modeling_switch_transformers.py: the sparse layers are every n-th, n worked out from how many there are to be; experts
are named `expert_3`.
"""

from inspector.architectures.text.t5 import (
    T5_ATTENTION,
    T5_BLOCKS,
    T5_DECODER,
    T5_ENCODER,
    T5_ENCODER_MLP,
    T5_LM,
    T5_LONE_DECODER,
    T5_MLP,
)
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import dense, linear, scale, table

T5_DIMS = Dims(V="vocab_size", d="d_model", L="num_layers", Ld="num_decoder_layers | L", h="num_heads", dh="d_kv",
               ff="d_ff", buckets="relative_attention_num_buckets",
               gated="is_gated_act | feed_forward_proj in 'gated-gelu gated-silu'", C="labels")
SHARED = part("shared", "embed.shared", table("V d"))
ENDS = rows(
    part("embed_tokens",     "embed.token", table("V d"), tied="embed.shared", ties=True),
    part("final_layer_norm", "norm.final",  scale("d")))
SELF = rows(
    part("layer_norm",       "norm.attention", scale("d")),
    under("SelfAttention",   T5_ATTENTION, part("relative_attention_bias", "attention.bias", table("buckets h"))))
CROSS = rows(
    part("layer_norm",        "norm.cross",   scale("d")),
    part("EncDecAttention.q", "cross.query",  linear("d -> h*dh")),
    part("EncDecAttention.k", "cross.key",    linear("d -> h*dh")),
    part("EncDecAttention.v", "cross.value",  linear("d -> h*dh")),
    part("EncDecAttention.o", "cross.output", linear("h*dh -> d")))
UMT5_START = under("encoder", ENDS, under("block.{L}.layer.0", SELF), tower="encoder")
UMT5_LONE = rows(                              # classes with an encoder alone leave `is_decoder` as it is
    rows(T5_ENCODER_MLP, when="not is_decoder"),
    under("encoder.block.{L}.layer.2", T5_MLP, tower="encoder", when="is_decoder"),
    under("encoder.block.{L}.layer.1", CROSS, tower="encoder", when="is_decoder"))
UMT5_DECODER = under("decoder", ENDS, under("block.{Ld}.layer.0", SELF), under("block.{Ld}.layer.1", CROSS),
    under("block.{Ld}.layer.2", T5_MLP), tower="decoder")
UMT5 = Architecture("umt5", ignores="dense_act_fn", ties="tie_word_embeddings | true", dims=T5_DIMS,
    parts=rows(SHARED, UMT5_START),
    heads=(
        head("EncoderModel",              "", UMT5_LONE),
        head("Model",                     "", T5_ENCODER_MLP, UMT5_DECODER),
        head("ForConditionalGeneration",  "", T5_ENCODER_MLP, UMT5_DECODER, T5_LM, default=True),
        head("ForQuestionAnswering",      "", T5_ENCODER_MLP, UMT5_DECODER,
             part("qa_outputs", "head.span", dense("d -> C"))),
        head("ForTokenClassification",    "transformer.", under("transformer", UMT5_LONE),
             part("classifier", "head.class", dense("d -> C"))),
        head("ForSequenceClassification", "transformer.", under("transformer", T5_ENCODER_MLP, UMT5_DECODER),
            part("classification_head.dense",    "head.dense", dense("d -> d")),
            part("classification_head.out_proj", "head.class", dense("d -> C")))))
LONG_ENCODER = under("encoder",
    under("block.{L}.layer.0", part("layer_norm", "norm.attention", scale("d"))),
    rows(
        under("block.{L}.layer.0.LocalSelfAttention", T5_ATTENTION),
        part("block.0.layer.0.LocalSelfAttention.relative_attention_bias", "attention.bias", table("buckets h")),
        when="encoder_attention_type == 'local'"),
    rows(
        under("block.{L}.layer.0.TransientGlobalSelfAttention", T5_ATTENTION,
            part("global_input_layer_norm", "norm.attention.global", scale("d"))),
        part("block.0.layer.0.TransientGlobalSelfAttention.relative_attention_bias", "attention.bias.local",
             table("buckets h")),
        part("block.0.layer.0.TransientGlobalSelfAttention.global_relative_attention_bias", "attention.bias.global",
             table("buckets h")),
        when="encoder_attention_type == 'transient-global'"),
    under("block.{L}.layer.1", T5_MLP), tower="encoder")
LONGT5 = Architecture("longt5", ignores="dense_act_fn", ties="tie_word_embeddings | true", dims=T5_DIMS,
    parts=rows(SHARED, under("encoder", ENDS, tower="encoder")),
    heads=(
        head("EncoderModel",              "", rows(LONG_ENCODER, when="not is_decoder"),
            rows(under("encoder", T5_BLOCKS, N="L", tower="encoder"), T5_LONE_DECODER, when="is_decoder")),
        head("Model",                     "", LONG_ENCODER, T5_DECODER),
        head("ForConditionalGeneration",  "", LONG_ENCODER, T5_DECODER, T5_LM, default=True)))
SWITCH_MLP = rows(
    part("layer_norm", "norm.mlp", scale("d")),
    part("mlp.wi",     "mlp.up",   linear("d -> ff")),
    part("mlp.wo",     "mlp.down", linear("ff -> d")))
SWITCH_SPARSE = rows(
    part("layer_norm",             "norm.mlp.sparse", scale("d")),
    part("mlp.router.classifier",  "router",          linear("d -> E", bias="router_bias")),
    under("mlp.experts.expert_{E}",
        part("wi",                 "mlp.expert.up",   linear("d -> ff")),
        part("wo",                 "mlp.expert.down", linear("ff -> d"))))
FIRST_BIAS = part("block.0.layer.0.SelfAttention.relative_attention_bias", "attention.bias", table("buckets h"))
PLAIN_SELF = rows(part("layer_norm", "norm.attention", scale("d")), under("SelfAttention", T5_ATTENTION))
SWITCH_ENCODER = under("encoder", ENDS, FIRST_BIAS,
    under("block.{L}.layer.0",  PLAIN_SELF),
    under("block.{Ne}.layer.1", SWITCH_MLP),
    under("block.{Me}.layer.1", SWITCH_SPARSE), tower="encoder")
SWITCH_DECODER = under("decoder", ENDS, FIRST_BIAS,
    under("block.{Ld}.layer.0", PLAIN_SELF),
    under("block.{Ld}.layer.1", CROSS),
    under("block.{Nd}.layer.2", SWITCH_MLP),
    under("block.{Md}.layer.2", SWITCH_SPARSE), tower="decoder")
SWITCH_TRANSFORMERS = Architecture("switch_transformers", ties="tie_word_embeddings | true",
    dims=T5_DIMS | Dims(E="num_experts",
                        se="encoder_sparse_step | L//num_sparse_encoder_layers when num_sparse_encoder_layers > 0 | L",
                        sd="decoder_sparse_step | Ld//num_sparse_decoder_layers when num_sparse_decoder_layers > 0 "
                           "| Ld",
                        Me="L[se == 1 or {L} % se == 1] when se > 0 | L[:0]",
                        Md="Ld[sd == 1 or {Ld} % sd == 1] when sd > 0 | Ld[:0]", Ne="L - Me", Nd="Ld - Md"),
    parts=rows(SHARED, SWITCH_ENCODER),
    heads=(
        head("EncoderModel",              ""),
        head("Model",                     "", SWITCH_DECODER),
        head("ForConditionalGeneration",  "", SWITCH_DECODER, T5_LM, default=True)))
POP2PIANO = Architecture("pop2piano", ties="tie_word_embeddings | true", dims=T5_DIMS,
    parts=rows(SHARED, T5_ENCODER),
    heads=(
        head("ForConditionalGeneration",  "", T5_DECODER,
            maybe("lm_head",                  "head.token",     linear("d -> V")),     # 4 ties it, 5 does not
            part("mel_conditioner.embedding", "embed.composer", table("composer_vocab_size d")), default=True),))
