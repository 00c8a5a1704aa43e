"""UVDoc, PaddleOCR's network that flattens the picture of a page.

modeling_uvdoc.py: `resnet_head` lists channels in and out, `resnet_configs` for each layer of each stage channels in
and out, dilation, and whether it halves the map; `stage_configs` the convolutions of each bridge, all of which the head
joins.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import batchnorm, conv, param

# H: first convolutions; S: stages of B layers, D those that halve the map; G: bridges of X convolutions
UVDOC_BACKBONE = Architecture("uvdoc_backbone", ties="false", ignores="out_features out_indices depths stage_names",
    dims=Dims(k="kernel_size", H="len(resnet_head)", S="len(resnet_configs)", B="len(resnet_configs[{S}])",
              stage="resnet_configs[{S}]", D="B[stage[3] == true]", i="resnet_configs[{S}][{B}][0]",
              o="resnet_configs[{S}][{B}][1]", G="len(stage_configs)", X="len(stage_configs[{G}])",
              w="stage_configs[{G}][{X}][0]"),
    parts=rows(
        part("resnet.resnet_head.{H}.convolution", "embed.image.conv",
             conv("resnet_head[{H}][0] -> resnet_head[{H}][1], k k", bias=False)),
        part("resnet.resnet_head.{H}.normalization", "norm.embed", batchnorm("resnet_head[{H}][1]")),
        under("resnet.resnet_down.{S}.layers",
            part("{B}.conv_start.convolution",   "resnet.conv.1", conv("i -> o, k k")),
            part("{B}.conv_start.normalization", "norm.resnet.1", batchnorm("o")),
            part("{B}.conv_final.convolution",   "resnet.conv.2", conv("o -> o, k k")),
            part("{B}.conv_final.normalization", "norm.resnet.2", batchnorm("o")),
            part("{D}.conv_down.convolution",    "resnet.skip",      conv("i -> o, k k")),
            part("{D}.conv_down.normalization",  "norm.resnet.skip", batchnorm("o"))),
        part("bridge.bridge.{G}.blocks.{X}.convolution",   "neck.conv", conv("w -> w, 3 3", bias=False)),
        part("bridge.bridge.{G}.blocks.{X}.normalization", "norm.neck", batchnorm("w"))),
    heads=(head("Backbone", "", default=True),))
UVDOC = Architecture("uvdoc", ties="false", ignores="padding_mode upsample_size upsample_mode",
    dims=Dims(k="kernel_size", G="len(backbone_config.stage_configs)", d="bridge_connector[1]",
              i="out_point_positions2D[0][0]", w="out_point_positions2D[0][1]"),
    parts=rows(
        submodel("backbone", "backbone.", UVDOC_BACKBONE, config="backbone_config", head="Backbone"),
        part("head.bridge_connector.convolution",   "neck.fuse", conv("bridge_connector[0]*G -> d, 1 1", bias=False)),
        part("head.bridge_connector.normalization", "norm.fuse", batchnorm("d")),
        under("head.out_point_positions2D",
            part("conv_down.convolution",       "head.point.1",     conv("i -> w, k k", bias=False)),
            part("conv_down.normalization",     "norm.head",        batchnorm("w")),
            part("conv_down.activation.weight", "head.point.slope", param("1"), when="hidden_act == 'prelu'"),
            part("conv_up",                     "head.point",
                 conv("out_point_positions2D[1][0] -> out_point_positions2D[1][1], k k")))),
    heads=(head("Model", "", default=True),))
