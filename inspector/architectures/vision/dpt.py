"""DPT, Depth Anything (prompted, too) and ZoeDepth: depth from the maps of a vision transformer.

modeling_dpt.py: the vision transformer is its own, or one behind a BiT (`is_hybrid`: the first two maps are the BiT's,
and not reassembled), or a `backbone_config`'s. Every reassembly scales by its factor: above 1 a transposed convolution,
below 1 one with stride, at 1 none; the read-out projects class token and patches together. modeling_depth_anything.py:
the backbone is a DINOv2 under `backbone.`, the head's first convolution halves the width.
modeling_prompt_depth_anything.py: every fusion reads a map of depths as well.
modeling_zoedepth.py: behind a head for relative depths one for metric ones, or one for each of several ranges, which
only the names "nyu" and "kitti" have here, with a transformer that chooses between them.
"""

from inspector.architectures.vision.bit import BIT
from inspector.architectures.vision.dinov2 import DINOV2
from inspector.architectures.vision.vision_blocks import LAYERNORM, VISION, VIT_LAYER
from inspector.notation.definition import Architecture, Dims, head, opaque, part, rows, submodel, under, usually
from inspector.notation.kinds import affine, batchnorm, conv, conv_t, dense, param

NECK_DIMS = Dims(N="len(neck_hidden_sizes)", w="neck_hidden_sizes[{N}]", x="reassemble_factors[{N}]",
                 f="fusion_hidden_size",
                 M="N", Q="M & N[:len(reassemble_factors)] when reassemble_factors != null | M",
                 U="M[reassemble_factors > 1]", W="M[reassemble_factors < 1]", reassembled="true")
RESIDUAL = rows(                               # z: whether the convolutions have a bias, n: whether batch norms follow
    part("convolution1", "resnet.conv.1", conv("f -> f, 3 3", bias="z")),
    part("convolution2", "resnet.conv.2", conv("f -> f, 3 3", bias="z")),
    part("batch_norm1",  "norm.resnet.1", batchnorm("f"), when="n"),
    part("batch_norm2",  "norm.resnet.2", batchnorm("f"), when="n"))
NECK = rows(                                   # v the width of the maps
    under("reassemble_stage.layers",
        part("{Q}.projection", "neck.project", conv("v -> w, 1 1")),
        part("{U}.resize",     "neck.up",      conv_t("w -> w, x x")),
        part("{W}.resize",     "neck.down",    conv("w -> w, 3 3")), when="reassembled"),
    part("convs.{N}",                              "neck.conv",    conv("w -> f, 3 3", bias=False)),
    under("fusion_stage.layers.{N}",
        part("projection", "neck.fuse", conv("f -> f, 1 1")),
        under("residual_layer1", RESIDUAL, tower="neck.1"),
        under("residual_layer2", RESIDUAL, tower="neck.2")))
DPT_DIMS = VISION | NECK_DIMS | Dims(b="qkv_bias", n="use_batch_norm_in_fusion_residual",
    z="use_bias_in_fusion_residual | not use_batch_norm_in_fusion_residual", po="pooler_output_size | d",
    own="is_hybrid or backbone_config == null", M="N[2:] when is_hybrid | N", reassembled="vision_type != 'swinv2'",
    vision_type="backbone_config.model_type when not own | 'dpt'", v="vision.d when not own | d")
DPT_NECK = rows(
    under("neck", NECK, tower="neck"),
    part("neck.reassemble_stage.readout_projects.{M}.0", "neck.readout", dense("2*v -> v"),
         when="reassembled and readout_type == 'project'"))
SEGMENTATION = rows(
    part("0", "head.conv",  conv("f -> f, 3 3", bias=False)),
    part("1", "norm.head",  batchnorm("f")),
    part("4", "head.class", conv("f -> C, 1 1")))
