"""VAN and EfficientFormer: convolutions in stages.

modeling_van.py of transformers 4: attention of a stage is three depthwise and pointwise convolutions with a large
kernel and one pointwise. modeling_efficientformer.py: the halving between two stages counts as a stage; the last
`num_meta3d_blocks` blocks have attention, which reads `dim`, with a bias for each distance on a grid of `resolution`.
The class with a teacher reads `hidden_size`, which other classes of the type ignore.
"""

from inspector.architectures.vision.vision_blocks import CLASSIFIER
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, dense, param

VAN = Architecture("van", ignores="strides dropout_rate",
    dims=Dims(c="num_channels", S="min(len(hidden_sizes), len(depths))", B="depths[{S}]", w="hidden_sizes[{S}]",
              before="hidden_sizes[{S}-1] | c", p="patch_sizes[{S}]", ff="w*mlp_ratios[{S}]",
              d="hidden_sizes[len(hidden_sizes)-1]", C="labels"),
    parts=rows(
        under("encoder.stages.{S}",
            part("embeddings.convolution",   "embed.patch", conv("before -> w, p p")),
            part("embeddings.normalization", "norm.embed",  batchnorm("w")),
            under("layers.{B}",
                part("pre_normomalization", "norm.attention", batchnorm("w")),
                part("attention.pre_projection.conv", "attention.project.in", conv("w -> w, 1 1")),
                under("attention.attention_layer.attention",
                    part("depth_wise",         "attention.conv.depth", conv("w -> w, 5 5", groups="w")),
                    part("depth_wise_dilated", "attention.conv",       conv("w -> w, 7 7", groups="w")),
                    part("point_wise",         "attention.conv.point", conv("w -> w, 1 1"))),
                part("attention.post_projection", "attention.project.out", conv("w -> w, 1 1")),
                part("attention_scaling.weight",  "attention.scale", param("w")),
                part("post_normalization",        "norm.mlp",        batchnorm("w")),
                part("mlp.in_dense",   "mlp.up",    conv("w -> ff, 1 1")),
                part("mlp.depth_wise", "mlp.conv", conv("ff -> ff, 3 3", groups="ff")),
                part("mlp.out_dense",  "mlp.down",  conv("ff -> w, 1 1")),
                part("mlp_scaling.weight", "mlp.scale", param("w"))),
            part("normalization", "norm.stage", affine("w"))),
        part("layernorm", "norm.final", affine("d"))),
    heads=(
        head("Model",                  ""),
        head("ForImageClassification", "van.", CLASSIFIER, default=True)))

SCALES = rows(
    part("layer_scale_1", "attention.scale", param("w")),
    part("layer_scale_2", "mlp.scale",       param("w")), when="use_layer_scale")
POOLED = rows(                                 # a block without attention; m the width of its MLP
    SCALES,
    under("mlp",
        part("convolution1",     "mlp.up",        conv("w -> m, 1 1")),
        part("batchnorm_before", "norm.mlp.up",   batchnorm("m")),
        part("convolution2",     "mlp.down",      conv("m -> w, 1 1")),
        part("batchnorm_after",  "norm.mlp.down", batchnorm("w"))))
ATTENDED = rows(
    SCALES,
    under("token_mixer",
        part("attention_biases",    "attention.bias",       param("h r*r")),
        part("attention_bias_idxs", "attention.bias.index", buffer("r*r r*r")),
        part("qkv",        "attention.qkv",    dense("dim -> h*(k + k + x)")),
        part("projection", "attention.output", dense("h*x -> dim"))),
    part("layernorm1",     "norm.attention", affine("w")),
    part("layernorm2",     "norm.mlp",       affine("w")),
    part("mlp.linear_in",  "mlp.up",         dense("w -> m")),
    part("mlp.linear_out", "mlp.down",       dense("m -> w")))
EFFICIENTFORMER = Architecture("efficientformer",
    ignores="image_size num_hidden_layers patch_size pool_size downsample_stride downsample_pad distillation",
    dims=Dims(c="num_channels", S="len(depths)", P="0 : 2*(S-1) : 2", D="1 : 2*(S-1) : 2",
              B="depths[{P}//2]", E="num_meta3d_blocks", F="depths[S-1] - E", w="hidden_sizes[{P}//2]",
              d="hidden_sizes[S-1]", e="hidden_sizes[0]", f="downsample_patch_size", h="num_attention_heads",
              k="key_dim", x="floor(attention_ratio*k)", r="resolution", C="labels"),
    parts=rows(
        under("patch_embed",
            part("convolution1",     "embed.patch", conv("c -> e//2, 3 3")),
            part("batchnorm_before", "norm.embed",  batchnorm("e//2")),
            part("convolution2",     "embed.patch", conv("e//2 -> e, 3 3")),
            part("batchnorm_after",  "norm.embed",  batchnorm("e"))),
        under("encoder.intermediate_stages",
            under("{P}.meta4D_layers.blocks.{B}", POOLED, m="floor(w*mlp_expansion_ratio)"),
            part("{D}.projection", "merge", conv("hidden_sizes[({D}-1)//2] -> hidden_sizes[({D}+1)//2], f f")),
            part("{D}.norm",       "norm.merge", batchnorm("hidden_sizes[({D}+1)//2]"))),
        under("encoder.last_stage",
            under("meta4D_layers.blocks.{F}", POOLED, tower="pooled"),
            under("meta3D_layers.blocks.{E}", ATTENDED), w="d", m="floor(d*mlp_expansion_ratio)"),
        part("layernorm", "norm.final", affine("d"))),
    heads=(
        head("Model",                  ""),
        head("ForImageClassification", "efficientformer.", CLASSIFIER, default=True),
        head("ForImageClassificationWithTeacher", "efficientformer.",
            part("classifier",              "head.class",        dense("hidden_size -> C")),
            part("distillation_classifier", "head.distillation", dense("hidden_size -> C")))))
