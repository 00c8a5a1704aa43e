"""D-FINE.

modeling_d_fine.py: RT-DETR's encoder with other blocks in its pyramids; boxes are distributions over `max_num_bins`
bins a side. Layers of the decoder that follow `eval_idx` are there twice, and their heads have another width. The
points of a level may be a list.
"""

from inspector.architectures.vision.deformable import BOX, CLASS
from inspector.architectures.vision.detr import ATTENTION, MLP
from inspector.architectures.vision.hgnet import HGNET_V2
from inspector.architectures.vision.rt_detr import CONV, NOISE, PROPOSALS, RT_DIMS
from inspector.notation.definition import Architecture, Dims, head, part, recast, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, dense, frozen_batchnorm, param

FROZEN_HGNET_V2 = recast(HGNET_V2, "batchnorm", frozen_batchnorm)
HGNET_BACKBONE = rows(
    submodel("vision", "backbone.model.", config="backbone_config", head="Backbone",
          when="not (freeze_backbone_batch_norms and of == 'hgnet_v2')"),
    submodel("frozen", "backbone.model.", FROZEN_HGNET_V2, config="backbone_config", head="Backbone",
          when="freeze_backbone_batch_norms and of == 'hgnet_v2'"))
CSP = rows(                                    # i channels in
    under("conv1", CONV, o="u", k="1", tower="csp.1"),
    under("conv2", CONV, o="u", k="1", tower="csp.2"),
    under("bottlenecks.{B}.conv1", CONV, i="u", o="u", k="3", tower="rep.1"),
    under("bottlenecks.{B}.conv2", CONV, i="u", o="u", k="1", tower="rep.2"))
ELAN = rows(
    under("conv1", CONV, i="2*eh", o="2*eh", k="1", tower="elan.1"),
    under("csp_rep1", rows(CSP, i="eh"), tower="elan.csp.1"),
    under("conv2", CONV, i="u", o="u", k="3", tower="elan.2"),
    under("csp_rep2", rows(CSP, i="u"), tower="elan.csp.2"),
    under("conv3", CONV, i="u", o="u", k="3", tower="elan.3"),
    under("conv4", CONV, i="2*eh + 2*u", o="eh", k="1", tower="elan.4"))
BINS = rows(                                   # w wide
    part("layers.0", "head.box.1", dense("w -> w")),
    part("layers.1", "head.box.2", dense("w -> w")),
    part("layers.2", "head.box",   dense("w -> 4*(max_num_bins + 1)")))
D_FINE_STATE_DICT = {  # names in memory under transformers 5
    "*.out_proj": ".o_proj",
    "*.fc1": ".mlp.layers.0",
    "*.fc2": ".mlp.layers.1",
    "*encoder.encoder.": "encoder.aifi.",
}
D_FINE = Architecture("d_fine", dialects=({}, D_FINE_STATE_DICT), ties="true",
    dims=RT_DIMS | Dims(
        u="floor(hidden_expansion*eh//2)", B="floor(3*depth_mult + 0.5)", last="decoder_in_channels[J-1]",
        E="eval_idx + 1 when eval_idx >= 0 | Ld + eval_idx + 1",
        A="2*Ld - E", H="Ld", K="Ld[:E]", R="Ld - K", wide="floor(layer_scale*d + 0.5)", G="J : F", q="lqe_hidden_dim",
        t="4*(top_prob_values + 1)",
        Q="1 : lqe_layers - 1", W="lqe_layers - 1 : lqe_layers",
        s="decoder_n_points[0] + decoder_n_points[1] + decoder_n_points[2] + decoder_n_points[3]"
          " when len(decoder_n_points) == 4 "
          "| decoder_n_points[0] + decoder_n_points[1] + decoder_n_points[2] when len(decoder_n_points) == 3"
          " | decoder_n_points[0] + decoder_n_points[1] when len(decoder_n_points) == 2 "
          "| decoder_n_points[0] when len(decoder_n_points) == 1"
          " | decoder_n_points*F"),
    parts=rows(
        HGNET_BACKBONE,
        part("encoder_input_proj.{X}.0", "embed.map", conv("cx -> eh, 1 1", bias=False)),
        part("encoder_input_proj.{X}.1", "norm.map",  batchnorm("eh")),
        under("encoder",
            under("encoder.{I}.layers.{Le}", under("self_attn", ATTENTION), rows(MLP, ff="fe"), d="eh"),
            under("lateral_convs.{P}",          CONV, i="eh", o="eh", k="1", tower="encoder.lateral"),
            under("downsample_convs.{P}.conv1", CONV, i="eh", o="eh", k="1", tower="encoder.down"),
            part("downsample_convs.{P}.conv2.conv", "resnet.depth", conv("eh -> eh, 3 3", groups="eh", bias=False)),
            part("downsample_convs.{P}.conv2.norm", "norm.depth",   batchnorm("eh")),
            rows(under("fpn_blocks.{P}", ELAN), tower="fpn"),
            rows(under("pan_blocks.{P}", ELAN), tower="pan"), tower="encoder"),
        NOISE, PROPOSALS,
        under("decoder_input_proj",
            part("{J}.0", "embed.level",      conv("last -> d, 1 1", bias=False)),
            part("{J}.1", "norm.level",       batchnorm("d")),
            part("{G}.0", "embed.level.next", conv("last -> d, 3 3", bias=False)),
            part("{G}.1", "norm.level.next",  batchnorm("d")), when="d != last"),
        under("decoder",
            under("layers.{A}",
                under("self_attn", ATTENTION), rows(MLP, ff="fd"),
                part("encoder_attn.sampling_offsets",  "cross.offsets", dense("d -> hd*s*2")),
                part("encoder_attn.attention_weights", "cross.weights", dense("d -> hd*s")),
                part("encoder_attn.num_points_scale",  "cross.points",  buffer("s")),
                part("gateway.gate", "cross.gate", dense("2*d -> 2*d")),
                part("gateway.norm", "norm.gate",  affine("d"))),
            part("query_pos_head.layers.0", "embed.position.up",   dense("4 -> 2*d")),
            part("query_pos_head.layers.1", "embed.position.down", dense("2*d -> d")),
            under("pre_bbox_head", BOX, tower="decoder.first"),
            part("lqe_layers.{H}.reg_conf.layers.0",   "head.quality.1", dense("t -> q"), when="lqe_layers > 1"),
            part("lqe_layers.{H}.reg_conf.layers.{Q}", "head.quality.2", dense("q -> q")),
            part("lqe_layers.{H}.reg_conf.layers.{W}", "head.quality",   dense("(q when lqe_layers > 1 | t) -> 1")),
            part("reg_scale", "head.box.scale", param("1")),
            part("up",        "head.box.up",    param("1")), tower="decoder")),
    heads=(
        head("ForObjectDetection", "model.",
            under("bbox_embed.{K}",  BINS, w="d"),
            under("bbox_embed.{R}",  BINS, w="wide", tower="later"),
            under("class_embed.{H}", CLASS),
            under("model.decoder.bbox_embed.{K}",  BINS,  tied="bbox_embed.{K}",  tower="copies", w="d"),
            under("model.decoder.bbox_embed.{R}",  BINS,  tied="bbox_embed.{R}",  tower="copies.later", w="wide"),
            under("model.decoder.class_embed.{H}", CLASS, tied="class_embed.{H}", tower="copies"), default=True),
        head("Model", "")))