ENCODER = rows(
    part("embeddings.cls_token",                   "embed.class",    param("1 1 d")),
    part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw"), when="not is_hybrid"),
    part("embeddings.projection",                  "embed.patch.map", conv("backbone_featmap_shape[1] -> d, 1 1"),
         when="is_hybrid"),
    submodel("stem", "embeddings.backbone.", BIT, config="backbone_config", head="Backbone", when="is_hybrid"),
    part("embeddings.position_embeddings",         "embed.position", param("1 g+1 d")),
    under("encoder.layer.{L}", VIT_LAYER),
    LAYERNORM)
DPT = Architecture("dpt", ignores="use_autobackbone", dims=DPT_DIMS,
    parts=rows(ENCODER, when="own"),
    heads=(
        head("Model", "", rows(ENCODER, when="not own"),
            usually(part("pooler.dense", "pooler", dense("d -> po")))),
        head("ForDepthEstimation", "dpt.",
            submodel("vision", "backbone.", config="backbone_config", head="Backbone", when="not own"), DPT_NECK,
            part("head.projection", "head.project", conv("256 -> 256, 3 3"), when="add_projection"),
            part("head.head.0", "head.conv.1", conv("f -> f//2, 3 3")),
            part("head.head.2", "head.conv.2", conv("f//2 -> 32, 3 3")),
            part("head.head.4", "head.depth",  conv("32 -> 1, 1 1")), default=True),
        head("ForSemanticSegmentation", "dpt.", under("dpt", ENCODER, when="not own"), DPT_NECK,
            under("head.head", SEGMENTATION),
            under("auxiliary_head.head", SEGMENTATION, tower="auxiliary", when="use_auxiliary_head"))))
DEPTH_ANYTHING = Architecture("depth_anything",
    dims=NECK_DIMS | Dims(d="vision.d", v="reassemble_hidden_size", z="true", n="false", o="head_hidden_size"),
    parts=rows(
        submodel("vision", "backbone.", DINOV2, config="backbone_config", head="Backbone"),
        under("neck", NECK, tower="neck"),
        part("head.conv1", "head.conv.1", conv("f -> f//2, 3 3")),
        part("head.conv2", "head.conv.2", conv("f//2 -> o, 3 3")),
        part("head.conv3", "head.depth",  conv("o -> 1, 1 1"))),
    heads=(head("ForDepthEstimation", ""),))
PROMPT_DEPTH_ANYTHING = Architecture("prompt_depth_anything", dims=DEPTH_ANYTHING.dims,
    parts=rows(
        DEPTH_ANYTHING.parts,
        under("neck.fusion_stage.layers.{N}.prompt_depth_layer",
            part("convolution1", "neck.prompt", conv("1 -> f, 3 3")),
            part("convolution2", "neck.prompt", conv("f -> f, 3 3")),
            part("convolution3", "neck.prompt", conv("f -> f, 3 3")))),
    heads=DEPTH_ANYTHING.heads)

TWO = rows(                                    # two convolutions, m channels between them
    part("conv1", "head.conv.1", conv("i -> m, 1 1")),
    part("conv2", "head.conv.2", conv("m -> o, 1 1")))
BINOMIAL = rows(                               # i channels in, m between
    part("mlp.0", "head.binomial", conv("i -> m, 1 1")),
    part("mlp.2", "head.binomial", conv("m -> 4, 1 1")))
SHARED = rows(                                 # m channels inside
    part("conv2", "head.conv", conv("q -> q, 1 1")),
    under("seed_projector",  TWO, i="q", o="e", tower="head.seed"),
    under("projectors.{K}",  TWO, i="f", o="e", tower="head.project"))
RANGES = rows(
    under("seed_bin_regressors.nyu",        TWO, i="q", m="e//2", o="nyu", tower="nyu.seed"),
    under("seed_bin_regressors.kitti",      TWO, i="q", m="e//2", o="kitti", tower="kitti.seed"),
    under("attractors.nyu.{A}",             TWO, i="e", m="e", o="attractors", tower="nyu.attract"),
    under("attractors.kitti.{A}",           TWO, i="e", m="e", o="attractors", tower="kitti.attract"),
    under("conditional_log_binomial.nyu",   BINOMIAL, i="r + e", m="(r + e)//4", tower="nyu"),
    under("conditional_log_binomial.kitti", BINOMIAL, i="r + e", m="(r + e)//4", tower="kitti"))
