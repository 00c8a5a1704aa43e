"""LFM2, its mixture of experts, and LFM3.

modeling_lfm2.py: a layer is a short convolution where `layer_types` says `conv`, else attention (older configs name the
attention layers in `full_attn_idxs`; without either all are attention). The stored width is two thirds of
`intermediate_size` unless `block_auto_adjust_ff_dim` is false, then multiplied and rounded up to `block_multiple_of`,
but only where a multiplier is given; the older keys `block_ff_dim` and `tie_embedding` take precedence.
`embedding_norm` is the *final* norm; w1, w3, w2 are gate, up, down.
modeling_lfm2_moe.py: the first `num_dense_layers` layers are dense, with `intermediate_size` as it is; `expert_bias`
is a buffer. modeling_lfm3.py: Qwen3's attention with a gate a head; a norm behind each half as well.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    GQA,
    MLX_EXPERTS,
    QK_NORM,
    ROUTER,
    STACKED,
    SWIGLU,
    SWITCH,
    W123,
)
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import buffer, conv, linear, scale, table

LFM2_DIMS = DECODER | Dims(
    B="L[layer_types == 'conv'] when layer_types != null | L - full_attn_idxs when full_attn_idxs != null | L[:0]",
    A="L - B", w="conv_L_cache")
LFM2_ENDS = rows(
    part("embed_tokens",   "embed.token", table("V d")),
    part("embedding_norm", "norm.final",  scale("d")))
SHORT_CONV = under("layers.{B}.conv",
    part("in_proj",  "ssm.in",  linear("d -> d + d + d", bias="conv_bias", packs="B C x")),
    part("conv",     "ssm.conv",     conv("d -> d, w", groups="d", bias="conv_bias")),
    part("out_proj", "ssm.out", linear("d -> d", bias="conv_bias")))
LFM2_MIXERS = rows(
    under("layers.{L}",
        part("operator_norm", "norm.attention", scale("d")),
        part("ffn_norm",      "norm.mlp",       scale("d"))),
    under("layers.{A}.self_attn",
        part("q_proj",      "attention.query",  linear("d -> h*dh")),
        part("k_proj",      "attention.key",    linear("d -> kv*dh")),
        part("v_proj",      "attention.value",  linear("d -> kv*dh")),
        part("out_proj",    "attention.output", linear("h*dh -> d")),
        part("q_layernorm", "norm.query",       scale("dh")),
        part("k_layernorm", "norm.key",         scale("dh"))),
    SHORT_CONV)
LFM2 = Architecture("lfm2", heads=CAUSAL, ties="tie_embedding | tie_word_embeddings | true",
    dims=LFM2_DIMS | Dims(u="block_ff_dim | intermediate_size", m="block_ffn_dim_multiplier",
              ff="ceil(floor(m*(2*u//3)), block_multiple_of) when block_auto_adjust_ff_dim and m != null"
                 " | 2*u//3 when block_auto_adjust_ff_dim | u"),
    parts=rows(
        LFM2_ENDS,
        LFM2_MIXERS,
        under("layers.{L}.feed_forward", W123)))
LFM2_MOE = Architecture("lfm2_moe", heads=CAUSAL, ties="tie_embedding | tie_word_embeddings | true",
    dims=LFM2_DIMS | Dims(E="num_experts", fe="moe_intermediate_size", D="L[:num_dense_layers]", M="L - D"),
    parts=rows(
        LFM2_ENDS,
        LFM2_MIXERS,
        under("layers.{M}.feed_forward",
            ROUTER,
            part("expert_bias", "router.correction", buffer("E"), when="use_expert_bias | true")),
        either(
            rows(
                under("layers.{D}.feed_forward", W123),
                under("layers.{M}.feed_forward", either(
                    under("experts.{E}", W123, ff="fe"),
                    under("experts", STACKED, ff="fe")))),  # in transformers 5's memory
            rows(
                under("layers.{D}.feed_forward", SWIGLU),
                under("layers.{M}.feed_forward", under(MLX_EXPERTS, SWITCH, ff="fe"))))))
LFM3_STATE_DICT = {  # names in memory under transformers 5
    "*.self_attn.gate_proj": ".self_attn.g_proj",
}
LFM3 = Architecture("lfm3", dialects=({}, LFM3_STATE_DICT), heads=CAUSAL, ties="tie_word_embeddings | true",
    dims=LFM2_DIMS | Dims(
        B="L[layer_types == 'conv'] when layer_types != null | L[not ({L} % 4 == 2 or ({L} % 4 == 0 and {L} > 0))]"),
    parts=rows(
        LFM2_ENDS,
        SHORT_CONV,
        under("layers.{L}",
            part("operator_norm",      "norm.attention",      scale("d")),
            part("post_operator_norm", "norm.attention.post", scale("d"), when="use_sandwich_norm"),
            part("ffn_norm",           "norm.mlp",            scale("d")),
            part("post_ffn_norm",      "norm.mlp.post",       scale("d"), when="use_sandwich_norm"),
            under("feed_forward", W123)),
        under("layers.{A}.self_attn", GQA, QK_NORM,
            part("gate_proj", "attention.gate", linear("d -> h"), when="use_attention_gate"),
            b="attention_bias", bo="attention_bias")))
