"""DPT and Depth Anything: depth from the maps of a vision transformer.

modeling_dpt.py: the vision transformer is its own, or one behind a BiT (`is_hybrid`: the first two maps are the BiT's, and
not reassembled), or a `backbone_config`'s. Every reassembly scales by its factor: above 1 a transposed convolution, below 1 one with stride, at 1 none; the
read-out projects class token and patches together. modeling_depth_anything.py: the backbone is a DINOv2 under `backbone.`, the
head's first convolution halves the width.
"""

from inspector.architectures.bit import BIT
from inspector.architectures.dinov2 import DINOV2
from inspector.architectures.vision_blocks import LAYERNORM, VISION, VIT_LAYER
from inspector.notation.card import Architecture, Dims, graft, head, part, rows, under
from inspector.notation.kinds import batchnorm, conv, conv_t, dense, param

NECK_DIMS = Dims(N="len(neck_hidden_sizes)", w="neck_hidden_sizes[{N}]", x="reassemble_factors[{N}]", f="fusion_hidden_size",
                 M="N", U="M[reassemble_factors > 1]", W="M[reassemble_factors < 1]", reassembled="true")
RESIDUAL = rows(                               # z: whether the convolutions have a bias, n: whether batch norms follow
    part("convolution1", "resnet.conv.1", conv("f -> f, 3 3", bias="z")),
    part("convolution2", "resnet.conv.2", conv("f -> f, 3 3", bias="z")),
    part("batch_norm1",  "norm.resnet.1", batchnorm("f"), when="n"),
    part("batch_norm2",  "norm.resnet.2", batchnorm("f"), when="n"))
NECK = rows(                                   # v the width of the maps
    under("reassemble_stage.layers",
        part("{M}.projection", "neck.project", conv("v -> w, 1 1")),
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
    graft("vision", "backbone.", config="backbone_config", head="Backbone", when="not own"),
    under("neck", NECK, tower="neck"),
    part("neck.reassemble_stage.readout_projects.{M}.0", "neck.readout", dense("2*v -> v"),
         when="reassembled and readout_type == 'project'"))
SEGMENTATION = rows(
    part("0", "head.conv",  conv("f -> f, 3 3", bias=False)),
    part("1", "norm.head",  batchnorm("f")),
    part("4", "head.class", conv("f -> C, 1 1")))
DPT = Architecture("dpt", ignores="use_autobackbone", dims=DPT_DIMS,
    parts=rows(
        part("embeddings.cls_token",                   "embed.class",    param("1 1 d")),
        part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw"), when="not is_hybrid"),
        part("embeddings.projection",                  "embed.patch.map", conv("backbone_featmap_shape[1] -> d, 1 1"), when="is_hybrid"),
        graft("stem", "embeddings.backbone.", BIT, config="backbone_config", head="Backbone", when="is_hybrid"),
        part("embeddings.position_embeddings",         "embed.position", param("1 g+1 d")),
        under("encoder.layer.{L}", VIT_LAYER),
        LAYERNORM, when="own"),
    heads=(
        head("Model", "", part("pooler.dense", "pooler", dense("d -> po"))),
        head("ForDepthEstimation", "dpt.", DPT_NECK,
            part("head.projection", "head.project", conv("256 -> 256, 3 3"), when="add_projection"),
            part("head.head.0", "head.conv.1", conv("f -> f//2, 3 3")),
            part("head.head.2", "head.conv.2", conv("f//2 -> 32, 3 3")),
            part("head.head.4", "head.depth",  conv("32 -> 1, 1 1")), default=True),
        head("ForSemanticSegmentation", "dpt.", DPT_NECK,
            under("head.head", SEGMENTATION),
            under("auxiliary_head.head", SEGMENTATION, tower="auxiliary", when="use_auxiliary_head"))))
DEPTH_ANYTHING = Architecture("depth_anything",
    dims=NECK_DIMS | Dims(d="vision.d", v="reassemble_hidden_size", z="true", n="false", o="head_hidden_size"),
    parts=rows(
        graft("vision", "backbone.", DINOV2, config="backbone_config", head="Backbone"),
        under("neck", NECK, tower="neck"),
        part("head.conv1", "head.conv.1", conv("f -> f//2, 3 3")),
        part("head.conv2", "head.conv.2", conv("f//2 -> o, 3 3")),
        part("head.conv3", "head.depth",  conv("o -> 1, 1 1"))),
    heads=(head("ForDepthEstimation", ""),))
