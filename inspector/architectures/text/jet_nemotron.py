"""Jet-Nemotron (code of its own): Qwen2's layers, most of which have linear attention with a generated convolution.

modeling_jet_nemotron.py and jet_block.py of NVlabs/Jet-Nemotron: `layer_types` says attn, swa or jet; the sizes of the
last are in `efficient_attention_config.jet`; the kernels of the convolution over the value follow from the input.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, PRE_NORMS, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import dense, linear, param, scale

JET = "efficient_attention_config.jet"
JET_NEMOTRON = Architecture("jet_nemotron", heads=CAUSAL, ties="tie_word_embeddings | true",
    ignores="max_window_layers use_sliding_window sliding_window",
    dims=DECODER | Dims(
        dh="d//h", J="L[layer_types == 'jet'] when layer_types != null | L[:0]", A="L - J",
        m=f"{JET}.num_heads", n=f"{JET}.head_dim", v=f"floor(n*{JET}.expand_v)", w=f"{JET}.conv_size",
        g=f"floor(m*n*{JET}.expand_v)//{JET}.dconv_generator_reduction"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("mlp", SWIGLU)),
        under("layers.{A}.self_attn", GQA, b="true"),
        under("layers.{J}.self_attn",
            part("q_proj",  "ssm.query", linear("d -> m*n")),
            part("k_proj",  "ssm.key",   linear("d -> m*n")),
            part("v_proj",  "ssm.value", linear("d -> m*v")),
            part("b_proj",  "ssm.beta",  linear("d -> m")),
            part("a_proj",  "ssm.alpha", linear("d -> m")),
            part("A_log",   "ssm.decay", param("m")),
            part("dt_bias", "ssm.step",  param("m")),
            part("dynamic_conv1d.kernel_generator.w1", "ssm.conv.down", linear("d -> g")),
            part("dynamic_conv1d.kernel_generator.w2", "ssm.conv.up",   dense("g -> m*v*w")),
            part("g_proj",  "ssm.gate",  linear("d -> m*v")),
            part("o_norm",  "norm.ssm",  scale("v")),
            part("o_proj",  "ssm.out",   linear("m*v -> d")))))