CHOICE = rows(
    part("patch_transformer.embedding_convPxP", "head.choose.embed", conv("q -> t, 1 1")),
    under("patch_transformer.transformer_encoder.{L}",
        part("self_attn.query",    "attention.query",  dense("t -> t")),
        part("self_attn.key",      "attention.key",    dense("t -> t")),
        part("self_attn.value",    "attention.value",  dense("t -> t")),
        part("self_attn.out_proj", "attention.output", dense("t -> t")),
        part("linear1",            "mlp.up",           dense("t -> ff")),
        part("linear2",            "mlp.down",         dense("ff -> t")),
        part("norm1",              "norm.attention",   affine("t")),
        part("norm2",              "norm.mlp",         affine("t"))),
    part("mlp_classifier.linear1", "head.choose.1", dense("128 -> 128")),
    part("mlp_classifier.linear2", "head.choose",   dense("128 -> 2")))
# v: width of the backbone; n, z: batch norm and bias in the fusion; q, e, r: width of the bottleneck, of a bin
# embedding, number of relative features; K: attractor layers; single, attractors: outputs of one; t, ff, L: the patch
# transformer; b0, s0: inner widths; several: one head per data set (nyu, kitti: their bins)
ZOEDEPTH = Architecture("zoedepth", ignores="backbone_hidden_size",
    dims=NECK_DIMS | Dims(
        v="vision.d", d="v", n="use_batch_norm_in_fusion_residual",
        z="use_bias_in_fusion_residual | not use_batch_norm_in_fusion_residual",
        reassembled="backbone_config.model_type != 'swinv2'", q="bottleneck_features", e="bin_embedding_dim",
        r="num_relative_features",
        K="4", single="2*num_attractors[{K}] when bin_centers_type == 'normed' | num_attractors[{K}]",
        A="len(num_attractors)", attractors="32 when bin_centers_type == 'normed' | 16",
        t="patch_transformer_hidden_size", ff="patch_transformer_intermediate_size", L="num_patch_transformer_layers",
        b0="256", s0="128",
        several="len(bin_configurations) > 1", bins="bin_configurations[0].n_bins",
        nyu="bins when bin_configurations[0].name == 'nyu' | bin_configurations[1].n_bins",
        kitti="bins when bin_configurations[0].name == 'kitti' | bin_configurations[1].n_bins",
        named="len(bin_configurations) == 2 and bin_configurations[0].name in 'nyu kitti' "
              "and bin_configurations[1].name in 'nyu kitti'"),
    parts=rows(
        submodel("vision", "backbone.", config="backbone_config", head="Backbone"),
        under("neck", NECK, tower="neck"),
        part("neck.reassemble_stage.readout_projects.{N}.0", "neck.readout", dense("2*v -> v"),
             when="reassembled and readout_type == 'project'"),
        under("relative_head",
            part("projection", "head.relative.project", conv("256 -> 256, 3 3"), when="add_projection"),
            part("conv1",      "head.relative.conv",    conv("f -> f//2, 3 3")),
            part("conv2",      "head.relative.conv",    conv("f//2 -> r, 3 3")),
            part("conv3",      "head.relative.depth",   conv("r -> 1, 1 1"))),
        under("metric_head", rows(SHARED, m="s0"),
            under("seed_bin_regressor",       TWO, i="q", m="b0", o="bins", tower="metric.seed"),
            under("attractors.{K}",           TWO, i="e", m="e", o="single", tower="metric.attract"),
            under("conditional_log_binomial", BINOMIAL, i="r + 1 + e", m="(r + 1 + e)//2", tower="metric"),
            when="not several"),
        under("metric_head", rows(SHARED, m="e//2"), RANGES, CHOICE, tower="ranges", when="several and named"),
        opaque("metric_head.", "ranges of depth under other names", when="several and not named")),
    heads=(head("ForDepthEstimation", ""),))
