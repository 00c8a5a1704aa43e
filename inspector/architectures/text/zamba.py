"""Zamba: Mamba layers, and one transformer block that the hybrid layers share.

modeling_zamba.py: the Mamba heads' matrices are bare and stacked over `n_mamba_heads`; the shared block is stored in
the first hybrid layer and tied in the others. Without `layers_block_type` the third layer is hybrid, and after it every
layer whose number less three is `attn_layer_offset` modulo `attn_layer_period`.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import conv, linear, param, scale, table

MIXER = rows(                                  # i inner width in m heads, s state, t rank of the step, w kernel
    part("input_layernorm",      "norm.block",    scale("d")),
    part("mamba.in_proj",        "ssm.in",        linear("d -> i + i", bias="mamba_proj_bias", packs="input gate")),
    part("mamba.conv1d",         "ssm.conv",      conv("i -> i, w", groups="i", bias="mamba_conv_bias | true")),
    part("mamba.x_proj_weight",  "ssm.select",    param("m t+s+s i/m")),
    part("mamba.dt_proj_weight", "ssm.step",      param("m i/m t")),
    part("mamba.dt_proj_bias",   "ssm.step.bias", param("m i/m")),
    part("mamba.A_log",          "ssm.decay",     param("m i/m s")),
    part("mamba.D",              "ssm.skip",      param("m i/m")),
    part("mamba.out_proj",       "ssm.out",       linear("i -> d", bias="mamba_proj_bias")))
SHARED = rows(
    part("input_layernorm",  "norm.attention",   scale("a")),
    part("pre_ff_layernorm", "norm.mlp",         scale("d")),
    part("self_attn.q_proj", "attention.query",  linear("a -> h*dh")),
    part("self_attn.k_proj", "attention.key",    linear("a -> kv*dh")),
    part("self_attn.v_proj", "attention.value",  linear("a -> kv*dh")),
    part("self_attn.o_proj", "attention.output", linear("h*dh -> d")),
    under("feed_forward", SWIGLU))
ZAMBA = Architecture("zamba", heads=CAUSAL, ties="tie_word_embeddings | true",
    dims=DECODER | Dims(
        a="attention_hidden_size | 2*d", dh="attention_head_dim | 2*d//h", i="mamba_expand*d", m="n_mamba_heads",
        s="mamba_d_state", w="mamba_d_conv", t="number(mamba_dt_rank) | ceil(d, 16)/16",
        H="L[layers_block_type == 'hybrid'] when layers_block_type != null"
          " | L[{L} == 2 or ({L} > 2 and ({L} - 3) % attn_layer_period == attn_layer_offset)]",
        B="L - H", F="H[:1]", R="H[1:]"),
    parts=rows(
        part("embed_tokens",    "embed.token", table("V d")),
        part("final_layernorm", "norm.final",  scale("d")),
        under("layers.{B}", MIXER),
        under("layers.{H}", part("linear", "ssm.hybrid", linear("d -> d")), under("mamba_decoder", MIXER)),
        under("layers.{F}.shared_transf", SHARED),
        under("layers.{R}.shared_transf", SHARED, tied="layers.{F}.shared_transf")))
