"""aMUSEd's UVit2DModel.

uvit_2d.py: residual blocks and attention at the image's resolution around a transformer of its tokens; one switch for
the biases of all but the time embedding's second linear, one for the weights of all norms but the first two.
"""

from inspector.architectures.diffusion.diffusion_blocks import ATTENTION, CROSS_ATTENTION, GATED_FEED_FORWARD
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, conv_t, linear, param, scale, table

# c channels, k the width of all heads, d that of the tokens, N residual blocks
STAGE = rows(
    under("res_blocks.{N}",
        part("depthwise",              "resnet.conv",        conv("c -> c, 3 3", groups="c", bias="b")),
        part("norm",                   "norm.resnet",        scale("c"), when="n"),
        part("channelwise_linear_1",   "mlp.up",             linear("c -> 4*c", bias="b")),
        part("channelwise_norm.gamma", "norm.response",      param("1 1 1 4*c")),
        part("channelwise_norm.beta",  "norm.response.bias", param("1 1 1 4*c")),
        part("channelwise_linear_2",   "mlp.down",           linear("4*c -> c", bias="b")),
        part("cond_embeds_mapper",     "resnet.time",        linear("d -> 2*c", bias="b"))),
    under("attention_blocks.{N}",
        part("kv_mapper", "attention.project", linear("d -> c", bias="b"), when="d != c"),
        part("norm1",     "norm.attention",    scale("c")),
        under("attn1", ATTENTION, w="c", a="k", bo="b"),
        part("norm2",     "norm.cross",        scale("c")),
        under("attn2", CROSS_ATTENTION, w="c", a="k", e="c", bo="b")))
UVIT2DMODEL = Architecture("UVit2DModel",
    dims=Dims(d="hidden_size", w="d", h="num_attention_heads", a="d//h*h", c="block_out_channels", i="in_channels",
              k="c//block_num_heads*block_num_heads",
              b="use_bias", n="ln_elementwise_affine", N="num_res_blocks", L="num_hidden_layers",
              ff="intermediate_size | 4*d", x="encoder_hidden_size", V="vocab_size"),
    parts=rows(
        part("encoder_proj",            "embed.text",  linear("x -> d", bias="b")),
        part("encoder_proj_layer_norm", "norm.text",   scale("d"), when="n"),
        part("embed.embeddings",        "embed.token", table("V i")),
        part("embed.layer_norm",        "norm.embed",  scale("i"), when="n"),
        part("embed.conv",              "embed.conv",  conv("i -> c, 1 1", bias="b")),
        part("cond_embed.linear_1", "embed.time.1", linear("micro_cond_embed_dim + cond_embed_dim -> d", bias="b")),
        part("cond_embed.linear_2", "embed.time.2", linear("d -> d", bias="b")),
        under("down_block", STAGE, tower="down"),
        part("down_block.downsample.norm", "norm.down",   scale("c"), when="downsample and n"),
        part("down_block.downsample.conv", "resnet.down", conv("c -> c, 2 2", bias="b"), when="downsample"),
        part("project_to_hidden_norm",   "norm.in",   scale("c"), when="n"),
        part("project_to_hidden",        "project.1", linear("c -> d", bias="b")),
        under("transformer_layers.{L}",
            part("norm1.linear", "norm.modulation.1",  linear("d -> 2*d", bias="b")),
            part("norm2.linear", "norm.modulation.2",  linear("d -> 2*d", bias="b")),
            part("norm3.linear", "norm.modulation",    linear("d -> 2*d", bias="b")),
            part("norm1.norm",   "norm.attention",     scale("d"), when="n"),
            part("norm2.norm",   "norm.cross",         scale("d"), when="n"),
            part("norm3.norm",   "norm.mlp",           affine("d", bias="b"), when="n"),
            under("attn1", ATTENTION, bo="b"),
            under("attn2", CROSS_ATTENTION, e="d", bo="b"),
            under("ff", GATED_FEED_FORWARD)),
        part("project_from_hidden_norm", "norm.out",  scale("d"), when="n"),
        part("project_from_hidden",      "project.2", linear("d -> c", bias="b")),
        under("up_block", STAGE, tower="up"),
        part("up_block.upsample.norm", "norm.up",   scale("c"), when="upsample and n"),
        part("up_block.upsample.conv", "resnet.up", conv_t("c -> c, 2 2", bias="b"), when="upsample"),
        part("mlm_layer.conv1",      "head.conv",  conv("c -> i, 1 1", bias="b")),
        part("mlm_layer.layer_norm", "norm.head",  scale("i"), when="n"),
        part("mlm_layer.conv2",      "head.token", conv("i -> codebook_size, 1 1", bias="b"))))
