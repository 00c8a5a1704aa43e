"""PVT, PVT v2 and SegFormer: pyramids of transformers.

modeling_pvt.py: the last stage has a class token and one position more; queries read a map that a convolution has
reduced, where the ratio is above 1. modeling_pvt_v2.py: no positions; with `linear_attention` the reduction is 1x1 in
every stage.
modeling_segformer.py: heads need not divide the width: the attention is then narrower.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param

STAGES = Dims(c="num_channels", S="num_encoder_blocks", B="depths[{S}]", w="hidden_sizes[{S}]",
              v="hidden_sizes[{S}-1] | c",
              f="hidden_sizes[len(hidden_sizes)-1]", d="f", k="patch_sizes[{S}]", h="num_attention_heads[{S}]",
              ff="floor(w*mlp_ratios[{S}])",
              last="S[S-1:]", b="qkv_bias", C="labels")
CLASSIFIER = part("classifier", "head.class", dense("f -> C"))
BLOCK_NORMS = rows(
    part("layer_norm_1", "norm.attention", affine("w")),
    part("layer_norm_2", "norm.mlp",       affine("w")),
    part("mlp.dense1",   "mlp.up",         dense("w -> ff")),
    part("mlp.dense2",   "mlp.down",       dense("ff -> w")))
DEPTHWISE = part("mlp.dwconv.dwconv", "mlp.conv", conv("ff -> ff, 3 3", groups="ff"))
PVT = Architecture("pvt",
    dims=STAGES | Dims(t="strides[{S}]",                       # of the convolution, whose step is the patch size
                       r="sequence_reduction_ratios[{S}]", size="image_size when {S} == 0 | image_size//2**({S} + 1)",
                       g="(size//k)**2", R="S[sequence_reduction_ratios > 1]", E="S - last",
                       C="num_labels | 1000"),             # its config class does not count the names of labels
    parts=rows(
        under("encoder.patch_embeddings.{S}",
            part("projection", "embed.patch", conv("v -> w, t t")),
            part("layer_norm", "norm.embed",  affine("w"))),
        part("encoder.patch_embeddings.{E}.position_embeddings",    "embed.position", param("1 g w")),
        part("encoder.patch_embeddings.{last}.position_embeddings", "embed.position", param("1 g+1 w")),
        part("encoder.patch_embeddings.{last}.cls_token",           "embed.class",    param("1 1 w")),
        under("encoder.block.{S}.{B}", BLOCK_NORMS,
            part("attention.self.query",   "attention.query",  linear("w -> w", bias="b")),
            part("attention.self.key",     "attention.key",    linear("w -> w", bias="b")),
            part("attention.self.value",   "attention.value",  linear("w -> w", bias="b")),
            part("attention.output.dense", "attention.output", dense("w -> w"))),
        under("encoder.block.{R}.{B}.attention.self",
            part("sequence_reduction", "attention.reduce",      conv("w -> w, r r")),
            part("layer_norm",         "norm.attention.reduce", affine("w"))),
        part("encoder.layer_norm", "norm.final", affine("f"))),
    heads=(head("Model", ""), head("ForImageClassification", "pvt.", CLASSIFIER, default=True)))
PVT_V2 = Architecture("pvt_v2", ignores="out_features out_indices",
                      dims=STAGES | Dims(r="sr_ratios[{S}]", R="S[sr_ratios > 1]"),
    parts=rows(
        under("encoder.layers.{S}",
            part("patch_embedding.proj",       "embed.patch", conv("v -> w, k k")),
            part("patch_embedding.layer_norm", "norm.embed",  affine("w")),
            part("layer_norm",                 "norm.stage",  affine("w"))),
        under("encoder.layers.{S}.blocks.{B}", BLOCK_NORMS, DEPTHWISE,
            part("attention.query", "attention.query",  linear("w -> w", bias="b")),
            part("attention.key",   "attention.key",    linear("w -> w", bias="b")),
            part("attention.value", "attention.value",  linear("w -> w", bias="b")),
            part("attention.proj",  "attention.output", dense("w -> w"))),
        under("encoder.layers.{R}.blocks.{B}.attention",
            part("spatial_reduction", "attention.reduce",      conv("w -> w, r r")),
            part("layer_norm",        "norm.attention.reduce", affine("w")), when="not linear_attention"),
        under("encoder.layers.{S}.blocks.{B}.attention",
            part("spatial_reduction", "attention.reduce",      conv("w -> w, 1 1")),
            part("layer_norm",        "norm.attention.reduce", affine("w")), when="linear_attention")),
    heads=(head("Model Backbone", ""), head("ForImageClassification", "pvt_v2.", CLASSIFIER, default=True)))
SEGFORMER_ENCODER = rows(
    under("encoder.patch_embeddings.{S}",
        part("proj",       "embed.patch", conv("v -> w, k k")),
        part("layer_norm", "norm.embed",  affine("w"))),
    under("encoder.block.{S}.{B}", BLOCK_NORMS, DEPTHWISE,
        part("attention.self.query",   "attention.query",  dense("w -> a")),
        part("attention.self.key",     "attention.key",    dense("w -> a")),
        part("attention.self.value",   "attention.value",  dense("w -> a")),
        part("attention.output.dense", "attention.output", dense("a -> w"))),
    under("encoder.block.{R}.{B}.attention.self",
        part("sr",         "attention.reduce",      conv("w -> w, r r")),
        part("layer_norm", "norm.attention.reduce", affine("w"))),
    part("encoder.layer_norm.{S}", "norm.stage", affine("w")))
SEGFORMER_DECODER = rows(
    part("linear_c.{S}.proj", "head.project", dense("w -> D")),
    part("linear_fuse",       "head.conv",    conv("D*S -> D, 1 1", bias=False)),
    part("batch_norm",        "norm.head",    batchnorm("D")),
    part("classifier",        "head.class",   conv("D -> C, 1 1")))
SEGFORMER_STATE_DICT = {  # names in memory under transformers 5
    "*encoder.patch_embeddings.{S}": "stages.{S}.patch_embeddings",
    "*encoder.block.{S}.{B}": "stages.{S}.blocks.{B}",
    "*encoder.block.{R}.{B}": "stages.{R}.blocks.{B}",
    "*encoder.layer_norm.{S}": "stages.{S}.layer_norm",
    "*.attention.self.query": ".attention.q_proj",
    "*.attention.self.key": ".attention.k_proj",
    "*.attention.self.value": ".attention.v_proj",
    "*.attention.self.sr": ".attention.sequence_reduction.sequence_reduction",
    "*.attention.self.layer_norm": ".attention.sequence_reduction.layer_norm",
    "*.attention.output.dense": ".attention.o_proj",
    "*.mlp.dense1": ".mlp.fc1",
    "*.mlp.dense2": ".mlp.fc2",
    "*.layer_norm_1": ".layernorm_before",
    "*.layer_norm_2": ".layernorm_after",
    "*linear_c.{S}": "linear_projections.{S}",
}
SEGFORMER = Architecture("segformer", dialects=({}, SEGFORMER_STATE_DICT),
    dims=STAGES | Dims(r="sr_ratios[{S}]", R="S[sr_ratios > 1]", a="h*(w//h)", D="decoder_hidden_size"),
    heads=(
        head("Model",                   "",           SEGFORMER_ENCODER),
        head("ForImageClassification",  "segformer.", under("segformer", SEGFORMER_ENCODER), CLASSIFIER),
        head("ForSemanticSegmentation", "segformer.", under("segformer", SEGFORMER_ENCODER),
            under("decode_head", SEGFORMER_DECODER), default=True),
        head("DecodeHead",              "",           SEGFORMER_DECODER)))
FUSION = rows(                                 # D channels of both
    part("convolutional_layer1.0", "head.fuse.conv", conv("2*D -> D, 3 3")),
    part("convolutional_layer1.1", "norm.fuse",        batchnorm("D")),
    part("convolutional_layer2.0", "head.fuse.conv", conv("D -> D//2, 3 3")),
    part("convolutional_layer2.1", "norm.fuse",        batchnorm("D//2")),
    part("convolutional_layer3",   "head.fuse",        conv("D//2 -> 2, 3 3")))
GLPN = Architecture("glpn",
    dims=STAGES | Dims(r="sr_ratios[{S}]", R="S[sr_ratios > 1]", a="h*(w//h)", D="decoder_hidden_size",
                       I="len(hidden_sizes)",
                       z="hidden_sizes[I - 1 - {I}]", J="I[z != D]", K="I[1:]"),
    heads=(
        head("Model", "", SEGFORMER_ENCODER),
        head("ForDepthEstimation", "glpn.", under("glpn", SEGFORMER_ENCODER),
            part("decoder.stages.{J}.convolution", "head.project", conv("z -> D, 1 1")),
            under("decoder.stages.{K}.fusion", FUSION),
            part("head.head.0", "head.conv",  conv("D -> D, 3 3")),
            part("head.head.2", "head.depth", conv("D -> 1, 3 3")), default=True)))
