"""What detectors have below them: a backbone of another type, or a ResNet of the library timm, with frozen norms.

backbone_utils.py: a backbone gives the maps of `out_indices`, else of `out_features`, else of its last stage.
`replace_batch_norm` in the detectors turns weights and biases of batch norms into buffers. timm's ResNets are known by
their name alone; those of bottlenecks are known here.
"""

from inspector.architectures.vision.resnet import RESNET, RT_DETR_RESNET
from inspector.notation.definition import Dims, either, opaque, part, recast, rows, submodel, under
from inspector.notation.kinds import conv, frozen_batchnorm, table

BOTTLENECK = rows(                             # i channels in, w inside
    part("conv1", "resnet.conv.1", conv("i -> w, 1 1", bias=False)),
    part("bn1",   "norm.resnet.1", frozen_batchnorm("w")),
    part("conv2", "resnet.conv.2", conv("w -> w, 3 3", bias=False)),
    part("bn2",   "norm.resnet.2", frozen_batchnorm("w")),
    part("conv3", "resnet.conv.3", conv("w -> 4*w, 1 1", bias=False)),
    part("bn3",   "norm.resnet.3", frozen_batchnorm("4*w")))
SKIP = rows(
    part("downsample.0", "resnet.skip",      conv("i -> 4*w, 1 1", bias=False)),
    part("downsample.1", "norm.resnet.skip", frozen_batchnorm("4*w")))
TIMM_RESNET = rows(
    part("conv1", "embed.image", conv("num_channels -> 64, 7 7", bias=False)),
    part("bn1",   "norm.embed",  frozen_batchnorm("64")),
    under("layer1.0",    BOTTLENECK, SKIP, i="64", w="64", tower="backbone.1"),
    under("layer1.{R1}", BOTTLENECK, i="256", w="64", tower="backbone.1"),
    under("layer2.0",    BOTTLENECK, SKIP, i="256", w="128", tower="backbone.2"),
    under("layer2.{R2}", BOTTLENECK, i="512", w="128", tower="backbone.2"),
    under("layer3.0",    BOTTLENECK, SKIP, i="512", w="256", tower="backbone.3"),
    under("layer3.{R3}", BOTTLENECK, i="1024", w="256", tower="backbone.3"),
    under("layer4.0",    BOTTLENECK, SKIP, i="1024", w="512", tower="backbone.4"),
    under("layer4.{R4}", BOTTLENECK, i="2048", w="512", tower="backbone.4"), tower="backbone")
TIMM_DEPTHS = Dims(
    name="backbone_config.backbone | backbone | 'resnet50'", R1="1 : 3", R2="1 : (8 when name == 'resnet152' | 4)",
    R3="1 : (23 when name == 'resnet101' | 36 when name == 'resnet152' | 6)", R4="1 : 3")


def width_of(stage: str) -> str:
    """The channels of a backbone's stage, which a symbol names: stage 1 is the first after the stem."""
    widths = ("256*2**(stage-1) when timm",
              "backbone_config.hidden_sizes[stage-1] when of not in 'swin maskformer-swin'",
              "backbone_config.embed_dim*2**(stage-1)", "backbone_config.hidden_size")
    return " | ".join(widths).replace("stage-1", f"{stage}-1")


FROZEN_RESNET = recast(RESNET, "batchnorm", frozen_batchnorm)
FROZEN_RT_DETR_RESNET = recast(RT_DETR_RESNET, "batchnorm", frozen_batchnorm)
# the maps that a backbone gives: {X} the place of each, x its stage, y the last
# Z: all stages, Z1 … Z4: stages without a map; y3, y2, y1: the stages before the last; cx, cy, c3, c2, c1: channels of
# x, y, y3, y2, y1; of: model type of the backbone
MAPS = TIMM_DEPTHS | Dims(
    timm="backbone_config == null or backbone_config.model_type == 'timm_backbone'",
    of="backbone_config.model_type when not timm",
    Z="1 : len(backbone_config.depths) + 1", Z1="0 : 0 when 'stage1' in backbone_config.out_features | 1 : 2",
    Z2="0 : 0 when 'stage2' in backbone_config.out_features | 2 : 3",
    Z3="0 : 0 when 'stage3' in backbone_config.out_features | 3 : 4",
    Z4="0 : 0 when 'stage4' in backbone_config.out_features | 4 : 5",
    stages="backbone_config.out_indices | Z - Z1 - Z2 - Z3 - Z4 when backbone_config.out_features != null"
           " | len(backbone_config.depths) : len(backbone_config.depths) + 1 when not timm | 1 : 5",
    X="len(stages)", x="stages[{X}]", y="stages[len(stages) - 1]",
    y3="stages[len(stages) - 2]", y2="stages[len(stages) - 3]", y1="stages[len(stages) - 4]",
    cx=width_of("x"), cy=width_of("y"), c3=width_of("y3"), c2=width_of("y2"), c1=width_of("y1"))
KNOWN_TIMM = "timm and name in 'resnet50 resnet101 resnet152'"
FROZEN_BACKBONE = rows(                        # what is below `backbone.conv_encoder.model`
    submodel("vision", "backbone.conv_encoder.model.", config="backbone_config", head="Backbone",
          when="not timm and of != 'resnet'"),
    submodel("frozen", "backbone.conv_encoder.model.", FROZEN_RESNET, config="backbone_config", head="Backbone",
          when="of == 'resnet'"),
    under("backbone.conv_encoder.model", TIMM_RESNET, when=KNOWN_TIMM),
    opaque("backbone.conv_encoder.model.", "a network of the library timm",
           when="timm and name not in 'resnet50 resnet101 resnet152'"))
TABLES = rows(
    part("row_embeddings",    "embed.position.row",    table("50 d//2")),
    part("column_embeddings", "embed.position.column", table("50 d//2")))
LEARNED_POSITIONS = rows(                      # transformers 4 and 5
    either(under("backbone.position_embedding", TABLES), under("position_embedding", TABLES)),
    when="position_embedding_type == 'learned'")
