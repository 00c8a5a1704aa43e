"""M-CTC-T: a speech recogniser of Meta with one gated convolution and post-norm layers.

modeling_mctct.py of transformers 4: the convolution has twice the width, for the gate; heads have `attention_head_dim`
and positions relative to each other; a norm before the convolution has one weight and one bias. `LayerNorm` of the
layers has a bias, the linears have none.
"""

from inspector.notation.definition import Architecture, Dims, head, part, under
from inspector.notation.kinds import affine, conv, dense, linear, param, table

MCTCT = Architecture("mctct", ignores="conv_stride conv_glu_dim conv_dropout type_vocab_size num_conv_layers",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="attention_head_dim",
              ff="intermediate_size", T="max_position_embeddings", c="input_feat_per_channel*input_channels",
              N="len(conv_kernel)", k="conv_kernel[{N}]", i="conv_channels[{N}] when {N} > 0 | c",
              o="conv_channels[{N}] when {N} < N - 1 | 2*d"),
    parts=under("encoder",
        part("layer_norm.singleton_weight", "norm.input",      param("1")),
        part("layer_norm.singleton_bias",   "norm.input.bias", param("1")),
        part("conv.conv_layers.{N}",        "embed.conv",      conv("i -> o, k")),
        under("layers.{L}",
            part("attention.self.query",              "attention.query",    linear("d -> h*dh")),
            part("attention.self.key",                "attention.key",      linear("d -> h*dh")),
            part("attention.self.value",              "attention.value",    linear("d -> h*dh")),
            part("attention.self.distance_embedding", "attention.position", table("2*T-1 dh")),
            part("attention.output.dense",            "attention.output",   linear("d -> d")),
            part("attention.output.LayerNorm",        "norm.attention",     affine("d")),
            part("intermediate.dense",                "mlp.up",             linear("d -> ff")),
            part("output.dense",                      "mlp.down",           linear("ff -> d")),
            part("output.LayerNorm",                  "norm.mlp",           affine("d")))),
    heads=(
        head("Model", ""),
        head("ForCTC", "mctct.", part("ctc_head", "head.token", dense("d -> V")), default=True)))
