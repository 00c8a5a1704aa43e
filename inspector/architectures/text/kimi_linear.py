"""Kimi Linear, and Ling 2.5 / Ring 2.5 (bailing_hybrid).

modeling_kimi_linear.py: linear layers have a convolution each for q, k and v (one in memory, three on disk), a forget
gate in two steps and `A_log` [1, 1, heads, 1]; full layers have Deepseek's latent attention. Dense MLPs are under
`block_sparse_moe` too where transformers 5 wrote them. `linear_attn_config` of the older config wins and counts its
layers from 1; without any list every fourth layer but the first is full. The head is never tied, whatever the config
says.
modeling_bailing_hybrid.py: the same with one step each for decay and gate, `A_log` of one axis and a gate per head on
full attention; on disk the modules are called `attention` and `dense`.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS,
    MLX_EXPERTS,
    PRE_NORMS,
    ROUTER,
    SHARED,
    STACKED,
    SWIGLU,
    SWITCH,
    W123,
)
from inspector.architectures.text.deepseek import MLA, MLA_DIMS
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import buffer, conv, linear, param, scale, table

CONVOLUTIONS = either(
    rows(
        part("q_conv1d", "ssm.conv.query", conv("m*n -> m*n, w", groups="m*n", bias=False)),
        part("k_conv1d", "ssm.conv.key",   conv("m*n -> m*n, w", groups="m*n", bias=False)),
        part("v_conv1d", "ssm.conv.value", conv("m*n -> m*n, w", groups="m*n", bias=False))),
    part("conv1d", "ssm.conv", conv("3*m*n -> 3*m*n, w", groups="3*m*n", bias=False)))  # in transformers 5's memory
FORGET_GATE = {f"*.{module}.{name}": f".self_attn.forget_gate.{name}" for module in ("self_attn", "attention")
               for name in ("f_a_proj", "f_b_proj", "f_proj", "dt_bias", "A_log")}
FORGET = rows(                                 # the forget gate
    part("f_a_proj", "ssm.decay.down", linear("d -> n")),
    part("f_b_proj", "ssm.decay.up",   linear("n -> m*n")),
    part("dt_bias",  "ssm.step",       param("m*n")))
DELTA_ATTENTION = rows(                        # m heads of width n, w the kernel
    part("q_proj",   "ssm.query",      linear("d -> m*n")),
    part("k_proj",   "ssm.key",        linear("d -> m*n")),
    part("v_proj",   "ssm.value",      linear("d -> m*n")),
    CONVOLUTIONS,
    part("b_proj",   "ssm.beta",       linear("d -> m")),
    part("g_a_proj", "ssm.gate.down",  linear("d -> n")),
    part("g_b_proj", "ssm.gate.up",    linear("n -> m*n")),
    part("o_norm",   "norm.ssm",       scale("n")),
    part("o_proj",   "ssm.out",        linear("m*n -> d")))
KIMI_LINEAR_MLX = {
    "*.block_sparse_moe.gate.e_score_correction_bias": ".mlp.e_score_correction_bias", "*.block_sparse_moe.": ".mlp.",
    **{f"*.{one}_conv1d.": f".{one}_conv.conv." for one in "qkv"}}
KIMI_LINEAR = Architecture("kimi_linear", ignores="qk_head_dim num_expert_group num_experts_per_token", heads=CAUSAL,
                           ties="false",
    dims=DECODER | MLA_DIMS | Dims(
        m="linear_attn_config.num_heads | linear_num_heads", n="linear_attn_config.head_dim | linear_head_dim",
        w="linear_attn_config.short_conv_kernel_size | linear_conv_kernel_dim",
        listed="linear_attn_config.full_attn_layers",
        A="L[layer_types == 'full_attention'] when layer_types != null"
          " | L[{L} + 1 in listed] when listed != null | L[{L} % 4 == 0 and {L} > 0]", B="L - A",
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[(first_k_dense_replace | 1):]", D="L - M",
        E="num_experts", fe="moe_intermediate_size", S="num_shared_experts"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{A}.self_attn", MLA),
        under("layers.{B}.self_attn", DELTA_ATTENTION, FORGET, part("A_log", "ssm.decay", param("1 1 m 1"))),
        either(
            under("layers.{D}.block_sparse_moe", SWIGLU),
            under("layers.{D}.mlp", SWIGLU)),  # as the authors' files have it
        under("layers.{M}.block_sparse_moe",
            ROUTER,
            part("gate.e_score_correction_bias", "router.correction", buffer("E")),
            under("shared_experts", SHARED, ff="fe*S"),
            either(
                under("experts.{E}", W123, ff="fe"),
                either(
                    under("experts", STACKED, ff="fe"),  # in transformers 5's memory
                    under(MLX_EXPERTS, SWITCH, ff="fe"))))),
    dialects=({}, {"*.block_sparse_moe.": ".mlp.", **FORGET_GATE}, KIMI_LINEAR_MLX))
BAILING_HYBRID = Architecture("bailing_hybrid",
                              ignores="qk_head_dim num_expert_group num_experts_per_token num_nextn_predict_layers",
                              heads=CAUSAL,
    # the body alone as transformers 5 writes it, and names in its memory
    dialects=({}, {"word_embeddings.": "embed_tokens."}, {
        "*word_embeddings.": "embed_tokens.", **FORGET_GATE, "*.attention.dense.": ".self_attn.o_proj.",
        "*.attention.": ".self_attn.", "*.gate.expert_bias": ".gate.e_score_correction_bias"}),
    dims=DECODER | MLA_DIMS | Dims(
        m="linear_num_heads | h", n="linear_head_dim | head_dim", w="linear_conv_kernel_dim | short_conv_kernel_size",
        A="L[layer_types == 'full_attention'] when layer_types != null | L[({L} + 1) % layer_group_size == 0]",
        B="L - A",
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[first_k_dense_replace:]", D="L - M",
        E="num_experts", fe="moe_intermediate_size", S="num_shared_experts"),
    parts=rows(
        part("word_embeddings", "embed.token", table("V d")),
        part("norm",            "norm.final",  scale("d")),
        under("layers.{L}", PRE_NORMS),
        under("layers.{A}.attention",
            part("q_proj",             "attention.query",   linear("d -> h*(dn + dr)")),
            part("kv_a_proj_with_mqa", "attention.kv.down",
                 linear("d -> r + dr", bias="attention_bias", packs="latent rotary")),
            part("kv_a_layernorm",     "norm.kv",           scale("r")),
            part("kv_b_proj",          "attention.kv.up",   linear("r -> h*(dn + dv)", packs="key value")),
            part("g_proj",             "attention.gate",    linear("d -> h")),
            part("dense",              "attention.output",  linear("h*dv -> d", bias="attention_bias"))),
        under("layers.{B}.attention",
            part("q_proj",   "ssm.query",      linear("d -> m*n")),
            part("k_proj",   "ssm.key",        linear("d -> m*n")),
            part("v_proj",   "ssm.value",      linear("d -> m*n")),
            CONVOLUTIONS,
            part("f_proj",   "ssm.decay.up",   linear("d -> m*n")),
            part("dt_bias",  "ssm.step",       param("m*n")),
            part("A_log",    "ssm.decay",      param("m")),
            part("b_proj",   "ssm.beta",       linear("d -> m")),
            part("g_proj",   "ssm.gate",       linear("d -> m*n")),
            part("o_norm",   "norm.ssm",       scale("n")),
            part("dense",    "ssm.out",        linear("m*n -> d"))),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("gate.expert_bias", "router.correction", buffer("E")),
            under("shared_experts", SHARED, ff="fe*S"),
            rows(EXPERTS, ff="fe"))))
