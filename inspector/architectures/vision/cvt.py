"""CvT and SwiftFormer.

modeling_cvt.py: a depthwise convolution and a batch norm before each of query, key and value; averaging instead ("avg")
leaves no weights. The class token is as wide as the last stage, whichever stage has it. modeling_swiftformer.py: the
last block of a stage has the attention, those before it are convolutions; stages and what shrinks between them are
numbered through.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param

PROJECTION = rows(
    part("convolution",   "attention.conv",      conv("w -> w, k k", groups="w", bias=False)),
    part("normalization", "norm.attention.conv", batchnorm("w")))
CVT = Architecture("cvt",
    dims=Dims(c="num_channels", S="len(depth)", B="depth[{S}]", w="embed_dim[{S}]", v="embed_dim[{S}-1] | c",
              f="embed_dim[len(embed_dim)-1]",
              d="f", p="patch_sizes[{S}]", k="kernel_qkv[{S}]", ff="floor(w*mlp_ratio[{S}])", T="S[cls_token]",
              b="qkv_bias[{S}]",
              Q="S[qkv_projection_method == 'dw_bn']", C="labels"),
    parts=rows(
        part("encoder.stages.{T}.cls_token", "embed.class", param("1 1 f")),
        under("encoder.stages.{S}",
            part("embedding.convolution_embeddings.projection",    "embed.patch", conv("v -> w, p p")),
            part("embedding.convolution_embeddings.normalization", "norm.embed",  affine("w")),
            under("layers.{B}",
                part("attention.attention.projection_query", "attention.query",  linear("w -> w", bias="b")),
                part("attention.attention.projection_key",   "attention.key",    linear("w -> w", bias="b")),
                part("attention.attention.projection_value", "attention.value",  linear("w -> w", bias="b")),
                part("attention.output.dense",               "attention.output", dense("w -> w")),
                part("intermediate.dense", "mlp.up",         dense("w -> ff")),
                part("output.dense",       "mlp.down",       dense("ff -> w")),
                part("layernorm_before",   "norm.attention", affine("w")),
                part("layernorm_after",    "norm.mlp",       affine("w")))),
        under("encoder.stages.{Q}.layers.{B}.attention.attention",
            under("convolution_projection_query.convolution_projection", PROJECTION, tower="query"),
            under("convolution_projection_key.convolution_projection",   PROJECTION, tower="key"),
            under("convolution_projection_value.convolution_projection", PROJECTION, tower="value"))),
    heads=(
        head("Model", ""),
        head("ForImageClassification", "cvt.", part("layernorm", "norm.final", affine("f")),
            part("classifier", "head.class", dense("f -> C")), default=True)))

CONV_ENCODER = rows(
    part("depth_wise_conv",  "resnet.depth", conv("w -> w, 3 3", groups="w")),
    part("norm",             "norm.resnet",  batchnorm("w")),
    part("point_wise_conv1", "mlp.up",       conv("w -> floor(w*mlp_ratio), 1 1")),
    part("point_wise_conv2", "mlp.down",     conv("floor(w*mlp_ratio) -> w, 1 1")),
    part("layer_scale",      "mlp.scale",    param("w 1 1")))
BLOCK = rows(
    under("local_representation",
        part("depth_wise_conv",  "resnet.local.depth",  conv("w -> w, 3 3", groups="w")),
        part("norm",             "norm.local",   batchnorm("w")),
        part("point_wise_conv1", "resnet.local.conv", conv("w -> w, 1 1")),
        part("point_wise_conv2", "resnet.local.conv", conv("w -> w, 1 1")),
        part("layer_scale",      "resnet.local.scale",  param("w 1 1"))),
    part("attn.to_query", "attention.query",  dense("w -> w")),
    part("attn.to_key",   "attention.key",    dense("w -> w")),
    part("attn.w_g",      "attention.weight", param("w 1")),
    part("attn.proj",     "attention.value",  dense("w -> w")),
    part("attn.final",    "attention.output", dense("w -> w")),
    part("linear.norm1",  "norm.mlp",         batchnorm("w")),
    part("linear.fc1",    "mlp.in",           conv("w -> floor(w*mlp_ratio), 1 1")),
    part("linear.fc2",    "mlp.out",          conv("floor(w*mlp_ratio) -> w, 1 1")),
    part("layer_scale_1", "attention.scale",  param("w 1 1"), when="use_layer_scale"),
    part("layer_scale_2", "mlp.block.scale",      param("w 1 1"), when="use_layer_scale"))
SHRINK = rows(                                 # v channels out
    part("proj", "merge",      conv("w -> v, down_patch_size[0] down_patch_size[1]")),
    part("norm", "norm.merge", batchnorm("v")))
# w0, …: width of each stage; s0, …: whether it ends in downsampling; P0, …, Q0, …: numbers of the stages and of the
# downsampling modules (a1, …: running number); A0, …, B0, …: convolutional blocks of a stage, and its last block
SWIFTFORMER = Architecture("swiftformer",
    dims=Dims(c="num_channels", w0="embed_dims[0]", w1="embed_dims[1]", w2="embed_dims[2]", w3="embed_dims[3]",
              N="len(depths)",
              s0="downsamples[0] or w0 != w1", s1="downsamples[1] or w1 != w2", s2="downsamples[2] or w2 != w3",
              a1="2 when s0 | 1", a2="a1 + 2 when s1 | a1 + 1", a3="a2 + 2 when s2 | a2 + 1",
              P0="0 : 1", P1="a1 : a1 + 1", P2="a2 : a2 + 1", P3="a3 : a3 + 1", Q0="1 : 2", Q1="a1 + 1 : a1 + 2",
              Q2="a2 + 1 : a2 + 2",
              A0="depths[0] - 1", B0="A0 : A0 + 1", A1="depths[1] - 1", B1="A1 : A1 + 1", A2="depths[2] - 1",
              B2="A2 : A2 + 1",
              A3="depths[3] - 1", B3="A3 : A3 + 1", f="embed_dims[len(embed_dims)-1]", d="f",
              C="labels"),
    parts=rows(
        part("patch_embed.patch_embedding.0", "embed.image.1", conv("c -> w0//2, 3 3")),
        part("patch_embed.patch_embedding.1", "norm.embed.1",  batchnorm("w0//2")),
        part("patch_embed.patch_embedding.3", "embed.image.2", conv("w0//2 -> w0, 3 3")),
        part("patch_embed.patch_embedding.4", "norm.embed.2",  batchnorm("w0")),
        under("encoder.network.{P0}.blocks.{A0}", CONV_ENCODER, w="w0"),
        under("encoder.network.{P0}.blocks.{B0}", BLOCK,        w="w0"),
        under("encoder.network.{Q0}",             SHRINK,       w="w0", v="w1", when="s0 and N > 1"),
        under("encoder.network.{P1}.blocks.{A1}", CONV_ENCODER, w="w1", when="N > 1"),
        under("encoder.network.{P1}.blocks.{B1}", BLOCK,        w="w1", when="N > 1"),
        under("encoder.network.{Q1}",             SHRINK,       w="w1", v="w2", when="s1 and N > 2"),
        under("encoder.network.{P2}.blocks.{A2}", CONV_ENCODER, w="w2", when="N > 2"),
        under("encoder.network.{P2}.blocks.{B2}", BLOCK,        w="w2", when="N > 2"),
        under("encoder.network.{Q2}",             SHRINK,       w="w2", v="w3", when="s2 and N > 3"),
        under("encoder.network.{P3}.blocks.{A3}", CONV_ENCODER, w="w3", when="N > 3"),
        under("encoder.network.{P3}.blocks.{B3}", BLOCK,        w="w3", when="N > 3")),
    heads=(
        head("Model", ""),
        head("ForImageClassification", "swiftformer.",
            part("norm",      "norm.final",        batchnorm("f")),
            part("head",      "head.class",        dense("f -> C")),
            part("dist_head", "head.distillation", dense("f -> C")), default=True)))
