"""UPerNet.

modeling_upernet.py: the last map is pooled at several scales, the others are projected and added from the top down; the
auxiliary head reads the third map, or as many channels as the config says.
"""

from inspector.architectures.vision.backbones import MAPS, width_of
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import batchnorm, conv

CONV = rows(
    part("conv",       "head.conv", conv("i -> o, k k", bias=False)),
    part("batch_norm", "norm.head", batchnorm("o")))
UPERNET = Architecture("upernet",
    dims=MAPS | Dims(d="hidden_size", P="len(pool_scales)", M="len(stages)", Y="M - 1", z="stages[{Y}]",
                     cz=width_of("z"), three="stages[2]",
                     ct=width_of("three"), x1="auxiliary_in_channels | ct", a="auxiliary_channels",
                     N="1 : auxiliary_num_convs",
                     C="labels"),
    parts=rows(
        submodel("vision", "backbone.", config="backbone_config", head="Backbone"),
        under("decode_head",
            under("psp_modules.{P}.1",  CONV, i="cy", o="d", k="1", tower="pool"),
            under("bottleneck",         CONV, i="cy + P*d", o="d", k="3", tower="pooled"),
            under("lateral_convs.{Y}",  CONV, i="cz", o="d", k="1", tower="lateral"),
            under("fpn_convs.{Y}",      CONV, i="d", o="d", k="3", tower="fpn"),
            under("fpn_bottleneck",     CONV, i="M*d", o="d", k="3", tower="joined"),
            part("classifier", "head.class", conv("d -> C, 1 1"))),
        under("auxiliary_head",
            under("convs.0",   CONV, i="x1", o="a", k="3", tower="auxiliary", when="auxiliary_num_convs > 0"),
            under("convs.{N}", CONV, i="a", o="a", k="3", tower="auxiliary.later"),
            under("conv_cat",  CONV, i="x1 + a", o="a", k="3", tower="auxiliary.joined", when="auxiliary_concat_input"),
            part("classifier", "head.auxiliary.class", conv("a -> C, 1 1")), when="use_auxiliary_head")),
    heads=(head("ForSemanticSegmentation", ""),))
