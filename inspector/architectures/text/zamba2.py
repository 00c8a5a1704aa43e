"""Zamba 2: Mamba 2 layers, and a few transformer blocks shared by the hybrid layers.

modeling_zamba2.py: hybrid layers take turns among `num_mem_blocks` shared blocks, stored in the first of them and tied
in the others; with `tie_word_embeddings` false transformers 5 stores every copy. Each shared block has the adapters of
the hybrid layers that use it, numbered by hybrid layer. The attention reads the model's width twice; q, k and v
adapters all end in that width. The convolution always has a bias.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, MAMBA2
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import linear, scale, table

MIXER = rows(
    part("input_layernorm", "norm.block", scale("d")),
    under("mamba", MAMBA2, part("norm", "norm.ssm", scale("i")),
          b="add_bias_linear", bo="add_bias_linear", bc="true"))
SHARED = rows(                                 # X: the adapters of this block
    part("input_layernorm",  "norm.attention", scale("a")),
    part("pre_ff_layernorm", "norm.mlp",       scale("d")),
    under("self_attn",
        part("q_proj", "attention.query",  linear("a -> h*dh")),
        part("k_proj", "attention.key",    linear("a -> kv*dh")),
        part("v_proj", "attention.value",  linear("a -> kv*dh")),
        part("o_proj", "attention.output", linear("h*dh -> d"))),
    under("self_attn",
        part("linear_q_adapter_list.{X}.0", "adapter.down", linear("a -> r")),
        part("linear_q_adapter_list.{X}.1", "adapter.up",                   linear("r -> a")),
        part("linear_k_adapter_list.{X}.0", "adapter.down",                 linear("a -> r")),
        part("linear_k_adapter_list.{X}.1", "adapter.up",                   linear("r -> a")),
        part("linear_v_adapter_list.{X}.0", "adapter.down", linear("a -> r")),
        part("linear_v_adapter_list.{X}.1", "adapter.up",                   linear("r -> a")),
        when="use_shared_attention_adapter"),
    under("feed_forward",
        part("gate_up_proj", "mlp.gate_up", linear("d -> ff + ff", bias="add_bias_linear", packs="gate up")),
        part("down_proj",    "mlp.down",    linear("ff -> d",      bias="add_bias_linear")),
        part("gate_up_proj_adapter_list.{X}.0", "adapter.down", linear("d -> r")),
        part("gate_up_proj_adapter_list.{X}.1", "adapter.up",       linear("r -> ff + ff"))))
# a: width that the shared attention reads; r: rank of the adapters; n: shared blocks; i, g, s, m, w, x: Mamba 2: inner
# width, groups, state, heads, kernel, convolved channels; B, H: Mamba and hybrid layers; F, R: the first hybrid
# layers, which store the shared blocks, and the others, which repeat them
ZAMBA2 = Architecture("zamba2", ignores="kv_channels mamba_headdim num_query_groups", heads=CAUSAL,
                      ties="tie_word_embeddings | true",
    dims=DECODER | Dims(
        a="attention_hidden_size | 2*d", dh="attention_head_dim | a//h", ff="intermediate_size | 4*d", r="adapter_rank",
        n="num_mem_blocks",
        i="floor(mamba_expand*d)", g="mamba_ngroups", s="mamba_d_state", m="n_mamba_heads", w="mamba_d_conv",
        x="i + 2*g*s",
        H="L[layers_block_type == 'hybrid']", B="L - H", G="H[0:]", F="G[:n]", R="G[n:]",
        before="H[{H} < {G}]", N="len(hybrid_layer_ids) | len(H)", X="N[{N} % n == before % n]"),
    parts=rows(
        part("embed_tokens",    "embed.token", table("V d")),
        part("final_layernorm", "norm.final",  scale("d")),
        under("layers.{B}", MIXER),
        under("layers.{H}", part("linear", "ssm.hybrid", linear("d -> d")), under("mamba_decoder", MIXER)),
        under("layers.{F}.shared_transformer", SHARED),
        under("layers.{R}.shared_transformer", SHARED, tied="layers.{F}.shared_transformer")))
