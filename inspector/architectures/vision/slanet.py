"""SLANet, PaddleOCR's recogniser of tables, above PP-LCNet, and SLANeXt, above SAM's vision tower.

modeling_slanet.py: the maps of all stages behind the first, whose widths are cut to whole numbers and not rounded,
become `post_conv_out_channels` and pass a pyramid down and one up; a recurrent cell that attends to them writes the
structure. modeling_slanext.py has one convolution between the tower and the same cell.
"""

from inspector.architectures.vision.pp_lcnet import CONV, PP_LCNET
from inspector.architectures.vision.sam import SAM_VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import conv, dense, linear, param

CELL = rows(                                   # d width, o channels of the map, z words of the structure
    part("structure_attention_cell.input_to_hidden",  "attention.key",   linear("o -> d")),
    part("structure_attention_cell.hidden_to_hidden", "attention.query", dense("d -> d")),
    part("structure_attention_cell.score",            "head.score",      linear("d -> 1")),
    part("structure_attention_cell.rnn.weight_ih", "gru.input",       param("3*d o+z")),
    part("structure_attention_cell.rnn.weight_hh", "gru.hidden",      param("3*d d")),
    part("structure_attention_cell.rnn.bias_ih",   "gru.input.bias",  param("3*d")),
    part("structure_attention_cell.rnn.bias_hh",   "gru.hidden.bias", param("3*d")),
    part("structure_generator.fc1", "head.dense", dense("d -> d")),
    part("structure_generator.fc2", "head.token", dense("d -> z")))
SEPARABLE = rows(
    under("depthwise_convolution", CONV, i="w", o="w", k="m", n="w", tower="depth"),
    under("pointwise_convolution", CONV, i="w", o="w", k="1", n="1", tower="point"))
CSP = rows(                                    # q channels inside
    under("conv1", CONV, i="2*o", o="q", k="1", n="1", tower="csp.1"),
    under("conv2", CONV, i="2*o", o="q", k="1", n="1", tower="csp.2"),
    under("bottlenecks.{B}.conv1", CONV, i="q", o="q", k="1", n="1", tower="bottleneck"),
    under("bottlenecks.{B}.conv2", SEPARABLE, w="q", tower="bottleneck.2"),
    under("conv3", CONV, i="2*q", o="o", k="1", n="1", tower="csp.3"))
BODY = rows(
    submodel("backbone", "vision_backbone.", PP_LCNET, config="backbone_config", head="Backbone"),
    under("post_csp_pan",
        under("channel_projector.{X}", CONV, i="c", k="1", n="1", tower="map"),
        rows(under("top_down_blocks.{P}",  CSP), tower="top"),
        rows(under("downsamples.{P}", SEPARABLE, w="o"), tower="down"),
        rows(under("bottom_up_blocks.{P}", CSP), tower="bottom")))
SLANET = Architecture("slanet", ties="false", ignores="max_text_length",
    dims=Dims(d="hidden_size", o="post_conv_out_channels", q="o//2", z="out_channels", m="csp_kernel_size",
              B="csp_num_blocks", X="4", P="3",
              blocks="backbone_config.block_configs[{X}+1]",
              c="floor((blocks[len(blocks)-1][2] | 64*2**{X})*backbone_config.scale)"),
    heads=(
        head("Backbone", "", BODY),
        head("SLAHead", "", CELL),
        head("ForTableRecognition", "", under("backbone", BODY), under("head", CELL), default=True)))
TOWER = rows(
    submodel("vision", "vision_tower.", SAM_VISION, head="tower"),
    part("post_conv", "neck.conv", conv("post_conv_in_channels -> o, 3 3", bias=False)))
SLANEXT = Architecture("slanext", ties="false", ignores="max_text_length",
    dims=Dims(d="hidden_size", o="post_conv_out_channels", z="out_channels"),
    heads=(
        head("Backbone", "", TOWER),
        head("SLAHead", "", CELL),
        head("ForTableRecognition", "", under("backbone", TOWER), under("head", CELL), default=True)))
