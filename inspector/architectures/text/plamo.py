"""PLaMo 1, 2 and 3 of Preferred Networks (code of its own in each repository).

modeling_plamo.py there: one norm before attention and MLP, which run side by side; key heads are shared by
`n_shared_head` query heads. modeling_plamo.py of PLaMo 2: Mamba's layers with heads of `hidden_size_per_head`, and
attention in every `mamba_step`-th layer; queries and keys are scaled per head; a norm before and after each half.
PLaMo 3: attention in every layer, with norms of queries and keys that all heads share.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GATE_UP, GQA, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import conv, linear, param, scale

NORMS = rows(
    part("pre_mixer_norm",  "norm.attention",      scale("d")),
    part("post_mixer_norm", "norm.attention.post", scale("d")),
    part("pre_mlp_norm",    "norm.mlp",            scale("d")),
    part("post_mlp_norm",   "norm.mlp.post",       scale("d")))
ATTENTION = rows(
    part("qkv_proj", "attention.qkv",    linear("d -> h*dh + kv*dh + kv*dh", packs="q k v")),
    part("o_proj",   "attention.output", linear("h*dh -> d")))
# no record exercises these definitions
PLAMO = Architecture("plamo", heads=CAUSAL, dims=DECODER | Dims(kv="num_key_value_heads | ceil(h, 8)/8"),
    parts=rows(
        ENDS,
        under("layers.layers.{L}",
            part("norm", "norm.block", scale("d")),
            under("self_attn", GQA),
            under("mlp", SWIGLU))))
PLAMO2 = Architecture("plamo2", heads=CAUSAL, ties="tie_word_embeddings | true",
    dims=DECODER | Dims(dh="hidden_size_per_head | 128", m="mamba_num_heads", i="m*dh", s="mamba_d_state | 64",
                        w="mamba_d_conv | 4", t="max(64, d//16)", p="mamba_step | 2",
                        A="L[{L} == L - 1] when L <= p//2 | L[{L} % p == p//2]", M="L - A"),
    parts=rows(
        ENDS,
        under("layers.layers.{L}", NORMS, under("mlp", GATE_UP)),
        under("layers.layers.{A}.mixer", ATTENTION,
            part("q_weight", "norm.query", param("h dh")),
            part("k_weight", "norm.key",   param("kv dh"))),
        under("layers.layers.{M}.mixer",
            part("in_proj",        "ssm.in",      linear("d -> 2*i")),
            part("conv1d",         "ssm.conv",    conv("i -> i, w", groups="i", bias="false")),
            part("bcdt_proj",      "ssm.select",  linear("i -> s + s + t", packs="B C dt")),
            part("dt_proj",        "ssm.step",    linear("t -> m")),
            part("dt_bias",        "ssm.step",    param("m")),
            part("A_log",          "ssm.decay",   param("m")),
            part("D",              "ssm.skip",    param("m")),
            part("dt_norm_weight", "norm.ssm.dt", param("t")),
            part("B_norm_weight",  "norm.ssm.b",  param("s")),
            part("C_norm_weight",  "norm.ssm.c",  param("s")),
            part("out_proj",       "ssm.out",     linear("i -> d")))))
PLAMO3 = Architecture("plamo3", heads=CAUSAL, dims=DECODER, ties="tie_word_embeddings | true",
    parts=rows(
        ENDS,
        under("layers.layers.{L}", NORMS,
            under("mixer", ATTENTION,
                part("q_norm", "norm.query", scale("dh")),
                part("k_norm", "norm.key",   scale("dh"))),
            under("mlp", GATE_UP))))
